"""The API of runners: they ask for jobs and report about them. The token in the body authenticates them."""

import msgspec

from mujina.ci.jobs.operations import finish
from mujina.ci.jobs.rules import find_job_of_runner
from mujina.ci.runner_api import operations
from mujina.ci.runner_api.params import RequestJob, UpdateJob
from mujina.ci.runner_api.payload import JobPayload, ReportedStatus
from mujina.ci.runners.operations import record_contact
from mujina.ci.runners.params import RunnerInfo
from mujina.ci.runners.rules import authenticate_runner
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel.errors import TooLarge
from mujina.kernel.http.dispatcher import Call, JsonResponse
from mujina.kernel.http.routing import post, put

LAST_UPDATE = "X-GitLab-Last-Update"


@post("/jobs/request", anonymous=True)
async def request_job(call: Call, change: RequestJob) -> JsonResponse[JobPayload | None]:
    """Take the next job: 201 with everything about it, 204 if none waits for this runner."""
    async with call.reading() as tx:
        runner = await authenticate_runner(tx, change.token)
        seconds = (await read_settings(tx)).runner_long_poll_seconds if change.last_update else 0
    if not runner.active:
        return JsonResponse(None, 204)
    info = change.info or RunnerInfo()
    await record_contact(call.services, runner, info, call.address)
    runner = msgspec.structs.replace(runner, name=info.name or runner.name, version=info.version or runner.version)
    payload, looked_at = await operations.wait_for_job(call.services, runner, change.token, seconds)
    return JsonResponse(None, 204, {LAST_UPDATE: looked_at}) if payload is None else JsonResponse(payload, 201)


@put("/jobs/:id", anonymous=True)
async def update_job(call: Call, id: int, change: UpdateJob) -> JsonResponse[ReportedStatus]:
    """Report about a job; the header `Job-Status` tells the runner that it was canceled."""
    try:
        async with call.transaction() as tx:
            job = await find_job_of_runner(tx, id, change.token, "report")
            status = await operations.report(tx, call.services.vault, job, change)
    except TooLarge:
        # A runner does not send it again: without this end, the job would seem to run for an hour.
        async with call.transaction() as tx:
            await finish(tx, id, "failed", "trace_size_exceeded")
        raise
    return JsonResponse(ReportedStatus(id, status), 200, {"Job-Status": status})
