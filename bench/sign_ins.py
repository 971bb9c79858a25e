"""Sign-ins: the latency of the API while ten users sign in continuously."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from urllib.parse import urlencode

import httpcore2

from bench.databases import open_database
from bench.seed import HOT
from bench.servers import Server, mujina
from bench.table import BenchRun
from bench.wrk import ROUNDS, Comparison, Measured, measure
from mujina.accounts.users.rules import find_user_named
from mujina.accounts.users.sign_in import accounts
from mujina.kernel.passwords import Passwords
from mujina.kernel.permissions.actor import SYSTEM

PEOPLE = 10
PASSWORD = "ten of them at once"

_TOKEN = re.compile(rb'name="authenticity_token" value="([0-9a-f]+)"')
_COOKIE = re.compile(rb"_service_session=[^;]*")


def measured(bench: BenchRun) -> Iterator[str]:
    asyncio.run(_give_passwords(bench.url))
    path = f"/api/v4/projects/{HOT}/issues"
    with mujina(bench.data, bench.url) as server:
        measure(server, path, 16, 1)
        bench.print_step(f"list 20 issues, {PEOPLE} people signing in")
        rounds = [
            (_crowded(server, path, bench.seconds), measure(server, path, 16, bench.seconds)) for _ in range(ROUNDS)
        ]
    compared = Comparison(rounds)
    what = f"list 20 issues while {PEOPLE} people sign in (p99 {compared.other.p99:.1f} ms without them)"
    within = compared.result.p99 <= 2 * compared.other.p99
    yield bench.compared(what, compared, "p99 ≤ 2 × without", within=within)


def _crowded(server: Server, path: str, seconds: int) -> Measured:
    with _crowd(server):
        return measure(server, path, 16, seconds)


async def _give_passwords(url: str) -> None:
    hashed = await Passwords().hash(PASSWORD)
    async with open_database(url) as database, database.transaction() as tx:
        for n in range(1, PEOPLE + 1):
            await accounts.set_password(tx, SYSTEM, await find_user_named(tx, f"person{n}"), hashed)


@contextmanager
def _crowd(server: Server) -> Generator[None]:
    """Ten people who sign in for as long as the block runs, in a process of their own."""
    command = [sys.executable, "-m", "bench.sign_ins", server.url("")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as crowd:
        assert crowd.stdout is not None
        crowd.stdout.readline()  # everybody has begun
        try:
            yield
        finally:
            crowd.terminate()


async def _sign_in_for_ever(base: str, person: int, begun: asyncio.Barrier) -> None:
    """As a browser does: the page with its form, then the form."""
    form = {"user[login]": f"person{person}", "user[password]": PASSWORD}
    first = True
    async with httpcore2.AsyncConnectionPool() as pool:
        while True:
            page = await pool.request("GET", f"{base}/users/sign_in")
            token, cookie = _TOKEN.search(page.content), _COOKIE.search(dict(page.headers)[b"set-cookie"])
            assert token is not None
            assert cookie is not None
            body = urlencode({**form, "authenticity_token": token[1].decode()})
            headers = [(b"Cookie", cookie[0]), (b"Content-Type", b"application/x-www-form-urlencoded")]
            answer = await pool.request("POST", f"{base}/users/sign_in", headers=headers, content=body.encode())
            assert answer.status == 303, answer.content
            if first:
                await begun.wait()
                first = False


async def _all_of_them(base: str) -> None:
    begun = asyncio.Barrier(PEOPLE + 1)
    everybody = [asyncio.create_task(_sign_in_for_ever(base, n, begun)) for n in range(1, PEOPLE + 1)]
    await begun.wait()
    print("begun", flush=True)
    await asyncio.gather(*everybody)


if __name__ == "__main__":
    os.nice(5)  # they stand for other machines: what they use is not the server's to lose
    asyncio.run(_all_of_them(sys.argv[1]))
