"""The middleware of the testing mode: every request passes it, and it puts the instance back into an earlier state."""

import asyncio
import shutil
from collections.abc import Coroutine, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from http import HTTPStatus
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, NamedTuple, cast

import msgspec

from mujina.adapters.mail import FOLDER
from mujina.app import background_services, compose
from mujina.code.pushes.access import AccessDenied
from mujina.git.requests import GitCommand
from mujina.kernel.http.applications import Application
from mujina.kernel.http.requests.log import record_of
from mujina.kernel.jobs.inline import InlineJobs
from mujina.kernel.jobs.runner import Load
from mujina.kernel.jobs.schedules import enqueue_due, store_schedules
from mujina.kernel.jobs.tasks import tasks_of
from mujina.kernel.services import Services
from mujina.settings import Edition, Version
from mujina.testing import faults, records
from mujina.testing.clock import TestClock
from mujina.testing.states import files

INTERRUPT_SECONDS: Final = 10.0
"""How long a reset waits for the requests that it interrupts."""
_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_READING_POSTS: Final = ("/git-upload-pack", "/info/lfs/objects/batch")
_READ_ONLY: Final = "You cannot do writing operations on a read-only instance"
INTERRUPTED: Final = "The state was reset while this request was running"

_of_request: ContextVar[bool] = ContextVar("of_request", default=False)
_running: Final = set[asyncio.Task[Any]]()
"""The tasks of requests, and those that they started."""


def mark_request() -> None:
    """Let a reset cancel the task that runs now, and every task that it starts."""
    task = asyncio.current_task()
    assert task is not None
    _running.add(task)
    task.add_done_callback(_running.discard)
    _of_request.set(True)


async def admit_command(_services: Services, command: GitCommand, *_: object) -> None:
    """A command over SSH, which is answered here, waits for a reset and is ended by one; a read-only instance refuses pushes."""
    control = Control.running
    assert control is not None
    await control.admit()
    if control.switches.read_only and command.operation == "push":
        raise AccessDenied(HTTPStatus.FORBIDDEN, f"{_READ_ONLY}.")


class Switches(msgspec.Struct, forbid_unknown_fields=True):
    """What a test may change about the instance; a reset changes it back."""

    version: Version
    """The version that `GET /version` shows."""
    edition: Edition
    jobs: Literal["inline", "manual"] = "inline"
    """`inline`: jobs run before the response to the request that enqueues them; `manual`: when a test runs them."""
    read_only: bool = False
    """Whether every request that writes is refused, with 403."""


class State(NamedTuple):
    """The rows and the files at one time."""

    rows: Any
    folder: Path


