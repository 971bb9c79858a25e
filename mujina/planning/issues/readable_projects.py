"""The projects whose issues a list may show, and how many issues of each the caller sees."""

from collections import Counter
from functools import cache
from typing import ClassVar, LiteralString

from mujina.instance.editions.rules import counts_as_assignee
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.http.params import Ref
from mujina.kernel.owners import Owner
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Condition, Facts, Rule, admin
from mujina.planning.issues.rules import READ_ISSUE, issues_enabled
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.members.access import reporter
from mujina.workspaces.owners.rules import READ_OWNER, OwnerKind, OwnerRule
from mujina.workspaces.projects.listed_projects import ListedProjects
from mujina.workspaces.projects.rules import READ_PROJECT, ProjectRow, find_project

reporter_there = Condition("reporter_there", "(i.project_id + 0 IN :full)")
"""`reporter`, for lists over projects in which the level of the actor is known."""


class ReadableProjects(ListedProjects, frozen=True):
    """Projects with issues; in those that are `partial`, the caller sees confidential issues that they wrote or are assigned to."""

    alias: ClassVar[LiteralString] = "i"
    enabled: ClassVar[LiteralString] = "p.issues_enabled"
    full_rule: ClassVar[Rule] = reporter | admin
    counts: ClassVar[LiteralString] = "issue_counts"
    unrestricted: ClassVar[LiteralString] = "CASE WHEN c.confidential THEN 0 ELSE c.n END"
    states: ClassVar[tuple[str, ...]] = ("opened", "closed")

    def issues(self, actor: Actor) -> Selection:
        """Every issue that the caller sees in these projects."""
        return self.selection(actor, "issues", f"i.deleted_at IS NULL AND {self._readable(actor)}")

    def texts(self, actor: Actor) -> Selection:
        """The issues as a selection from the narrow table of texts: enough to search and to count."""
        return self.selection(actor, "issue_texts", self._readable(actor))

    def _readable(self, actor: Actor) -> LiteralString:
        return _readable(bool(self.full), bool(self.partial), actor.admin)

    async def size(self, tx: Tx, state: str) -> int:
        """How many issues of that state the caller sees without a check of each: all but their own confidential ones."""
        if self.known_count is not None:
            return self.known_count
        return await tx.value(_KEPT, **self.bound, state=state)

    async def count_by_state(self, tx: Tx, actor: Actor) -> dict[str, int]:
        """State, or `all` → how many issues the caller sees; it sums kept counts."""
        return self.sum_states(await tx.rows(tuple[str, int], self._by_state, **self.counted, **actor.bound))

    @property
    def _by_state(self) -> LiteralString:
        return f"{_BY_STATE} UNION ALL {_OWN_BY_STATE}" if self.partial else _BY_STATE

    @property
    def counted(self) -> dict[str, Value]:
        """The parameters of a statement about all states of these projects."""
        return {**self.bound, "state": "all"}

    @property
    def counts_as_rows(self) -> LiteralString:
        """A statement for the same counts: `state`, the state and the number as a text, and an empty one."""
        return f"SELECT 'state', counted.state, CAST(counted.n AS text), '' FROM ({self._by_state}) counted"

    async def count_by_label(self, tx: Tx, actor: Actor, label_ids: list[int]) -> dict[tuple[int, str], int]:
        """Label and state → how many issues the caller sees; it sums kept counts."""
        rows = await tx.rows(
            tuple[int, str, int],
            f"{_BY_LABEL} UNION ALL {_OWN_BY_LABEL}" if self.partial else _BY_LABEL,
            label_ids=label_ids,
            **self.counted,
            **actor.bound,
        )
        found = Counter[tuple[int, str]]()
        for label_id, state, n in rows:
            found[label_id, state] += n
        return found

    @property
    def count(self) -> LiteralString:
        """A statement for the number of issues of `:state` that the caller sees; it sums kept counts."""
        kept = _KEPT if self.known_count is None else self.known
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


