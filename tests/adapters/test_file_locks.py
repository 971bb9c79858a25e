"""Locked files: work is under way until its process, and the programs it started with the file, are dead."""

import os
import signal
import subprocess
import time

import pytest

from mujina.adapters.file_locks import is_locked, locked_file


def test_a_file_is_locked_while_the_block_runs(tmp_path):
    with locked_file(tmp_path / "new") as lock:
        assert is_locked(tmp_path / "new", lock.name)
    assert not is_locked(tmp_path / "new", lock.name)
    assert not list((tmp_path / "new").iterdir())


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_the_lock_of_a_killed_process_ends_with_its_last_program(tmp_path):
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(write_end)
        with locked_file(tmp_path) as lock, subprocess.Popen(["cat"], stdin=read_end, pass_fds=[lock.file]):
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(read_end)
    [name] = [path.name for path in tmp_path.iterdir()]
    assert is_locked(tmp_path, name)
    os.close(write_end)
    while is_locked(tmp_path, name):
        time.sleep(0.01)
    assert not list(tmp_path.iterdir())
