"""Time tracking of merge requests."""

from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get, post
from mujina.planning.issues.params import Duration
from mujina.planning.time_tracking import operations
from mujina.planning.time_tracking.entities import TimeStats, time_stats
from mujina.review.merge_requests.declarations.work_item import MERGE_REQUESTS
from mujina.review.merge_requests.rules import UPDATE_MERGE_REQUEST, find_merge_request


@post("/projects/:id/merge_requests/:merge_request_iid/time_estimate", status=200)
async def estimate_merge_request_time(call: Call, id: Ref, merge_request_iid: int, change: Duration) -> TimeStats:
    """Set the time estimate of a merge request."""
    seconds = operations.parse_estimate(change.duration)
    async with call.transaction() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid, to=UPDATE_MERGE_REQUEST, hide=True)
        await operations.estimate(tx, call.actor, MERGE_REQUESTS, request, seconds)
        return await time_stats(tx, MERGE_REQUESTS, request.id)


@post("/projects/:id/merge_requests/:merge_request_iid/reset_time_estimate", status=200)
async def reset_merge_request_time_estimate(call: Call, id: Ref, merge_request_iid: int) -> TimeStats:
    """Remove the time estimate of a merge request."""
    async with call.transaction() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid, to=UPDATE_MERGE_REQUEST, hide=True)
        await operations.estimate(tx, call.actor, MERGE_REQUESTS, request, 0)
        return await time_stats(tx, MERGE_REQUESTS, request.id)


@post("/projects/:id/merge_requests/:merge_request_iid/add_spent_time")
async def add_merge_request_spent_time(call: Call, id: Ref, merge_request_iid: int, change: Duration) -> TimeStats:
    """Add to the time spent on a merge request; a negative duration subtracts."""
    seconds = operations.parse_spent(change.duration)
    async with call.transaction() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid, to=UPDATE_MERGE_REQUEST, hide=True)
        await operations.spend(tx, call.actor, MERGE_REQUESTS, request, seconds)
        return await time_stats(tx, MERGE_REQUESTS, request.id)


@post("/projects/:id/merge_requests/:merge_request_iid/reset_spent_time", status=200)
async def reset_merge_request_spent_time(call: Call, id: Ref, merge_request_iid: int) -> TimeStats:
    """Set the time spent on a merge request to zero."""
    async with call.transaction() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid, to=UPDATE_MERGE_REQUEST, hide=True)
        await operations.reset_spent(tx, call.actor, MERGE_REQUESTS, request)
        return await time_stats(tx, MERGE_REQUESTS, request.id)


@get("/projects/:id/merge_requests/:merge_request_iid/time_stats")
async def show_merge_request_time_stats(call: Call, id: Ref, merge_request_iid: int) -> TimeStats:
    """Show the time estimate of a merge request and the time spent on it."""
    async with call.reading() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid, hide=True)
        return await time_stats(tx, MERGE_REQUESTS, request.id)
