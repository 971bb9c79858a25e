"""Lists of merge requests: their parameters as conditions."""

from typing import LiteralString

from mujina.kernel.actor import Actor, Kind
from mujina.kernel.db.order import Order, ascending, descending
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.params import Unset
from mujina.kernel.rules import known_of
from mujina.kernel.text import fold
from mujina.planning.awards.emoji import canonical
from mujina.planning.issues.exceptions import leave_out
from mujina.planning.milestones.filters import by_milestone
from mujina.review.approvals.approvers import NAMED_INDIVIDUALLY
from mujina.review.merge_requests.exceptions import ASSIGNED, CONDITIONS, COUNTS, REACTED, REVIEWED
from mujina.review.merge_requests.params import ListMergeRequests
from mujina.review.merge_requests.readable_projects import SHOWN_STATE, of_states
from mujina.review.merge_requests.rules import READ_MERGE_REQUEST, assignee
from mujina.review.merge_requests.search import DESCRIPTION, TITLE

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


_COUNTED = frozenset({"state", "order_by", "sort", "view", "with_labels_details"})
"""Parameters that leave the total to the kept counts."""


def narrowed(query: ListMergeRequests) -> bool:
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


def assigned(actor: Actor) -> Selection:
    """The open requests that the actor is assigned to and may read: found by the assignment, without a list of projects."""
    return Selection(
        """merge_request_assignees a JOIN merge_requests mr ON mr.id = a.merge_request_id
            JOIN projects p ON p.id = mr.project_id""",
        f"""a.user_id = :actor AND {COUNTS} AND mr.state = 'opened' AND p.deleted_at IS NULL
            AND {READ_MERGE_REQUEST.given(known_of(actor.kind)).many}""",
        **actor.bound,
    )


def assigned_count(kind: Kind) -> LiteralString:
    """A statement that counts the same for an actor of this kind, up to `:limit`; each request is looked up by its key."""
    return f"""SELECT count(*) FROM (SELECT 1 FROM merge_request_assignees a WHERE a.user_id = :actor AND {COUNTS} AND (
        SELECT {READ_MERGE_REQUEST.given(known_of(kind)).many}
        FROM merge_requests mr JOIN projects p ON p.id = mr.project_id
        WHERE mr.id = a.merge_request_id AND mr.state = 'opened' AND p.deleted_at IS NULL) LIMIT :limit) found"""


def in_state(chosen: Selection, state: str) -> None:
    """Keep the requests of this state."""
    chosen.bound["state"] = state
    if state in ("opened", "locked"):
        # A bound value: for the word itself, the planner would sort all open requests instead of walking the order.
        chosen.only("mr.state = :row_state", row_state="opened")
        # The server is merging it.
        chosen.only(f"mr.merging_push_id IS {'NULL' if state == 'opened' else 'NOT NULL'}")
    elif state != "all":
        chosen.only("mr.state = :state")


async def count_by_state(tx: Tx, chosen: Selection) -> dict[str, int]:
    """State, or `all` → how many requests of the selection there are; each is read."""
    rows = await tx.rows(tuple[str, int], f"SELECT {SHOWN_STATE}, count(*) {chosen.text} GROUP BY 1", **chosen.bound)
    return of_states(rows)


def narrow(chosen: Selection, query: ListMergeRequests, iids: list[int] | None = None) -> None:
    """Apply the filters of the query, except the search for words; the requests belong to `:project_ids`."""
    in_state(chosen, query.state)
    if iids:
        chosen.only("mr.iid IN :iids", iids=iids)
    if query.scope == "created-by-me":
        chosen.only("mr.author_id = :actor")
    elif query.scope == "assigned-to-me":
        chosen.only(assignee.many)
    elif query.scope == "reviews-for-me":
        chosen.only(f"mr.id IN ({REVIEWED} WHERE a.user_id = :actor)")
    _by_columns(chosen, query)
    _by_people(chosen, query)
    _by_approvals(chosen, query)
    if query.milestone:
        by_milestone(chosen, "mr.milestone_id", query.milestone)
    _by_label(chosen, query)
    _by_reaction(chosen, query)
    if query.not_:
        leave_out(chosen, query.not_, CONDITIONS)


def searched(query: ListMergeRequests) -> tuple[LiteralString, ...]:
    """The columns in which the words of the query are searched for."""
    fields = {field.strip() for field in (query.in_ or "").split(",")} & {"title", "description"}
    return tuple(column for name, column in _TEXTS.items() if name in (fields or _TEXTS))


_TEXTS: dict[str, LiteralString] = {"title": TITLE, "description": DESCRIPTION}


def _by_columns(chosen: Selection, query: ListMergeRequests) -> None:
    conditions: dict[str, LiteralString] = {
        "created_after": "mr.created_at >= :created_after",
        "created_before": "mr.created_at <= :created_before",
        "updated_after": "mr.updated_at >= :updated_after",
        "updated_before": "mr.updated_at <= :updated_before",
        "source_branch": "mr.source_branch = :source_branch",
        "target_branch": "mr.target_branch = :target_branch",
    }
    for name, condition in conditions.items():
        if value := getattr(query, name):
            chosen.only(condition, **{name: value})
    if not isinstance(query.draft, Unset):
        chosen.only("mr.draft" if query.draft else "NOT mr.draft")
    if query.wip:
        chosen.only("mr.draft" if query.wip == "yes" else "NOT mr.draft")
    if query.non_archived:
        chosen.only("NOT EXISTS (SELECT 1 FROM projects home WHERE home.id = mr.project_id AND home.archived)")


