"""What fails is tried again, less and less often, and given up in the open; nothing else waits for it."""

import asyncio
from datetime import timedelta

from mujina.kernel import clock
from mujina.kernel.jobs.failures import failed_jobs, retry
from mujina.kernel.jobs.runner import Runner
from mujina.kernel.jobs.tasks import Backoff, Run, task
from tests.kernel.jobs.watching import at_work, jobs, make_ready, until, want

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
LONG = Backoff(first=HOUR)
"""No wait ends during a test, however slow the machine."""


class Receiver:
    """A task that fails for every key that begins with `dead`."""

    def __init__(self, error: BaseException, **options):
        self.error = error
        self.tried: list[str] = []
        self.task = task("hooks.deliver", **options)(self.deliver)

    async def deliver(self, _run: Run, key: str) -> None:
        self.tried.append(key)
        if key.startswith("dead"):
            raise self.error


def test_the_wait_after_each_failure_is_twice_as_long_up_to_the_longest():
    backoff = Backoff(attempts=9, first=MINUTE, max_delay=10 * MINUTE)
    for attempt, whole in ((1, MINUTE), (2, 2 * MINUTE), (4, 8 * MINUTE), (5, 10 * MINUTE), (500, 10 * MINUTE)):
        waits = {backoff.wait(attempt) for _ in range(100)}
        assert all(whole / 2 <= wait <= whole for wait in waits)
        assert len(waits) > 1, "keys that failed together do not come back together"


def test_a_failed_job_waits_and_tells_why(services, tell):
    async def story():
        receiver = Receiver(ConnectionError("nobody at https://ada:s3cret@example.test"), backoff=LONG)
        await want(services, "hooks.deliver", "dead")
        await Runner(services, [receiver.task]).drain()
        async with services.database.reading() as tx:
            [failed] = await failed_jobs(tx)
        assert failed.last_error == "ConnectionError: nobody at https://[masked]@example.test"
        assert (failed.attempts, failed.running, failed.parked_at) == (1, False, None)
        assert 0 < clock.seconds_until(failed.ready_at) <= 3600

    tell(story())


def test_enqueueing_again_does_not_shorten_the_retry_delay(services, tell):
    async def story():
        receiver = Receiver(ConnectionError(), backoff=LONG)
        await want(services, "hooks.deliver", "dead")
        await Runner(services, [receiver.task]).drain()
        before = (await jobs(services))["dead"].ready_at
        await want(services, "hooks.deliver", "dead")
        await Runner(services, [receiver.task]).drain()
        assert receiver.tried == ["dead"]
        assert (await jobs(services))["dead"].ready_at == before

    tell(story())


def test_a_good_run_forgets_the_failures(services, tell):
    async def story():
        async def fail_once(run: Run, key: str) -> None:
            if run.attempt == 1:
                raise ConnectionError
            await want(services, "hooks.deliver", key)

        await want(services, "hooks.deliver", "ada")
        runner = Runner(services, [task("hooks.deliver", backoff=LONG)(fail_once)])
        await runner.drain()
        await make_ready(services)
        await runner.drain()  # runs well, wants itself, fails as a first attempt
        job = (await jobs(services))["ada"]
        assert (job.attempts, job.last_error) == (1, "ConnectionError: ")

    tell(story())


def test_a_dead_receiver_blocks_its_own_key_only(services, tell):
    async def story():
        receiver = Receiver(ConnectionError(), backoff=LONG)
        await want(services, "hooks.deliver", *(f"dead {n}" for n in range(40)), *(f"well {n}" for n in range(40)))
        async with at_work(Runner(services, [receiver.task], at_once=2)):

            async def only_the_dead_are_left() -> bool:
                left = await jobs(services)
                return len(left) == 40 and all(job.last_error for job in left.values())

            await until(only_the_dead_are_left)
        assert len(receiver.tried) == 80

    tell(story())


def test_after_its_last_attempt_a_job_is_parked_and_stays_visible(services, tell):
    async def story():
        counted: list[tuple[str, str]] = []
        receiver = Receiver(ConnectionError("refused"), backoff=Backoff(attempts=3, first=HOUR))
        runner = Runner(services, [receiver.task], count=lambda *outcome: counted.append(outcome))
        await want(services, "hooks.deliver", "dead")
        for _ in range(5):
            await make_ready(services)
            await runner.drain()
        assert receiver.tried == ["dead"] * 3
        assert counted == [("hooks.deliver", outcome) for outcome in ("failed", "failed", "parked")]
        async with services.database.reading() as tx:
            [failed] = await failed_jobs(tx)
        assert failed.parked_at is not None

    tell(story())


def test_a_parked_job_that_is_enqueued_again_gets_one_more_attempt_after_its_delay(services, tell):
    async def story():
        receiver = Receiver(ConnectionError(), backoff=Backoff(attempts=1, first=HOUR))
        runner = Runner(services, [receiver.task])
        await want(services, "hooks.deliver", "dead")
        await runner.drain()
        await want(services, "hooks.deliver", "dead")
        await runner.drain()
        assert receiver.tried == ["dead"]
        for _ in range(2):
            await make_ready(services)
            await runner.drain()
        assert receiver.tried == ["dead", "dead"]
        assert (await jobs(services))["dead"].parked_at is not None

    tell(story())


def test_a_job_enqueued_during_its_last_attempt_is_not_parked(services, tell):
    async def story():
        async def fail(_run: Run, key: str) -> None:
            await want(services, "hooks.deliver", key)
            raise ConnectionError

        await want(services, "hooks.deliver", "dead")
        await Runner(services, [task("hooks.deliver", backoff=Backoff(attempts=1, first=HOUR))(fail)]).drain()
        assert (await jobs(services))["dead"].parked_at is None

    tell(story())


def test_an_operator_retries_a_parked_job_at_once_and_from_the_first_attempt(services, tell):
    async def story():
        receiver = Receiver(ConnectionError(), backoff=Backoff(attempts=2, first=HOUR))
        runner = Runner(services, [receiver.task])
        await want(services, "hooks.deliver", "dead")
        for _ in range(2):
            await make_ready(services)
            await runner.drain()
        async with services.database.transaction() as tx:
            await retry(tx, "hooks.deliver", "dead")
        await runner.drain()
        job = (await jobs(services))["dead"]
        assert (job.attempts, job.parked_at) == (1, None)

    tell(story())


def test_a_job_that_does_not_end_is_cut_off_at_its_limit(services, tell):
    async def story():
        async def hang(_run: Run, _key: str) -> None:
            await asyncio.Event().wait()

        await want(services, "hooks.deliver", "ada")
        await Runner(services, [task("hooks.deliver", limit=timedelta(milliseconds=20), backoff=LONG)(hang)]).drain()
        assert (await jobs(services))["ada"].last_error == "ran longer than 0:00:00.020000"

    tell(story())


def test_any_error_can_be_written_down(services, tell):
    async def story():
        for n, error in enumerate((
            ValueError("NUL \0 and half a pair \ud800"),
            RuntimeError("x" * 1_000_000),
            asyncio.CancelledError("by itself"),
        )):  # fmt: skip
            await want(services, "hooks.deliver", f"dead {n}")
            await Runner(services, [Receiver(error, backoff=LONG).task]).drain()
        errors = [job.last_error or "" for job in (await jobs(services)).values()]
        assert errors[0] == "ValueError: NUL � and half a pair ?"
        assert len(errors[1]) == 2000
        assert errors[2] == "CancelledError: by itself"

    tell(story())
