"""Rows of talk: notes listed and written and issues edited, beside issues listed and created by the same server."""

from collections.abc import Iterator
from dataclasses import dataclass

import httpcore2

from bench.seed import HOT, TOKEN
from bench.servers import Server, mujina
from bench.table import Ground
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
    beside: tuple[str, dict[str, str] | None]
    most: float


ROWS = [
    Row("list 20 notes", "GET", NOTES, None, (ISSUES, None), 1.2),
    Row("write a note", "POST", NOTES, {"body": "measured, and @person1 told"}, (ISSUES, {"title": "measured"}), 2),
    Row("edit title and state", "PUT", f"{ISSUES}/79", {"title": "edited", "state_event": "close"},
        (ISSUES, {"title": "measured"}), 2),
]  # fmt: skip


def measured(ground: Ground) -> Iterator[str]:
    with mujina(ground.folder / f"{ground.engine}-talk", ground.url) as server:
        _write_notes(server)
        for row in ROWS:
            ground.say(row.name)
            path, body = row.beside
            measure(server, row.path, 16, 1, row.body, verb=row.verb)
            other = measure(server, path, 16, ground.seconds, body)
            told = measure(server, row.path, 16, ground.seconds, row.body, verb=row.verb)
            what = "creating" if body else "listing"
            within = told.cpu <= row.most * other.cpu and told.bad == 0
            yield ground.compared(row.name, told, other, f"≤ {row.most:g} × {what} issues", within=within)


def _write_notes(server: Server) -> None:
    headers = {"Private-Token": TOKEN, "Content-Type": "application/json"}
    for n in range(NOTED):
        httpcore2.request("POST", server.url(NOTES), headers=list(headers.items()), content=b'{"body": "note %d"}' % n)
