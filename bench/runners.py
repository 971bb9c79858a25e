"""Runners: what idle ones cost, claims among few and many waiting jobs, a pipeline of 500 jobs, and a long trace and a
large artifact in memory. The runners are requests of this process; they execute nothing.
"""

import asyncio
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median
from typing import Any

import httpcore2

from bench.crowd import watched
from bench.databases import open_database
from bench.hooks import run_statement
from bench.seed import TOKEN
from bench.servers import Server, mujina
from bench.table import BenchRun, vacuum

RUNNERS, INTERVAL, POLLS = 100, 3, 3
CLAIMS = 40
WAITING = 100_000
STAGES, JOBS = 20, 500
MEGABYTE = 1024 * 1024
PIECE = b"compiled one more file without a warning\n" * 25_000
TRACE_PIECES = 50
ARTIFACT = 500 * MEGABYTE
MAX_MEMORY = 20
MANY_JOBS = f"""
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {WAITING})
    INSERT INTO pipeline_jobs (project_id, pipeline_id, name, stage, stage_index, status, user_id, tags, options,
        created_at, updated_at, queued_at)
    SELECT j.project_id, j.pipeline_id, j.name || ' ' || n, j.stage, j.stage_index, 'pending', j.user_id, j.tags, j.options,
        j.created_at, j.updated_at, j.queued_at
    FROM numbers, (SELECT * FROM pipeline_jobs WHERE status = 'pending' ORDER BY id LIMIT 1) j"""
"""Copies of a job that waits."""


