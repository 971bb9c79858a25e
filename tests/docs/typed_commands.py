"""The program `mujina` as a shell finds it, which the fork server runs: it starts in milliseconds.

The program in the folder sends what it was called with, and its output, to the test, which lets the fork server start this
module; it passes signals on, and ends with the same exit code. As this module, the command begins where the caller stands.
"""

import json
import os
import socket
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

from mujina.cli.main import main
from tests.harness import fork_server
from tests.harness.fork_server import ForkedProgram

CALLER = """\
#!{python} -IS
import json, os, signal, socket, sys
call = json.dumps([os.getpid(), os.getcwd(), dict(os.environ), sys.argv[1:]]).encode()
with socket.socket(socket.AF_UNIX) as test:
    test.connect({address!r})
    socket.send_fds(test, [b"%10d" % len(call)], [1, 2])
    test.sendall(call)
    started = int(test.recv(100))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: os.kill(started, number))
    sys.exit(int(test.recv(100)))
"""


@contextmanager
def typed_commands(folder: Path) -> Generator[None]:
    """The folder has the program `mujina`; what it has started has ended afterward."""
    address, started = folder / "calls", list[ForkedProgram]()
    program = folder / "mujina"
    program.write_text(CALLER.format(python=sys.executable, address=str(address)))
    program.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as calls:
        calls.bind(str(address))
        calls.listen(64)
        Thread(target=_accept, args=(calls, started), daemon=True).start()
        yield
        calls.shutdown(socket.SHUT_RDWR)
    for each in started:
        each.kill()


def _accept(calls: socket.socket, started: list[ForkedProgram]) -> None:
    with suppress(OSError):  # the test has ended
        while True:
            caller, _ = calls.accept()
            Thread(target=_run, args=(caller, started), daemon=True).start()


def _run(caller: socket.socket, started: list[ForkedProgram]) -> None:
    size, descriptors, _, _ = socket.recv_fds(caller, 10, 2)
    with (
        caller,
        caller.makefile("rb") as rest,
        os.fdopen(descriptors[0], "wb") as out,
        os.fdopen(descriptors[1], "wb") as err,
    ):
        pid, folder, environment, words = json.loads(rest.read(int(size)))
        program = fork_server.start(__name__, str(pid), folder, *words, environment=environment, out=out, err=err)
        started.append(program)
        caller.sendall(b"%d" % program.pid)
        caller.sendall(b"%d" % program.wait())


if __name__ == "__main__":
    with Path(f"/proc/{sys.argv.pop(1)}/fd/0").open("rb") as stdin:
        os.dup2(stdin.fileno(), 0)
    os.chdir(sys.argv.pop(1))
    sys.exit(main())
