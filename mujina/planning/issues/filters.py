"""Lists of issues: their parameters as conditions."""

from calendar import monthrange
from datetime import date, timedelta
from functools import cache
from typing import LiteralString

from msgspec import structs

from mujina.instance.editions.rules import has_feature
from mujina.kernel import clock
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.sql import Order, Sql, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET
from mujina.kernel.lists import filters
from mujina.kernel.lists.filters import Filters, flag
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues.params import FilterIssues, ListIssues, QueryIssues
from mujina.planning.issues.readable_projects import ReadableProjects
from mujina.planning.issues.rules import READ_ISSUE, assignee
from mujina.planning.issues.shared_filters import ListedNoun
from mujina.planning.milestones.filters import by_milestone, titled

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
_SORTED = {
    "id": ascending("i.id"),
    "title": ascending("i.title_folded", "i.id"),
    "due_date": ascending(_DUE, "i.id"),
    "weight": ascending(_WEIGHT, "i.id"),
    "popularity": ascending(_POPULARITY, "i.id"),
    "priority": ascending(_PRIORITY, "i.id"),
    "label_priority": ascending(_PRIORITY, "i.id"),
    "milestone_due": ascending(_MILESTONE_DUE, "i.id"),
}
"""The orders of the API that no index has."""
SORTED_ORDERS = {
    "due": _SORTED["due_date"],
    "weight": _SORTED["weight"].reversed,
    "popular": _SORTED["popularity"].reversed,
    "priority": _SORTED["priority"],
}
"""The filters of a page."""
NEWEST_FIRST = _CREATED.reversed
_INDEXED_ORDERS = {"oldest": _CREATED, "updated": _UPDATED.reversed}
_COUNTED = frozenset({"state", "order_by", "sort", "order"})
"""Parameters that leave the total to the kept counts."""
ISSUES = ListedNoun("issue", "i", READ_ISSUE, "i.deleted_at IS NULL")


def named(query: FilterIssues) -> FilterIssues:
    """The query of a page with labels and milestones as the API calls them, without weights where the edition has none.

    An empty field is no filter.
    """
    blank = dict.fromkeys((name for name, value in query.given().items() if value in ("", [], None)), UNSET)
    query = structs.replace(
        query,
        **{
            **blank,
            "labels": query.label_name or query.labels or UNSET, "label_name": UNSET,
            "milestone": query.milestone_title or query.milestone or UNSET, "milestone_title": UNSET,
        },
    )  # fmt: skip
    if has_feature("issue_weights"):
        return query
    return structs.replace(query, weight=UNSET, order=UNSET if query.order == "weight" else query.order)


def select_issues(projects: ReadableProjects, actor: Actor, query: ListIssues) -> Selection:
    """The issues of these projects that match the query; the search for words is not applied."""
    return apply_filters(in_state(projects.issues(actor), query), query)


def has_filters(query: ListIssues, *, ignoring: frozenset[str] = frozenset()) -> bool:
    """Whether the query has a filter other than the state and the parameters `ignoring`."""
    params = query.given()
    if params.get("scope") == "all":
        del params["scope"]
    return not params.keys() <= _COUNTED | ignoring


_OF_TEXTS = _COUNTED | {
    "search", "in_", "scope", "author_id", "assignee_id", "labels", "milestone", "my_reaction_emoji", "iids",
    "created_after", "created_before",
}  # fmt: skip


def are_of_texts(query: ListIssues) -> bool:
    """Whether its filters need no more than the table of texts and the columns that a search adds to it."""
    return query.given().keys() <= _OF_TEXTS


def in_state(selection: Selection, query: ListIssues) -> Selection:
    """Keep issues of the requested state."""
    return selection.where("TRUE" if query.state == "all" else "i.state = :state", state=query.state)


async def count_by_state(tx: Tx, selection: Selection) -> dict[str, int]:
    """State, or `all` → how many issues of the selection there are; each is read."""
    rows = await tx.rows(
        tuple[str, int], f"SELECT i.state, count(*) {selection.text} GROUP BY i.state", **selection.bound
    )
    return ReadableProjects.sum_states(rows)


