"""What becomes of a want: one run, one more run, a run later, or none."""

from datetime import datetime, timedelta

import pytest

from mujina.kernel import clock, urls
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.runner import Runner
from mujina.kernel.jobs.tasks import Run, task
from tests.kernel.jobs.post_office import deliver, read, send
from tests.kernel.jobs.watching import jobs, make_ready, want

HOUR = timedelta(hours=1)


class Diary:
    """A task that writes down its keys, and does what a test asks of it besides."""

    def __init__(self, *, then=None):
        self.keys: list[str] = []
        self.then = then
        self.task = task("diary.write")(self.write)

    async def write(self, run: Run, key: str) -> None:
        self.keys.append(key)
        if self.then:
            await self.then(run, key)


def test_a_committed_job_runs(services, tell, tmp_path):
    async def story():
        async with services.database.transaction() as tx:
            for key in ("ada", "ben", "ada"):
                await send(tx, key)
        await Runner(services, [deliver]).drain()
        assert await jobs(services) == {}

    tell(story())
    assert sorted(read(tmp_path / "delivered")) == [("ada", 1), ("ada", 2), ("ben", 1)]


def test_a_job_knows_the_configured_address_whatever_request_it_follows_from(services, tell):
    async def story():
        seen = []

        async def look(_run, _key):
            seen.append(urls.web("/group/project"))

        for address in (None, "http://an.alias"):
            if address:
                urls.instance_address.set(urls.InstanceAddress(address))
            await want(services, "diary.write", "ada")
            await Runner(services, [Diary(then=look).task]).drain()
        assert seen == [f"{services.settings.url}/group/project"] * 2

    tell(story())


def test_a_rolled_back_job_does_not_run(services, tell):
    async def story():
        with pytest.raises(ZeroDivisionError):
            async with services.database.transaction() as tx:
                await enqueue(tx, "diary.write", "ada")
                raise ZeroDivisionError
        assert await jobs(services) == {}

    tell(story())


def test_concurrent_enqueues_share_one_run(services, tell):
    async def story():
        diary = Diary()
        await want(services, "diary.write", "ada", "ben", "ada", "ada")
        assert {key: job.enqueued for key, job in (await jobs(services)).items()} == {"ada": 3, "ben": 1}
        await Runner(services, [diary.task]).drain()
        assert sorted(diary.keys) == ["ada", "ben"]

    tell(story())


def test_a_job_enqueued_while_it_runs_runs_once_more(services, tell):
    async def story():
        async def again(_run, key):
            if diary.keys == ["ada"]:
                await want(services, "diary.write", key, key)

        diary = Diary(then=again)
        await want(services, "diary.write", "ada")
        await Runner(services, [diary.task]).drain()
        assert diary.keys == ["ada", "ada"]
        assert await jobs(services) == {}

    tell(story())


def test_a_delayed_job_waits(services, tell):
    async def story():
        diary = Diary()
        await want(services, "diary.write", "ada", after=HOUR)
        await Runner(services, [diary.task]).drain()
        assert diary.keys == []
        await make_ready(services)
        await Runner(services, [diary.task]).drain()
        assert diary.keys == ["ada"]

    tell(story())


def test_the_earlier_of_two_times_counts(services, tell):
    async def story():
        await want(services, "diary.write", "ada", after=HOUR)
        await want(services, "diary.write", "ada", after=2 * HOUR)
        assert clock.seconds_until((await jobs(services))["ada"].ready_at) <= HOUR.total_seconds()
        await want(services, "diary.write", "ada")
        assert (await jobs(services))["ada"].ready_at <= clock.now()

    tell(story())


def test_a_task_may_enqueue_itself_with_a_delay(services, tell):
    async def story():
        async def later(run, key):
            async with run.database.transaction() as tx:
                await enqueue(tx, "diary.write", key, after=2 * HOUR)
                await enqueue(tx, "diary.write", key, after=HOUR)

        diary = Diary(then=later)
        await want(services, "diary.write", "ada")
        await Runner(services, [diary.task]).drain()
        assert diary.keys == ["ada"]
        due = datetime.fromisoformat((await jobs(services))["ada"].ready_at) - datetime.fromisoformat(clock.now())
        assert timedelta(0) < due <= HOUR

    tell(story())


def test_a_runner_leaves_tasks_it_does_not_know_to_others(services, tell):
    async def story():
        diary = Diary()
        await want(services, "tasks.of_a_newer_version", "ada")
        await want(services, "diary.write", "ben")
        await Runner(services, [diary.task]).drain()
        assert diary.keys == ["ben"]
        assert (await jobs(services))["ada"].attempts == 0

    tell(story())


def test_inline_jobs_run_the_jobs_they_enqueue(services, tell):
    async def story():
        async def next_one(_run, key):
            if len(key) < 4:
                await want(services, "diary.write", key + "a")

        diary = Diary(then=next_one)
        await want(services, "diary.write", "a")
        await Runner(services, [diary.task], at_once=1).drain()
        assert diary.keys == ["a", "aa", "aaa", "aaaa"]

    tell(story())
