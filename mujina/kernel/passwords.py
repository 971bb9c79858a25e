"""Passwords are kept as argon2id hashes, worked on in few threads that give way, so that sign-ins never hold up the API."""

import asyncio
import base64
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from mujina.kernel.fair_semaphore import FairSemaphore
from mujina.kernel.priority import give_way

T = TypeVar("T")

_SALT_BYTES = 16
_HASH_BYTES = 32


class Passwords:
    """Hashes and verifies. The defaults take about 20 MB and 40 ms a password on a small machine."""

    def __init__(self, *, kilobytes: int = 19_456, passes: int = 2, processes: int = 1) -> None:
        self._hasher = PasswordHasher(
            time_cost=passes, memory_cost=kilobytes, parallelism=1, hash_len=_HASH_BYTES, salt_len=_SALT_BYTES
        )
        self._nobody = _nobody(self._hasher)
        # All processes of an instance together take at most half the cores; more sign-ins than threads wait their turn.
        count = max(1, (os.cpu_count() or 1) // 2 // processes)
        self._threads = ThreadPoolExecutor(
            count, thread_name_prefix="passwords", initializer=lambda: give_way(threading.get_native_id())
        )
        self._turns = FairSemaphore(count)

    async def hash(self, password: str) -> str:
        """What is stored of a password; different every time."""
        return await self._run(lambda: self._hasher.hash(password), "")

    async def verify(self, stored: str | None, password: str, asker: str = "") -> bool:
        """Whether this is the password. Nobody's (`None`) takes as long as a wrong one, so time tells nothing.

        Askers take turns: who asks a thousand times waits for that, and nobody else does.
        """
        return await self._run(lambda: self._matches(stored or self._nobody, password), asker)

    def needs_rehash(self, stored: str) -> bool:
        """Whether the hash was made with other parameters than today's."""
        try:
            return self._hasher.check_needs_rehash(stored)
        except InvalidHashError:
            return True

    def close(self) -> None:
        """Forget what waits; what runs ends by itself."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _matches(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False

    async def _run(self, work: Callable[[], T], asker: str) -> T:
        async with self._turns.one(asker):
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)


def _nobody(hasher: PasswordHasher) -> str:
    """A hash of no password, costing as much to verify as any other."""
    salt, tag = (base64.b64encode(os.urandom(size)).decode().rstrip("=") for size in (_SALT_BYTES, _HASH_BYTES))
    parameters = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    return f"$argon2id$v=19${parameters}${salt}${tag}"
