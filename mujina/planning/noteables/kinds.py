"""Noteables are the things that people comment on: issues, merge requests, snippets, epics.

The slice that owns the rows describes its kind, and the manifest of its chapter adds it to `NOTEABLE_KINDS`. Notes,
discussions, awards, todos, subscriptions and mentions work with every kind, without importing the slice that owns it.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Literal, LiteralString

import msgspec

from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Condition, Facts, Rule
from mujina.kernel.product import ExtensionPoint, Product
from mujina.kernel.urls import quoted

NoteableName = Literal["issue", "merge_request", "snippet", "epic"]
Purpose = Literal["read", "comment"]


class Noteable(msgspec.Struct, frozen=True):
    """One row that a note is on, as a look-up found it for the actor."""

    kind: str
    type: str
    """The kind as the API spells it: `MergeRequest`."""
    id: int
    iid: int | None
    path: str
    """The full path of the project or group."""
    author_id: int | None
    """None: the author of a commit may have no account."""
    dated: bool
    """Whether the actor may set the dates of notes."""
    moderated: bool
    """Whether the actor may edit and delete the notes of others."""
    project_id: int | None = None
    group_id: int | None = None
    """The group that it belongs to, if it belongs to no project."""
    confidential: bool = False
    resolvable: bool = False
    """Whether discussions on it can be resolved."""
    resolver: bool = False
    """Whether the actor may resolve them."""
    project_active_at: str | None = None
    """When the project was last active, where the look-up knows."""
    note_sources: str | None = None
    """`note_sources`, where the look-up has read them."""

    @property
    def bound(self) -> dict[str, str | int]:
        """The parameters `:noteable_kind` and `:noteable_id`."""
        return {"noteable_kind": self.kind, "noteable_id": self.id}


def note_sources(kind: LiteralString, id: LiteralString) -> LiteralString:
    """JSON: pairs of a kind of source and the number of notes that refer to one, and the number of all notes with null."""
    return f"""(SELECT CAST(json_agg(json_build_array(found.source_kind, found.n)) AS text) FROM (
        SELECT NULL AS source_kind, CAST(coalesce(sum(c.n), 0) AS bigint) AS n FROM note_counts c
        WHERE c.noteable_kind = {kind} AND c.noteable_id = {id}
        UNION ALL
        SELECT note.source_kind, count(*) FROM notes note WHERE note.noteable_kind = {kind}
        AND note.noteable_id = {id} AND note.source_kind IS NOT NULL GROUP BY note.source_kind) found)"""


Finder = Callable[[Tx, Actor, Ref, int, Purpose], Awaitable[Noteable]]
"""The row with this number below this project or group, if the actor may read it or comment on it."""

Targets = Callable[[Tx, Actor, list[int]], Awaitable[Mapping[int, Any]]]
"""The rows with these ids as todos show them; each has a `title` and a `web_url`."""

Positions = Callable[[Tx, list[str]], Awaitable[Mapping[str, Any]]]
"""The positions of the discussions with these ids; most have none."""

Suggestions = Callable[[Tx, list[int]], Awaitable[Mapping[int, Any]]]
"""What the notes with these ids suggest; most suggest nothing."""


class NoteableKind(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that notes and their neighbors need to know of one kind."""

    name: NoteableName
    rows: LiteralString
    """The rows with what the rule reads: `issues i JOIN projects p ON p.id = i.project_id`."""
    key: LiteralString
    """Their id: `i.id`."""
    present: LiteralString
    """The rows that are not deleted, of a kind that the edition has."""
    readable: Rule
    find: Finder
    find_by_id: Finder | None = None
    """Finds it by the id, for a kind that the API also addresses so."""
    noun: str = ""
    """The kind in sentences: `merge request`. Empty: its texts are not searched for references."""
    sign: str = ""
    """The sign of references to it: `!`."""
    texts: LiteralString = ""
    """Statement: project id, group id, path, iid, title and description of the row `:id`."""
    author: LiteralString = ""
    """The column of the author: `i.author_id`."""
    involved: LiteralString
    """Select the ids of those who participate without a word: author and assignees of the row `:issue_id`, by its kind."""
    subscribed: LiteralString = ""
    """Whether the actor is subscribed to the row; empty: it has no subscriptions."""
    project: LiteralString | None = None
    """The column with the project that it belongs to, if its rows go with a project."""
    targets: Targets | None = None
    """None: there are no todos about it."""
    line: LiteralString = ""
    """Statement: id, path of the project or group, iid, title and state of the rows, as pages list todos."""
    page: str = ""
    """Where its page is: `/{path}/issues/{iid}`."""
    positions: Positions | None = None
    """None: discussions on it are not about lines."""
    suggestions: Suggestions | None = None
    counted: LiteralString = ""
    """The table whose rows have `user_notes_count`; empty: the number of its notes is not stored."""

    def rule_about(self, kind: LiteralString, id: LiteralString, known: Facts) -> LiteralString:
        """Whether the actor may read the row that two columns name; NULL if they name none of this kind. `known`: of the actor.

        A scalar subquery looks the row up by its key; PostgreSQL would turn EXISTS into a join over every row.
        """
        return f"""(SELECT {self.readable.assuming(known).for_scan} FROM {self.rows}
            WHERE {kind} = '{self.name}' AND {self.key} = {id} AND {self.present})"""


