"""Issues of one project with one label: how many there are comes from kept counts, and a page is read the shorter way.

If many issues have the label, the list is walked in its order and each issue on the way is asked for the label. If few have
it, they are read and sorted. Both give the same page.
"""

from functools import cache
from typing import Any, LiteralString

import msgspec

from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page
from mujina.kernel.params import Ref
from mujina.planning.issues import filters
from mujina.planning.issues.params import ListIssues
from mujina.planning.issues.readable_projects import kept_count_of_label, own_confidential_of_label
from mujina.workspaces.projects.rules import PROJECT_SEEN

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


async def chosen_by_one_label(
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
        chosen = Selection("issues i", "FALSE", **bound)
    elif filters.sorted_by(query) is None and _Label(*rows[0]).is_frequent(page):
        chosen = Selection("issues i", readable, **bound)
        chosen.where(_WALKED, label_id=rows[0][0])
    else:
        # SQLite starts with the first table of a CROSS JOIN.
        chosen = Selection("issue_labels labeled CROSS JOIN issues i", readable, **bound)
        chosen.where("labeled.label_id = :label_id AND i.id = labeled.issue_id", label_id=rows[0][0])
    filters.in_state(chosen, query)
    return chosen


@cache
def count(project: LiteralString, full: LiteralString) -> LiteralString:
    """A statement for their number, from kept counts; `full`: whether the actor sees all confidential issues."""
    own = own_confidential_of_label(project)
    return f"SELECT ({kept_count_of_label(project, full)}) + CASE WHEN {full} THEN 0 ELSE ({own}) END"
