"""The lines that threads are about, as pages show them: in the diff of their version, or with their old lines."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import msgspec

from mujina.kernel.db.transaction import Tx
from mujina.kernel.services import Services
from mujina.planning.discussions.positions import Position, TextPosition, decode
from mujina.planning.discussions.timeline import Thread
from mujina.rendering.code.diff_rows import DiffRow, rows_of
from mujina.review.discussions import operations
from mujina.review.merge_requests.operations import repository_of
from mujina.review.merge_requests.rules import MergeRequestRow

MAX_EXCERPTS: Final = 20
"""Threads of a page that show their lines."""
LINES_ABOVE: Final = 4
MAX_SPOTS: Final = 1_000
"""Threads about lines that are looked for on a page of changes."""

Spot = tuple[str, int | None, int | None]
"""Path, old number and new number of a line: those that a row of its diff has."""


class ThreadLine(msgspec.Struct):
    """The lines of a diff that a thread is about."""

    path: str
    number: int | None
    """None: a point of an image."""
    code: str
    """The anchor of the line; empty: the newest version does not have it."""
    outdated: bool
    rows: list[DiffRow]
    """The line and those above it; none if they are not read."""


class ShownLines(msgspec.Struct, frozen=True):
    """The lines of the threads on a page."""

    found: list[tuple[Position, ThreadLine]]

    async def read(self, services: Services, request: MergeRequestRow) -> None:
        """Read the text of the first of them from git."""
        wanted: defaultdict[tuple[str, str], list[tuple[TextPosition, ThreadLine]]] = defaultdict(list)
        for position, line in self.found[:MAX_EXCERPTS]:
            if isinstance(position, TextPosition):
                wanted[position.base_sha, position.head_sha].append((position, line))
        for (base, head), lines in wanted.items():
            paths = {position.new_path for position, _ in lines}
            patches = await operations.patches_of(services, repository_of(request), base, head, paths)
            for position, line in lines:
                patch = patches.get(position.new_path)
                line.rows = [] if patch is None else excerpt(rows_of(patch), position.old_line, position.new_line)


def excerpt(rows: Sequence[DiffRow], old: int | None, new: int | None) -> list[DiffRow]:
    """The row with these numbers, and some above it; none if no row has them."""
    for n, row in enumerate(rows):
        if row.kind == "line" and (row.old, row.new) == (old, new):
            above = [other for other in rows[max(0, n - LINES_ABOVE) : n] if other.kind == "line"]
            return [*above, row]
    return []


async def show_lines(tx: Tx, threads: Sequence[Thread]) -> ShownLines:
    """Say in each thread which line it is about: one statement. Unresolved threads come first."""
    about = {thread.id: thread for thread in threads if thread.resolvable}
    if not about:
        return ShownLines([])
    rows = await tx.rows(
        tuple[str, str, str | None, bool],
        """SELECT at.discussion_id, at.position, at.line_code, at.outdated FROM diff_positions at
           WHERE at.discussion_id IN :ids""",
        ids=sorted(about),
    )
    found: list[tuple[bool, Position, ThreadLine]] = []
    for id_, encoded, code, outdated in rows:
        position = decode(encoded)
        number = position.new_line or position.old_line if isinstance(position, TextPosition) else None
        line = ThreadLine(position.new_path, number, "" if outdated else code or "", outdated, [])
        about[id_].line = line
        found.append((about[id_].resolved_at is not None, position, line))
    found.sort(key=lambda each: each[0])
    return ShownLines([(position, line) for _, position, line in found])


class LocatedThread(msgspec.Struct, frozen=True):
    """Where a thread is in the diff between two commits."""

    id: str
    location: Spot


async def find_threads(tx: Tx, request_id: int, head: str | None) -> list[LocatedThread]:
    """The threads about lines of the version with this head, where they were written or where they moved."""
    rows = await tx.rows(
        tuple[str, str, str],
        """SELECT at.discussion_id, at.position, at.original_position FROM diff_positions at
           WHERE at.discussion_id IN (SELECT note.discussion_id FROM notes note
               WHERE note.noteable_kind = 'merge_request' AND note.noteable_id = :id AND NOT note.individual)
           ORDER BY at.discussion_id LIMIT :max_spots""",
        id=request_id,
        max_spots=MAX_SPOTS,
    )
    found: list[LocatedThread] = []
    for id_, *encoded in rows:
        for position in map(decode, encoded):
            if isinstance(position, TextPosition) and position.head_sha == head:
                found.append(LocatedThread(id_, (position.new_path, position.old_line, position.new_line)))
                break
    return found
