"""One user's flood: the latency of another user's requests while 64 connections of the first one never pause."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpcore2
import msgspec

from bench.seed import HOT, TOKEN
from bench.servers import Server, mujina
from bench.table import BenchRun
from bench.wrk import ROUNDS, Measured, measure, middle, send
from mujina.kernel.permissions.levels import REPORTER

CONNECTIONS = 64
OTHERS = 4
"""Connections of the other user."""
MAX_LATENCY = 150
OTHER_USER = 2
PATH = f"/api/v4/projects/{HOT}/issues"


def measured(bench: BenchRun) -> Iterator[str]:
    with mujina(bench.data, bench.url) as server:
        token = token_of_another_user(server)
        measure(server, PATH, 16, 1)
        bench.print_step(f"a flood of {CONNECTIONS} connections")
        result = middle([_flooded(server, token, bench.seconds) for _ in range(ROUNDS)])
    within = result.p99 <= MAX_LATENCY and result.bad == 0
    what = f"list 20 issues during another user's flood of {CONNECTIONS} connections"
    yield bench.requests(what, result, f"p99 ≤ {MAX_LATENCY} ms", within=within)


def _flooded(server: Server, token: str, seconds: int) -> Measured:
    with ThreadPoolExecutor(1) as flood:
        # The flood begins before and ends after what is measured.
        flooding = flood.submit(send, server, PATH, CONNECTIONS, seconds + 2)
        result = measure(server, PATH, OTHERS, seconds, token=token)
        flooding.result()
    return result


def token_of_another_user(server: Server) -> str:
    """A user other than root becomes a member of the hot project and gets a token."""
    _post(server, f"/projects/{HOT}/members", {"user_id": OTHER_USER, "access_level": REPORTER})
    made = _post(server, f"/users/{OTHER_USER}/impersonation_tokens", {"name": "bench", "scopes": ["api"]})
    return msgspec.json.decode(made, type=_Token).token


def _post(server: Server, path: str, body: dict[str, object]) -> bytes:
    response = httpcore2.request(
        "POST", server.url(f"/api/v4{path}"), content=msgspec.json.encode(body),
        headers={"Private-Token": TOKEN, "Content-Type": "application/json"},
    )  # fmt: skip
    assert response.status == 201, response.content
    return response.content


class _Token(msgspec.Struct):
    token: str
