"""One job that a runner has taken."""

import asyncio

from mujina.kernel import clock
from mujina.kernel.db.transaction import contention_key
from mujina.kernel.jobs.queue import Job, JobOutcome
from mujina.kernel.jobs.tasks import PermanentFailure, Run, Task
from mujina.kernel.monitoring.logs import log, mask
from mujina.kernel.services import Services
from mujina.kernel.urls import use_configured

MAX_ERROR_LENGTH = 2000


class RunningJob:
    """A run ends by itself, at the time limit of its task, or by an interruption, and always has an outcome."""

    def __init__(self, job: Job, task: Task, services: Services) -> None:
        self.job = job
        self._task = task
        self._services = services
        self._limit: asyncio.Timeout | None = None
        self._interrupted = False

    def interrupt(self) -> None:
        """End the run unless it has ended: the job is released unfinished."""
        self._interrupted = True
        if self._limit is not None:
            self._limit.reschedule(0)

    async def run(self) -> JobOutcome:
        """Run the task; the outcome, whatever the task raised."""
        if self.job.abandoned and self.job.attempts > self._task.backoff.attempts:
            # The job may be what kills the process: it is not run for ever.
            return self._failure("its process died while it ran")
        limit = asyncio.timeout(self._task.limit.total_seconds())
        try:
            if not self._interrupted:
                await self._work(limit)
        except (Exception, asyncio.CancelledError) as error:
            if _canceled_from_outside():
                raise
            if not self._interrupted:
                log.warning("job failed", task=self.job.task, key=self.job.key, exc_info=error)
                described = f"ran longer than {self._task.limit}" if limit.expired() else _describe(error)
                return self._failure(described, permanent=isinstance(error, PermanentFailure))
        return JobOutcome(self.job, "released" if self._interrupted else "done")

    async def _work(self, limit: asyncio.Timeout) -> None:
        contention_key.set("jobs")
        use_configured(self._services.settings)
        async with limit:
            self._limit = limit
            try:
                await self._task(Run(self._services, self.job.attempts, self.job.owner_id), self.job.key)
            finally:
                self._limit = None

    def _failure(self, error: str, *, permanent: bool = False) -> JobOutcome:
        backoff = self._task.backoff
        verdict = "parked" if permanent or self.job.attempts >= backoff.attempts else "failed"
        return JobOutcome(self.job, verdict, error, retry_at=clock.later(backoff.wait(self.job.attempts)))


def _canceled_from_outside() -> bool:
    """Whether the event loop is being ended, and not only something the task awaited."""
    this = asyncio.current_task()
    return this is not None and this.cancelling() > 0


def _describe(error: BaseException) -> str:
    """The error for operators: without secrets, and as text that any database accepts."""
    # Truncated again after masking: half a secret may not look like one.
    text = mask(f"{type(error).__name__}: {error}"[: 10 * MAX_ERROR_LENGTH])
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")[:MAX_ERROR_LENGTH]
