"""Participation in a merge request: participants, subscriptions, todos."""

from mujina.accounts.users.entities import UserRef
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get, post
from mujina.planning.subscriptions.operations import subscribe
from mujina.planning.subscriptions.participation import participating
from mujina.planning.todos import entities as todo_entities
from mujina.planning.todos import operations as todos
from mujina.planning.todos.entities import Todo
from mujina.review.merge_requests import entities
from mujina.review.merge_requests.declarations.noteable import noteable_of
from mujina.review.merge_requests.rules import find_merge_request, may_merge
from mujina.review.merge_requests.views.merge_request import SingleMergeRequest


@get("/projects/:id/merge_requests/:merge_request_iid/participants", anonymous=True)
async def list_merge_request_participants(call: Call, id: Ref, merge_request_iid: int, page: Page) -> Paged[UserRef]:
    """List the participants: the author, assignees, commenters, mentioned users and givers of emoji."""
    async with call.reading() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid)
        return await participating(tx, call.actor, noteable_of(request), page)


@post("/projects/:id/merge_requests/:merge_request_iid/subscribe")
async def subscribe_to_merge_request(call: Call, id: Ref, merge_request_iid: int) -> SingleMergeRequest:
    """Subscribe to a merge request; 304 if the caller is subscribed."""
    return await _subscribe(call, id, merge_request_iid, subscribed=True)


@post("/projects/:id/merge_requests/:merge_request_iid/unsubscribe")
async def unsubscribe_from_merge_request(call: Call, id: Ref, merge_request_iid: int) -> SingleMergeRequest:
    """Unsubscribe from a merge request; 304 if the caller is not subscribed."""
    return await _subscribe(call, id, merge_request_iid, subscribed=False)


async def _subscribe(call: Call, id: Ref, iid: int, *, subscribed: bool) -> SingleMergeRequest:
    async with call.transaction() as tx:
        request = await find_merge_request(tx, call.actor, id, iid)
        await subscribe(tx, call.actor, "merge_request", request.id, subscribed=subscribed)
        can_merge = await may_merge(tx, call.actor, request)
        return await entities.load_one(tx, call.actor, request.id, can_merge=can_merge)


@post("/projects/:id/merge_requests/:merge_request_iid/todo")
async def create_merge_request_todo(call: Call, id: Ref, merge_request_iid: int) -> Todo:
    """Add a merge request to the todos of the caller; 304 if there is a pending one."""
    async with call.transaction() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid)
        todo_id = await todos.mark(tx, call.actor, noteable_of(request))
        return await todo_entities.load_one(tx, call.actor, todo_id)
