"""Runs the tests in several processes, which are forked once every test is collected: modules are imported once.

By hand, because pytest-xdist starts each worker as a new interpreter, which imports and collects everything again: on a
first run 22 s of processor for each of them.

Tests that are marked `long` come first: each worker that is free takes those of one file, the longest file first. Then each
runs a share of the others in their order, so that what a file sets up for all its tests is set up once. One that has none left
takes half of the largest share.
"""

import atexit
import ctypes
import fcntl
import mmap
import operator
import os
import signal
import struct
import traceback
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from itertools import accumulate, pairwise
from multiprocessing.connection import Connection, Pipe, wait
from tempfile import TemporaryFile
from typing import Any

import pytest

NAME = pytest.StashKey[str]()
"""The name of this process among the workers."""
SLOW = 0.5
"""Seconds of a fixture from which on the list of the slowest may name it; what sets up or ends sooner is not reported."""

END_WITH_PARENT = 1
"""Linux calls it PR_SET_PDEATHSIG."""
FIRST = struct.calcsize("i")
"""The shared memory begins with the number of files with long tests that are taken."""
SIZE = struct.calcsize("6i")
"""Bytes that it has for each worker: where its file and its share begin and end, what it runs, and what comes next."""
FILE, SHARE, NOTES = (FIRST + number * struct.calcsize("2i") for number in range(3))
LONG_SECONDS = 10
"""What a test that is marked `long` takes unless its mark says more."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--workers", type=int, default=1, help="run the tests in so many processes")


@pytest.fixture(scope="session")
def worker(request: pytest.FixtureRequest) -> str:
    """The name of this process among the workers of the run."""
    return request.config.stash.get(NAME, "alone")


class Shares:
    """What is left to run, in memory that the workers share: positions in one list, of the long tests file by file first."""

    def __init__(self, files: Sequence[int], sizes: Sequence[int]) -> None:
        self._workers = range(len(sizes))
        self._ends = list(accumulate(files))
        self._long = sum(files)
        self._memory = mmap.mmap(-1, FIRST + len(sizes) * SIZE)
        self._lock = TemporaryFile()  # noqa: SIM115 - as long as the run
        for worker in self._workers:
            start = self._long + sum(sizes[:worker])
            self._put(SHARE, worker, start, start + sizes[worker])
            self.note(worker)

    def take(self, worker: int) -> int | None:
        """The next position for this worker; None when all are taken."""
        with self._locked():
            position = self._pop(FILE, worker)
            if position is None and self._take_file(worker):
                position = self._pop(FILE, worker)
            if position is None:
                position = self._pop(SHARE, worker)
            if position is None:
                largest = max(self._workers, key=lambda other: -operator.sub(*self._get(SHARE, other)))
                first, end = self._get(SHARE, largest)
                middle = (first + end) // 2
                self._put(SHARE, largest, first, middle)
                self._put(SHARE, worker, middle, end)
                position = self._pop(SHARE, worker)
            return position

    def take_following(self, worker: int, position: int) -> int | None:
        """What comes after this position in the file or the share of the worker, if anything does."""
        with self._locked():
            return self._pop(FILE if position < self._long else SHARE, worker)

    def note(self, worker: int, *positions: int) -> None:
        """It runs the first of these now, and will run the second."""
        self._put(NOTES, worker, *(*positions, -1, -1)[:2])

    def noted(self, worker: int) -> list[int]:
        """What it runs or ran last, and what it would run next."""
        return [position for position in self._get(NOTES, worker) if position >= 0]

    def clear(self) -> None:
        """Nothing is left to take."""
        with self._locked():
            struct.pack_into("i", self._memory, 0, len(self._ends))
            for worker in self._workers:
                self._put(FILE, worker, 0, 0)
                self._put(SHARE, worker, 0, 0)

    def close(self) -> None:
        self._lock.close()
        self._memory.close()

    def _take_file(self, worker: int) -> bool:
        (taken,) = struct.unpack_from("i", self._memory)
        if taken == len(self._ends):
            return False
        struct.pack_into("i", self._memory, 0, taken + 1)
        self._put(FILE, worker, self._ends[taken - 1] if taken else 0, self._ends[taken])
        return True

    def _pop(self, what: int, worker: int) -> int | None:
        start, end = self._get(what, worker)
        if start == end:
            return None
        self._put(what, worker, start + 1, end)
        return start

    def _get(self, what: int, worker: int) -> tuple[int, int]:
        return struct.unpack_from("2i", self._memory, what + worker * SIZE)

    def _put(self, what: int, worker: int, start: int, end: int) -> None:
        struct.pack_into("2i", self._memory, what + worker * SIZE, start, end)

    @contextmanager
    def _locked(self) -> Generator[None]:
        fcntl.lockf(self._lock, fcntl.LOCK_EX)  # the system releases it if a worker is killed
        try:
            yield
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    workers = min(session.config.getoption("--workers"), len(session.items))
    if workers < 2 or session.testsfailed or session.config.option.collectonly:
        return None  # pytest's own loop
    order, files, sizes = dealt(session.items, workers)
    shares = Shares(files, sizes)
    capture: Any = session.config.pluginmanager.getplugin("capturemanager")
    capture.read_global_capture()  # what was written by now is not written again by each worker
    session.config._tmp_path_factory.getbasetemp()  # pyright: ignore[reportAttributeAccessIssue]
    running: dict[Connection, tuple[int, int]] = {}
    try:
        for worker in range(workers):
            receiver, sender = Pipe(duplex=False)
            pid = os.fork()
            if pid == 0:
                for other in (*running, receiver):
                    other.close()
                _work(session, order, worker, shares, sender)
            sender.close()
            running[receiver] = worker, pid
        _report(session, order, running, shares)
    finally:
        shares.clear()
        for receiver, (_, pid) in running.items():
            os.waitpid(pid, 0)
            receiver.close()
        shares.close()
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    if session.shouldstop:
        raise session.Interrupted(session.shouldstop)
    return True


def dealt(items: Sequence[pytest.Item], workers: int) -> tuple[list[pytest.Item], list[int], list[int]]:
    """The tests: those that are long by files, the longest file first, then the others. The sizes of files and shares.

    `long(seconds, apart=True)` is a test that shares nothing with others of its file: it counts as a file of its own.
    """
    long: dict[Any, list[pytest.Item]] = {}
    rest: list[pytest.Item] = []
    seconds: dict[Any, int] = {}
    for item in items:
        if (mark := item.get_closest_marker("long")) is None:
            rest.append(item)
        else:
            file = item.nodeid if mark.kwargs.get("apart") else item.path
            long.setdefault(file, []).append(item)
            seconds[file] = seconds.get(file, 0) + (mark.args[0] if mark.args else LONG_SECONDS)
    files = [long[file] for file in sorted(long, key=lambda file: -seconds[file])]
    ends = [worker * len(rest) // workers for worker in range(workers + 1)]
    sizes = [end - start for start, end in pairwise(ends)]
    return [*(item for file in files for item in file), *rest], [len(file) for file in files], sizes


def _report(
    session: pytest.Session, order: list[pytest.Item], running: dict[Connection, tuple[int, int]], shares: Shares
) -> None:
    """Let pytest know the outcomes until all workers have ended."""
    hook, left = session.config.hook, dict(running)
    while left:
        for receiver in wait([*left]):
            assert isinstance(receiver, Connection)
            try:
                message = receiver.recv()
            except EOFError:  # it did not live to say that it has ended
                reports = [_death(order[position]) for position in shares.noted(left.pop(receiver)[0])]
            else:
                reports = [hook.pytest_report_from_serializable(config=session.config, data=message)] if message else []
                if message is None:
                    del left[receiver]
            for report in reports:
                hook.pytest_runtest_logreport(report=report)
            if session.shouldfail or session.shouldstop:
                shares.clear()


def _death(item: pytest.Item) -> pytest.TestReport:
    return pytest.TestReport(item.nodeid, item.location, {}, "failed", "the process that was to run it died", "call")


class _Reporter:
    """Sends the reports of a worker."""

    def __init__(self, config: pytest.Config, sender: Connection) -> None:
        self._config, self._sender = config, sender

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed or report.duration > SLOW:
            self._sender.send(self._config.hook.pytest_report_to_serializable(config=self._config, report=report))


def _work(session: pytest.Session, order: list[pytest.Item], worker: int, shares: Shares, sender: Connection) -> None:
    """Be a worker to the end of this process."""
    code = 1
    try:
        ctypes.CDLL(None).prctl(END_WITH_PARENT, signal.SIGKILL)
        atexit._clear()  # what the first process registered is for it to do
        _set_apart(session.config, f"worker{worker}")
        session.config.pluginmanager.register(_Reporter(session.config, sender))
        try:
            _run(session, order, worker, shares)
        finally:
            session._setupstate.teardown_exact(None)
        sender.send(None)
        code = 0
    except BaseException:  # noqa: BLE001 - nothing may return into the loop of the first process
        traceback.print_exc()
    finally:
        try:
            atexit._run_exitfuncs()
        finally:
            os._exit(code)


def _set_apart(config: pytest.Config, name: str) -> None:
    """Write to no file and no folder that another process writes to."""
    config.stash[NAME] = name
    plugins: Any = config.pluginmanager
    for plugin in ("terminalreporter", "terminalprogress"):
        if plugins.has_plugin(plugin):
            plugins.unregister(name=plugin)
    capture = plugins.getplugin("capturemanager")
    capture.stop_global_capturing()
    capture.start_global_capturing()
    capture.suspend_global_capture()
    folders: Any = config._tmp_path_factory  # pyright: ignore[reportAttributeAccessIssue]
    folders._basetemp = folders.getbasetemp() / name
    folders._basetemp.mkdir(mode=0o700)


def _run(session: pytest.Session, order: list[pytest.Item], worker: int, shares: Shares) -> None:
    position = shares.take(worker)
    while position is not None:
        item, following = order[position], shares.take_following(worker, position)
        shares.note(worker, position, *([] if following is None else [following]))
        # Where it is not known yet what comes next, what belongs to the file or to the folder ends.
        after = session if following is None else order[following]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        if session.shouldfail or session.shouldstop:
            return
        position = shares.take(worker) if following is None else following
