import os
import select
import signal
import socket
from pathlib import Path

from tests.harness import fork_server


def test_a_forked_program_has_its_environment_its_output_and_its_exit_code():
    code, out, err = fork_server.run("mujina", "config", "show", environment=os.environ | {"MUJINA_PORT": "99"})
    assert (code, err) == (0, "")
    assert "MUJINA_PORT" in out
    code, out, err = fork_server.run("mujina", "no-such-command")
    assert (code, out) == (2, "")
    assert err.startswith("mujina: ")


def test_a_forked_program_leads_a_session_and_ends_by_a_signal(tmp_path, sqlite_url):
    program = fork_server.start("mujina", "worker", "--data", str(tmp_path / "data"), "--database-url", sqlite_url)
    assert os.getsid(program.pid) == program.pid
    assert program.poll() is None
    os.killpg(program.pid, signal.SIGKILL)
    assert program.wait(60) == program.poll() == -signal.SIGKILL


def test_a_program_that_nobody_waits_for_disturbs_no_other(tmp_path, sqlite_url):
    forgotten = fork_server.start("mujina", "worker", "--data", str(tmp_path / "data"), "--database-url", sqlite_url)
    end = os.pidfd_open(forgotten.pid)
    os.kill(forgotten.pid, signal.SIGKILL)
    forgotten._reports.close()
    assert select.select([end], [], [], 60)[0]
    os.close(end)
    assert fork_server.run("mujina", "config", "show")[0] == 0


def test_programs_that_a_killed_run_leaves_end_with_the_server(monkeypatch):
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server = os.fork()
    if server == 0:
        try:
            ours.close()
            fork_server._serve(theirs)
        finally:
            os._exit(0)
    theirs.close()
    monkeypatch.setattr(fork_server, "fork_server", lambda: ours)
    program = fork_server.start("http.server", "--bind", "127.0.0.1", "0")
    ours.close()
    os.waitpid(server, 0)
    program._reports.close()
    assert not Path(f"/proc/{program.pid}").exists()
