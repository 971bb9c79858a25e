"""The memory that the C library keeps for a server."""

import subprocess
import sys

PROGRAM = """
import ctypes, sys, threading
from mujina.processes.memory import limit_arenas
if sys.argv[1] == "limited":
    limit_arenas()
libc, ready = ctypes.CDLL(None), threading.Barrier(9)
libc.malloc.restype = ctypes.c_void_p
def hold():
    libc.malloc(5000)
    ready.wait()
threads = [threading.Thread(target=hold) for _ in range(8)]
[thread.start() for thread in threads]
ready.wait()
libc.malloc_info(0, ctypes.c_void_p.in_dll(libc, "stdout"))
libc.fflush(None)
"""


def test_threads_share_two_pools_of_memory():
    def arenas(how):
        command = [sys.executable, "-c", PROGRAM, how]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.count("<heap nr=")

    assert arenas("unlimited") > arenas("limited") <= 2
