"""How many contributions there are, kept by triggers: feeds give exact totals without counting their events.

A count is for one project, one author (0: all of them), one day, one kind of event, and the part of the project to which
the events belong. Who may read a part follows from the project alone (`totals.py: PARTS`). An event that no one reads, because its
issue or its note is gone, is not counted.

What an event is about moves it from one part to another: an issue becomes confidential, a note is deleted. On PostgreSQL
what the note is on is therefore locked while a note is counted; writing and deleting comments lock it anyway, one statement
later.
"""

from collections.abc import Callable

from mujina.activity.events.kinds import KINDS
from mujina.kernel.db.ddl import Counted, CountOwner, integer, kept_count, text
from mujina.kernel.db.schema.count_triggers import ChangedRow

_WHOSE = "(SELECT 0 AS own UNION ALL SELECT 1) whose"
"""Each event counts for all authors, and for its own."""

_REQUEST = "'merge request'"


def _contribution(event: ChangedRow | str) -> str:
    return f"""{event}.project_id IS NOT NULL AND {event}.author_id IS NOT NULL
        AND {event}.kind IN ({", ".join(f"'{kind}'" for kind in KINDS)})"""


_COUNTED = f"{_contribution('event')} AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id)"
"""The counts of a deleted user are gone, the events remain."""


def _issue(issue: ChangedRow | str) -> str:
    return f"CASE WHEN {issue}.confidential THEN 'confidential issue' ELSE 'issue' END"


def _part_of_note(note: ChangedRow | str, lock: str) -> str:
    return f"""CASE {note}.noteable_kind WHEN 'commit' THEN 'code'
        WHEN 'issue' THEN (SELECT {_issue("i")} FROM issues i
            WHERE i.id = {note}.noteable_id AND i.deleted_at IS NULL{lock})
        WHEN 'merge_request' THEN (SELECT {_REQUEST} FROM merge_requests mr WHERE mr.id = {note}.noteable_id{lock})
        WHEN 'snippet' THEN (SELECT s.visibility || ' snippet' FROM snippets s WHERE s.id = {note}.noteable_id{lock}) END"""


def _part_of_event(event: ChangedRow) -> str:
    # An event about an issue is recorded while the issue is locked, and repeats whether it is confidential.
    return f"""CASE {event}.subject_kind WHEN 'issue' THEN {_issue(event)} WHEN 'merge_request' THEN {_REQUEST}
        WHEN 'repository' THEN 'code' WHEN 'wiki_page' THEN 'wiki'
        WHEN 'note' THEN (SELECT {_part_of_note("note", event.lock("FOR NO KEY UPDATE"))} FROM notes note
            WHERE note.id = {event}.subject_id) ELSE 'project' END"""


def _by(row: ChangedRow | str, part: str) -> list[str]:
    return [
        f"{row}.author_id * whose.own",
        f"{row}.project_id",
        f"substr({row}.created_at, 1, 10)",
        f"{row}.kind",
        part,
    ]


def _subject(table: str, kind: str, part: Callable[[ChangedRow], str], on_update: tuple[str, ...] = ()) -> Counted:
    """A row of this table, unless it is deleted, moves the events about it and about the notes on it to another part."""

    def exists(row: ChangedRow) -> str:
        return f"{row}.deleted_at IS NULL" if "deleted_at" in on_update else "TRUE"

    return Counted(
        table=table,
        by=lambda row: _by("event", part(row)),
        source=lambda _: f"events event CROSS JOIN {_WHOSE}",
        where=lambda row: (
            f"""{exists(row)} AND event.id IN (SELECT e.id FROM events e
            WHERE e.subject_kind = '{kind}' AND e.subject_id = {row}.id
            UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = 'note' AND e.subject_id = n.id
            WHERE n.noteable_kind = '{kind}' AND n.noteable_id = {row}.id) AND {_COUNTED}"""
        ),
        on_insert=False,
        on_update=on_update,
    )


kept_count(
    "event_counts",
    [integer("author_id"), integer("project_id"), text("day"), text("kind"), text("part")],
    Counted(
        table="events",
        by=lambda row: _by(row, "about.part"),
        source=lambda row: f"(SELECT {_part_of_event(row)} AS part) about CROSS JOIN {_WHOSE}",
        when=lambda row: " ".join(_contribution(row).split()),
        where=lambda row: f"{_contribution(row)} AND about.part IS NOT NULL",
        on_update=["created_at"],
        on_delete=False,
    ),
    Counted(
        table="notes",
        by=lambda _: _by("event", "about.part"),
        source=lambda row: f"""(SELECT {_part_of_note(row, row.lock("FOR NO KEY UPDATE"))} AS part) about
            CROSS JOIN events event CROSS JOIN {_WHOSE}""",
        where=lambda row: f"""event.subject_kind = 'note' AND event.subject_id = {row}.id AND NOT {row}.system
            AND about.part IS NOT NULL AND {_COUNTED}""",
        on_insert=False,
    ),
    _subject("issues", "issue", _issue, ("confidential", "deleted_at")),
    _subject("merge_requests", "merge_request", lambda _: _REQUEST),
    _subject("snippets", "snippet", lambda row: f"{row}.visibility || ' snippet'", ("visibility",)),
    Counted(
        table="users",
        by=lambda _: ["0", "c.project_id", "c.day", "c.kind", "c.part"],
        source=lambda _: "event_counts c",
        where=lambda row: f"c.author_id = {row}.id",
        n="c.n",
        on_insert=False,
    ),
    owners=[
        CountOwner(
            "projects",
            "project_id",
            "author_id IN (SELECT 0 UNION SELECT e.author_id FROM events e WHERE e.project_id = OLD.id)",
        ),
        CountOwner("users", "author_id"),
    ],
)  # fmt: skip