class Control:
    """Answers requests as the tests demand, and restores states of the instance, one at a time."""

    running: ClassVar["Control | None"] = None
    """That of this process."""

    def __init__(self, application: Application, services: Services) -> None:
        Control.running = self
        self.services = services
        self.clock = TestClock()
        self.faults = faults.Faults()
        self._application = application
        self._rows = import_module(f"mujina.testing.states.{services.database.engine}").state_of(services)
        self._numbers = count(1)
        shutil.rmtree(services.settings.data / files.STATES, ignore_errors=True)
        self._open = asyncio.Event()
        """Set while requests are let in."""
        self._open.set()
        self._threads = _CountedThreads()
        self._first = Switches(services.settings.api_version_text, services.settings.edition)
        self.switches = self._first
        self._start_jobs()
        loop = asyncio.get_running_loop()
        loop.set_task_factory(cast("Any", self._new_task))
        loop.set_default_executor(self._threads)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """The ASGI application."""
        await self.admit()
        try:
            await records.recorded(self._answer, scope, receive, send)
        except asyncio.CancelledError:
            if not self.interrupting or record_of(scope).status is not None:
                raise
            await faults.send_error(send, HTTPStatus.SERVICE_UNAVAILABLE, INTERRUPTED)

    async def admit(self) -> None:
        """Wait until requests are let in; from then on a reset cancels the task that runs now."""
        await self._open.wait()
        mark_request()

    @property
    def interrupting(self) -> bool:
        """Whether requests are interrupted now, and later ones wait."""
        return not self._open.is_set()

    async def _answer(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        fault = self.faults.find(scope["method"], scope["path"])
        if fault is None:
            await self._answer_unless_read_only(scope, receive, send)
        else:
            await faults.apply(fault, self._answer_unless_read_only, scope, receive, send)

    async def _answer_unless_read_only(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if self.switches.read_only and _writes(scope["method"], scope["path"]):
            await faults.send_error(send, HTTPStatus.FORBIDDEN, _READ_ONLY)
        else:
            await self.application(scope, receive, send)

    @property
    def application(self) -> Application:
        """The product, without records and faults."""
        return self._with_jobs if self.switches.jobs == "inline" else self._application

    def _new_task(
        self, loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any], **options: Any
    ) -> asyncio.Task[Any]:
        """A task that a request started, directly or not, is interrupted with the request."""
        task = asyncio.Task(work, loop=loop, **options)
        context = options.get("context")
        if _of_request.get() if context is None else context.get(_of_request, False):
            _running.add(task)
            task.add_done_callback(_running.discard)
        return task

    # States

    async def begin(self) -> State:
        """The state before the first request, with the schedules that a runner of jobs stores at its start."""
        async with self.services.database.transaction() as tx:
            await store_schedules(tx, tasks_of(self.services.product), self.services.settings)
        return await self.keep()

    async def keep(self) -> State:
        """The state now, to be restored later. Mails until now are forgotten: a test looks for its own."""
        data = self.services.settings.data
        shutil.rmtree(data / FOLDER, ignore_errors=True)
        folder = data / files.STATES / str(next(self._numbers))
        files.keep(data, folder)
        return State(await self._rows.keep(), folder)

    @contextmanager
    def closed(self) -> Generator[None]:
        """Requests wait until the block ends, so that none writes into a state that is restored or built."""
        self._open.clear()
        try:
            yield
        finally:
            self._open.set()

    async def restore(self, state: State) -> None:
        """Everything is as it was in this state; requests that run are interrupted. Called while `closed`."""
        await self._interrupt()
        await self._rows.restore(state.rows)
        files.restore(self.services.settings.data, state.folder)
        records.reset()
        self.faults.all.clear()
        self.clock.reset()
        self.switch(self._first)

    async def _interrupt(self) -> None:
        if not _running and not self._threads.calls:
            return
        for task in _running:
            task.cancel()
        if _running:
            await asyncio.wait(_running, timeout=INTERRUPT_SECONDS)
        if calls := [asyncio.wrap_future(call) for call in self._threads.calls]:
            await asyncio.wait(calls, timeout=INTERRUPT_SECONDS)
        self._start_jobs()

    def switch(self, wanted: Switches) -> None:
        """Change what tests may change."""
        if wanted == self.switches:
            return
        settings = msgspec.structs.replace(
            self.services.settings, api_version_text=wanted.version, edition=wanted.edition
        )
        self.services.settings, self.switches = settings, wanted
        compose(settings, self.services.database, self.services.product)

    # Jobs

    def _start_jobs(self) -> None:
        """Jobs run by services that know of none that was interrupted."""
        self._works = background_services(self.services)
        self._with_jobs = InlineJobs(self._application, *self._works)

    async def run_jobs(self) -> Load:
        """Run all due schedules and jobs and pending hook deliveries; the numbers of this process."""
        async with self.services.database.transaction() as tx:
            await enqueue_due(tx, [task.name for task in tasks_of(self.services.product)])
        before = None
        while before != (loads := [work.load() for work in self._works]):
            before = loads
            for work in self._works:
                await work.drain()
        return Load(*map(sum, zip(*loads, strict=True)))


class _CountedThreads(ThreadPoolExecutor):
    """Threads that know what they run: a thread goes on when the request that started it is interrupted."""

    def __init__(self) -> None:
        super().__init__(thread_name_prefix="mujina-testing")
        self.calls: set[Future[Any]] = set()

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        call = super().submit(fn, *args, **kwargs)
        self.calls.add(call)
        call.add_done_callback(self.calls.discard)
        return call


def _writes(method: str, path: str) -> bool:
    return method not in _READS and not path.endswith(_READING_POSTS)
