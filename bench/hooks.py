"""Creating an issue in a project with five hooks, compared with one without. Deliveries are held back while it is
measured; then they are made and counted.
"""

import asyncio
import json
import statistics
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import httpcore2

from bench.seed import TOKEN
from bench.servers import Server, mujina
from bench.table import BenchRun
from bench.wrk import Comparison, Measured, measure
from mujina.kernel.db.connect import connect

HOOKS, ROUNDS, SECONDS = 5, 5, 1
PATIENCE, SETTLED = 120, 1.5
ANOTHER_PROCESS = """INSERT INTO hook_builders (id, leased_by, leased_until) VALUES (1, 'bench', '9999-12-31')
    ON CONFLICT (id) DO UPDATE SET leased_by = excluded.leased_by, leased_until = excluded.leased_until"""
NO_OTHER_PROCESS = "DELETE FROM hook_builders"


def measured(bench: BenchRun) -> Iterator[str]:
    with (
        _receiver() as (port, received),
        mujina(bench.data, bench.url, environment={"MUJINA_OUTBOUND_ALLOW": "127.0.0.1"}) as server,
    ):
        bench.print_step("create with five hooks")
        plain, hooked = (_post(server, "/projects", name=name)["id"] for name in ("plain", "hooked"))
        for n in range(HOOKS):
            url = f"http://127.0.0.1:{port}/{n}"
            _post(server, f"/projects/{hooked}/hooks", url=url, issues_events=True, push_events=False)
        run_statement(bench.url, ANOTHER_PROCESS)
        one = [_statements(server, project) for project in (plain, hooked)]
        # Without rounds that warm up: each one is to be delivered afterward.
        compared = Comparison([(_create(server, hooked), _create(server, plain)) for _ in range(ROUNDS)])
        within = compared.cpu <= 1.1 and compared.result.bad == 0
        yield bench.compared("create with five hooks", compared, "≤ 1.1 × without", within=within)
        more = one[1] - one[0]
        yield bench.stated("statements more with five hooks", "≤ 1", str(more), within=more <= 1)
        time.sleep(SETTLED)  # the server still answers what wrk no longer waits for
        created = _total(server, hooked)
        run_statement(bench.url, NO_OTHER_PROCESS)
        started = time.monotonic()
        while len(received) < created * HOOKS and time.monotonic() < started + PATIENCE:
            time.sleep(0.1)
        took = time.monotonic() - started
        time.sleep(SETTLED)  # for one that is delivered twice
        found = f"{len(received)} of {created * HOOKS}, {len(received) / took:.0f} a second"
        yield bench.stated("deliveries afterward", "all, each once", found, within=len(received) == created * HOOKS)


def _create(server: Server, project: int) -> Measured:
    return measure(server, f"/api/v4/projects/{project}/issues", 16, SECONDS, {"title": "measured"})


def _statements(server: Server, project: int) -> int:
    """The statements of creating an issue, by the metrics: the middle of several."""
    found: list[int] = []
    for _ in range(ROUNDS):
        before = _metric(server)
        _post(server, f"/projects/{project}/issues", title="counted")
        found.append(_metric(server) - before)
    return round(statistics.median(found))


def _metric(server: Server) -> int:
    """Statements of all requests so far; jobs count too, with the next request."""
    httpcore2.request("GET", server.url("/-/health"))
    text = httpcore2.request("GET", server.url("/-/metrics")).content.decode()
    return next(
        int(float(line.split()[1])) for line in text.splitlines() if line.startswith("mujina_statements_total ")
    )


def _total(server: Server, project: int) -> int:
    answer = httpcore2.request(
        "GET", server.url(f"/api/v4/projects/{project}/issues?per_page=1"), headers=[("Private-Token", TOKEN)]
    )
    return int(dict(answer.headers)[b"x-total"])


def _post(server: Server, path: str, **body: Any) -> Any:
    headers = [("Private-Token", TOKEN), ("Content-Type", "application/json")]
    answer = httpcore2.request(
        "POST", server.url(f"/api/v4{path}"), headers=headers, content=json.dumps(body).encode()
    )  # fmt: skip
    assert answer.status == 201, answer.content
    return json.loads(answer.content)


def run_statement(url: str, statement: Any) -> None:
    """Run one statement on the database of this URL."""

    async def run() -> None:
        database = connect(url)
        await database.open()
        try:
            async with database.transaction() as tx:
                await tx.run(statement)
        finally:
            await database.close()

    asyncio.run(run())


@contextmanager
def _receiver() -> Generator[tuple[int, list[None]]]:
    """A receiver in a thread of its own: its port, and an element for each request that it got."""
    received: list[None] = []
    loop = asyncio.new_event_loop()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(length)
        received.append(None)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    listening = loop.run_until_complete(asyncio.start_server(serve, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield listening.sockets[0].getsockname()[1], received
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
