"""Requests to a source: guarded, bounded, patient with rate limits. Every failure is a `SourceFailure` with its address."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from time import monotonic
from typing import Any, Final, TypeVar, cast
from urllib.parse import parse_qsl, unquote, urlencode, urljoin, urlsplit

import msgspec

from mujina.adapters.outbound.client import REDIRECTS, Outbound, OutboundResponse, OutboundStream, Timeouts
from mujina.adapters.outbound.dial import HostUnreachable
from mujina.adapters.outbound.guard import OutboundForbidden
from mujina.kernel import clock

Record = TypeVar("Record", bound=msgspec.Struct)

Query = Mapping[str, str | int]
SourceAnswer = OutboundResponse
"""What a source gives at a path."""
EMPTY: Final[Query] = {}
PER_PAGE: Final = 100
MAX_PAGES: Final = 10_000
"""Pages of one list: a million objects."""
MAX_PAGE_BYTES: Final = 64 << 20
MAX_LIST_BYTES: Final = 64 << 20
"""All pages together of a list that is kept in memory, such as the comments on an issue."""
MAX_VALUES: Final = 4_000_000
"""The values of one JSON document: a short one takes twenty times its bytes in memory."""
MAX_REDIRECTS: Final = 3
ATTEMPTS: Final = 4
MAX_WAIT_SECONDS: Final = 3_600
AT_ONCE: Final = 8
"""Requests in flight: more would only meet the rate limit of the source sooner."""
_TIMEOUTS: Final = Timeouts(connect=10, read=60, total=300)
_OF_CONNECTIONS: Final = frozenset(
    {"host", "connection", "content-length", "transfer-encoding", "te", "upgrade", "expect"}
)
"""Headers that a source does not choose."""
_RETRIED: Final = frozenset({429, 502, 503, 504})
_NO_INSTANT: Final = re.compile(r"(?:0001-01-01|9999-12-31)T[0-9:.]{5,20}(?:Z|[+-][0-9:]{4,5})")
"""The first instant of all, which Gitea gives for none, and the last one: a time zone moves them out of the calendar."""
_LAST_PAGE: Final = re.compile(r'[?&]page=(\d{1,9})\b[^<>]{0,4000}>\s*;[^,<]{0,200}\brel="?last\b')
_NEXT_PAGE: Final = re.compile(r'<([^<>]{1,4000})>\s*;[^,<]{0,200}\brel="?next\b')


class SourceFailure(Exception):
    """The source did not give what was asked for; the text names the address, never the token."""

    def __init__(self, address: str, reason: str, status: int = 0) -> None:
        super().__init__(f"{address}: {reason}")
        self.address, self.reason, self.status = address, reason, status


class SourceError(SourceFailure):
    """It does not give this one thing: the move lists that, and goes on."""


class SourceUnavailable(SourceFailure):
    """The source answers no more, or not to this token: the move ends, and a later run continues it."""


class SourceClient:
    """Asks a source at one address with one token, `AT_ONCE` requests at a time.

    The token is sent to that address and to `pages_address`, and nowhere else. `page_size` is the parameter and the
    number of objects on a page. Connections are kept until `aclose`.
    """

    def __init__(
        self, allow: Iterable[str], address: str, header: dict[str, str], *, pages_address: str = "",
        page_size: tuple[str, int] = ("per_page", PER_PAGE),
    ) -> None:  # fmt: skip
        self.address = address
        self._outbound, self._header, self._page_size = Outbound(allow, keep=True), header, page_size
        self._origins = {_origin(address), _origin(pages_address or address)}
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._answers, self._seconds = 0, 0.0

    async def aclose(self) -> None:
        await self._outbound.aclose()

    @property
    def seconds_of_answer(self) -> float:
        """How long an answer of the source took, on average until now."""
        return self._seconds / self._answers if self._answers else 0

    async def get(self, path: str, query: Query = EMPTY, *, max_bytes: int = MAX_PAGE_BYTES) -> OutboundResponse:
        """The response to a request below the address; waits and asks again where the source says so."""
        url = f"{self.address}{path}" + (f"?{urlencode(query)}" if query else "")
        return await self._get(url, self._header, max_bytes)

    async def file(self, url: str, max_bytes: int) -> bytes:
        """The file at any address. Another host than that of the source does not get the token, and ends no move.

        Texts name files: a path with `..` does not get the token, either.
        """
        headers, own = {"Accept": "application/octet-stream"}, _origin(url) in self._origins
        if own and ".." not in unquote(urlsplit(url).path).split("/"):
            headers = {**self._header, **headers}
        try:
            return (await self._get(url, headers, max_bytes)).body
        except SourceUnavailable as error:
            if own:
                raise
            raise SourceError(url, error.reason, error.status) from None

    async def _get(self, url: str, headers: dict[str, str], max_bytes: int) -> OutboundResponse:
        response = await self._ask(url, headers, max_bytes)
        for attempt in range(1, ATTEMPTS):
            if response is not None and not _is_retried(response):
                break
            await asyncio.sleep(_wait(response, attempt))
            response = await self._ask(url, headers, max_bytes)
        if response is None:
            raise SourceUnavailable(url, "It could not be reached.")
        if response.status == 401 or _is_retried(response):
            raise SourceUnavailable(url, f"It answered with status {response.status}.", response.status)
        if response.status != 200:
            raise SourceError(url, f"It answered with status {response.status}.", response.status)
        if response.truncated:
            raise SourceError(url, f"Its answer is longer than {max_bytes} bytes.")
        return response

    async def _ask(self, url: str, headers: dict[str, str], max_bytes: int) -> OutboundResponse | None:
        """The response to one request; None if the source could not be reached."""
        try:
            async with self._slots:
                started = monotonic()
                response = await self._outbound.get(
                    url, headers=headers, timeouts=_TIMEOUTS, follow=MAX_REDIRECTS, max_bytes=max_bytes
                )
                self._answers, self._seconds = self._answers + 1, self._seconds + monotonic() - started
                return response
        except OutboundForbidden as error:
            raise SourceError(url, str(error)) from None
        except HostUnreachable:
            return None

    async def post(self, shape: type[Record], url: str, body: object, header: dict[str, str]) -> Record:
        """The object that a source answers to a body; only this header is sent."""
        try:
            async with self._slots:
                response = await self._outbound.post(
                    url, json=body, headers=header, timeouts=_TIMEOUTS, max_bytes=MAX_PAGE_BYTES
                )
        except OutboundForbidden as error:
            raise SourceError(url, str(error)) from None
        except HostUnreachable:
            raise SourceUnavailable(url, "It could not be reached.") from None
        if response.status != 200:
            raise SourceError(url, f"It answered with status {response.status}.", response.status)
        return read(shape, _json(url, response), url)

    def download(self, path: str, seconds: float) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """The file below the address, in pieces; redirects lead to a storage, which does not get the token."""
        if ".." in unquote(path).split("/"):
            raise SourceError(f"{self.address}{path}", "Its path leads elsewhere.")
        return self.stream(f"{self.address}{path}", self._header, seconds, redirects=MAX_REDIRECTS)

    @asynccontextmanager
    async def stream(
        self, url: str, header: Mapping[str, str], seconds: float, *, redirects: int = 0
    ) -> AsyncGenerator[AsyncIterator[bytes]]:
        """The body at any address, in pieces; only this header is sent, and to no other host."""
        lines = [
            (name.encode(), value.encode()) for name, value in header.items() if name.lower() not in _OF_CONNECTIONS
        ]
        address = url.partition("?")[0]  # what follows may be a secret
        try:
            async with asyncio.timeout(seconds), self._slots, AsyncExitStack() as opened:
                answer = await opened.enter_async_context(self._outbound.exchange("GET", url, lines, None, _TIMEOUTS))
                while redirects and answer.status in REDIRECTS:
                    redirects, before, url = redirects - 1, url, urljoin(url, _location(answer))
                    lines = lines if _origin(url) == _origin(before) else []
                    further = self._outbound.exchange("GET", url, lines, None, _TIMEOUTS)
                    answer = await opened.enter_async_context(further)
                if answer.status != 200:
                    raise SourceError(address, f"It answered with status {answer.status}.", answer.status)
                yield answer.chunks
        except OutboundForbidden as error:
            raise SourceError(address, str(error)) from None
        except (HostUnreachable, TimeoutError):
            raise SourceError(address, "It broke off.") from None
        except ValueError:
            raise SourceError(address, "It leads to no address.") from None

    async def one(self, shape: type[Record], path: str) -> Record:
        """The object at the path."""
        return read(shape, await self.json(path), f"{self.address}{path}")

    async def json(self, path: str) -> Any:
        """The answer at the path, whatever it is."""
        return _json(f"{self.address}{path}", await self.get(path))

    async def pages(
        self, path: str, query: Query = EMPTY, key: str = "", *, long: bool = False
    ) -> AsyncGenerator[list[Any]]:
        """The pages of a list, each as parsed JSON; a list that repeats itself or does not end is an error.

        `key`: the field of an answer that has the list; without one, the answer is the list. `long`: one page is kept in
        memory at a time, so that all of them may have any number of bytes.
        """
        name, size = self._page_size
        room = MAX_PAGES * MAX_PAGE_BYTES if long else MAX_LIST_BYTES
        params: dict[str, str | int] | None = {**query, "page": 1, name: size}
        url, before, seen = f"{self.address}{path}", b"", 0
        for _ in range(MAX_PAGES):
            response = await self.get(path, params)
            room -= len(response.body)
            if room < 0:
                raise SourceError(url, f"Its pages are longer than {MAX_LIST_BYTES} bytes together.")
            answer = _json(url, response)
            items = cast("dict[str, Any]", answer).get(key) if key and isinstance(answer, dict) else answer
            if not isinstance(items, list):
                raise SourceError(url, "Its answer is not a list.")
            page = cast("list[Any]", items)
            if page and response.body == before:
                raise SourceError(url, "Its pages repeat each other.")
            if page:
                yield page
            before, seen = response.body, seen + len(page)
            params = _following(params, response, answer, seen, full=len(page) >= size) if page else None
            if params is None:
                return
        raise SourceError(url, f"It has more than {MAX_PAGES} pages.")

    async def total(self, path: str, query: Query = EMPTY) -> int | None:
        """How many objects a list has: of one object on each page, the number of pages; None if the source does not say."""
        response = await self.get(path, {**query, self._page_size[0]: 1})
        headers = response.headers
        last = _LAST_PAGE.search(headers.get("link", ""))
        given = headers.get("x-total") or headers.get("x-total-count") or (last[1] if last else "")
        if given.isascii() and given.isdigit() and len(given) < 10:
            return int(given)
        if headers.get("x-next-page") or _NEXT_PAGE.search(headers.get("link", "")):
            return None
        answer = _json(f"{self.address}{path}", response)
        if isinstance(answer, dict):
            total = cast("dict[str, Any]", answer).get("total_count")
            return total if isinstance(total, int) else None
        return len(cast("list[Any]", answer)) if isinstance(answer, list) else None


def _following(
    params: dict[str, str | int], response: OutboundResponse, answer: Any, seen: int, *, full: bool
) -> dict[str, str | int] | None:
    """The parameters of the next page; None after the last one. Of a link only parameters are taken, never an address."""
    headers = response.headers
    more = {**params, "page": int(params["page"]) + 1}
    if "x-next-page" in headers:
        return more if headers["x-next-page"] else None
    if "link" in headers:
        following = _NEXT_PAGE.search(headers["link"])
        return {**more, **dict(parse_qsl(urlsplit(following[1]).query))} if following else None
    total = cast("dict[str, Any]", answer).get("total_count") if isinstance(answer, dict) else None
    known = str(headers.get("x-total-count", total))
    if known.isascii() and known.isdigit():
        return more if seen < int(known[:18]) else None
    return more if full else None


def _location(answer: OutboundStream) -> str:
    """Where a redirect leads to."""
    return {name.lower(): value for name, value in answer.headers}.get(b"location", b"").decode("latin-1")


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()


def _is_retried(response: OutboundResponse) -> bool:
    """Whether the source asks to come back later; GitHub answers 403 when its rate limit is reached."""
    limited = "retry-after" in response.headers or response.headers.get("x-ratelimit-remaining") == "0"
    return response.status in _RETRIED or (response.status == 403 and limited)


def read(shape: type[Record], item: Any, address: str) -> Record:
    """The item as a record; `SourceError` if it is none."""
    try:
        return msgspec.convert(_without_nulls(item), shape)
    except (msgspec.ValidationError, ValueError, OverflowError, RecursionError) as error:
        raise SourceError(address, f"Its answer does not fit: {error}") from None


def _without_nulls(item: Any) -> Any:
    """The item without NUL characters, which PostgreSQL does not store, and without instants that stand for none."""
    if isinstance(item, str):
        return None if _NO_INSTANT.fullmatch(item) else item.replace("\0", "")
    if isinstance(item, list):
        return [_without_nulls(each) for each in cast("list[Any]", item)]
    if isinstance(item, dict):
        return {name: _without_nulls(value) for name, value in cast("dict[str, Any]", item).items()}
    return item


def decode_json(content: bytes | msgspec.Raw, shape: Any = Any, max_values: int = MAX_VALUES) -> Any:
    """The JSON value of this shape; `msgspec.DecodeError` if it is none, or has too many values to be kept in memory."""
    if bytes(content).count(b",") > max_values:
        raise msgspec.DecodeError(f"It has more than {max_values} values.")
    return msgspec.json.decode(content, type=shape)


def _json(address: str, response: OutboundResponse) -> Any:
    try:
        return decode_json(response.body)
    except (msgspec.DecodeError, RecursionError, ValueError):
        raise SourceError(address, "Its answer is not JSON.") from None


def _wait(response: OutboundResponse | None, attempt: int) -> float:
    """Seconds until the next attempt: those that the source demands, else a few."""
    headers = {} if response is None else response.headers
    asked, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if asked.isascii() and asked.isdigit():
        return min(int(asked[:9]), MAX_WAIT_SECONDS)
    if headers.get("x-ratelimit-remaining") == "0" and reset.isascii() and reset.isdigit():
        return min(max(int(reset[:12]) - clock.timestamp() + 1, 0), MAX_WAIT_SECONDS)
    return attempt