def apply_filters(
    selection: Selection,
    query: ListIssues,
    projects: LiteralString = "IN :project_ids",
    among: LiteralString | None = None,
) -> Selection:
    """Apply the filters of the query, except the state and the search for words; the issues belong to `projects`.

    `among`: a statement for the ids of all candidates, if they are few; labels are then looked up for these alone.
    """
    table = _filters(projects, f"il.issue_id IN ({among})" if among else "TRUE")
    selection = filters.apply_filters(selection, query, table)
    if isinstance(query, QueryIssues) and query.not_:
        return filters.leave_out(selection, query.not_, _NEGATED)
    return selection


@cache
def _filters(projects: LiteralString, among: LiteralString) -> Filters:
    return {
        **ISSUES.filters,
        "scope": _by_scope,
        "labels": lambda name, titles: _by_label(name, titles, projects, among),
        "milestone": lambda _, title: _by_milestone(title, projects),
        "confidential": flag("i.confidential"),
        "issue_type": lambda _, kind: None if kind == "issue" else Sql("FALSE"),
        "weight": _by_weight,
        "due_date": lambda _, when: _by_due_date(when),
    }


_NEGATED: Filters = {
    **ISSUES.negated_filters,
    "weight": lambda name, weight: (
        Sql(f"coalesce(i.weight = :{name}, FALSE)", **{name: weight}) if has_feature("issue_weights") else None
    ),
}


def _by_scope(_: LiteralString, scope: str) -> Sql | None:
    if scope == "created-by-me":
        return Sql("i.author_id = :actor")
    return Sql(assignee.many) if scope == "assigned-to-me" else None


def _by_label(name: LiteralString, titles: list[str], projects: LiteralString, among: LiteralString) -> Sql:
    """Issues that have all these labels, by exact title; `No Label` or `None`: without labels; `Any`: with a label."""
    if titles[0] in ("No Label", "No+Label"):
        return Sql(f"NOT {ISSUES.labeled}")
    condition = ISSUES.with_labels(name, titles, projects, among)
    if titles in (["None"], ["Any"]):
        titled = f"labels l WHERE l.title IN :{name} AND {_usable('l', projects)}"
        keyword: LiteralString = ISSUES.labeled if titles == ["Any"] else f"NOT {ISSUES.labeled}"
        return _by_title_or(titled, condition, keyword)
    return condition


def _by_milestone(title: str, projects: LiteralString) -> Sql:
    """Filters by the exact title, or by a keyword."""
    if title in ("None", "Any"):
        named = f"milestones ms WHERE ms.title = :milestone AND {_usable('ms', projects)}"
        keyword: LiteralString = f"i.milestone_id IS {'NOT ' if title == 'Any' else ''}NULL"
        return _by_title_or(named, Sql(titled("i.milestone_id", projects), milestone=title), keyword)
    return by_milestone("i.milestone_id", title, projects)


def _by_title_or(titled: LiteralString, condition: Sql, otherwise: LiteralString) -> Sql:
    """The condition if a label or milestone of that title exists, `otherwise` if not."""
    # Compat: `None` and `Any` are keywords, except where a label or milestone has that title.
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


def order(query: ListIssues) -> Order:
    """The requested order; the id breaks ties in the same direction."""
    if isinstance(query, FilterIssues) and (chosen := _INDEXED_ORDERS.get(query.order or "")):
        return chosen
    # What has no meaning here is the time of creation.
    first = _SORTED.get(_order_by(query)) or (_UPDATED if query.order_by == "updated_at" else _CREATED)
    return first.directed(query.sort)


def sorted_by(query: ListIssues) -> Order | None:
    """The requested order, if no index has it."""
    if isinstance(query, FilterIssues) and (chosen := SORTED_ORDERS.get(query.order or "")):
        return chosen
    return order(query) if _order_by(query) in _SORTED else None


def _order_by(query: ListIssues) -> str:
    """The name of the order; no order shows weights where the edition has none."""
    return "" if query.order_by == "weight" and not has_feature("issue_weights") else query.order_by
