"""Lists of one project by one label: kept counts give the total, and the page is read the shorter way.

If many rows have the label, the list is walked in its order and each row on the way is asked for the label. If few have it,
they are read and sorted.
"""

from collections.abc import Mapping
from typing import Any, LiteralString

import msgspec

from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.http.paging import Page
from mujina.planning.project_lists.nouns import ListedNoun
from mujina.workspaces.projects.rules import PROJECT_SEEN

_KEYWORDS = {"No Label", "No+Label", "None", "Any"}


def _labels(noun: ListedNoun[Any]) -> LiteralString:
    """A statement for the labels of the title that rows of the project have, with the counts of `_Label`."""
    return f"""
        WITH {PROJECT_SEEN}, titled AS (
            SELECT l.id, p.id AS project_id FROM p JOIN labels l ON l.project_id = p.id AND l.title = :label_title
            UNION ALL
            SELECT l.id, p.id FROM p JOIN group_tree t ON t.group_id = p.namespace_id
            JOIN labels l ON l.group_id = t.ancestor_id AND l.title = :label_title)
        SELECT titled.id,
            CAST(sum(CASE WHEN {noun.unrestricted} AND (:state = 'all' OR c.state = :state) THEN c.n ELSE 0 END) AS bigint),
            (SELECT CAST(sum(other.n) AS bigint)
                FROM (SELECT e.n FROM {noun.kind}_label_counts e WHERE e.label_id = titled.id LIMIT 100) other),
            (SELECT CAST(sum(whole.n) AS bigint) FROM {noun.kind}_counts whole WHERE whole.project_id = titled.project_id)
        FROM titled JOIN {noun.kind}_label_counts c ON c.label_id = titled.id AND c.project_id = titled.project_id
        GROUP BY titled.id, titled.project_id HAVING sum(c.n) > 0"""


class _Label(msgspec.Struct, frozen=True):
    id: int
    shown: int
    """How many rows of the project and of the requested state have it that everybody sees."""
    everywhere: int
    """How many have it in all projects, or in the first of very many."""
    total: int
    """How many rows the project has."""

    def is_frequent(self, page: Page) -> bool:
        """Whether the page is likely to be reached in fewer steps than there are rows with the label."""
        skipped = min(page.start, max(0, self.shown - page.end)) if page.far else page.start
        return self.total * (skipped + page.size) <= self.everywhere * self.shown


async def select_labeled(
    noun: ListedNoun[Any], tx: Tx, bound: Mapping[str, Value], query: Any, page: Page, readable: LiteralString
) -> Selection | None:
    """The `readable` rows of the project, if the query asks for one label and at most for a state besides.

    None if there is more to compare: other filters, keywords, or labels of a group and of the project with that title.
    `:label_id` is bound if there are any.
    """
    titles, row = query.labels, noun.alias
    if len(titles) != 1 or titles[0] in _KEYWORDS or noun.has_filters(query, ignoring=frozenset({"labels"})):
        return None
    rows = await tx.rows(tuple[Any, ...], _labels(noun), label_title=titles[0], state=query.state, **bound)
    if len(rows) > 1:
        return None
    source: LiteralString = f"{noun.kind}s {row}"
    if not rows:
        selection = Selection(source, "FALSE", **bound)
    elif noun.texts_suffice(query) and _Label(*rows[0]).is_frequent(page):
        # Not EXISTS: PostgreSQL would make a join of it, and read all rows of the label.
        labeled: LiteralString = f"SELECT TRUE FROM {noun.kind}_labels il WHERE il.{noun.kind}_id = {row}.id"
        selection = Selection(source, readable, **bound).where(
            f"({labeled} AND il.label_id = :label_id)", label_id=rows[0][0]
        )
    else:
        # SQLite starts with the first table of a CROSS JOIN.
        selection = Selection(f"{noun.kind}_labels labeled CROSS JOIN {source}", readable, **bound).where(
            f"labeled.label_id = :label_id AND {row}.id = labeled.{noun.kind}_id", label_id=rows[0][0]
        )
    return noun.select(selection, query.state)


def count_labeled(noun: ListedNoun[Any], project: LiteralString, every: LiteralString) -> LiteralString:
    """A statement for their number, from kept counts; `every`: whether the actor sees all rows of the project."""
    return f"""SELECT (
            SELECT CAST(coalesce(sum(c.n), 0) AS bigint) FROM {noun.kind}_label_counts c WHERE c.project_id {project}
            AND (:state = 'all' OR c.state = :state) AND ({noun.unrestricted} OR {every}) AND c.label_id = :label_id)
        + CASE WHEN {every} THEN 0 ELSE (SELECT count(*) FROM ({noun.own(project)}) own
            JOIN {noun.kind}_labels il ON il.{noun.kind}_id = own.id AND il.label_id = :label_id) END"""
