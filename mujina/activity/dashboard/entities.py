"""The panels beside the projects on the dashboard."""

from collections.abc import Sequence

import msgspec

from mujina.kernel.db.documents import decoded
from mujina.kernel.db.sql.selection import descending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page
from mujina.kernel.lists.pages import load_documents
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues.filters import LISTED_ISSUES
from mujina.planning.issues.views.issue import Issue
from mujina.planning.todos import filters as todos
from mujina.planning.todos import lines
from mujina.planning.todos.lines import TodoLine
from mujina.planning.todos.params import ListTodos
from mujina.review.merge_requests.filters import LISTED_REQUESTS
from mujina.review.merge_requests.views.listing import load_simple
from mujina.review.merge_requests.views.merge_request import SimpleMergeRequest

_LATEST = Page(1, 5, {})
_LAST_CHANGED_ISSUES = descending("i.updated_at", "i.id")
_LAST_CHANGED_REQUESTS = descending("mr.updated_at", "mr.id")


class Waiting(msgspec.Struct, frozen=True):
    """The latest of what waits for a user."""

    todos: Sequence[TodoLine]
    issues: Sequence[Issue]
    merge_requests: Sequence[SimpleMergeRequest]


async def waiting_for(tx: Tx, actor: Actor) -> Waiting:
    """Returns at most five todos, assigned issues and assigned merge requests each."""
    # The top bar has the totals, up to a hundred.
    issues, requests = LISTED_ISSUES.assigned(actor).uncounted, LISTED_REQUESTS.assigned(actor).uncounted
    assigned = await load_documents(LISTED_ISSUES.documents, tx, issues, _LAST_CHANGED_ISSUES, _LATEST)
    to_merge = await load_simple(tx, requests, _LAST_CHANGED_REQUESTS, _LATEST)
    latest = await lines.load_page(tx, todos.own(tx.product, actor, ListTodos()).uncounted, _LATEST)
    return Waiting(latest.items, decoded(assigned.items, Issue), to_merge.items)
