"""The projects a list of issues looks into, and how much of each the caller sees: known before an issue is looked at."""

from functools import cache
from typing import LiteralString

import msgspec

from mujina.kernel.access import REPORTER
from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.rules import Condition, Facts, admin
from mujina.planning.issues.rules import READ_ISSUE, issues_enabled
from mujina.workspaces.members.access import reporter
from mujina.workspaces.projects.rules import READ_PROJECT, ProjectRow

FEW = 2000
"""So many issues are sorted faster than they are looked for along the index of all issues."""

reporter_there = Condition("reporter_there", "(i.project_id + 0 IN :whole)")
"""`reporter`, for lists over projects whose levels are known already."""


class Reach(msgspec.Struct, frozen=True):
    """Projects with issues that the caller may read."""

    whole: list[int]
    """Where they see every issue."""
    part: list[int]
    """Where they see of the confidential ones those they wrote or are assigned."""
    kept: int | None = None
    """How many issues of the state asked for they see in any case, by the kept counts; None: not looked up yet."""

    @property
    def only_project(self) -> int | None:
        """The project, when there is one alone."""
        mine = [*self.whole, *self.part]
        return mine[0] if len(mine) == 1 else None

    def issues(self, actor: Actor) -> Selection:
        """Every issue within reach."""
        return self._selection(actor, "issues i", "i.deleted_at IS NULL")

    def texts(self, actor: Actor) -> Selection:
        """Every issue within reach, by its texts and what decides who may see it: enough to count."""
        return self._selection(actor, "issue_texts i", "TRUE")

    def _selection(self, actor: Actor, source: LiteralString, there: LiteralString) -> Selection:
        readable = _readable(bool(self.whole), bool(self.part), actor.admin)
        return Selection(
            source,
            f"{self._within} AND {there} AND {readable}",
            mine=[*self.whole, *self.part],
            whole=self.whole,
            part=self.part,
            kept=self.kept,
            project_id=self.only_project,
            **actor.bound,
        )

    @property
    def _within(self) -> LiteralString:
        if self.only_project is not None:
            return "i.project_id = :project_id"
        # The sum keeps the planner from sorting all that is within reach: it goes along the order asked for.
        return "i.project_id IN :mine" if (self.kept or 0) <= FEW else "i.project_id + 0 IN :mine"

    async def size(self, tx: Tx, state: str) -> int:
        """How many issues of that state the caller sees in any case."""
        if self.kept is not None:
            return self.kept
        return await tx.value(_KEPT, mine=[*self.whole, *self.part], whole=self.whole, state=state)

    @property
    def count(self) -> LiteralString:
        """How many issues of `:state` are within reach, as a statement that does not count them one by one."""
        kept: LiteralString = _KEPT if self.kept is None else "SELECT CAST(:kept AS bigint)"
        return f"SELECT ({kept}) + ({_OWN})" if self.part else kept


@cache
def _readable(whole: bool, part: bool, by_admin: bool) -> LiteralString:
    """`READ_ISSUE` where all issues of some projects and part of those of others are within reach."""
    facts: Facts = {
        READ_PROJECT: True,
        issues_enabled: True,
        reporter: reporter_there if whole and part else whole,
        admin: by_admin,
    }
    return READ_ISSUE.given(facts).many


def inside(actor: Actor, project: ProjectRow) -> Reach:
    """One project, already found."""
    if not project.issues_enabled:
        return Reach([], [])
    whole = actor.admin or project.level >= REPORTER
    return Reach([project.id], []) if whole else Reach([], [project.id])


async def everywhere(tx: Tx, actor: Actor, state: str) -> Reach:
    """Every project there is."""
    return _reach(await tx.rows(_Level, f"SELECT {_LEVEL} {_READABLE} GROUP BY p.id", state=state, **actor.bound))


async def below(tx: Tx, actor: Actor, group_id: int, state: str) -> Reach:
    """The projects of the group and of the groups below it."""
    return _reach(
        await tx.rows(
            _Level,
            f"""SELECT {_LEVEL} {_READABLE}
                AND p.namespace_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id)
                GROUP BY p.id""",
            group_id=group_id,
            state=state,
            **actor.bound,
        )
    )


class _Level(msgspec.Struct, array_like=True, frozen=True):
    project_id: int
    whole: bool
    plain: int
    confidential: int


def _reach(levels: list[_Level]) -> Reach:
    return Reach(
        [level.project_id for level in levels if level.whole],
        [level.project_id for level in levels if not level.whole],
        sum(level.plain + level.whole * level.confidential for level in levels),
    )


_LEVEL: LiteralString = f"""
    p.id, {(reporter | admin).many},
    CAST(sum(CASE WHEN c.confidential THEN 0 ELSE c.n END) AS bigint),
    CAST(sum(CASE WHEN c.confidential THEN c.n ELSE 0 END) AS bigint)"""

_READABLE: LiteralString = f"""
    FROM projects p JOIN issue_counts c ON c.project_id = p.id AND (:state = 'all' OR c.state = :state)
    WHERE p.deleted_at IS NULL AND p.issues_enabled AND {READ_PROJECT.many}"""


def kept_count(mine: LiteralString, whole: LiteralString) -> LiteralString:
    """How many issues of `:state` the caller sees in any case, by the kept counts of the projects that are `mine`."""
    return f"""
        SELECT CAST(coalesce(sum(c.n), 0) AS bigint) FROM issue_counts c
        WHERE c.project_id {mine} AND (:state = 'all' OR c.state = :state) AND (NOT c.confidential OR {whole})"""


def own_confidential(part: LiteralString) -> LiteralString:
    """How many confidential ones of `:state` they wrote or are assigned, in the projects that are `part`."""
    # Both halves start from what is the caller's own: the order of the second is forced, or SQLite begins with all issues.
    return f"""
        SELECT count(*) FROM (
            SELECT i.id FROM issues i
            WHERE i.author_id = :actor AND i.confidential AND i.deleted_at IS NULL
            AND i.project_id + 0 {part} AND (:state = 'all' OR i.state = :state)
            UNION
            SELECT i.id FROM issue_assignees a CROSS JOIN issues i
            WHERE a.user_id = :actor AND i.id = a.issue_id AND i.confidential AND i.deleted_at IS NULL
            AND i.project_id + 0 {part} AND (:state = 'all' OR i.state = :state)) own"""


_KEPT = kept_count("IN :mine", "c.project_id IN :whole")
_OWN = own_confidential("IN :part")
