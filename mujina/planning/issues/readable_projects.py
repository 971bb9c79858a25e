"""The projects whose issues a list may show, and how many issues of each the caller sees.

Lists look this up first, so that the statement that reads issues need not compute access for each of them.
"""

from functools import cache
from typing import Annotated, LiteralString

import msgspec

from mujina.kernel.actor import Actor
from mujina.kernel.db.rows import Row
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.rules import Condition, Facts, admin
from mujina.planning.issues.rules import READ_ISSUE, issues_enabled
from mujina.workspaces.members.access import reporter
from mujina.workspaces.projects.rules import READ_PROJECT, ProjectRow

MAX_TO_SORT = 2000
"""Up to this many issues are sorted faster than they are found along the index of all issues."""

reporter_there = Condition("reporter_there", "(i.project_id + 0 IN :full)")
"""`reporter`, for lists over projects in which the level of the actor is known."""


class ReadableProjects(msgspec.Struct, frozen=True):
    """The ids of projects that have issues enabled and that the caller may read."""

    full: list[int]
    """The caller sees every issue of these."""
    partial: list[int]
    """Of these projects the caller sees only those confidential issues that they wrote or are assigned to."""
    known_count: int | None = None
    """The kept count of issues in the requested state that need no further check; None: not looked up yet."""

    @property
    def ids(self) -> list[int]:
        return [*self.full, *self.partial]

    @property
    def only_project(self) -> int | None:
        """The project, if there is exactly one."""
        ids = self.ids
        return ids[0] if len(ids) == 1 else None

    def issues(self, actor: Actor) -> Selection:
        """Every issue that the caller sees in these projects."""
        return self._selection(actor, "issues i", "i.deleted_at IS NULL")

    def texts(self, actor: Actor) -> Selection:
        """The same issues, from the narrow table of texts: enough to search and to count."""
        return self._selection(actor, "issue_texts i", "TRUE")

    def _selection(self, actor: Actor, source: LiteralString, present: LiteralString) -> Selection:
        readable = _readable(bool(self.full), bool(self.partial), actor.admin)
        return Selection(
            source,
            f"{self._inside} AND {present} AND {readable}",
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
            return "i.project_id = :project_id"
        # The addition keeps the planner from sorting every issue of the projects: it walks the index of the order.
        return (
            "i.project_id IN :project_ids"
            if (self.known_count or 0) <= MAX_TO_SORT
            else "i.project_id + 0 IN :project_ids"
        )

    async def size(self, tx: Tx, state: str) -> int:
        """How many issues of that state the caller sees without a check of each: all but their own confidential ones."""
        if self.known_count is not None:
            return self.known_count
        return await tx.value(_KEPT, project_ids=self.ids, full=self.full, state=state)

    @property
    def count(self) -> LiteralString:
        """A statement for the number of issues of `:state` that the caller sees; it sums kept counts."""
        kept: LiteralString = _KEPT if self.known_count is None else "SELECT CAST(:known_count AS bigint)"
        return f"SELECT ({kept}) + ({_OWN})" if self.partial else kept


@cache
def _readable(full: bool, partial: bool, by_admin: bool) -> LiteralString:
    """`READ_ISSUE`, simplified by what is known: whether there are fully and partially readable projects."""
    facts: Facts = {
        READ_PROJECT: True,
        issues_enabled: True,
        reporter: reporter_there if full and partial else full,
        admin: by_admin,
    }
    return READ_ISSUE.given(facts).many


def readable_in_project(project: ProjectRow) -> ReadableProjects:
    """One project, which the caller has found."""
    if not project.issues_enabled:
        return ReadableProjects([], [])
    return ReadableProjects([project.id], []) if project.triager else ReadableProjects([], [project.id])


async def readable_everywhere(tx: Tx, actor: Actor, state: str) -> ReadableProjects:
    """Every project of the instance that the actor may read."""
    return _readable_projects(
        await tx.rows(
            ProjectCounts, f"SELECT {ProjectCounts.columns} {_READABLE} GROUP BY p.id", state=state, **actor.bound
        )
    )


async def readable_in_group(tx: Tx, actor: Actor, group_id: int, state: str) -> ReadableProjects:
    """The projects of the group and of the groups below it."""
    return _readable_projects(
        await tx.rows(
            ProjectCounts,
            f"""SELECT {ProjectCounts.columns} {_READABLE}
                AND p.namespace_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id)
                GROUP BY p.id""",
            group_id=group_id,
            state=state,
            **actor.bound,
        )
    )


class ProjectCounts(Row):
    """A project (`p`) with its kept counts (`c`)."""

    project_id: Annotated[int, "p.id"]
    full: Annotated[bool, (reporter | admin).many]
    public_count: Annotated[int, "CAST(sum(CASE WHEN c.confidential THEN 0 ELSE c.n END) AS bigint)"]
    confidential_count: Annotated[int, "CAST(sum(CASE WHEN c.confidential THEN c.n ELSE 0 END) AS bigint)"]


def _readable_projects(found: list[ProjectCounts]) -> ReadableProjects:
    return ReadableProjects(
        [project.project_id for project in found if project.full],
        [project.project_id for project in found if not project.full],
        sum(project.public_count + project.full * project.confidential_count for project in found),
    )


_READABLE: LiteralString = f"""
    FROM projects p JOIN issue_counts c ON c.project_id = p.id AND (:state = 'all' OR c.state = :state)
    WHERE p.deleted_at IS NULL AND p.issues_enabled AND {READ_PROJECT.many}"""


def kept_count(projects: LiteralString, full: LiteralString) -> LiteralString:
    """The sum of kept counts of `:state` over `projects`; confidential issues count where `full` holds."""
    return f"""
        SELECT CAST(coalesce(sum(c.n), 0) AS bigint) FROM issue_counts c
        WHERE c.project_id {projects} AND (:state = 'all' OR c.state = :state) AND (NOT c.confidential OR {full})"""


def own_confidential(projects: LiteralString) -> LiteralString:
    """The number of confidential issues of `:state` in `projects` that the actor wrote or is assigned to."""
    # Both halves start from the rows of the actor. CROSS JOIN fixes that order: SQLite would start with all issues.
    return f"""
        SELECT count(*) FROM (
            SELECT i.id FROM issues i
            WHERE i.author_id = :actor AND i.confidential AND i.deleted_at IS NULL
            AND i.project_id + 0 {projects} AND (:state = 'all' OR i.state = :state)
            UNION
            SELECT i.id FROM issue_assignees a CROSS JOIN issues i
            WHERE a.user_id = :actor AND i.id = a.issue_id AND i.confidential AND i.deleted_at IS NULL
            AND i.project_id + 0 {projects} AND (:state = 'all' OR i.state = :state)) own"""


_KEPT = kept_count("IN :project_ids", "c.project_id IN :full")
_OWN = own_confidential("IN :partial")
