"""The list of issues of one project: one statement finds the project, checks access and reads the page.

For one label, kept counts give the total, and the page is read the shorter way. If many issues have the label, the list is
walked in its order and each issue on the way is asked for the label. If few have it, they are read and sorted.
"""

from functools import cache
from typing import Any, LiteralString

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor, Kind
from mujina.kernel.permissions.rules import TRUE, Condition, Facts, admin, known_of
from mujina.planning.issues import filters
from mujina.planning.issues.documents import DOCUMENTS
from mujina.planning.issues.params import ListIssues
from mujina.planning.issues.readable_projects import (
    kept_count,
    kept_count_of_label,
    own_confidential,
    own_confidential_of_label,
)
from mujina.planning.issues.rules import READ_ISSUE, issues_enabled
from mujina.planning.issues.views import Issue
from mujina.workspaces.members.access import reporter
from mujina.workspaces.projects.document_lists import listed_in_project
from mujina.workspaces.projects.rules import PROJECT_SEEN, READ_PROJECT

_reporter_here = Condition("reporter_here", "((SELECT p.level FROM p) >= 20)")
"""`reporter`, computed once instead of for each issue."""


class _Conditions(msgspec.Struct, frozen=True):
    """The rows that a kind of actor may see of the project `p`, as SQL."""

    project_readable: LiteralString
    project: LiteralString
    """`= …`: the project; nothing if the actor may not read it, which takes no longer than a missing project."""
    issues: LiteralString
    count: LiteralString
    """The number of issues of `:state`, from kept counts."""
    count_of_label: LiteralString
    """The number of those with the label `:label_id`."""


@cache
def _conditions(kind: Kind) -> _Conditions:
    known = known_of(kind)
    readable, full = READ_PROJECT.given(known), (_reporter_here | admin).given(known)
    facts: Facts = {READ_PROJECT: True, issues_enabled: True, reporter: _reporter_here}
    project = f"= (SELECT p.id FROM p WHERE p.issues_enabled AND {readable.one})"
    own = "0" if full is TRUE else f"CASE WHEN {full.one} THEN 0 ELSE ({own_confidential(project)}) END"
    return _Conditions(
        project_readable=readable.one,
        project=project,
        issues=f"i.project_id {project} AND i.deleted_at IS NULL AND {READ_ISSUE.given(facts).given(known).many}",
        count=f"SELECT ({kept_count(project, full.one)}) + {own}",
        count_of_label=_count_of_label(project, full.one),
    )


async def listed(tx: Tx, actor: Actor, ref: Ref, query: ListIssues, page: Page) -> Paged[Issue]:
    """One page of the issues of the project that match the query, and their total."""
    conditions = _conditions(actor.kind)
    selection = None
    if query.labels:
        selection = await _selected_by_one_label(tx, actor, ref, query, page, conditions.issues)
    if selection is not None:
        count = conditions.count_of_label if "label_id" in selection.bound else selection.count
    else:
        selection = Selection("issues i", conditions.issues, **ref.bound, **actor.bound)
        selection = filters.in_state(selection, query)
        count = conditions.count
        if filters.has_filters(query):
            selection = filters.apply_filters(selection, query, conditions.project)
            count = selection.count
    rights, issues = await listed_in_project(
        DOCUMENTS, tx, selection, filters.order(query), page,
        count=count, rights=conditions.project_readable,
    )  # fmt: skip
    if not any(rights):
        raise errors.not_found("Project")
    return issues


_KEYWORDS = {"No Label", "No+Label", "None", "Any"}
_LABELS: LiteralString = f"""
    WITH {PROJECT_SEEN}, titled AS (
        SELECT l.id, p.id AS project_id FROM p JOIN labels l ON l.project_id = p.id AND l.title = :label_title
        UNION ALL
        SELECT l.id, p.id FROM p JOIN group_tree t ON t.group_id = p.namespace_id
        JOIN labels l ON l.group_id = t.ancestor_id AND l.title = :label_title)
    SELECT titled.id,
        CAST(sum(CASE WHEN NOT c.confidential AND (:state = 'all' OR c.state = :state) THEN c.n ELSE 0 END) AS bigint),
        (SELECT CAST(sum(other.n) AS bigint)
            FROM (SELECT e.n FROM issue_label_counts e WHERE e.label_id = titled.id LIMIT 100) other),
        (SELECT CAST(sum(whole.n) AS bigint) FROM issue_counts whole WHERE whole.project_id = titled.project_id)
    FROM titled JOIN issue_label_counts c ON c.label_id = titled.id AND c.project_id = titled.project_id
    GROUP BY titled.id, titled.project_id HAVING sum(c.n) > 0"""
"""Labels of the title that issues of the project have, with the counts of `_Label`."""
_WALKED: LiteralString = "(SELECT TRUE FROM issue_labels il WHERE il.issue_id = i.id AND il.label_id = :label_id)"
"""Not EXISTS: PostgreSQL would make a join of it, and read all issues of the label."""


class _Label(msgspec.Struct, frozen=True):
    id: int
    shown: int
    """How many issues of the project and of the requested state have it that everybody sees."""
    everywhere: int
    """How many have it in all projects, or in the first of very many."""
    total: int
    """How many issues the project has."""

    def is_frequent(self, page: Page) -> bool:
        """Whether the page is likely to be reached in fewer steps than there are issues with the label."""
        skipped = min(page.start, max(0, self.shown - page.end)) if page.far else page.start
        return self.total * (skipped + page.size) <= self.everywhere * self.shown


async def _selected_by_one_label(
    tx: Tx, actor: Actor, ref: Ref, query: ListIssues, page: Page, readable: LiteralString
) -> Selection | None:
    """The `readable` issues of the project, if the query asks for one label and at most for a state besides.

    None if there is more to compare: other filters, keywords, or labels of a group and of the project with that title.
    `:label_id` is bound if there are any.
    """
    titles = query.labels or []
    if len(titles) != 1 or titles[0] in _KEYWORDS or filters.has_filters(query, ignoring=frozenset({"labels"})):
        return None
    bound = {**ref.bound, **actor.bound}
    rows = await tx.rows(tuple[Any, ...], _LABELS, label_title=titles[0], state=query.state, **bound)
    if len(rows) > 1:
        return None
    if not rows:
        selection = Selection("issues i", "FALSE", **bound)
    elif filters.sorted_by(query) is None and _Label(*rows[0]).is_frequent(page):
        selection = Selection("issues i", readable, **bound).where(_WALKED, label_id=rows[0][0])
    else:
        # SQLite starts with the first table of a CROSS JOIN.
        selection = Selection("issue_labels labeled CROSS JOIN issues i", readable, **bound)
        selection = selection.where("labeled.label_id = :label_id AND i.id = labeled.issue_id", label_id=rows[0][0])
    return filters.in_state(selection, query)


def _count_of_label(project: LiteralString, full: LiteralString) -> LiteralString:
    """A statement for their number, from kept counts; `full`: whether the actor sees all confidential issues."""
    own = own_confidential_of_label(project)
    return f"SELECT ({kept_count_of_label(project, full)}) + CASE WHEN {full} THEN 0 ELSE ({own}) END"
