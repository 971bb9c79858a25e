"""Listing and writing notes and editing issues, compared with listing and creating issues on the same server."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import httpcore2

from bench.seed import HOT, TOKEN
from bench.servers import Server, mujina
from bench.table import BenchRun
from bench.wrk import Measured, in_turn, measure

ISSUES = f"/api/v4/projects/{HOT}/issues"
NOTES = f"{ISSUES}/78/notes"
NOTED = 100
"""Notes on the issue before they are listed."""


@dataclass(frozen=True)
class Row:
    """What is measured, and the thing with issues that it may cost so many times of."""

    name: str
    verb: str
    path: str
    body: dict[str, str] | None
    baseline: tuple[str, dict[str, str] | None]
    most: float


ROWS = [
    Row("list 20 notes", "GET", NOTES, None, (ISSUES, None), 1.2),
    Row("write a note", "POST", NOTES, {"body": "measured, and @person1 mentioned"}, (ISSUES, {"title": "measured"}), 2),
    Row("edit title and state", "PUT", f"{ISSUES}/79", {"title": "edited", "state_event": "close"},
        (ISSUES, {"title": "measured"}), 2),
]  # fmt: skip


def measured(bench: BenchRun) -> Iterator[str]:
    with mujina(bench.data, bench.url) as server:
        _write_notes(server)
        for row in ROWS:
            bench.print_step(row.name)
            path, body = row.baseline
            compared = in_turn(
                bench.seconds,
                partial(_once, server, row.path, row.body, row.verb),
                partial(_once, server, path, body),
            )
            what = "creating" if body else "listing"
            within = compared.cpu <= row.most and compared.result.bad == 0
            yield bench.compared(row.name, compared, f"≤ {row.most:g} × {what} issues", within=within)


def _once(server: Server, path: str, body: dict[str, str] | None, verb: str = "") -> Measured:
    return measure(server, path, 16, 1, body, verb=verb)


def _write_notes(server: Server) -> None:
    headers = {"Private-Token": TOKEN, "Content-Type": "application/json"}
    for n in range(NOTED):
        httpcore2.request("POST", server.url(NOTES), headers=list(headers.items()), content=b'{"body": "note %d"}' % n)
