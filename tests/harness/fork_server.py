"""Programs as separate processes that start in milliseconds: they are forked from one that has imported everything.

The workers of a run share one such fork server, which ends with the run. A test that concerns the start of Python itself,
or what is imported, starts its program by `subprocess`.
"""

import atexit
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NoReturn

from mujina.cli.commands.application import COMMANDS
from mujina.kernel import deferred_imports as deferred
from mujina.processes import idle_work
from mujina.processes.lifecycle import exit_now
from mujina.product import PRODUCT
from mujina.web.warm_up import warm_up
from tests.harness import overheard
from tests.harness.quick_disks import skip_flushes

ROOT = Path(__file__).parents[2]
MAX_REQUEST = 1_000_000
FOREVER = 1e9
_ONE = threading.Lock()
_started: list[tuple[subprocess.Popen[bytes], socket.socket]] = []


class ForkedProgram:
    """A running program; used as `subprocess.Popen` is."""

    def __init__(self, reports: IO[bytes]) -> None:
        self._reports = reports
        """A line with the process id, when the program leads its session; a line with the exit code at its end."""
        self.pid = int(reports.readline())
        self.returncode: int | None = None

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._reports], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("a forked program", timeout or 0)
            self.returncode = int(self._reports.readline())
            self._reports.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def start(
    *command: str,
    environment: Mapping[str, str] = os.environ,
    out: IO[Any] | None = None,
    err: IO[Any] | None = None,
    secrets: Path | None = None,
) -> ForkedProgram:
    """Run `python -m` with this command, without input, as the leader of a session; its output goes where ours does.

    The secrets that the product creates in it are written to the file `secrets`.
    """
    request = json.dumps([command, dict(environment), str(secrets or "")]).encode()
    read_end, write_end = os.pipe()
    with Path(os.devnull).open() as nothing, os.fdopen(write_end, "wb") as reports:
        descriptors = [nothing.fileno(), out.fileno() if out else 1, err.fileno() if err else 2, reports.fileno()]
        socket.send_fds(fork_server(), [request], descriptors)
    return ForkedProgram(os.fdopen(read_end, "rb", buffering=0))


def run(*command: str, environment: Mapping[str, str] = os.environ, timeout: float = 120) -> tuple[int, str, str]:
    """Run `python -m` with this command to its end: its exit code and what it wrote."""
    with TemporaryFile("w+") as out, TemporaryFile("w+") as err:
        program = start(*command, environment=environment, out=out, err=err)
        try:
            code = program.wait(timeout)
        finally:
            program.kill()
        out.seek(0)
        err.seek(0)
        return code, out.read(), err.read()


def fork_server() -> socket.socket:
    """The socket that takes a request a message; processes that are forked afterward use it too."""
    with _ONE:
        if not _started:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MAX_REQUEST)
            with theirs:
                command = [sys.executable, "-m", "tests.harness.fork_server", str(theirs.fileno())]
                process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
            _started.append((process, ours))
            atexit.register(_end)
        return _started[0][1]


def _end() -> None:
    process, requests = _started.pop()
    requests.close()
    process.wait()


def _serve(requests: socket.socket) -> None:
    """Fork a program for each request, and report the exit code of each, until the requests end."""
    reports: dict[int, int] = {}
    ended, wakeup = os.pipe()
    os.set_blocking(wakeup, False)
    signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    while True:
        readable, _, _ = select.select([requests, ended], [], [])
        if requests in readable:
            request, descriptors, _, _ = socket.recv_fds(requests, MAX_REQUEST, 4)
            if not request:
                return _kill(reports)
            command, environment, secrets = json.loads(request)
            pid = os.fork()
            if pid == 0:
                requests.close()
                _run(command, environment, secrets, descriptors)
            reports[pid] = descriptors.pop()
            for descriptor in descriptors:
                os.close(descriptor)
        if ended in readable:
            os.read(ended, 4096)
            _report_ended(reports)


def _kill(programs: Iterable[int]) -> None:
    """End those that a run which was killed has left, with the processes of their sessions."""
    for pid in programs:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _report_ended(reports: dict[int, int]) -> None:
    while reports:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        report = reports.pop(pid)
        with suppress(BrokenPipeError):  # nobody waits for it
            os.write(report, b"%d\n" % os.waitstatus_to_exitcode(status))
        os.close(report)


def _run(command: list[str], environment: dict[str, str], secrets: str, descriptors: list[int]) -> NoReturn:
    """Become the program."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # it is ignored where the tests were started by `nohup`
    os.setsid()
    os.write(descriptors[3], b"%d\n" % os.getpid())
    for number, descriptor in enumerate(descriptors[:3]):
        os.dup2(descriptor, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.environ.clear()
    os.environ.update(environment)
    if secrets:
        overheard.note_in(Path(secrets))
    sys.argv = command
    code = 0
    try:
        runpy.run_module(command[0], run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        if isinstance(ended.code, str):
            raise
        code = ended.code or 0
    threading._shutdown()  # pyright: ignore[reportAttributeAccessIssue]
    atexit._run_exitfuncs()
    exit_now(code)  # clearing all that was imported would take 0.06 s


def _import_everything() -> None:
    """What programs would otherwise import one by one."""
    for module, _ in COMMANDS.values():
        import_module(module.partition(":")[0])
    PRODUCT.load()
    for package in (deferred.asyncssh, deferred.ciphers, deferred.httpcore2, deferred.postgres):
        package()
    import_module("anyio._backends._asyncio")  # at the first connection that httpcore2 opens
    for step in warm_up(PRODUCT):
        step()
    idle_work.FIRST_SECONDS = FOREVER  # every program would take the same steps again, which cost 0.15 s of processor
    gc.collect()
    gc.freeze()  # programs share these objects: a collection would copy them


if __name__ == "__main__":
    skip_flushes()
    _import_everything()
    _serve(socket.socket(fileno=int(sys.argv[1])))