@dataclass
class Instance:
    """The server with the requests that people and runners send to it."""

    server: Server
    pool: httpcore2.ConnectionPool

    def send(self, verb: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        sent = {
            "Content-Type": "application/json",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        answer = self.pool.request(verb, self.server.url(f"/api/v4{path}"), headers=list(sent.items()), content=content)
        return answer.status, json.loads(answer.content) if answer.content else None

    def post(self, path: str, **body: Any) -> Any:
        status, answer = self.send("POST", path, body, Private_Token=TOKEN)
        assert status == 201, answer
        return answer

    def new_runner(self, project: int) -> str:
        """The token of a new runner of the project."""
        return self.post("/user/runners", runner_type="project_type", project_id=project)["token"]

    def claim(self, token: str) -> dict[str, Any] | None:
        """The job that a runner gets."""
        status, job = self.send("POST", "/jobs/request", {"token": token})
        assert status in (201, 204), job
        return job

    def succeed(self, job: dict[str, Any]) -> None:
        status, answer = self.send("PUT", f"/jobs/{job['id']}", {"token": job["token"], "state": "success"})
        assert status == 200, answer

    def new_pipeline(self, name: str, jobs: int, stages: int) -> int:
        """A project with a pipeline of so many jobs, as a commit makes it: the id of the project."""
        project = self.post("/projects", name=name)["id"]
        lines = [f"stages: [{', '.join(f's{n}' for n in range(stages))}]"]
        lines += [f"job {n}: {{stage: s{n * stages // jobs}, script: 'true'}}" for n in range(jobs)]
        action = {"action": "create", "file_path": ".gitlab-ci.yml", "content": "\n".join(lines)}
        self.post(f"/projects/{project}/repository/commits", branch="master", commit_message="Build", actions=[action])
        return project

    def cpu(self) -> float:
        """Seconds of processor of the server and its PostgreSQL so far."""
        return self.server.cpu() + self.server.database_cpu()


def measured(bench: BenchRun) -> Iterator[str]:
    with (
        mujina(bench.data, bench.url) as server,
        httpcore2.ConnectionPool(max_connections=RUNNERS, max_keepalive_connections=RUNNERS) as pool,
    ):
        instance = Instance(server, pool)
        yield _idle(bench, instance)
        yield _pipeline(bench, instance)
        yield from _large_files(bench, instance)
        yield _claims(bench, instance)  # last: it leaves many rows


def _idle(bench: BenchRun, instance: Instance) -> str:
    bench.print_step(f"{RUNNERS} idle runners")
    project = instance.post("/projects", name="idle")["id"]
    tokens = [instance.new_runner(project) for _ in range(RUNNERS)]

    def ask(number: int) -> None:
        for _ in range(POLLS):
            began = time.monotonic()
            assert instance.claim(tokens[number]) is None
            time.sleep(max(0.0, INTERVAL - (time.monotonic() - began)))

    with ThreadPoolExecutor(RUNNERS) as runners:
        list(runners.map(instance.claim, tokens))  # the first contact of each is stored
        instance.server.wait_until_idle()
        contacts, cpu, began = _contacts(bench.url), instance.cpu(), time.monotonic()
        list(runners.map(ask, range(RUNNERS)))
    cores = (instance.cpu() - cpu) / (time.monotonic() - began)
    written = sum(before != after for before, after in zip(contacts, _contacts(bench.url), strict=True))
    return bench.stated(
        f"{RUNNERS} idle runners that ask every {INTERVAL} s", "< 0.1 of a core, no row written",
        f"{cores:.3f} of a core, {written} rows", within=cores < 0.1 and not written,
    )  # fmt: skip


def _contacts(url: str) -> list[str | None]:
    """When each runner asked, as the database has it."""

    async def read() -> list[str | None]:
        async with open_database(url) as database, database.reading() as tx:
            return await tx.values("SELECT contacted_at FROM runners ORDER BY id")

    return asyncio.run(read())


def _claims(bench: BenchRun, instance: Instance) -> str:
    bench.print_step("claims among many waiting jobs")
    project = instance.new_pipeline("queue", 100, 1)
    token = instance.new_runner(project)
    _wait_for_jobs(instance, project)
    few = _claim_cpu(instance, token)
    run_statement(bench.url, MANY_JOBS)
    vacuum(bench.url)
    many = _claim_cpu(instance, token)
    run_statement(bench.url, f"DELETE FROM pipeline_jobs WHERE project_id = {project}")
    ratio = many / few
    figure = f"{few:.2f} ms of CPU, {many:.2f} ms: {ratio:.2f} ×"
    return bench.stated(f"claim one of {WAITING:,} jobs", "≤ 2 × one of 100", figure, within=ratio <= 2)


def _claim_cpu(instance: Instance, token: str) -> float:
    """Milliseconds of processor of a claim: the middle of some rounds, since the clock of processes is coarse."""

    def one() -> float:
        before = instance.cpu()
        for _ in range(CLAIMS // 4):
            assert instance.claim(token) is not None
        return (instance.cpu() - before) / (CLAIMS // 4) * 1000

    instance.claim(token)
    return median(one() for _ in range(4))


def _wait_for_jobs(instance: Instance, project: int) -> None:
    """Return when the pipeline of the project has been made."""
    until = time.monotonic() + 60
    while not instance.send("GET", f"/projects/{project}/jobs?scope=pending", Private_Token=TOKEN)[1]:
        assert time.monotonic() < until, "no pipeline was made"
        time.sleep(0.1)
    instance.server.wait_until_idle()


def _pipeline(bench: BenchRun, instance: Instance) -> str:
    bench.print_step(f"a pipeline of {JOBS} jobs in {STAGES} stages")
    cpu, database_cpu = instance.server.cpu(), instance.server.database_cpu()
    project = instance.new_pipeline("large", JOBS, STAGES)
    token = instance.new_runner(project)
    done, until = 0, time.monotonic() + 300
    while done < JOBS and time.monotonic() < until:
        if job := instance.claim(token):
            instance.succeed(job)
            done += 1
        else:
            time.sleep(0.05)
    instance.server.wait_until_idle()
    own = (instance.server.cpu() - cpu) / JOBS * 1000
    database = (instance.server.database_cpu() - database_cpu) / JOBS * 1000
    [pipeline] = instance.send("GET", f"/projects/{project}/pipelines", Private_Token=TOKEN)[1]
    what = f"a pipeline of {JOBS} jobs in {STAGES} stages, from push to success"
    within = own <= 10 and pipeline["status"] == "success"
    figure = f"{own:.2f} ms, PostgreSQL {database:.2f} ms: {pipeline['status']}"
    return bench.stated(what, "≤ 10 ms of the server's CPU per job", figure, within=within)


def _large_files(bench: BenchRun, instance: Instance) -> Iterator[str]:
    instance.send("PUT", "/application/settings", {"max_artifacts_size": 1000}, Private_Token=TOKEN)
    project = instance.new_pipeline("large-files", 1, 1)
    token = instance.new_runner(project)
    _wait_for_jobs(instance, project)
    job = instance.claim(token)
    assert job is not None
    bench.print_step("a long trace")
    with watched(instance.server) as seen:
        _send_trace(instance, job)
    yield _memory_row(bench, f"trace of {TRACE_PIECES * len(PIECE) // MEGABYTE} MB", seen)
    bench.print_step("a large artifact")
    instance.server.wait_until_idle()
    with watched(instance.server) as seen:
        _upload(instance, job)
        instance.succeed(job)
        _download(instance, f"/projects/{project}/jobs/{job['id']}/artifacts")
    yield _memory_row(bench, f"artifact of {ARTIFACT // MEGABYTE} MB, in and out", seen)


def _memory_row(bench: BenchRun, what: str, seen: list[float]) -> str:
    """The highest memory of those seen, without the first one."""
    above = max(seen) - seen[0]
    return bench.stated(what, f"≤ {MAX_MEMORY} MB above idle", f"{above:.0f} MB", within=above <= MAX_MEMORY)


def _send_trace(instance: Instance, job: dict[str, Any]) -> None:
    for n in range(TRACE_PIECES):
        start = n * len(PIECE)
        status, answer = instance.send(
            "PATCH", f"/jobs/{job['id']}/trace", PIECE, Content_Type="text/plain", Job_Token=job["token"],
            Content_Range=f"{start}-{start + len(PIECE) - 1}",
        )  # fmt: skip
        assert status == 202, answer


def _upload(instance: Instance, job: dict[str, Any]) -> None:
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="artifacts.zip"\r\n\r\n'
    tail = b"\r\n--b--\r\n"
    piece = bytes(MEGABYTE)

    def body() -> Iterator[bytes]:
        yield head
        for _ in range(ARTIFACT // MEGABYTE):
            yield piece
        yield tail

    answer = instance.pool.request(
        "POST", instance.server.url(f"/api/v4/jobs/{job['id']}/artifacts"), content=body(),
        headers=[
            ("Job-Token", job["token"]), ("Content-Type", "multipart/form-data; boundary=b"),
            ("Content-Length", str(len(head) + ARTIFACT + len(tail))),
        ],
    )  # fmt: skip
    assert answer.status == 201, answer.content


def _download(instance: Instance, path: str) -> None:
    with instance.pool.stream(
        "GET", instance.server.url(f"/api/v4{path}"), headers={"Private-Token": TOKEN}
    ) as answer:  # fmt: skip
        size = sum(len(piece) for piece in answer.iter_stream())
    assert (answer.status, size) == (200, ARTIFACT)
