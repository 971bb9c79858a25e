"""The memory of a server: what the C library keeps for it, and all of it after pages of every kind."""

import re
import subprocess
import sys
from pathlib import Path

import requests

from docs import otter
from tests.harness.running import RunningServer

MAX_MEMORY = 100
"""Megabytes after pages of every kind, as the README says and `make bench` measures."""
FURTHER_PAGES = (
    "/explore/projects", "/help", "/dashboard/todos", "/tools/otter/tree/master", "/tools/otter/blame/master/otter/retry.py",
    "/tools/otter/compare/master...retry", "/tools/otter/graphs/master", "/tools/otter/tags", "/admin/application_settings",
)  # fmt: skip
PROGRAM = """
import ctypes, sys, threading
from mujina.processes.memory import limit_kept_memory
if sys.argv[1] == "limited":
    limit_kept_memory()
libc, ready = ctypes.CDLL(None), threading.Barrier(9)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
def hold():
    libc.malloc(5000)
    ready.wait()
threads = [threading.Thread(target=hold) for _ in range(8)]
[thread.start() for thread in threads]
ready.wait()
for _ in range(2):
    libc.free(libc.malloc(20_000_000))
libc.malloc_info(0, ctypes.c_void_p.in_dll(libc, "stdout"))
libc.fflush(None)
"""


def test_threads_share_two_pools_of_memory_and_large_pieces_are_given_back():
    def kept(how):
        command = [sys.executable, "-c", PROGRAM, how]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return told.count("<heap nr="), int(re.findall(r'<system type="current" size="(\d+)"', told)[-1])

    (arenas, size), (limited_arenas, limited_size) = kept("unlimited"), kept("limited")
    assert arenas > limited_arenas <= 2
    assert size > 20_000_000 > limited_size


def test_pages_of_every_kind_leave_the_memory_that_is_promised(tmp_path: Path):
    server = RunningServer(tmp_path / "data", f"sqlite:///{tmp_path}/mujina.db", forked=False)
    server.environment = {"MUJINA_ROOT_PASSWORD": otter.PASSWORD, "MUJINA_PASSWORD_KILOBYTES": "19456"}
    server.start()
    try:
        otter.fill(server)
        browser = requests.Session()
        form = browser.get(f"{server.url}/users/sign_in", timeout=180).text
        token = re.search(r'name="?authenticity_token"?[^>]* value="([^"]+)"', form)[1]
        sign_in = {"user[login]": "root", "user[password]": otter.PASSWORD, "authenticity_token": token}
        assert browser.post(f"{server.url}/users/sign_in", sign_in, timeout=180).url == f"{server.url}/"
        for page in (*otter.PAGES.values(), *otter.PROJECT_PAGES.values(), *FURTHER_PAGES):
            browser.get(f"{server.url}{page}", timeout=180)
        assert server.memory() <= MAX_MEMORY
    finally:
        server.kill()
