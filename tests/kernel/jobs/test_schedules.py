"""What is wanted by the clock is wanted once for everybody, and survives restarts."""

from contextlib import AsyncExitStack
from datetime import datetime, timedelta

from mujina.kernel import clock
from mujina.kernel.jobs.runner import Runner
from mujina.kernel.jobs.schedules import enqueue_due, schedule
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.services import Services
from tests.kernel.jobs.post_office import opened
from tests.kernel.jobs.watching import at_work, jobs, until

HOUR = timedelta(hours=1)
LONG_AGO = "2018-01-22T14:22:21.000Z"


async def next_at(services: Services, task: str) -> str | None:
    async with services.database.reading() as tx:
        return await tx.value("SELECT next_at FROM schedules WHERE task = :task", task=task)


async def let_the_time_come(services: Services) -> None:
    async with services.database.transaction() as tx:
        await tx.run("UPDATE schedules SET next_at = :then", then=LONG_AGO)


def test_a_due_schedule_is_enqueued_once_by_many_runners(services, tell, database_url, tmp_path):
    async def story():
        ran: list[str] = []

        async def sweep(_run: Run, key: str) -> None:
            ran.append(key)

        tasks = [task("floors.sweep", every=HOUR)(sweep)]
        async with services.database.transaction() as tx:
            await schedule(tx, "floors.sweep", every=HOUR)
        await let_the_time_come(services)
        async with AsyncExitStack() as houses:
            three = [await houses.enter_async_context(opened(database_url, tmp_path)) for _ in range(3)]
            async with at_work(*(Runner(one, tasks) for one in three)):

                async def swept() -> bool:
                    return bool(ran) and await jobs(services) == {}

                await until(swept)
        assert ran == [""]

    tell(story())


def test_missed_runs_are_made_up_for_once_and_the_schedule_is_kept(services, tell):
    async def story():
        async with services.database.transaction() as tx:
            await schedule(tx, "floors.sweep", "hall", every=HOUR)
        await let_the_time_come(services)
        for _ in range(2):
            async with services.database.transaction() as tx:
                await enqueue_due(tx, ["floors.sweep"])
        assert {key: job.enqueued for key, job in (await jobs(services)).items()} == {"hall": 1}
        following = await next_at(services, "floors.sweep")
        assert following is not None
        assert 0 < clock.seconds_until(following) <= 3600
        assert (datetime.fromisoformat(following) - datetime.fromisoformat(LONG_AGO)) % HOUR == timedelta(0)

    tell(story())


def test_a_restart_does_not_put_a_schedule_off_but_a_new_interval_counts_at_once(services, tell):
    async def story():
        async def declare(every: timedelta) -> str | None:
            async with services.database.transaction() as tx:
                await schedule(tx, "floors.sweep", every=every)
            return await next_at(services, "floors.sweep")

        first = await declare(24 * HOUR)
        assert await declare(24 * HOUR) == first
        assert (await declare(HOUR) or "") < (first or "")

    tell(story())


def test_a_runner_declares_the_schedules_of_its_tasks(services, tell):
    async def story():
        async def nothing(_run: Run, _key: str) -> None: ...

        by_settings = task("groups.look", every=lambda settings: timedelta(seconds=settings.ldap_group_sync))
        tasks = [task("floors.sweep", every=HOUR)(nothing), task("tea.brew")(nothing), by_settings(nothing)]
        async with at_work(Runner(services, tasks)):

            async def declared() -> bool:
                return None not in (await next_at(services, "floors.sweep"), await next_at(services, "groups.look"))

            await until(declared)
        assert await next_at(services, "tea.brew") is None

    tell(story())


def test_a_clock_that_was_set_back_holds_no_schedule_back(services, tell):
    async def story():
        async with services.database.transaction() as tx:
            await schedule(tx, "floors.sweep", every=HOUR)
            await tx.run("UPDATE schedules SET next_at = :at", at=clock.later(5 * HOUR))
            await schedule(tx, "floors.sweep", every=HOUR)
            assert await tx.value("SELECT next_at FROM schedules") <= clock.later(HOUR)

    tell(story())
