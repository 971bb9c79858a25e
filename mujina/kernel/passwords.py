"""Passwords are stored as argon2id hashes, computed in a few low-priority threads, so that sign-ins never delay the API."""

import asyncio
import base64
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from mujina.kernel.concurrency.fair_semaphore import FairSemaphore
from mujina.kernel.concurrency.priority import lower_priority

T = TypeVar("T")

_SALT_BYTES = 16
_HASH_BYTES = 32


class Passwords:
    """Hashes and verifies. The defaults take about 20 MB and 40 ms a password on a small machine."""

    def __init__(self, *, kilobytes: int = 19_456, passes: int = 2, processes: int = 1) -> None:
        self._hasher = PasswordHasher(
            time_cost=passes, memory_cost=kilobytes, parallelism=1, hash_len=_HASH_BYTES, salt_len=_SALT_BYTES
        )
        self._dummy_hash = _dummy_hash(self._hasher)
        # All processes of an instance together use at most half the cores; further sign-ins wait.
        count = max(1, (os.cpu_count() or 1) // 2 // processes)
        self._threads = ThreadPoolExecutor(
            count, thread_name_prefix="passwords", initializer=lambda: lower_priority(threading.get_native_id())
        )
        self._limit = FairSemaphore(count)

    async def hash(self, password: str) -> str:
        """The hash to store; different every time."""
        return await self._run(lambda: self._hasher.hash(password), "")

    async def verify(self, stored: str | None, password: str, asker: str = "") -> bool:
        """Whether this is the password. `None` takes as long as a wrong password, so timing reveals nothing.

        The queue is fair by `asker`: a thousand attempts of one asker delay no other.
        """
        return await self._run(lambda: self._matches(stored or self._dummy_hash, password), asker)

    def needs_rehash(self, stored: str) -> bool:
        """Whether the hash was made with other parameters than today's."""
        try:
            return self._hasher.check_needs_rehash(stored)
        except InvalidHashError:
            return True

    def close(self) -> None:
        """Drop what waits; what runs ends by itself."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _matches(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False

    async def _run(self, work: Callable[[], T], asker: str) -> T:
        async with self._limit.slot(asker):
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)


def _dummy_hash(hasher: PasswordHasher) -> str:
    """A hash of no password, costing as much to verify as any other."""
    salt, tag = (base64.b64encode(os.urandom(size)).decode().rstrip("=") for size in (_SALT_BYTES, _HASH_BYTES))
    parameters = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    return f"$argon2id$v=19${parameters}${salt}${tag}"
