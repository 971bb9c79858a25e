"""Lists of issues: their parameters as conditions."""

from calendar import monthrange
from collections import Counter
from datetime import date, timedelta
from typing import Any, ClassVar, LiteralString

from msgspec import structs

from mujina.instance.editions.rules import has_feature
from mujina.kernel import clock
from mujina.kernel.db.sql.selection import Order, Sql, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.lists.filters import Filters, flag
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Condition, admin
from mujina.kernel.text.folding import fold
from mujina.planning.issues.entities import DOCUMENTS
from mujina.planning.issues.params import FilterIssues, ListIssues
from mujina.planning.issues.rules import READ_ISSUE, assignee, issues_enabled
from mujina.planning.milestones.filters import KEYWORDS, by_milestone, titled
from mujina.planning.work_items.lists.nouns import (
    CountedLink,
    ListedWorkItems,
    SharedFilters,
    titled_in_project,
    user_of_id,
    user_of_name,
)
from mujina.planning.work_items.lists.projects import ListedProjects
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.members.access import reporter
from mujina.workspaces.owners.rules import READ_OWNER, Owner, OwnerKind, OwnerRule
from mujina.workspaces.projects.rules import READ_PROJECT, ProjectRow, find_project

_CREATED, _UPDATED = ascending("i.created_at", "i.id"), ascending("i.updated_at", "i.id")
_DUE: LiteralString = "coalesce(i.due_on, '9999-12-31')"
_WEIGHT: LiteralString = "coalesce(i.weight, -1)"
_POPULARITY: LiteralString = """(SELECT count(*) FROM awards award WHERE award.subject_kind = 'issue'
    AND award.subject_id = i.id AND award.name = 'thumbsup')"""
_PRIORITY: LiteralString = """coalesce((SELECT min(lp.priority) FROM issue_labels il JOIN label_priorities lp
    ON lp.label_id = il.label_id AND lp.project_id = i.project_id WHERE il.issue_id = i.id), 1000000)"""
_MILESTONE_DUE: LiteralString = (
    "coalesce((SELECT ms.due_on FROM milestones ms WHERE ms.id = i.milestone_id), '9999-12-31')"
)
_POSITION: LiteralString = """coalesce((SELECT placed.position FROM issue_positions placed WHERE placed.issue_id = i.id),
    9007199254740991)"""
_SORTED = {
    "id": ascending("i.id"),
    "title": ascending("i.title_folded", "i.id"),
    "due_date": ascending(_DUE, "i.id"),
    "weight": ascending(_WEIGHT, "i.id"),
    "popularity": ascending(_POPULARITY, "i.id"),
    "priority": ascending(_PRIORITY, "i.id"),
    "label_priority": ascending(_PRIORITY, "i.id"),
    "milestone_due": ascending(_MILESTONE_DUE, "i.id"),
    "relative_position": ascending(_POSITION, "i.id"),
    "closed_at": ascending("coalesce(i.closed_at, '')", "i.id"),
}
"""The orders of the API that no index has."""
FOLLOWED = frozenset({"created_at", "updated_at", "id", "title", "due_date", "milestone_due"})
"""The orders by texts, in which pages may follow each other by keyset."""
NEWEST_FIRST = _CREATED.reversed
_PAGE_ORDERS = {
    "oldest": _CREATED,
    "updated": _UPDATED.reversed,
    "due": _SORTED["due_date"],
    "weight": _SORTED["weight"].reversed,
    "popular": _SORTED["popularity"].reversed,
    "priority": _SORTED["priority"],
    "manual": _SORTED["relative_position"],
}
_INDEXED = (_CREATED, _UPDATED, _CREATED.reversed, _UPDATED.reversed)
_COUNTED = frozenset({"state", "order_by", "sort", "order", "with_labels_details", "pagination", "cursor"})
"""Parameters that leave the total to the kept counts."""
_OF_TEXTS = _COUNTED | {
    "search", "in_", "scope", "author_id", "assignee_id", "labels", "milestone", "my_reaction_emoji", "iids",
    "created_after", "created_before",
}  # fmt: skip
_SHARED = SharedFilters("issue", "i")
_LABEL_WORDS = frozenset({"No Label", "No+Label", "None", "Any"})


