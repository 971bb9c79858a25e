"""Different keys at once, each key in order, and an orderly end."""

import asyncio
import time
from datetime import timedelta

import psycopg

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs import queue
from mujina.kernel.jobs.queue import Capacity
from mujina.kernel.jobs.runner import Runner
from mujina.kernel.jobs.tasks import Backoff, Run, task
from tests.kernel.jobs.post_office import deliver, opened, read, send
from tests.kernel.jobs.watching import at_work, jobs, make_ready, until, until_empty, want

LEASE = timedelta(seconds=60)


async def lease_to_nobody(tx: Tx, name: str, until: str) -> None:
    """As a runner does that dies afterward."""
    ready = await queue.lock_ready(tx, Capacity([name], [], 9))
    await queue.lease(tx, "a runner that dies", until, ready)


def test_different_keys_run_at_once(services, tell):
    async def story():
        everybody = asyncio.Barrier(3)

        async def meet(_run: Run, _key: str) -> None:
            await everybody.wait()

        await want(services, "people.meet", "ada", "ben", "cleo")
        async with at_work(Runner(services, [task("people.meet")(meet)])):
            await until_empty(services)

    tell(story())


def test_one_key_never_runs_beside_itself(services, tell):
    async def story():
        inside: set[str] = set()
        clashes: list[str] = []

        async def enter(_run: Run, key: str) -> None:
            if key in inside:
                clashes.append(key)
            inside.add(key)
            await asyncio.sleep(0)
            inside.discard(key)

        tasks = [task("rooms.enter")(enter)]
        async with at_work(Runner(services, tasks), Runner(services, tasks)):
            for _ in range(50):
                await want(services, "rooms.enter", "ada", "ben")
            await until_empty(services)
        assert clashes == []

    tell(story())


def test_no_more_run_at_once_than_allowed(services, tell):
    async def story():
        running: list[str] = []
        most = 0

        async def count(_run: Run, key: str) -> None:
            nonlocal most
            running.append(key)
            most = max(most, len(running))
            await asyncio.sleep(0.01)
            running.remove(key)

        names = [f"sheep.count_{color}" for color in ("black", "white", "gray")]
        for name in names:
            await want(services, name, *map(str, range(10)))
        async with at_work(Runner(services, [task(name)(count) for name in names], at_once=3)):
            await until_empty(services)
        assert most == 3

    tell(story())


def test_a_stopping_runner_lets_its_jobs_finish_and_takes_no_more(services, tell):
    async def story():
        started, finish = asyncio.Event(), asyncio.Event()

        async def wait(_run: Run, _key: str) -> None:
            started.set()
            await finish.wait()

        await want(services, "tea.brew", "ada")
        runner = Runner(services, [task("tea.brew")(wait)])
        async with at_work(runner):
            await started.wait()
            runner.stop()
            await want(services, "tea.brew", "ben")
            finish.set()
        left = await jobs(services)
        assert list(left) == ["ben"]
        assert left["ben"].attempts == 0

    tell(story())


def test_a_job_that_does_not_finish_in_time_is_released_at_once(services, tell):
    async def story():
        started = asyncio.Event()

        async def wait(_run: Run, _key: str) -> None:
            started.set()
            await asyncio.Event().wait()

        await want(services, "tea.brew", "ada")
        async with at_work(Runner(services, [task("tea.brew")(wait)], grace=timedelta(0))):
            await started.wait()
        job = (await jobs(services))["ada"]
        assert (job.leased_by, job.attempts, job.enqueued) == (None, 0, 1)
        assert job.ready_at <= clock.now()

    tell(story())


def test_the_lease_of_a_running_job_is_extended(services, tell):
    async def story():
        async def wait_for_more(_run: Run, key: str) -> None:
            before = (await jobs(services))[key].ready_at

            async def extended() -> bool:
                return (await jobs(services))[key].ready_at > before

            await until(extended)

        await want(services, "tea.brew", "ada")
        async with at_work(Runner(services, [task("tea.brew")(wait_for_more)], lease=timedelta(seconds=1))):
            await until_empty(services)

    tell(story())


def test_the_job_of_a_runner_that_died_is_taken_over_when_its_lease_ends(services, tell, tmp_path):
    async def story():
        async with services.database.transaction() as tx:
            await send(tx, "ada")
            await lease_to_nobody(tx, "parcels.deliver", clock.later(LEASE))
        await Runner(services, [deliver]).drain()
        assert not (tmp_path / "delivered").exists()
        await make_ready(services)
        await Runner(services, [deliver]).drain()
        assert (tmp_path / "delivered").read_text() == "ada 1\n"

    tell(story())


def test_a_runner_that_lost_its_lease_gives_up_the_job_and_writes_nothing_of_it(services, tell):
    async def story():
        given_up = asyncio.Event()

        async def hold(_run: Run, key: str) -> None:
            async with services.database.transaction() as tx:
                await tx.run("UPDATE jobs SET leased_by = 'another', ready_at = :until", until=clock.later(LEASE))
            try:
                await asyncio.Event().wait()
            finally:
                given_up.set()

        await want(services, "tea.brew", "ada")
        async with at_work(Runner(services, [task("tea.brew")(hold)], lease=timedelta(seconds=1))):
            await given_up.wait()
        assert (await jobs(services))["ada"].leased_by == "another"

    tell(story())


