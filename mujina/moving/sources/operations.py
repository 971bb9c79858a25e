"""Requests to a source: guarded, bounded, patient with rate limits. Every failure is a `SourceError` with its address."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any, Final, TypeVar, cast
from urllib.parse import urlencode

import msgspec

from mujina.adapters.outbound.client import Outbound, OutboundResponse, Timeouts
from mujina.adapters.outbound.dial import HostUnreachable
from mujina.adapters.outbound.guard import OutboundForbidden

Record = TypeVar("Record", bound=msgspec.Struct)

Query = Mapping[str, str | int]
EMPTY: Final[Query] = {}
PER_PAGE: Final = 100
MAX_PAGES: Final = 10_000
"""Pages of one list: a million objects."""
MAX_PAGE_BYTES: Final = 64 << 20
MAX_REDIRECTS: Final = 3
ATTEMPTS: Final = 4
MAX_WAIT_SECONDS: Final = 3_600
AT_ONCE: Final = 8
"""Requests in flight: more would only meet the rate limit of the source sooner."""
_TIMEOUTS: Final = Timeouts(connect=10, read=60, total=300)
_RETRIED: Final = frozenset({429, 502, 503, 504})


class SourceError(Exception):
    """The source did not give what was asked for; the text names the address, never the token."""

    def __init__(self, address: str, reason: str, status: int = 0) -> None:
        super().__init__(f"{address}: {reason}")
        self.address, self.reason, self.status = address, reason, status


class SourceUnavailable(SourceError):
    """The source answers no more, or not to this token: the move ends, and a later run continues it."""


class SourceClient:
    """Asks a source at one address with one token, `AT_ONCE` requests at a time."""

    def __init__(self, outbound: Outbound, address: str, header: dict[str, str]) -> None:
        self.address = address
        self._outbound, self._header = outbound, header
        self._slots = asyncio.Semaphore(AT_ONCE)

    async def get(self, path: str, query: Query = EMPTY, *, max_bytes: int = MAX_PAGE_BYTES) -> OutboundResponse:
        """The response to a request below the address; waits and asks again where the source says so."""
        url = f"{self.address}{path}" + (f"?{urlencode(query)}" if query else "")
        response = await self._ask(url, max_bytes)
        for attempt in range(1, ATTEMPTS):
            if response is not None and response.status not in _RETRIED:
                break
            await asyncio.sleep(_wait(response, attempt))
            response = await self._ask(url, max_bytes)
        if response is None:
            raise SourceUnavailable(url, "It could not be reached.")
        if response.status == 401 or response.status in _RETRIED:
            raise SourceUnavailable(url, f"It answered with status {response.status}.", response.status)
        if response.status != 200:
            raise SourceError(url, f"It answered with status {response.status}.", response.status)
        if response.truncated:
            raise SourceError(url, f"Its answer is longer than {max_bytes} bytes.")
        return response

    async def _ask(self, url: str, max_bytes: int) -> OutboundResponse | None:
        """The response to one request; None if the source could not be reached."""
        try:
            async with self._slots:
                return await self._outbound.get(
                    url, headers=self._header, timeouts=_TIMEOUTS, follow=MAX_REDIRECTS, max_bytes=max_bytes
                )
        except OutboundForbidden as error:
            raise SourceError(url, str(error)) from None
        except HostUnreachable:
            return None

    async def one(self, shape: type[Record], path: str) -> Record:
        """The object at the path."""
        response = await self.get(path)
        return read(shape, _json(f"{self.address}{path}", response), f"{self.address}{path}")

    async def pages(self, path: str, query: Query = EMPTY) -> AsyncGenerator[list[Any]]:
        """The pages of a list, each as parsed JSON; a list that repeats itself or does not end is an error."""
        page, url, before = 1, f"{self.address}{path}", b""
        while page <= MAX_PAGES:
            response = await self.get(path, {**query, "page": page, "per_page": PER_PAGE})
            answer = _json(url, response)
            if not isinstance(answer, list):
                raise SourceError(url, "Its answer is not a list.")
            items = cast("list[Any]", answer)
            if items and response.body == before:
                raise SourceError(url, "Its pages repeat each other.")
            if items:
                yield items
            following = response.headers.get("x-next-page")
            if not items or following == "" or (following is None and len(items) < PER_PAGE):
                return
            page, before = page + 1, response.body
        raise SourceError(url, f"It has more than {MAX_PAGES} pages.")


def read(shape: type[Record], item: Any, address: str) -> Record:
    """The item as a record; `SourceError` if it is none."""
    try:
        return msgspec.convert(_without_nulls(item), shape)
    except (msgspec.ValidationError, ValueError, OverflowError, RecursionError) as error:
        raise SourceError(address, f"Its answer does not fit: {error}") from None


def _without_nulls(item: Any) -> Any:
    """The item without NUL characters, which PostgreSQL does not store."""
    if isinstance(item, str):
        return item.replace("\0", "")
    if isinstance(item, list):
        return [_without_nulls(each) for each in cast("list[Any]", item)]
    if isinstance(item, dict):
        return {name: _without_nulls(value) for name, value in cast("dict[str, Any]", item).items()}
    return item


def _json(address: str, response: OutboundResponse) -> Any:
    try:
        return msgspec.json.decode(response.body)
    except (msgspec.DecodeError, RecursionError, ValueError):
        raise SourceError(address, "Its answer is not JSON.") from None


def _wait(response: OutboundResponse | None, attempt: int) -> float:
    """Seconds until the next attempt: those that the source demands, else a few."""
    asked = "" if response is None else response.headers.get("retry-after", "")
    return min(int(asked), MAX_WAIT_SECONDS) if asked.isascii() and asked.isdigit() else attempt
