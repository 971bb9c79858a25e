"""Canceling the automatic merge of a merge request."""

from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import post
from mujina.review.automatic_merges import operations
from mujina.review.merge_requests import entities
from mujina.review.merge_requests.rules import find_merge_request, may_merge
from mujina.review.merge_requests.views.merge_request import SingleMergeRequest


@post("/projects/:id/merge_requests/:merge_request_iid/cancel_merge_when_pipeline_succeeds")
async def cancel_automatic_merge(call: Call, id: Ref, merge_request_iid: int) -> SingleMergeRequest:
    """Cancel the automatic merge of a merge request."""
    async with call.transaction() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid, hide=True)
        can_merge = await may_merge(tx, call.actor, request)
        if not operations.may_cancel(call.actor, request, can_merge=can_merge):
            raise errors.unauthorized()
        await operations.cancel(tx, call.actor, request)
        return await entities.load_one(tx, call.actor, request.id, can_merge=can_merge)