NOTEABLE_KINDS: Final = ExtensionPoint[NoteableKind]("what people comment on")


def noteable_kind(product: Product, name: str) -> NoteableKind | None:
    """The kind of this name; None for a commit, which takes notes but is no row."""
    return next((kind for kind in product.all(NOTEABLE_KINDS) if kind.name == name), None)


async def delete_in_project(tx: Tx, table: LiteralString, project_id: int) -> None:
    """Delete the rows of this table about everything in a removed project: those whose `subject_kind` is a noteable."""
    for kind in tx.product.all(NOTEABLE_KINDS):
        if kind.project is not None:
            await tx.run(
                f"""DELETE FROM {table} WHERE subject_kind = '{kind.name}'
                    AND subject_id IN (SELECT {kind.key} FROM {kind.rows} WHERE {kind.project} = :id)""",
                id=project_id,
            )


class _LineRow(msgspec.Struct, array_like=True, frozen=True):
    kind: str
    id: int
    path: str
    iid: int
    title: str
    state: str


class NoteableLine(_LineRow, frozen=True):
    """A row in few words, as pages list it."""

    noun: str
    reference: str
    """`group/project#1`."""
    address: str
    """The path of its page."""


async def read_lines(tx: Tx, wanted: Mapping[str, Sequence[int]]) -> dict[tuple[str, int], NoteableLine]:
    """The rows of these ids by kind, from one statement; rows that are gone are left out."""
    asked = {kind.name: kind for kind in tx.product.all(NOTEABLE_KINDS) if kind.line and wanted.get(kind.name)}
    if not asked:
        return {}
    parts: list[LiteralString] = [
        f"SELECT '{kind.name}', line.* FROM ({kind.line} WHERE {kind.key} IN :{kind.name}_ids) line"
        for kind in asked.values()
    ]
    bound = {f"{name}_ids": list(wanted[name]) for name in asked}
    rows = await tx.rows(_LineRow, " UNION ALL ".join(parts), **bound)
    return {(row.kind, row.id): _line(asked[row.kind], row) for row in rows}


def _line(kind: NoteableKind, row: _LineRow) -> NoteableLine:
    return NoteableLine(
        **msgspec.structs.asdict(row),
        noun=kind.noun,
        reference=f"{row.path}{kind.sign}{row.iid}",
        address=quoted(kind.page.format(path=row.path, iid=row.iid)),
    )


_NOTHING_KNOWN: Facts = {}


def read_noteable(
    product: Product,
    kind: LiteralString,
    id: LiteralString,
    *,
    known: Facts = _NOTHING_KNOWN,
    others: Mapping[str, LiteralString] | None = None,
    among: frozenset[str] | None,
) -> Rule:
    """Whether the actor may read the row that two columns name. `known`: facts about the actor.

    `others`: expressions of further kinds, NULL if a row is of another. `among`: rows of other kinds are unreadable; a
    database plans the rules of all kinds in a hundred times the time.
    """
    each: dict[str, LiteralString] = {
        **{described.name: described.rule_about(kind, id, known) for described in product.all(NOTEABLE_KINDS)},
        **(others or {}),
    }
    parts: list[LiteralString] = [text for name, text in each.items() if among is None or name in among]
    return Condition(f"read {kind}", f"coalesce({', '.join(parts)}, FALSE, FALSE)")
