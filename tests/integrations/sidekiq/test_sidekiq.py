"""Figures of the work in the background."""

from datetime import timedelta

import pytest

from mujina.integrations.sidekiq.queues import QUEUES
from mujina.kernel import clock
from mujina.kernel.jobs import processes
from mujina.kernel.jobs.processes import BackgroundProcess
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.runner import Load
from tests.harness.cases import Case, cases
from tests.harness.composed import TASKS

PATHS = ("queue_metrics", "process_metrics", "job_stats", "compound_metrics")


@cases([Case(who, f"GET /sidekiq/{path}", status) for who, status in (("anonymous", 401), ("owner", 403), ("root", 200))
        for path in PATHS])  # fmt: skip
def test_administrators_see_the_figures(case, cast):
    case.holds(cast)


def test_dashboards_find_the_queues_that_they_know(cast):
    found = cast.root.get("/sidekiq/queue_metrics").json["queues"]
    known = {"default", "mailers", "pages", "post_receive", "project_web_hook", "pipeline_processing"}
    assert known <= set(found)
    assert all(set(queue) == {"backlog", "latency"} for queue in found.values())


def test_every_task_has_a_queue():
    tasks = {task.name for task in TASKS}
    assert set(QUEUES) - tasks == {"hooks"}
    assert tasks - set(QUEUES) == {"merge_requests.remove_refs", "merge_requests.remove_source", "ldap.sync_member"}


class Worker:
    """A service of a process that does as it is told."""

    at_once, queues = 3, ["mails.deliver", "invitations.deliver", "hooks"]

    def __init__(self, *loads):
        self.loads = list(loads)

    def load(self):
        return self.loads.pop(0)


@pytest.fixture
def told(cast):
    """What an administrator sees after the work has written into the database."""

    def run(work):
        cast.transact(work)
        return cast.root.get("/sidekiq/compound_metrics").json

    return run


async def nothing(_):
    pass


def test_figures_of_queues_are_those_of_the_jobs_that_wait(told, cast):
    before = told(nothing)
    assert set(before) == {"queues", "processes", "jobs"}
    assert before["processes"] == []

    async def wait(tx):
        await enqueue(tx, "projects.copy", 1)
        await enqueue(tx, "projects.copy", 2)
        await enqueue(tx, "hooks.sweep", "later", after=timedelta(hours=1))
        await tx.run("UPDATE jobs SET ready_at = :at WHERE key = '1'", at=clock.later(-timedelta(seconds=90)))

    found = told(wait)
    assert found["queues"]["repository_fork"]["backlog"] == 2
    assert 89 <= found["queues"]["repository_fork"]["latency"] <= 120
    assert found["queues"]["project_web_hook"] == {"backlog": 0, "latency": 0}
    assert found["jobs"]["enqueued"] == before["jobs"]["enqueued"] + 2

    async def park(tx):
        await tx.run("UPDATE jobs SET parked_at = :at WHERE key = '2'", at=clock.now())

    assert told(park)["queues"]["repository_fork"]["backlog"] == 1, "a job that failed for good does not wait"
    lines = cast.anonymous.get("//-/metrics").body.decode().splitlines()
    assert {'mujina_jobs_waiting{task="projects.copy"} 1.0', 'mujina_jobs_parked{task="projects.copy"} 1.0',
            "mujina_hook_deliveries_waiting 0.0", "mujina_background_processes 0.0"} <= {*lines}  # fmt: skip


def test_figures_of_processes_outlive_the_processes(told, cast):
    worker = Worker(Load(1, 5, 2), Load(0, 8, 3), Load(0, 9, 3), Load(0, 10, 4))
    process = BackgroundProcess(cast.database, lambda: [worker])
    found = told(process._write)
    [shown] = found["processes"]
    assert (shown["queues"], shown["concurrency"], shown["busy"], shown["tag"]) == (
        ["mailers", "project_web_hook"],
        3,
        1,
        "mujina",
    )
    assert (found["jobs"]["processed"], found["jobs"]["failed"]) == (5, 2)

    async def die(tx):
        await process._write(tx)
        await tx.run("UPDATE background_processes SET seen_at = :at", at=clock.later(-timedelta(minutes=1)))

    found = told(die)
    assert (found["processes"], found["jobs"]["processed"]) == ([], 8)

    async def fold(tx):
        await processes._fold(tx, await processes._silent(tx))

    found = told(fold)
    assert (found["processes"], found["jobs"]["processed"], found["jobs"]["failed"]) == ([], 8, 3)

    for expected in ((9, 3), (10, 4)):  # it was not dead: the database was away for a minute
        found = told(process._write)
        assert (len(found["processes"]), found["jobs"]["processed"], found["jobs"]["failed"]) == (1, *expected)


def test_events_whose_payloads_are_not_built_wait_too(told):
    async def capture(tx):
        event = await tx.value("SELECT max(id) FROM events")
        at = clock.later(-timedelta(seconds=90))
        await tx.run("UPDATE events SET created_at = :at WHERE id = :id", at=at, id=event)
        await tx.run("INSERT INTO hook_events (event_id, snapshot) VALUES (:id, '[]')", id=event)

    waiting = told(capture)["queues"]["project_web_hook"]
    assert waiting["backlog"] == 1
    assert 89 <= waiting["latency"] <= 120
