"""The projects over which a list goes: of some the caller sees every row, of others only a part.

Lists look this up first, so that the statement that reads rows need not compute access for each of them.
"""

from collections.abc import Iterable
from typing import Any, ClassVar, LiteralString, Self

import msgspec

from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Rule
from mujina.workspaces.projects.rules import READ_PROJECT

MAX_TO_SORT = 2000
"""Up to this many rows are sorted faster than they are found along the index of all rows."""

_IN_GROUP: LiteralString = """
    AND p.namespace_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id)"""
"""The projects of the group and of the groups below it."""


class ListedProjects(msgspec.Struct, frozen=True):
    """The ids of projects that the caller may read; each noun declares what its rows are."""

    full: list[int]
    """The caller sees every row of these."""
    partial: list[int]
    """The projects of which the caller sees only rows that they have a part in, and those that need no right."""
    known_count: int | None = None
    """The kept count of rows in the requested state that need no further check; None: not looked up yet."""

    alias: ClassVar[LiteralString]
    """The alias of the rows in statements; each has a `project_id`."""
    enabled: ClassVar[LiteralString]
    """Whether the project `p` has such rows."""
    full_rule: ClassVar[Rule]
    """Whether the caller sees every row of the project."""
    counts: ClassVar[LiteralString]
    """The table of kept counts (`c`): `project_id`, `state` and `n`."""
    unrestricted: ClassVar[LiteralString]
    """How many of the rows that `c` counts need no right."""
    states: ClassVar[tuple[str, ...]]
    prefix: ClassVar[LiteralString] = ""
    """The prefix of the names by which these projects are bound: one statement may be about two nouns."""

    @classmethod
    async def everywhere(cls, tx: Tx, actor: Actor, state: str) -> Self:
        """Every project of the instance that the actor may read and that has rows of the state."""
        return await cls._found(tx, actor, state)

    @classmethod
    async def in_group(cls, tx: Tx, actor: Actor, group_id: int, state: str) -> Self:
        """The projects of the group and of the groups below it."""
        return await cls._found(tx, actor, state, _IN_GROUP, group_id=group_id)

    @classmethod
    async def _found(cls, tx: Tx, actor: Actor, state: str, within: LiteralString = "", **bound: Value) -> Self:
        found = await tx.rows(
            tuple[int, bool, int, int],
            f"""SELECT p.id, {cls.full_rule.many}, CAST(sum(c.n) AS bigint), CAST(sum({cls.unrestricted}) AS bigint)
                FROM projects p JOIN {cls.counts} c ON c.project_id = p.id AND (:state = 'all' OR c.state = :state)
                WHERE p.deleted_at IS NULL AND {cls.enabled} AND {READ_PROJECT.many} {within} GROUP BY p.id""",
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
        found = dict.fromkeys(cls.states, 0)
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
        return {
            f"{self.prefix}project_ids": self.ids,
            f"{self.prefix}full": self.full,
            f"{self.prefix}partial": self.partial,
        }

    @property
    def known(self) -> LiteralString:
        """A statement for `known_count`."""
        return f"SELECT CAST(:{self.prefix}known_count AS bigint)"

    def selection(self, actor: Actor, source: LiteralString, readable: LiteralString) -> Selection:
        """The rows of `source` in these projects that are `readable`."""
        one = {f"{self.prefix}known_count": self.known_count, f"{self.prefix}project_id": self.only_project}
        rows: LiteralString = f"{source} {self.alias}"
        return Selection(rows, f"{self._inside} AND {readable}", **self.bound, **one, **actor.bound)

    @property
    def _inside(self) -> LiteralString:
        if self.only_project is not None:
            return f"{self.alias}.project_id = :{self.prefix}project_id"
        # The addition keeps the planner from sorting every row of the projects: it walks the index of the order.
        return (
            f"{self.alias}.project_id IN :{self.prefix}project_ids"
            if (self.known_count or 0) <= MAX_TO_SORT
            else f"{self.alias}.project_id + 0 IN :{self.prefix}project_ids"
        )
