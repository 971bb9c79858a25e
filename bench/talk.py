"""Listing and writing notes and editing issues, compared with listing and creating issues on the same server."""

from collections.abc import Iterator
from dataclasses import dataclass

import httpcore2

from bench.seed import HOT, TOKEN
from bench.servers import Server, mujina
from bench.table import BenchRun
from bench.wrk import measure

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
    with mujina(bench.folder / f"{bench.engine}-talk", bench.url) as server:
        _write_notes(server)
        for row in ROWS:
            bench.print_step(row.name)
            path, body = row.baseline
            measure(server, row.path, 16, 1, row.body, verb=row.verb)
            other = measure(server, path, 16, bench.seconds, body)
            result = measure(server, row.path, 16, bench.seconds, row.body, verb=row.verb)
            what = "creating" if body else "listing"
            within = result.cpu <= row.most * other.cpu and result.bad == 0
            yield bench.compared(row.name, result, other, f"≤ {row.most:g} × {what} issues", within=within)


def _write_notes(server: Server) -> None:
    headers = {"Private-Token": TOKEN, "Content-Type": "application/json"}
    for n in range(NOTED):
        httpcore2.request("POST", server.url(NOTES), headers=list(headers.items()), content=b'{"body": "note %d"}' % n)
