"""Rebasing the source branch of a merge request."""

import msgspec

from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import put
from mujina.review.merge_requests.rules import find_merge_request
from mujina.review.rebasing import operations
from mujina.review.rebasing.params import RebaseMergeRequest


class Rebase(msgspec.Struct):
    rebase_in_progress: bool


@put("/projects/:id/merge_requests/:merge_request_iid/rebase", status=202)
async def rebase_merge_request(call: Call, id: Ref, merge_request_iid: int, change: RebaseMergeRequest) -> Rebase:  # noqa: ARG001 - nothing to skip
    async with call.transaction() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid)
        await operations.request_rebase(tx, call.actor, request)
    return Rebase(rebase_in_progress=True)
