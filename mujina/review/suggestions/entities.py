"""Suggestions as responses and pages show them."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import msgspec

from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx


class Suggestion(msgspec.Struct):
    """Other lines for those that a comment is about."""

    id: int
    from_line: int
    to_line: int
    appliable: Annotated[
        bool,
        """(mr.state = 'opened' AND mr.source_project_id IS NOT NULL AND NOT s.outdated AND s.commit_sha IS NULL
            AND s.from_content <> s.to_content)""",
    ]
    applied: Annotated[bool, "(s.commit_sha IS NOT NULL)"]
    from_content: str
    to_content: str


class SuggestionView(Row, alias="s", of=Suggestion):
    """A suggestion with its note (`note`) and its merge request (`mr`)."""

    id: int
    note_id: int


async def suggestions_of(tx: Tx, note_ids: Sequence[int]) -> Mapping[int, list[Suggestion]]:
    """The suggestions of each of these notes that has some, in the order of the text."""
    rows = await tx.rows(
        SuggestionView,
        f"""SELECT {SuggestionView.columns} FROM suggestions s JOIN notes note ON note.id = s.note_id
            JOIN merge_requests mr ON mr.id = note.noteable_id WHERE s.note_id IN :ids ORDER BY s.id""",
        ids=list(note_ids),
    )
    found: dict[int, list[Suggestion]] = {}
    for row in rows:
        found.setdefault(row.note_id, []).append(to_entity(Suggestion, row))
    return found


async def load_many(tx: Tx, ids: Sequence[int]) -> list[Suggestion]:
    """These suggestions, in this order; those deleted meanwhile are left out."""
    rows = await tx.rows(
        SuggestionView,
        f"""SELECT {SuggestionView.columns} FROM suggestions s JOIN notes note ON note.id = s.note_id
            JOIN merge_requests mr ON mr.id = note.noteable_id WHERE s.id IN :ids""",
        ids=list(ids),
    )
    by_id = {row.id: to_entity(Suggestion, row) for row in rows}
    return [by_id[id_] for id_ in ids if id_ in by_id]
