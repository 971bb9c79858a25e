"""Lists of issues: their parameters as conditions."""

from typing import LiteralString

from msgspec import structs

from mujina.instance.editions.rules import counts_as_assignee, has_feature
from mujina.kernel.actor import Actor, Kind
from mujina.kernel.db.order import Order, ascending
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.params import UNSET
from mujina.kernel.rules import known_of
from mujina.kernel.text import fold
from mujina.planning.awards.emoji import canonical
from mujina.planning.issues import later_filters
from mujina.planning.issues.params import FilterIssues, ListIssues, QueryIssues
from mujina.planning.issues.readable_projects import ReadableProjects, of_states
from mujina.planning.issues.rules import READ_ISSUE, assignee
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
"""Those of a page."""
NEWEST_FIRST = _CREATED.reversed
_INDEXED_ORDERS = {"oldest": _CREATED, "updated": _UPDATED.reversed}
_COUNTED = frozenset({"state", "order_by", "sort", "order"})
"""Parameters that leave the total to the kept counts."""
_COUNTS = counts_as_assignee("issue_assignees", "issue_id", "a")


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


def chosen(projects: ReadableProjects, actor: Actor, query: ListIssues) -> Selection:
    """The issues of these projects that match the query; the search for words is not applied."""
    issues = projects.issues(actor)
    in_state(issues, query)
    narrow(issues, query)
    return issues


def assigned(actor: Actor) -> Selection:
    """The open issues that the actor is assigned to and may read: found by the assignment, without a list of projects."""
    return Selection(
        "issue_assignees a JOIN issues i ON i.id = a.issue_id JOIN projects p ON p.id = i.project_id",
        f"""a.user_id = :actor AND {_COUNTS} AND i.state = 'opened' AND i.deleted_at IS NULL AND p.deleted_at IS NULL
            AND {READ_ISSUE.given(known_of(actor.kind)).many}""",
        **actor.bound,
    )


def assigned_count(kind: Kind) -> LiteralString:
    """A statement that counts the same for an actor of this kind, up to `:limit`.

    Each issue is looked up by its key. PostgreSQL would join all assignments with all open issues, to find a hundred.
    """
    return f"""SELECT count(*) FROM (SELECT 1 FROM issue_assignees a WHERE a.user_id = :actor AND {_COUNTS} AND (
        SELECT {READ_ISSUE.given(known_of(kind)).many} FROM issues i JOIN projects p ON p.id = i.project_id
        WHERE i.id = a.issue_id AND i.state = 'opened' AND i.deleted_at IS NULL AND p.deleted_at IS NULL)
        LIMIT :limit) found"""


def narrowed(query: ListIssues, *, ignoring: frozenset[str] = frozenset()) -> bool:
    """Whether the query has a filter other than the state and the parameters `ignoring`."""
    params = query.given()
    if params.get("scope") == "all":
        del params["scope"]
    return not params.keys() <= _COUNTED | ignoring


def in_state(chosen: Selection, query: ListIssues) -> None:
    """Keep issues of the requested state."""
    chosen.bound["state"] = query.state
    if query.state != "all":
        chosen.only("i.state = :state")


async def count_by_state(tx: Tx, chosen: Selection) -> dict[str, int]:
    """State, or `all` → how many issues of the selection there are; each is read."""
    rows = await tx.rows(tuple[str, int], f"SELECT i.state, count(*) {chosen.text} GROUP BY i.state", **chosen.bound)
    return of_states(rows)


def narrow(
    chosen: Selection,
    query: ListIssues,
    projects: LiteralString = "IN :project_ids",
    among: LiteralString | None = None,
) -> None:
    """Apply the other filters of the query, except the search for words; the issues belong to `projects`.

    `among`: a statement for the ids of all candidates, if they are few; labels are then looked up for these alone.
    """
    if query.scope == "created-by-me":
        chosen.only("i.author_id = :actor")
    elif query.scope == "assigned-to-me":
        chosen.only(assignee.many)
    if isinstance(query.author_id, int):
        chosen.only("i.author_id = :author_id", author_id=query.author_id)
    if query.iids:
        chosen.only("i.iid IN :iids", iids=query.iids)
    if query.created_after:
        chosen.only("i.created_at >= :created_after", created_after=query.created_after)
    if query.created_before:
        chosen.only("i.created_at <= :created_before", created_before=query.created_before)
    _by_assignee(chosen, query)
    _by_label(chosen, query, projects, f"AND il.issue_id IN ({among})" if among else "")
    _by_milestone(chosen, query, projects)
    _by_reaction(chosen, query)
    if isinstance(query, FilterIssues):
        _by_names(chosen, query)
    elif isinstance(query, QueryIssues):
        later_filters.narrow(chosen, query)


