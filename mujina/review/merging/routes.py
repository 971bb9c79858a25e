"""Merging a merge request."""

import msgspec

from mujina.code.pushes.repository_lock import with_repository_lock
from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get, put
from mujina.review.merge_requests import entities
from mujina.review.merge_requests.rules import find_merge_request, may_merge
from mujina.review.merge_requests.views.merge_request import SingleMergeRequest
from mujina.review.merging import operations
from mujina.review.merging.params import MergeMergeRequest


@put("/projects/:id/merge_requests/:merge_request_iid/merge")
@with_repository_lock
async def merge_merge_request(
    call: Call, id: Ref, merge_request_iid: int, change: MergeMergeRequest
) -> SingleMergeRequest:
    async with call.reading() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid, hide=True)
        if not await may_merge(tx, call.actor, request):
            raise errors.unauthorized()
    await operations.merge(call.services, call.actor, request, change)
    async with call.reading() as tx:
        return await entities.load_one(tx, call.actor, request.id, can_merge=True)


class MergeRef(msgspec.Struct):
    commit_id: str


@get("/projects/:id/merge_requests/:merge_request_iid/merge_ref", writes=True)
async def show_merge_ref(call: Call, id: Ref, merge_request_iid: int) -> MergeRef:
    """Merge a request on trial into `refs/merge-requests/:iid/merge`, which can be fetched."""
    async with call.reading() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid)
    return MergeRef(await operations.create_trial_merge(call.services, call.actor, request))
