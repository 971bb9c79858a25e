"""The projects over which a list goes: of some the caller sees every row, of others only a part.

Lists look this up first, so that the statement that reads rows need not compute access for each of them.
"""

from typing import ClassVar, LiteralString

import msgspec

from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection

MAX_TO_SORT = 2000
"""Up to this many rows are sorted faster than they are found along the index of all rows."""

IN_GROUP: LiteralString = """
    AND p.namespace_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id)"""
"""The projects of the group and of the groups below it."""
KNOWN_COUNT: LiteralString = "SELECT CAST(:known_count AS bigint)"


class ListedProjects(msgspec.Struct, frozen=True):
    """The ids of projects that the caller may read."""

    full: list[int]
    """The caller sees every row of these."""
    partial: list[int]
    """Of these projects the caller sees only rows that they have a part in, and those that need no right."""
    known_count: int | None = None
    """The kept count of rows in the requested state that need no further check; None: not looked up yet."""

    alias: ClassVar[LiteralString]
    """What statements call the rows; each has a `project_id`."""

    @property
    def ids(self) -> list[int]:
        return [*self.full, *self.partial]

    @property
    def only_project(self) -> int | None:
        """The project, if there is exactly one."""
        ids = self.ids
        return ids[0] if len(ids) == 1 else None

    def selection(self, actor: Actor, source: LiteralString, readable: LiteralString) -> Selection:
        """The rows of `source` in these projects that are `readable`."""
        return Selection(
            f"{source} {self.alias}",
            f"{self._inside} AND {readable}",
            project_ids=self.ids,
            full=self.full,
            partial=self.partial,
            known_count=self.known_count,
            project_id=self.only_project,
            **actor.bound,
        )

    @property
    def _inside(self) -> LiteralString:
        if self.only_project is not None:
            return f"{self.alias}.project_id = :project_id"
        # The addition keeps the planner from sorting every row of the projects: it walks the index of the order.
        return (
            f"{self.alias}.project_id IN :project_ids"
            if (self.known_count or 0) <= MAX_TO_SORT
            else f"{self.alias}.project_id + 0 IN :project_ids"
        )
