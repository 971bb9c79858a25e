"""What people comment on: issues, merge requests, snippets, epics.

The slice that owns the rows describes its kind; `mujina/noteables.py` lists all kinds. Notes, discussions, awards, todos,
subscriptions and mentions work with every registered kind, without importing the slice that owns it.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, LiteralString

import msgspec

from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.params import Ref
from mujina.kernel.rules import Facts, Rule, admin, external, signed_in
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

    @property
    def bound(self) -> dict[str, str | int]:
        """As `:noteable_kind` and `:noteable_id`."""
        return {"noteable_kind": self.kind, "noteable_id": self.id}


Finder = Callable[[Tx, Actor, Ref, int, Purpose], Awaitable[Noteable]]
"""The row with this number below this project or group, if the actor may read it or comment on it."""

Targets = Callable[[Tx, Actor, list[int]], Awaitable[Mapping[int, Any]]]
"""The rows with these ids as todos show them; each has a `title` and a `web_url`."""

Positions = Callable[[Tx, list[str]], Awaitable[Mapping[str, Any]]]
"""The positions of the discussions with these ids; most have none."""


class NoteableKind(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that notes and their neighbors need to know of one kind."""

    name: NoteableName
    rows: LiteralString
    """The rows with what the rule reads: `issues i JOIN projects p ON p.id = i.project_id`."""
    key: LiteralString
    """Their id: `i.id`."""
    present: LiteralString
    """The rows that are not deleted."""
    readable: Rule
    find: Finder
    find_by_id: Finder | None = None
    """The same by the id, for a kind that the API also addresses so."""
    noun: str = ""
    """The kind in sentences: `merge request`. Empty: its texts are not searched for references."""
    sign: str = ""
    """The sign of references to it: `!`."""
    texts: LiteralString = ""
    """Statement: project id, group id, path, iid, title and description of the row `:id`."""
    author: LiteralString = ""
    """The column of the author: `i.author_id`."""
    involved: LiteralString = ""
    """Select the ids of those who participate without a word: author and assignees of the row `:noteable_id`."""
    project: LiteralString | None = None
    """The column with the project that it belongs to, if its rows go with a project."""
    targets: Targets | None = None
    """None: there are no todos about it."""
    line: LiteralString = ""
    """Statement: id, path of the project or group, iid, title and state of the rows `:ids`, as pages list todos."""
    page: str = ""
    """Where its page is: `/{path}/issues/{iid}`."""
    positions: Positions | None = None
    """None: discussions on it are not about lines."""
    counted: LiteralString = ""
    """The table whose rows have `user_notes_count`; empty: the number of its notes is not stored."""
    offered: Callable[[], bool] = lambda: True
    """Whether the edition has this kind; otherwise no rule lets anyone read a row of it."""

    def rule_about(self, kind: LiteralString, id: LiteralString, known: Facts) -> LiteralString:
        """Whether the actor may read the row that two columns name; NULL if they name none of this kind. `known`: of the actor.

        A scalar subquery looks the row up by its key; PostgreSQL would turn EXISTS into a join over every row.
        """
        if not self.offered():
            return "NULL"
        return f"""(SELECT {self.readable.given(known).many} FROM {self.rows}
            WHERE {kind} = '{self.name}' AND {self.key} = {id} AND {self.present})"""


_kinds: dict[str, NoteableKind] = {}


def register_noteables(kinds: Sequence[NoteableKind]) -> None:
    """Register the kinds of the product; the composition root calls this once."""
    _kinds.update({kind.name: kind for kind in kinds})


def noteable_kinds() -> list[NoteableKind]:
    """Every registered kind."""
    if not _kinds:
        raise RuntimeError("nothing can be commented on: call register_noteables(…) first")
    return list(_kinds.values())


def noteable_kind(name: str) -> NoteableKind | None:
    """The kind of this name; None for a commit, which takes notes but is no row."""
    return next((kind for kind in noteable_kinds() if kind.name == name), None)


class NoteableLine(msgspec.Struct, array_like=True, frozen=True):
    """A row in few words, as pages list it."""

    kind: str
    id: int
    path: str
    iid: int
    title: str
    state: str

    @property
    def described(self) -> NoteableKind:
        return _kinds[self.kind]

    @property
    def reference(self) -> str:
        """`group/project#1`."""
        return f"{self.path}{self.described.sign}{self.iid}"

    @property
    def address(self) -> str:
        """The path of its page."""
        return quoted(self.described.page.format(path=self.path, iid=self.iid))


async def read_lines(tx: Tx, wanted: Mapping[str, Sequence[int]]) -> dict[tuple[str, int], NoteableLine]:
    """The rows of these ids by kind, from one statement; rows that are gone are left out."""
    asked = [kind for kind in noteable_kinds() if kind.line and wanted.get(kind.name)]
    if not asked:
        return {}
    parts: list[LiteralString] = [
        f"SELECT '{kind.name}', line.* FROM ({kind.line.replace(':ids', f':{kind.name}_ids')}) line" for kind in asked
    ]
    bound = {f"{kind.name}_ids": list(wanted[kind.name]) for kind in asked}
    return {(line.kind, line.id): line for line in await tx.rows(NoteableLine, " UNION ALL ".join(parts), **bound)}


_NOTHING_KNOWN: Facts = {}


class ReadNoteable(Rule):
    """Whether the actor may read the row that two columns name. Its text is made when all kinds are registered."""

    def __init__(
        self,
        kind: LiteralString,
        id: LiteralString,
        others: Mapping[str, LiteralString] | None = None,
        among: frozenset[str] | None = None,
        known: Facts = _NOTHING_KNOWN,
    ) -> None:
        """`others`: expressions of further kinds, NULL if a row is of another. `among`: what is of no such kind is unreadable.
        `known`: of the actor.
        """
        self.kind: LiteralString = kind
        self.id: LiteralString = id
        self.others: Mapping[str, LiteralString] = others or {}
        self._among = among
        self._known = known

    def among(self, kinds: frozenset[str]) -> "ReadNoteable":
        """The same about rows of these kinds alone: a database plans the rules of all kinds in a hundred times the time."""
        return ReadNoteable(self.kind, self.id, self.others, kinds, self._known)

    def _fold(self, facts: Facts) -> Rule:
        """What is known of the actor holds for the rows that the columns name; other facts are about another row."""
        known = {rule: facts[rule] for rule in (admin, external, signed_in) if rule in facts}
        return ReadNoteable(self.kind, self.id, self.others, self._among, {**self._known, **known}) if known else self

    @cached_property
    def many(self) -> LiteralString:  # type: ignore[override]
        each: dict[str, LiteralString] = {
            **{kind.name: kind.rule_about(self.kind, self.id, self._known) for kind in noteable_kinds()},
            **self.others,
        }
        parts: list[LiteralString] = [text for name, text in each.items() if self._among is None or name in self._among]
        return f"coalesce({', '.join(parts)}, FALSE, FALSE)"

    @property
    def one(self) -> LiteralString:  # type: ignore[override]
        return self.many

    @property
    def whole(self) -> LiteralString:  # type: ignore[override]
        return self.many

    def __repr__(self) -> str:
        return f"read {self.kind}"
