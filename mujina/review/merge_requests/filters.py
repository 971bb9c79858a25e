"""Lists of merge requests: their parameters as conditions."""

from typing import LiteralString

from msgspec import structs

from mujina.kernel.db.selection import Selection
from mujina.kernel.db.sql import Order, Sql, ascending, descending
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.http.params import UNSET
from mujina.kernel.lists import filters
from mujina.kernel.lists.filters import Filter, Filters, compared, flag
from mujina.kernel.text.folding import fold
from mujina.planning.issues.shared_filters import ListedNoun
from mujina.planning.milestones.filters import by_milestone, titled
from mujina.review.approvals.approvers import NAMED_INDIVIDUALLY
from mujina.review.merge_requests.params import ListMergeRequests
from mujina.review.merge_requests.readable_projects import SHOWN_STATE, ReviewedProjects
from mujina.review.merge_requests.rules import READ_MERGE_REQUEST, assignee

_ORDERS = {
    "id": ascending("mr.id"),
    "updated_at": ascending("mr.updated_at", "mr.id"),
    "title": ascending("mr.title_folded", "mr.id"),
    "merged_at": ascending("coalesce(mr.merged_at, '')", "mr.id"),
    "closed_at": ascending("coalesce(mr.closed_at, '')", "mr.id"),
}
_CREATED = ascending("mr.created_at", "mr.id")
_PRIORITY: LiteralString = """coalesce((
    SELECT min(lp.priority) FROM merge_request_labels ml
    JOIN label_priorities lp ON lp.label_id = ml.label_id AND lp.project_id = mr.project_id
    WHERE ml.merge_request_id = mr.id), 2147483647)"""
BY_PRIORITY = ascending(_PRIORITY) + descending("mr.id")
"""The requests with the most important label first, the newest first among equals."""


_PROJECTS: LiteralString = "IN :reviewed_project_ids"
REQUESTS = ListedNoun("merge_request", "mr", READ_MERGE_REQUEST)
_COUNTED = frozenset({"state", "order_by", "sort", "view", "with_labels_details"})
"""Parameters that leave the total to the kept counts."""


def has_filters(query: ListMergeRequests) -> bool:
    """Whether the query has a filter other than a state that is counted."""
    params = query.given()
    if query.state == "locked":
        return True
    if params.get("scope") == "all":
        del params["scope"]
    return not params.keys() <= _COUNTED


def counted_state(query: ListMergeRequests) -> str:
    """The state of the kept counts that the query selects from."""
    return "opened" if query.state == "locked" else query.state


def titled_milestone(title: str) -> Sql:
    """Requests whose milestone has this title, and none of the keywords."""
    return Sql(titled("mr.milestone_id", _PROJECTS), milestone=title)


def in_state(selection: Selection, state: str) -> Selection:
    """Keep the requests of this state."""
    selection = selection.bind(state=state)
    if state in ("opened", "locked"):
        # A bound value: for the word itself, the planner would sort all open requests instead of walking the order.
        # The server is merging a locked one.
        merging: LiteralString = f"mr.merging_push_id IS {'NULL' if state == 'opened' else 'NOT NULL'}"
        return selection.where(f"mr.state = :row_state AND {merging}", row_state="opened")
    return selection if state == "all" else selection.where("mr.state = :state")


async def count_by_state(tx: Tx, selection: Selection) -> dict[str, int]:
    """State, or `all` → how many requests of the selection there are; each is read."""
    rows = await tx.rows(
        tuple[str, int], f"SELECT {SHOWN_STATE}, count(*) {selection.text} GROUP BY 1", **selection.bound
    )
    return ReviewedProjects.sum_states(rows)


def apply_filters(selection: Selection, query: ListMergeRequests) -> Selection:
    """Apply the filters of the query, except the state and the search for words.

    The requests belong to `:reviewed_project_ids`.
    """
    if not selection.bound["actor"]:  # anonymous callers gave no emoji, and ask for none
        query = structs.replace(query, my_reaction_emoji=UNSET)
    selection = filters.apply_filters(selection, query, _FILTERS)
    return filters.leave_out(selection, query.not_, _NEGATED) if query.not_ else selection


def _by_scope(_: LiteralString, scope: str) -> Sql | None:
    match scope:
        case "created-by-me":
            return Sql("mr.author_id = :actor")
        case "assigned-to-me":
            return Sql(assignee.many)
        case "reviews-for-me":
            return Sql(f"mr.id IN ({_REVIEWED} WHERE a.user_id = :actor)")
        case _:
            return None


_REVIEWED: LiteralString = "SELECT a.merge_request_id FROM merge_request_reviewers a"


def _by_reviewer(name: LiteralString, username: str) -> Sql:
    return Sql(
        f"mr.id IN ({_REVIEWED} JOIN users u ON u.id = a.user_id WHERE u.username_folded = :{name})",
        **{name: fold(username)},
    )


def _by_approvals(users: LiteralString) -> Filter:
    """Requests where all of the given ones are among these users; `none`: where there are no users; `any`: where some are."""

    def condition(name: LiteralString, ids: list[int] | str) -> Sql:
        if isinstance(ids, str):
            return Sql(f"{'NOT ' if ids == 'none' else ''}EXISTS {users}")
        bound: dict[str, Value] = {name: sorted(set(ids)), f"{name}_count": len(set(ids))}
        return Sql(f"(SELECT count(*) FROM {users} x WHERE x.user_id IN :{name}) = :{name}_count", **bound)

    return condition


def _by_label(name: LiteralString, titles: list[str]) -> Sql:
    """Requests that have all these labels, by exact title; `No Label` or `None`: without labels; `Any`: with a label."""
    match titles:
        case ["No Label" | "No+Label", *_] | ["None"]:
            return Sql(f"NOT {REQUESTS.labeled}")
        case ["Any"]:
            return Sql(REQUESTS.labeled)
        case _:
            return REQUESTS.with_labels(name, titles, _PROJECTS)


_FILTERS: Filters = {
    **REQUESTS.filters,
    "scope": _by_scope,
    "reviewer_id": lambda name, value: REQUESTS.by_person("merge_request_reviewers", name, value),
    "reviewer_username": _by_reviewer,
    "approved_by_ids": _by_approvals("(SELECT a.user_id FROM approvals a WHERE a.merge_request_id = mr.id)"),
    "approver_ids": _by_approvals(NAMED_INDIVIDUALLY),
    "milestone": lambda _, title: by_milestone("mr.milestone_id", title, _PROJECTS),
    "labels": _by_label,
    "source_branch": compared("mr.source_branch"),
    "target_branch": compared("mr.target_branch"),
    "draft": flag("mr.draft"),
    "wip": flag("mr.draft"),
}
_NEGATED: Filters = {
    **REQUESTS.negated_filters,
    **{name: _FILTERS[name] for name in ("reviewer_id", "reviewer_username", "source_branch", "target_branch")},
}


def order(query: ListMergeRequests) -> Order:
    """The requested order; the id breaks ties in the same direction. What has no meaning here is the time of creation."""
    return _ORDERS.get(query.order_by, _CREATED).directed(query.sort)