def _by_people(chosen: Selection, query: ListMergeRequests) -> None:
    if isinstance(query.author_id, int):
        chosen.only("mr.author_id = :author_id", author_id=query.author_id)
    if query.author_username:
        chosen.only(
            "mr.author_id IN (SELECT u.id FROM users u WHERE u.username_folded = :author_username)",
            author_username=fold(query.author_username),
        )
    for condition in (
        _of(query.assignee_id, ASSIGNED, f":assignee_id AND {COUNTS}"),
        _of(query.reviewer_id, REVIEWED, ":reviewer_id"),
    ):
        if condition is not None:
            chosen.only(condition)
    if isinstance(query.assignee_id, int):
        chosen.bound["assignee_id"] = query.assignee_id
    if isinstance(query.reviewer_id, int):
        chosen.bound["reviewer_id"] = query.reviewer_id
    if query.assignee_username:
        names = sorted({fold(name) for name in query.assignee_username})
        chosen.only(
            f"""mr.id IN ({ASSIGNED} JOIN users u ON u.id = a.user_id
                WHERE u.username_folded IN :assignee_usernames AND {COUNTS}
                GROUP BY a.merge_request_id HAVING count(*) = :assignee_count)""",
            assignee_usernames=names,
            assignee_count=len(names),
        )
    if query.reviewer_username:
        chosen.only(
            f"mr.id IN ({REVIEWED} JOIN users u ON u.id = a.user_id WHERE u.username_folded = :reviewer_username)",
            reviewer_username=fold(query.reviewer_username),
        )


def _by_approvals(chosen: Selection, query: ListMergeRequests) -> None:
    """Requests that all these users approved, or of which all are named approvers; `None`: no user; `Any`: some user."""
    given: LiteralString = "(SELECT a.user_id FROM approvals a WHERE a.merge_request_id = mr.id)"
    _all_of(chosen, query.approved_by_ids, given, "approved_by", "approval_count")
    _all_of(chosen, query.approver_ids, NAMED_INDIVIDUALLY, "approvers", "approver_count")


def _all_of(
    chosen: Selection,
    ids: list[int] | str | Unset,
    users: LiteralString,
    named: LiteralString,
    number: LiteralString,
) -> None:
    """Keep requests where all of these are among the users; `none`: where there are no users; `any`: where some are."""
    if ids in ("none", "any"):
        chosen.only(f"{'NOT ' if ids == 'none' else ''}EXISTS {users}")
    elif isinstance(ids, list) and ids:
        bound: dict[str, Value] = {named: sorted(set(ids)), number: len(set(ids))}
        chosen.only(f"(SELECT count(*) FROM {users} x WHERE x.user_id IN :{named}) = :{number}", **bound)


def _of(person: int | str | Unset | None, those: LiteralString, name: LiteralString) -> LiteralString | None:
    """Requests of this person; `none`: of no person; `any`: of at least one."""
    if person in ("none", "any"):
        return f"{'NOT ' if person == 'none' else ''}EXISTS ({those} WHERE a.merge_request_id = mr.id)"
    return f"mr.id IN ({those} WHERE a.user_id = {name})" if isinstance(person, int) else None


def _by_label(chosen: Selection, query: ListMergeRequests) -> None:
    """Requests that have all these labels, by exact title; `No Label` or `None`: without labels; `Any`: with a label."""
    labeled: LiteralString = "EXISTS (SELECT 1 FROM merge_request_labels ml WHERE ml.merge_request_id = mr.id)"
    match query.labels or []:
        case []:
            return
        case ["No Label" | "No+Label", *_] | ["None"]:
            chosen.only(f"NOT {labeled}")
        case ["Any"]:
            chosen.only(labeled)
        case titles:
            chosen.only(
                """mr.id IN (SELECT ml.merge_request_id FROM merge_request_labels ml
                   JOIN labels l ON l.id = ml.label_id WHERE l.title IN :label_titles
                   AND (l.project_id IS NULL OR l.project_id IN :project_ids)
                   GROUP BY ml.merge_request_id HAVING count(DISTINCT l.title) = :label_count)""",
                label_titles=titles,
                label_count=len(titles),
            )


def _by_reaction(chosen: Selection, query: ListMergeRequests) -> None:
    """Requests to which the actor gave this emoji; `None`: no emoji; `Any`: at least one. Not for anonymous callers."""
    if not query.my_reaction_emoji or not chosen.bound["actor"]:
        return
    match query.my_reaction_emoji:
        case "None":
            chosen.only(f"mr.id NOT IN ({REACTED})")
        case "Any":
            chosen.only(f"mr.id IN ({REACTED})")
        case name:
            chosen.only(f"mr.id IN ({REACTED} AND award.name = :emoji)", emoji=canonical(name) or name)


def order(query: ListMergeRequests) -> Order:
    """The requested order; the id breaks ties in the same direction. What has no meaning here is the time of creation."""
    return _ORDERS.get(query.order_by, _CREATED).directed(query.sort)