async def readable_in(
    tx: Tx, actor: Actor, kind: OwnerKind, ref: Ref, *, to: OwnerRule = READ_OWNER
) -> tuple[Owner, ReadableProjects]:
    """The project or group, if the actor may do this with it, and its projects whose issues they may read."""
    if kind == "project":
        project = await find_project(tx, actor, ref, to=to[kind])
        return Owner(kind, project.id, project.namespace_id), readable_in_project(project)
    group = await find_group(tx, actor, ref, to=to[kind])
    return Owner(kind, group.id, group.id), await ReadableProjects.in_group(tx, actor, group.id, "all")


def kept_count(projects: LiteralString, full: LiteralString) -> LiteralString:
    """The sum of kept counts of `:state` over `projects`; confidential issues count where `full` holds."""
    return f"SELECT CAST(coalesce(sum(c.n), 0) AS bigint) {_kept(projects, full)}"


def kept_count_of_label(projects: LiteralString, full: LiteralString) -> LiteralString:
    """The counterpart of `kept_count` for issues with the label `:label_id`."""
    kept = _kept(projects, full, "issue_label_counts")
    return f"SELECT CAST(coalesce(sum(c.n), 0) AS bigint) {kept} AND c.label_id = :label_id"


def _kept(projects: LiteralString, full: LiteralString, counts: LiteralString = "issue_counts") -> LiteralString:
    return f"""FROM {counts} c
        WHERE c.project_id {projects} AND (:state = 'all' OR c.state = :state) AND (NOT c.confidential OR {full})"""


def own_confidential(projects: LiteralString) -> LiteralString:
    """The number of confidential issues of `:state` in `projects` that the actor wrote or is assigned to."""
    return f"SELECT count(*) FROM ({_own_confidential(projects)}) own"


def own_confidential_of_label(projects: LiteralString) -> LiteralString:
    """The number of those with the label `:label_id`."""
    return f"""SELECT count(*) FROM ({_own_confidential(projects)}) own
        JOIN issue_labels il ON il.issue_id = own.id AND il.label_id = :label_id"""


def _own_confidential(projects: LiteralString) -> LiteralString:
    # Both halves start from the rows of the actor. CROSS JOIN fixes that order: SQLite would start with all issues.
    return f"""
        SELECT i.id FROM issues i
        WHERE i.author_id = :actor AND i.confidential AND i.deleted_at IS NULL
        AND i.project_id + 0 {projects} AND (:state = 'all' OR i.state = :state)
        UNION
        SELECT i.id FROM issue_assignees a CROSS JOIN issues i
        WHERE a.user_id = :actor AND {counts_as_assignee("issue_assignees", "issue_id", "a")}
        AND i.id = a.issue_id AND i.confidential AND i.deleted_at IS NULL
        AND i.project_id + 0 {projects} AND (:state = 'all' OR i.state = :state)"""


_KEPT = kept_count("IN :project_ids", "c.project_id IN :full")
_OWN = own_confidential("IN :partial")
_BY_STATE: LiteralString = """
    SELECT c.state, CAST(sum(c.n) AS bigint) AS n FROM issue_counts c
    WHERE c.project_id IN :project_ids AND (NOT c.confidential OR c.project_id IN :full) GROUP BY c.state"""
_OWN_BY_STATE: LiteralString = f"""
    SELECT i.state, count(*) FROM ({_own_confidential("IN :partial")}) own JOIN issues i ON i.id = own.id GROUP BY i.state"""
_BY_LABEL: LiteralString = """
    SELECT c.label_id, c.state, CAST(sum(c.n) AS bigint) FROM issue_label_counts c
    WHERE c.label_id IN :label_ids AND c.project_id IN :project_ids AND (NOT c.confidential OR c.project_id IN :full)
    GROUP BY c.label_id, c.state"""
_OWN_BY_LABEL: LiteralString = f"""
    SELECT il.label_id, i.state, count(*) FROM ({_own_confidential("IN :partial")}) own
    JOIN issues i ON i.id = own.id JOIN issue_labels il ON il.issue_id = i.id
    WHERE il.label_id IN :label_ids GROUP BY il.label_id, i.state"""