def _by_names(chosen: Selection, query: FilterIssues) -> None:
    """What only pages ask: people by username, confidential issues, the weight."""
    if query.author_username:
        chosen.only(
            "i.author_id IN (SELECT u.id FROM users u WHERE u.username_folded = :author_username)",
            author_username=fold(query.author_username),
        )
    if query.assignee_username:
        chosen.only(
            f"""i.id IN (SELECT a.issue_id FROM issue_assignees a JOIN users u ON u.id = a.user_id
                WHERE u.username_folded = :assignee_username AND {_COUNTS})""",
            assignee_username=fold(query.assignee_username),
        )
    if query.confidential:
        chosen.only("i.confidential" if query.confidential == "yes" else "NOT i.confidential")
    if isinstance(query.weight, int):
        chosen.only("i.weight = :weight", weight=query.weight)


def _by_assignee(chosen: Selection, query: ListIssues) -> None:
    if query.assignee_id == "none":
        chosen.only("NOT EXISTS (SELECT 1 FROM issue_assignees a WHERE a.issue_id = i.id)")
    elif query.assignee_id == "any":
        chosen.only("EXISTS (SELECT 1 FROM issue_assignees a WHERE a.issue_id = i.id)")
    elif isinstance(query.assignee_id, int):
        chosen.only(
            f"i.id IN (SELECT a.issue_id FROM issue_assignees a WHERE a.user_id = :assignee_id AND {_COUNTS})",
            assignee_id=query.assignee_id,
        )


def _by_label(chosen: Selection, query: ListIssues, projects: LiteralString, among: LiteralString) -> None:
    """Issues that have all these labels, by exact title; `No Label` or `None`: without labels; `Any`: with a label."""
    labeled: LiteralString = "EXISTS (SELECT 1 FROM issue_labels il WHERE il.issue_id = i.id)"
    match query.labels or []:
        case []:
            return
        case ["No Label" | "No+Label", *_]:
            chosen.only(f"NOT {labeled}")
        case titles:
            # With one label there is nothing to group, which takes most of the time if many issues have it.
            all_of_them: LiteralString = "GROUP BY il.issue_id HAVING count(DISTINCT l.title) = :label_count"
            condition = f"""i.id IN (SELECT il.issue_id FROM issue_labels il JOIN labels l ON l.id = il.label_id
                WHERE l.title IN :label_titles AND (l.project_id IS NULL OR l.project_id {projects}) {among}
                {all_of_them if len(titles) > 1 else ""})"""
            if titles in (["None"], ["Any"]):
                titled = f"labels l WHERE l.title IN :label_titles AND {_usable('l', projects)}"
                condition = _by_title_or(titled, condition, labeled if titles == ["Any"] else f"NOT {labeled}")
            chosen.only(condition, label_titles=titles, label_count=len(titles))


def _by_milestone(chosen: Selection, query: ListIssues, projects: LiteralString) -> None:
    """By the exact title, or by a keyword."""
    title = query.milestone or ""
    if title in ("None", "Any"):
        named = f"milestones ms WHERE ms.title = :milestone AND {_usable('ms', projects)}"
        keyword: LiteralString = f"i.milestone_id IS {'NOT ' if title == 'Any' else ''}NULL"
        chosen.only(_by_title_or(named, titled("i.milestone_id", projects), keyword), milestone=title)
    elif title:
        by_milestone(chosen, "i.milestone_id", title, projects)


def _by_title_or(titled: LiteralString, condition: LiteralString, otherwise: LiteralString) -> LiteralString:
    """The condition if a label or milestone of that title exists, `otherwise` if not."""
    # Compat: `None` and `Any` are keywords, except where a label or milestone has that title.
    return f"CASE WHEN EXISTS (SELECT 1 FROM {titled}) THEN {condition} ELSE {otherwise} END"


def _usable(alias: LiteralString, projects: LiteralString) -> LiteralString:
    """Whether the label or milestone belongs to one of the projects, or to a group above one."""
    return f"""({alias}.project_id {projects} OR {alias}.group_id IN (
        SELECT t.ancestor_id FROM projects home JOIN group_tree t ON t.group_id = home.namespace_id
        WHERE home.id {projects}))"""


def _by_reaction(chosen: Selection, query: ListIssues) -> None:
    """Issues to which the actor gave this emoji, in any spelling; `None`: no emoji; `Any`: at least one."""
    match query.my_reaction_emoji or "":
        case "":
            return
        case "None":
            chosen.only(f"i.id NOT IN ({_REACTED})")
        case "Any":
            chosen.only(f"i.id IN ({_REACTED})")
        case name:
            chosen.only(f"i.id IN ({_REACTED} AND award.name = :emoji)", emoji=canonical(name) or name)


_REACTED: LiteralString = """
    SELECT award.subject_id FROM awards award WHERE award.user_id = :actor AND award.subject_kind = 'issue'"""


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