def named(query: FilterIssues) -> FilterIssues:
    """The query of a page with labels and milestones as the API calls them, without weights where the edition has none.

    An empty field is no filter.
    """
    blank = dict.fromkeys((name for name, value in query.sent_fields().items() if value in ("", [], None)), UNSET)
    query = structs.replace(
        query,
        **{
            **blank,
            "labels": query.label_name or query.labels or UNSET,
            "label_name": UNSET,
            "milestone": query.milestone_title or query.milestone or UNSET,
            "milestone_title": UNSET,
        },
    )
    if has_feature("issue_weights"):
        return query
    return structs.replace(query, weight=UNSET, order=UNSET if query.order == "weight" else query.order)


def _filters(projects: LiteralString, among: LiteralString) -> Filters:
    return {
        **_SHARED.filters,
        "scope": _by_scope,
        "labels": lambda name, titles: _by_label(name, titles, projects, among),
        "milestone": lambda _, title: _by_milestone(title, projects),
        "confidential": flag("i.confidential"),
        "issue_type": lambda _, kind: None if kind == "issue" else Sql("FALSE"),
        "weight": _by_weight,
        "due_date": lambda _, when: _by_due_date(when),
    }


_NEGATED: Filters = {
    **_SHARED.negated_filters,
    "weight": lambda name, weight: (
        Sql(f"coalesce(i.weight = :{name}, FALSE)", **{name: weight}) if has_feature("issue_weights") else None
    ),
}


def _by_scope(_: LiteralString, scope: str) -> Sql | None:
    if scope == "created-by-me":
        return Sql("i.author_id = :actor")
    return Sql(assignee.for_scan) if scope == "assigned-to-me" else None


def _by_label(name: LiteralString, titles: list[str], projects: LiteralString, among: LiteralString) -> Sql:
    """Issues that have all these labels, by exact title; `No Label` or `None`: without labels; `Any`: with a label."""
    if titles[0] in ("No Label", "No+Label"):
        return Sql(f"NOT {_SHARED.labeled}")
    condition = _SHARED.with_labels(name, titles, projects, among)
    if titles in (["None"], ["Any"]):
        titled = f"labels l WHERE l.title IN :{name} AND {_usable('l', projects)}"
        keyword: LiteralString = _SHARED.labeled if titles == ["Any"] else f"NOT {_SHARED.labeled}"
        return _by_title_or(titled, condition, keyword)
    return condition


_MILESTONE_WORDS = {"None": "None", "Any": "Any", "Upcoming": "#upcoming", "Started": "#started"}
"""Keywords that may also be titles, and those with the same meaning."""


def _by_milestone(title: str, projects: LiteralString) -> Sql:
    """Filters by the exact title, or by a keyword."""
    if title in _MILESTONE_WORDS:
        named = f"milestones ms WHERE ms.title = :milestone AND {_usable('ms', projects)}"
        keyword = by_milestone("i.milestone_id", _MILESTONE_WORDS[title], projects).text
        return _by_title_or(named, Sql(titled("i.milestone_id", projects), milestone=title), keyword)
    return by_milestone("i.milestone_id", title, projects)


def _by_title_or(titled: LiteralString, condition: Sql, otherwise: LiteralString) -> Sql:
    """The condition if a label or milestone of that title exists, `otherwise` if not."""
    # Compat: `None`, `Any` and, of milestones, `Upcoming` and `Started` are keywords, except where one has that title.
    text: LiteralString = f"CASE WHEN EXISTS (SELECT 1 FROM {titled}) THEN {condition.text} ELSE {otherwise} END"
    return Sql(text, **condition.bound)


def _usable(alias: LiteralString, projects: LiteralString) -> LiteralString:
    """Whether the label or milestone belongs to one of the projects, or to a group above one."""
    return f"""({alias}.project_id {projects} OR {alias}.group_id IN (
        SELECT t.ancestor_id FROM projects home JOIN group_tree t ON t.group_id = home.namespace_id
        WHERE home.id {projects}))"""


def _by_weight(name: LiteralString, weight: int | str) -> Sql | None:
    if not has_feature("issue_weights"):
        return None
    if weight in ("none", "any"):
        return Sql(f"i.weight IS {'' if weight == 'none' else 'NOT '}NULL")
    return Sql(f"i.weight = :{name}", **{name: weight})


def _by_due_date(when: str) -> Sql:
    today = date.fromisoformat(clock.today())
    match when:
        case "0":
            return Sql("i.due_on IS NULL")
        case "any":
            return Sql("i.due_on IS NOT NULL")
        case "overdue":
            return Sql("i.due_on < :due_before", due_before=today.isoformat())
        case _:
            first, last = _days(when, today)
            return Sql("i.due_on BETWEEN :due_from AND :due_to", due_from=first.isoformat(), due_to=last.isoformat())


