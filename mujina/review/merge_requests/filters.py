"""Lists of merge requests: their parameters as conditions."""

from typing import Any, ClassVar, LiteralString

from mujina.kernel.db.sql.selection import Order, Selection, Sql, ascending, descending
from mujina.kernel.db.transaction import Value
from mujina.kernel.lists.filters import Filter, Filters, compared, flag
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import TRUE, known_of
from mujina.kernel.text.folding import fold
from mujina.planning.milestones.filters import by_milestone, titled
from mujina.planning.work_items.lists.nouns import ListedWorkItems, SharedFilters
from mujina.planning.work_items.lists.projects import ListedProjects
from mujina.review.approvals.approvers import NAMED_INDIVIDUALLY
from mujina.review.merge_requests.entities import DOCUMENTS
from mujina.review.merge_requests.params import ListMergeRequests
from mujina.review.merge_requests.rules import (
    READ_MERGE_REQUEST,
    READ_MERGE_REQUESTS,
    assignee,
    merge_requests_enabled,
)
from mujina.workspaces.projects.rules import READ_CODE

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


_SHARED = SharedFilters("merge_request", "mr")


def titled_milestone(title: str) -> Sql:
    """Requests whose milestone has this title, and none of the keywords."""
    return Sql(titled("mr.milestone_id", LISTED_REQUESTS.projects), milestone=title)


def _in_state(state: str) -> Sql:
    if state not in ("opened", "locked"):
        return Sql("mr.state = :state")
    # A bound value: for the word itself, the planner would sort all open requests instead of walking the order.
    # The server is merging a locked one.
    merging: LiteralString = f"mr.merging_push_id IS {'NULL' if state == 'opened' else 'NOT NULL'}"
    return Sql(f"mr.state = :row_state AND {merging}", row_state="opened")


_MERGING: LiteralString = "mr.merging_push_id IS NOT NULL AND mr.state = 'opened'"
# What is being merged is counted as open, and is shown as locked.
_MERGING_BY_STATE: LiteralString = f"""
    UNION ALL
    SELECT step.state, step.n FROM (SELECT 'opened' AS state, -1 AS n UNION ALL SELECT 'locked', 1) step
    JOIN merge_requests mr ON {_MERGING} AND mr.project_id + 0 IN :reviewed_full"""


def _merging_count(projects: LiteralString) -> LiteralString:
    """Those of `projects` that are being merged if `:state` is open: they are not shown as open."""
    return f""" - (SELECT count(*) FROM merge_requests mr
        WHERE {_MERGING} AND :state = 'opened' AND mr.project_id + 0 {projects})"""


def _by_scope(_: LiteralString, scope: str) -> Sql | None:
    match scope:
        case "created-by-me":
            return Sql("mr.author_id = :actor")
        case "assigned-to-me":
            return Sql(assignee.for_scan)
        case "reviews-for-me":
            return Sql(f"mr.id IN ({_REVIEWED} WHERE a.user_id = :actor)")
        case _:
            return None


_REVIEWED: LiteralString = "SELECT a.merge_request_id FROM merge_request_reviewers a"


def _by_reviewer(name: LiteralString, username: str) -> Sql:
    """Requests that this user reviews; `None`: without a reviewer, `Any`: with one."""
    if (word := username.lower()) in ("none", "any"):
        return _SHARED.by_person("merge_request_reviewers", name, word)
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


def _by_reaction(name: LiteralString, emoji: str) -> Sql:
    """Anonymous callers gave no emoji, and ask for none."""
    condition = _SHARED.filters["my_reaction_emoji"](name, emoji)
    assert condition is not None
    return Sql(f"(:actor = 0 OR {condition.text})", **condition.bound)


def _by_label(name: LiteralString, titles: list[str], projects: LiteralString, among: LiteralString) -> Sql:
    """Requests that have all these labels, by exact title; `No Label` or `None`: without labels; `Any`: with a label."""
    match titles:
        case ["No Label" | "No+Label", *_] | ["None"]:
            return Sql(f"NOT {_SHARED.labeled}")
        case ["Any"]:
            return Sql(_SHARED.labeled)
        case _:
            return _SHARED.with_labels(name, titles, projects, among)


_FILTERS: Filters = {
    **_SHARED.filters,
    "my_reaction_emoji": _by_reaction,
    "scope": _by_scope,
    "reviewer_id": lambda name, value: _SHARED.by_person("merge_request_reviewers", name, value),
    "reviewer_username": _by_reviewer,
    "approved_by_ids": _by_approvals("(SELECT a.user_id FROM approvals a WHERE a.merge_request_id = mr.id)"),
    "approver_ids": _by_approvals(NAMED_INDIVIDUALLY),
    "source_branch": compared("mr.source_branch"),
    "target_branch": compared("mr.target_branch"),
    "draft": flag("mr.draft"),
    "wip": flag("mr.draft"),
}
_NEGATED: Filters = {
    **_SHARED.negated_filters,
    **{name: _FILTERS[name] for name in ("reviewer_id", "reviewer_username", "source_branch", "target_branch")},
}


def _filters(projects: LiteralString, among: LiteralString) -> Filters:
    return {
        **_FILTERS,
        "milestone": lambda _, title: by_milestone("mr.milestone_id", title, projects),
        "labels": lambda name, titles: _by_label(name, titles, projects, among),
    }


def _order(query: ListMergeRequests) -> Order:
    """The requested order; the id breaks ties in the same direction. What has no meaning here is the time of creation."""
    return _ORDERS.get(query.order_by, _CREATED).directed(query.sort)


LISTED_REQUESTS = ListedWorkItems(
    shared=_SHARED,
    documents=DOCUMENTS,
    readable=READ_MERGE_REQUEST,
    enabled=merge_requests_enabled,
    listable=READ_MERGE_REQUESTS,
    every=READ_CODE,
    right=READ_CODE,
    right_here=TRUE,
    states=("opened", "locked", "merged", "closed"),
    state="CASE WHEN mr.state = 'opened' AND mr.merging_push_id IS NOT NULL THEN 'locked' ELSE mr.state END",
    in_state=_in_state,
    uncounted=frozenset({"locked"}),
    unrestricted="FALSE",
    only_involved="(:state <> 'opened' OR mr.merging_push_id IS NULL)",
    miscounted=_merging_count,
    miscounted_by_state=_MERGING_BY_STATE,
    filters=_filters,
    negated=_NEGATED,
    order=_order,
    created=_CREATED,
    ignored=frozenset({"state", "order_by", "sort", "view", "with_labels_details"}),
    prefix="reviewed_",
)


class ReviewedProjects(ListedProjects, frozen=True):
    """Projects with merge requests; in those that are `partial`, the caller sees requests that they wrote or are assigned to."""

    noun: ClassVar[ListedWorkItems[Any]] = LISTED_REQUESTS


def open_reviews(actor: Actor) -> Selection:
    """The open requests that the actor is asked to review and may read."""
    return Selection(
        """merge_request_reviewers a JOIN merge_requests mr ON mr.id = a.merge_request_id
           JOIN projects p ON p.id = mr.project_id""",
        f"""a.user_id = :actor AND mr.state = 'opened' AND p.deleted_at IS NULL
            AND {READ_MERGE_REQUEST.assuming(known_of(actor.kind)).for_scan}""",
        **actor.bound,
    )
