"""Counts of what belongs to a user, and of what waits for them."""

from typing import Annotated

import msgspec

from mujina.kernel.clock import today
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues.filters import LISTED_ISSUES
from mujina.planning.todos import filters as todos
from mujina.planning.todos.params import ListTodos
from mujina.review.merge_requests.filters import LISTED_REQUESTS, open_reviews


class AssociationsCount(msgspec.Struct):
    """Memberships of groups and projects, and what the user wrote."""

    groups_count: int
    projects_count: int
    issues_count: int
    merge_requests_count: int


class AssociationsRow(Row):
    groups_count: Annotated[
        int,
        """(SELECT count(*) FROM members m JOIN namespaces n ON n.id = m.source_id AND n.deleted_at IS NULL
            WHERE m.user_id = :user_id AND m.source_kind = 'group' AND m.expires_on > :today)""",
    ]
    projects_count: Annotated[
        int,
        """(SELECT count(*) FROM members m JOIN projects p ON p.id = m.source_id AND p.deleted_at IS NULL
            WHERE m.user_id = :user_id AND m.source_kind = 'project' AND m.expires_on > :today)""",
    ]
    issues_count: Annotated[
        int, "(SELECT count(*) FROM issues i WHERE i.author_id = :user_id AND i.deleted_at IS NULL)"
    ]
    merge_requests_count: Annotated[int, "(SELECT count(*) FROM merge_requests mr WHERE mr.author_id = :user_id)"]


class UserCounts(msgspec.Struct):
    """Open issues and merge requests, and pending todos."""

    merge_requests: int
    """Those assigned, as older clients expect."""
    assigned_issues: int
    assigned_merge_requests: int
    review_requested_merge_requests: int
    todos: int


async def associations_count(tx: Tx, user_id: int) -> AssociationsCount:
    [row] = await tx.rows(AssociationsRow, f"SELECT {AssociationsRow.columns}", user_id=user_id, today=today())
    return to_entity(AssociationsCount, row)


async def user_counts(tx: Tx, actor: Actor) -> UserCounts:
    """Counts only what the actor may still read."""
    selections = (
        LISTED_ISSUES.assigned(actor),
        LISTED_REQUESTS.assigned(actor),
        open_reviews(actor),
        todos.own(tx.product, actor, ListTodos()),
    )
    issues, requests, reviews, pending = [
        await tx.value(f"SELECT count(*) {selection.text}", **selection.bound) for selection in selections
    ]
    return UserCounts(requests, issues, requests, reviews, pending)