def test_a_runner_does_not_take_its_own_job_a_second_time(services, tell):
    """Its process was asleep for longer than the lease, and wakes up."""

    async def story():
        runs: list[str] = []

        async def oversleep(_run: Run, key: str) -> None:
            runs.append(key)
            await make_ready(services)
            await want(services, "tea.brew", "ben")
            await until(other_ran)

        async def other_ran() -> bool:
            return "tea of ben" in runs

        async def brew(run: Run, key: str) -> None:
            if key == "ada" and "ada" not in runs:
                await oversleep(run, key)
            else:
                runs.append(f"tea of {key}")

        await want(services, "tea.brew", "ada")
        async with at_work(Runner(services, [task("tea.brew")(brew)])):
            await until_empty(services)
        assert runs == ["ada", "tea of ben"]

    tell(story())


def test_a_job_that_keeps_killing_its_process_is_parked(services, tell):
    async def story():
        ran: list[str] = []

        async def run(_run: Run, key: str) -> None:
            ran.append(key)

        await want(services, "bombs.defuse", "ada")
        for _ in range(2):
            async with services.database.transaction() as tx:
                await lease_to_nobody(tx, "bombs.defuse", clock.now())
        await Runner(services, [task("bombs.defuse", backoff=Backoff(attempts=2))(run)]).drain()
        job = (await jobs(services))["ada"]
        assert ran == []
        assert job.parked_at is not None
        assert job.last_error == "its process died while it ran"

    tell(story())


def test_inline_two_requests_wait_for_each_others_jobs(services, tell):
    async def story():
        ran: list[str] = []

        async def brew(_run: Run, key: str) -> None:
            await asyncio.sleep(0.01)
            ran.append(key)

        runner = Runner(services, [task("tea.brew")(brew)], at_once=1)

        async def request(key: str) -> bool:
            await want(services, "tea.brew", key)
            await runner.drain()
            return key in ran

        assert await asyncio.gather(*map(request, ("ada", "ben", "cleo"))) == [True] * 3

    tell(story())


def test_a_constantly_enqueued_key_runs(tell, postgres_url, tmp_path):
    """On PostgreSQL its row is then always locked by one of them."""

    async def story():
        async with opened(postgres_url, tmp_path) as services:
            served = asyncio.Semaphore(0)

            async def serve(_run: Run, _key: str) -> None:
                served.release()

            async def keep_wanting() -> None:
                while True:
                    async with services.database.transaction() as request:
                        await queue.enqueue(request, "tea.serve", "ada")
                        await asyncio.sleep(0.02)

            guests = [asyncio.create_task(keep_wanting()) for _ in range(4)]
            async with at_work(Runner(services, [task("tea.serve")(serve)])):
                for _ in range(5):
                    await served.acquire()
                for guest in guests:
                    guest.cancel()
                await asyncio.wait(guests)
                await until_empty(services)

    tell(story())


def test_a_request_that_holds_a_job_delays_neither_other_jobs_nor_their_end(tell, postgres_url, tmp_path):
    """Only PostgreSQL has more than one writer at a time."""

    async def story():
        async with opened(postgres_url, tmp_path) as services:
            started = asyncio.Event()

            async def brew(_run: Run, key: str) -> None:
                if key == "ada":
                    started.set()
                    await held.wait()

            held = asyncio.Event()
            await want(services, "tea.brew", "ada")
            async with at_work(Runner(services, [task("tea.brew")(brew)])):
                await started.wait()
                async with services.database.transaction() as request:
                    await queue.enqueue(request, "tea.brew", "ada")
                    await request.value("SELECT 1")  # what is written is sent with the next statement
                    held.set()
                    await want(services, "tea.brew", "ben", "cleo")

                    async def only_ada_is_left() -> bool:
                        return list(await jobs(services)) == ["ada"]

                    await until(only_ada_is_left)
                await until_empty(services)

    tell(story())


def test_a_runner_outlives_the_loss_of_its_connections(tell, postgres_url, tmp_path):
    async def story():
        async with opened(postgres_url, tmp_path) as services:
            async with at_work(Runner(services, [deliver], poll=timedelta(days=1))):
                async with services.database.transaction() as tx:
                    await send(tx, "ada")
                await until_empty(services)
                with psycopg.connect(postgres_url, autocommit=True) as operator:
                    operator.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                    )
                    operator.execute("INSERT INTO parcels VALUES ('ben', 1)")
                    operator.execute(
                        "INSERT INTO jobs (task, key, enqueued, ready_at, created_at)"
                        " VALUES ('parcels.deliver', 'ben', 1, %(now)s, %(now)s)",
                        {"now": clock.now()},
                    )

                async def delivered() -> bool:
                    return ("ben", 1) in read(tmp_path / "delivered")

                await until(delivered)

    tell(story())


def test_a_clock_that_is_set_back_holds_no_job_back(services, tell, tmp_path, monkeypatch):
    async def story():
        async with services.database.transaction() as tx:
            await send(tx, "ada")
        monkeypatch.setattr(clock, "time", lambda: time.time() - 3_600)
        async with at_work(Runner(services, [deliver])):
            await asyncio.wait_for(until_empty(services), 60)  # less than the hour by which it was set back
            async with services.database.transaction() as tx:
                await send(tx, "ben")
            await asyncio.wait_for(until_empty(services), 60)
        assert (tmp_path / "delivered").read_text() == "ada 1\nben 1\n"

    tell(story())


def test_the_job_of_a_killed_process_starts_again_within_ten_seconds(services, tell):
    """The longest a lease of a dead runner lasts is what a runner leases for."""

    async def story():
        started = asyncio.Event()

        async def wait(_run: Run, _key: str) -> None:
            started.set()
            await asyncio.Event().wait()

        await want(services, "tea.brew", "ada")
        async with at_work(Runner(services, [task("tea.brew")(wait)], grace=timedelta(0))):
            await started.wait()
            lease_ends = (await jobs(services))["ada"].ready_at
            assert 0 < clock.seconds_until(lease_ends) < 10

    tell(story())