def _days(when: str, today: date) -> tuple[date, date]:
    """The first and the last day that the word means; weeks begin on Monday."""
    match when:
        case "today":
            return today, today
        case "tomorrow":
            tomorrow = today + timedelta(days=1)
            return tomorrow, tomorrow
        case "week":
            monday = today - timedelta(days=today.weekday())
            return monday, monday + timedelta(days=6)
        case "month":
            return today.replace(day=1), _end_of_month(today)
        case _:
            return today - timedelta(weeks=2), _end_of_month(_end_of_month(today) + timedelta(days=1))


def _end_of_month(day: date) -> date:
    return day.replace(day=monthrange(day.year, day.month)[1])


def _order(query: ListIssues) -> Order:
    """The requested order; the id breaks ties in the same direction."""
    if isinstance(query, FilterIssues) and (chosen := _PAGE_ORDERS.get(query.order or "")):
        return chosen
    # What has no meaning here is the time of creation.
    first = _SORTED.get(_order_by(query)) or (_UPDATED if query.order_by == "updated_at" else _CREATED)
    return first.directed(query.sort)


def _order_by(query: ListIssues) -> str:
    """The name of the order; no order shows weights where the edition has none."""
    return "" if query.order_by == "weight" and not has_feature("issue_weights") else query.order_by


_ASSIGNEE = CountedLink(
    "assignee_id", frozenset({"none", "any"}), named=user_of_id("assignee_id"),
    counts="issue_assignee_counts", column="user_id", table="issue_assignees",
    # Where only the first assignee counts, the counts do not tell of how many issues a user is the first.
    is_counted=lambda: has_feature("several_assignees"),
)  # fmt: skip
_AUTHOR = CountedLink(
    "author_id", frozenset(), named=user_of_id("author_id"), counts="issue_author_counts", column="author_id"
)

_LINKS = (
    CountedLink(
        "labels", _LABEL_WORDS, named=titled_in_project("labels", "labels"),
        counts="issue_label_counts", column="label_id", table="issue_labels",
    ),
    CountedLink(
        "milestone", KEYWORDS, named=titled_in_project("milestones", "milestone"),
        counts="issue_milestone_counts", column="milestone_id",
    ),
    *(_ASSIGNEE, _ASSIGNEE._replace(param="assignee_username", named=user_of_name("assignee_username"), key=fold)),
    *(_AUTHOR, _AUTHOR._replace(param="author_username", named=user_of_name("author_username"), key=fold)),
)  # fmt: skip


LISTED_ISSUES = ListedWorkItems(
    shared=_SHARED,
    documents=DOCUMENTS,
    is_kept="i.deleted_at IS NULL",
    readable=READ_ISSUE,
    enabled=issues_enabled,
    listable=READ_PROJECT,
    every=reporter | admin,
    right=reporter,
    right_here=Condition("reporter_here", "((SELECT p.level FROM p) >= 20)"),
    states=("opened", "closed"),
    state="i.state",
    in_state=lambda _: Sql("i.state = :state"),
    unrestricted="NOT c.confidential",
    only_involved="i.confidential AND i.deleted_at IS NULL",
    filters=_filters,
    negated=_NEGATED,
    order=_order,
    ignored=_COUNTED,
    texts_suffice=lambda query: query.sent_fields().keys() <= _OF_TEXTS and _order(query) in _INDEXED,
    created=_CREATED,
    indexed=_INDEXED,
    links=_LINKS,
)


class ReadableProjects(ListedProjects, frozen=True):
    """Projects with issues; in those that are `partial`, the caller sees confidential issues that they wrote or are assigned to."""

    noun: ClassVar[ListedWorkItems[Any]] = LISTED_ISSUES

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


_BY_LABEL: LiteralString = """
    SELECT c.label_id, c.state, CAST(sum(c.n) AS bigint) FROM issue_label_counts c
    WHERE c.label_id IN :label_ids AND c.project_id IN :project_ids AND (NOT c.confidential OR c.project_id IN :full)
    GROUP BY c.label_id, c.state"""
_OWN_BY_LABEL: LiteralString = f"""
    SELECT il.label_id, i.state, count(*) FROM ({LISTED_ISSUES.own("IN :partial")}) own
    JOIN issues i ON i.id = own.id JOIN issue_labels il ON il.issue_id = i.id
    WHERE il.label_id IN :label_ids GROUP BY il.label_id, i.state"""


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
