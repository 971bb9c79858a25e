"""The traces of jobs: runners write them, people read them."""

import re

from mujina.ci.jobs import entities as jobs
from mujina.ci.jobs.entities import PipelineJob
from mujina.ci.jobs.operations import finish, touch
from mujina.ci.jobs.rules import RunnerJob, find_job_of_runner, job_token
from mujina.ci.pipelines.rules import find_job
from mujina.ci.traces import operations
from mujina.ci.traces.erasing import erase
from mujina.ci.traces.operations import PIECE, OutOfRange
from mujina.ci.traces.reading import find_trace
from mujina.ci.traces.responses import trace_response
from mujina.code.pipelines.rules import WRITE_PIPELINES
from mujina.kernel import errors
from mujina.kernel.errors import TooLarge
from mujina.kernel.http.byte_ranges import range_not_satisfiable
from mujina.kernel.http.dispatcher import Call, Response
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get, patch, post
from mujina.kernel.http.streamed_bodies import read_pieces

_START = re.compile(r"(?:bytes )?([0-9]{1,18})-[0-9]*(?:/.*)?")


@get("/projects/:id/jobs/:job_id/trace", anonymous=True)
async def read_trace(call: Call, id: Ref, job_id: int) -> Response:
    """Read what the scripts of a job have printed so far; `Range` selects a part."""
    async with call.reading() as tx:
        _, job = await find_job(tx, call.actor, id, job_id)
        trace = await find_trace(tx, call.services.vault, job.id, running=job.status == "running")
    return await trace_response(call.services, trace, call.request.get_header("Range"))


@post("/projects/:id/jobs/:job_id/erase")
async def erase_job(call: Call, id: Ref, job_id: int) -> PipelineJob:
    """Erase the trace and the artifacts of a job that is over."""
    async with call.transaction() as tx:
        project, job = await find_job(tx, call.actor, id, job_id, to=WRITE_PIPELINES)
        await erase(tx, call.actor, project, job)
    return await jobs.load_shown(call.services, call.actor, project, job.id)


@patch("/jobs/:id/trace", anonymous=True, streamed=True, status=202)
async def append_trace(call: Call, id: int) -> Response:
    """Add to the trace of a job, with the token of the job. `Content-Range` says after how many bytes; its end is ignored."""
    start = await _read_start(call, id)
    pieces = read_pieces(call.request, PIECE)
    size, job = await _append(call, id, start, await anext(pieces, b""))
    async for piece in pieces:
        size, job = await _append(call, id, size, piece)
    if job.silent:
        async with call.transaction() as tx:
            await touch(tx, id)
    return Response(status=202, headers={"Job-Status": job.status, "Range": f"0-{size}"}, content_type="text/plain")


async def _append(call: Call, job_id: int, start: int, piece: bytes) -> tuple[int, RunnerJob]:
    """The new size of the trace, and the job. 416 if the trace has another size; 413 ends the job."""
    status = ""
    try:
        async with call.transaction() as tx:
            job = await find_job_of_runner(tx, job_id, job_token(call), "report")
            status = job.status
            return await operations.append(tx, call.services.vault, job_id, start, piece), job
    except OutOfRange as error:
        raise range_not_satisfiable({"Job-Status": status, "Range": f"0-{error.size}"}) from None
    except TooLarge:
        async with call.transaction() as tx:
            await finish(tx, job_id, "failed", "trace_size_exceeded")
        raise


async def _read_start(call: Call, job_id: int) -> int:
    """The position of the bytes in the trace; 400 if the request does not say, 403 to others than the runner."""
    header = call.request.get_header("Content-Range")
    found = None if header is None else _START.fullmatch(header.strip())
    if found is not None:
        return int(found[1])
    async with call.reading() as tx:
        await find_job_of_runner(tx, job_id, job_token(call), "report")
    raise errors.unacceptable("400 Missing header Content-Range" if header is None else "400 Content-Range is invalid")
