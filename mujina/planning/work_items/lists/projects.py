"""The projects over which a list goes: of some the caller sees every row, of others only a part.

Lists look this up first, so that the statement that reads rows need not compute access for each of them.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any, ClassVar, LiteralString, Self

import msgspec

from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Condition, Facts, Rule, admin
from mujina.planning.work_items.lists.nouns import ListedWorkItems
from mujina.workspaces.projects.rules import READ_PROJECT, in_projects

_IN_GROUP: LiteralString = """
    AND p.namespace_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id)"""
"""The projects of the group and of the groups below it."""


class ListedProjects(msgspec.Struct, frozen=True):
    """The ids of projects that the caller may read, for a list of one noun."""

    full: list[int]
    """The caller sees every row of these."""
    partial: list[int]
    """The projects of which the caller sees only rows that they have a part in, and those that need no right."""
    known_count: int | None = None
    """The kept count of rows in the requested state that need no further check; None: not looked up yet."""

    noun: ClassVar[ListedWorkItems[Any]]

    @classmethod
    async def everywhere(cls, tx: Tx, actor: Actor, state: str) -> Self:
        """Every project of the instance that the actor may read and that has rows of the state."""
        return await cls._found(tx, actor, state)

    @classmethod
    async def in_group(cls, tx: Tx, actor: Actor, group_id: int, state: str) -> Self:
        """The projects of the group and of the groups below it."""
        return await cls._found(tx, actor, state, _IN_GROUP, group_id=group_id)

    @classmethod
    async def in_project(cls, tx: Tx, actor: Actor, project_id: int) -> Self:
        """One project, which the caller has found."""
        return await cls._found(tx, actor, "all", "AND p.id = :project_id", project_id=project_id)

    @classmethod
    async def _found(cls, tx: Tx, actor: Actor, state: str, within: LiteralString = "", **bound: Value) -> Self:
        noun = cls.noun
        found = await tx.rows(
            tuple[int, bool, int, int],
            f"""SELECT p.id, {noun.every.for_scan}, CAST(sum(c.n) AS bigint),
                    CAST(sum(CASE WHEN {noun.unrestricted} THEN c.n ELSE 0 END) AS bigint)
                FROM projects p JOIN {noun.kind}_counts c ON c.project_id = p.id AND (:state = 'all' OR c.state = :state)
                WHERE p.deleted_at IS NULL AND {noun.enabled.for_scan} AND {READ_PROJECT.for_scan} {within} GROUP BY p.id""",
            state=state,
            **actor.bound,
            **bound,
        )
        return cls(
            [id_ for id_, full, _, _ in found if full],
            [id_ for id_, full, _, _ in found if not full],
            sum(every if full else unrestricted for _, full, every, unrestricted in found),
        )

    @classmethod
    def sum_states(cls, rows: Iterable[tuple[str, int]]) -> dict[str, int]:
        """The sums of these counts by state, and of all of them."""
        found = dict.fromkeys(cls.noun.states, 0)
        for state, n in rows:
            found[state] += n
        return {**found, "all": sum(found.values())}

    @property
    def ids(self) -> list[int]:
        return [*self.full, *self.partial]

    @property
    def only_project(self) -> int | None:
        """The project, if there is exactly one."""
        ids = self.ids
        return ids[0] if len(ids) == 1 else None

    @property
    def bound(self) -> dict[str, Any]:
        """The projects, as statements bind them."""
        prefix = self.noun.prefix
        return {f"{prefix}project_ids": self.ids, f"{prefix}full": self.full, f"{prefix}partial": self.partial}

    @property
    def counted(self) -> dict[str, Value]:
        """The values that a statement about all states of these projects binds."""
        return {**self.bound, "state": "all"}

    def rows(self, actor: Actor) -> Selection:
        """Every row that the caller sees in these projects."""
        return self._selection(actor, f"{self.noun.kind}s").where(self.noun.is_kept)

    def texts(self, actor: Actor) -> Selection:
        """These rows in the narrow table of texts, which is enough to search and to count."""
        return self._selection(actor, f"{self.noun.kind}_texts")

    def _selection(self, actor: Actor, source: LiteralString) -> Selection:
        noun, prefix = self.noun, self.noun.prefix
        bound = {f"{prefix}known_count": self.known_count, f"{prefix}project_id": self.only_project}
        readable = _readable(noun, bool(self.full), bool(self.partial), actor.admin)
        selection = Selection(f"{source} {noun.alias}", self._inside, **self.bound, **bound, **actor.bound)
        return selection.where(readable)

    @property
    def _inside(self) -> LiteralString:
        noun = self.noun
        return in_projects(f"{noun.alias}.project_id", len(self.ids), self.known_count or 0, noun.prefix)

    async def size(self, tx: Tx) -> int:
        """How many rows the caller sees without a check of each."""
        return await tx.value(self._kept, **self.counted) if self.known_count is None else self.known_count

    async def count_by_state(self, tx: Tx, actor: Actor) -> dict[str, int]:
        """State, or `all` → how many rows the caller sees; it sums kept counts."""
        return self.sum_states(await tx.rows(tuple[str, int], self._by_state, **self.counted, **actor.bound))

    @property
    def counts_as_rows(self) -> LiteralString:
        """A statement for the same counts: `state`, the state and the number as a text, and an empty one."""
        return f"SELECT 'state', counted.state, CAST(counted.n AS text), '' FROM ({self._by_state}) counted"

    @property
    def _by_state(self) -> LiteralString:
        noun = self.noun
        kept: LiteralString = f"""SELECT c.state, CAST(sum(c.n) AS bigint) AS n
            {noun.kept(noun.projects, self._every)} GROUP BY c.state {noun.miscounted_by_state}"""
        own: LiteralString = f"""SELECT {noun.state}, count(*) FROM ({noun.own(self._partial)}) own
            JOIN {noun.kind}s {noun.alias} ON {noun.alias}.id = own.id GROUP BY 1"""
        return f"{kept} UNION ALL {own}" if self.partial else kept

    @property
    def count(self) -> LiteralString:
        """A statement for the number of rows of `:state` that the caller sees; it sums kept counts."""
        noun, known = self.noun, f"SELECT CAST(:{self.noun.prefix}known_count AS bigint)"
        kept = (
            f"SELECT ({self._kept if self.known_count is None else known}){noun.miscounted(f'IN :{noun.prefix}full')}"
        )
        return f"{kept} + ({noun.own_count(self._partial)})" if self.partial else kept

    @property
    def _kept(self) -> LiteralString:
        return self.noun.count(self.noun.projects, self._every)

    @property
    def _every(self) -> LiteralString:
        return f"c.project_id IN :{self.noun.prefix}full"

    @property
    def _partial(self) -> LiteralString:
        return f"IN :{self.noun.prefix}partial"


@cache
def _readable(noun: ListedWorkItems[Any], full: bool, partial: bool, by_admin: bool) -> LiteralString:
    """`noun.readable`, simplified by what is known: whether there are fully and partially readable projects."""
    there = Condition("right_there", f"({noun.alias}.project_id + 0 IN :{noun.prefix}full)")
    right: bool | Rule = there if full and partial else full
    facts: Facts = {READ_PROJECT: True, noun.enabled: True, noun.right: right, admin: by_admin}
    return noun.readable.assuming(facts).for_scan
