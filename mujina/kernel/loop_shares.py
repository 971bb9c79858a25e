"""Shares of the event loop: a client whose requests hold it for long lets the requests of others go first.

Requests run in the order in which they arrive, whatever each of them takes. One client that asks for something slow again and
again would slow down everybody else by that much; so while others are being served, it gets at most a tenth of the loop.
Time is the processor time of the loop's thread: what waits does so for the work of others, never for a clock. Asking for it
is a call of the system, at which a busy one goes on to other processes; so quick requests do not ask.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from time import perf_counter, thread_time
from typing import Any

from mujina.kernel.request_headers import headers_of

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]
Client = str | bytes

LONG_SECONDS = 0.0005
"""After a request that held the loop for longer, the next one of its client waits."""
_READ = frozenset({"GET", "HEAD"})
"""Other methods do not wait and are not measured: those who write take turns in their shared commit."""
OTHERS = 9
"""Others have the loop for so many times as long."""
MAX_SECONDS = 0.2
"""Others have it for at most this long, however many requests the client sends at once."""
MAX_HOLDERS = 1_000


@dataclass(slots=True, eq=False)
class _Holder:
    """A client whose last request took long, and may have held the loop for as long."""

    turn: int
    """Nobody else was served since, if the turn is still the same."""
    seconds: float = 0.0
    """For how long it held the loop; zero if it is not known, or if it only waited for the processor."""
    until: float = 0.0
    """Its next request waits until the loop's thread has worked this long."""
    waiting: int = 0


class LoopShares:
    """An application whose clients share the event loop."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._holders: dict[Client, _Holder] = {}
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = count()
        self._changes = 0
        """Requests that began or ended."""
        self._turn = 0
        """How often the loop went on to another client."""
        self._last: Client = ""
        self._checking = False

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """The ASGI application."""
        reads = scope["method"] in _READ
        worked = await self._begin(_client(scope)) if self._holders and reads else None
        self._changes = changes = self._changes + 1
        began = perf_counter()
        try:
            await self._application(scope, receive, send)
        finally:
            # If others ran meanwhile, it is not known for how long.
            if self._changes == changes and reads:
                if perf_counter() - began >= LONG_SECONDS:
                    self._took_long(_client(scope), worked)
                elif worked is not None:
                    self._holders.pop(_client(scope), None)
            self._changes += 1
            if self._waiting:
                self._check_later()

    async def _begin(self, client: Client) -> float | None:
        """Wait while others go first. The processor time of the loop's thread so far, if the client took long before."""
        holder = self._holders.get(client)
        if holder is not None and holder.seconds and holder.turn != self._turn:
            await self._wait(holder)
        if client != self._last:
            self._last = client
            self._turn += 1
        return None if holder is None else thread_time()

    async def _wait(self, holder: _Holder) -> None:
        now = thread_time()
        until = min(holder.until + holder.waiting * holder.seconds * OTHERS, now + MAX_SECONDS)
        if until <= now:
            return
        ready = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (until, next(self._order), ready))
        self._check_later()
        holder.waiting += 1
        try:
            await ready
        finally:
            holder.waiting -= 1

    def _took_long(self, client: Client, worked: float | None) -> None:
        """`worked`: the processor time of the loop's thread before the request, if it is known."""
        holder = self._holders.setdefault(client, _Holder(self._turn))
        holder.turn, self._last = self._turn, client
        if worked is not None:
            now = thread_time()
            seconds = now - worked
            holder.seconds, holder.until = (seconds, now + seconds * OTHERS) if seconds >= LONG_SECONDS else (0.0, 0.0)
        if len(self._holders) > MAX_HOLDERS:
            del self._holders[next(iter(self._holders))]

    def _admit_first(self) -> None:
        _, _, ready = heappop(self._waiting)
        if not ready.done():  # as that of a request that was cancelled
            ready.set_result(None)

    def _check_later(self) -> None:
        """Once everything that is ready now has run, look whether the loop has something else to do."""
        if self._waiting and not self._checking:
            self._checking = True
            asyncio.get_running_loop().call_soon(self._check, self._changes)

    def _check(self, changes: int) -> None:
        """Let those begin whose time has come, or one of them if nobody else was served."""
        self._checking = False
        if self._changes == changes:
            self._admit_first()
        now = thread_time()
        while self._waiting and self._waiting[0][0] <= now:
            self._admit_first()
        self._check_later()


def _client(scope: dict[str, Any]) -> Client:
    """The credential that was sent, whether it is valid or not: many clients may share an address."""
    sent = headers_of(scope)
    return (
        sent.get(b"private-token")
        or sent.get(b"authorization")
        or sent.get(b"cookie")
        or (scope.get("client") or ("",))[0]
    )
