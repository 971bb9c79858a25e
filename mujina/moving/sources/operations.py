"""Requests to a source: guarded, bounded, patient with rate limits. Every failure is a `SourceFailure` with its address."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from contextvars import ContextVar
from functools import partial
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
"""A page of a list of which one page is kept in memory at a time, such as the issues of a project."""
MAX_LIST_BYTES: Final = 16 << 20
"""All pages together of lists that are kept in memory, such as everything about an issue."""
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


class MemoryBudget:
    """The memory for lists that are kept together."""

    def __init__(self) -> None:
        self._left = MAX_LIST_BYTES

    def take(self, size: int) -> bool:
        """Whether the budget still covers an answer of this size."""
        self._left -= size
        return self._left >= 0


_SHARED_BUDGET: Final = ContextVar[MemoryBudget | None]("shared budget", default=None)


@contextmanager
def shared_budget() -> Generator[None]:
    """All lists that the block reads, also in tasks that it starts, share the budget of one, or that of the block around it."""
    token = _SHARED_BUDGET.set(_SHARED_BUDGET.get() or MemoryBudget())
    try:
        yield
    finally:
        _SHARED_BUDGET.reset(token)


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
        ask = partial(
            self._outbound.get, headers=headers, timeouts=_TIMEOUTS, follow=MAX_REDIRECTS, max_bytes=max_bytes
        )
        response = await self._patiently(url, ask)
        if response.status == 401 or _is_retried(response.status, response.headers):
            raise SourceUnavailable(url, f"It answered with status {response.status}.", response.status)
        if response.status != 200:
            raise SourceError(url, f"It answered with status {response.status}.", response.status)
        if response.truncated:
            raise SourceError(url, f"Its answer is longer than {max_bytes} bytes.")
        return response

    async def post(self, shape: type[Record], url: str, body: object, header: dict[str, str]) -> Record:
        """The object that a source answers to a body; only this header is sent."""
        ask = partial(self._outbound.post, json=body, headers=header, timeouts=_TIMEOUTS, max_bytes=MAX_PAGE_BYTES)
        response = await self._patiently(url, ask)
        if response.status != 200:
            raise SourceError(url, f"It answered with status {response.status}.", response.status)
        return read(shape, _json(url, response), url)

    async def _patiently(self, url: str, ask: Callable[[str], Awaitable[OutboundResponse]]) -> OutboundResponse:
        """The last response; waits and asks again where the source says so, or can not be reached."""
        response = await self._ask(url, ask)
        for attempt in range(1, ATTEMPTS):
            if response is not None and not _is_retried(response.status, response.headers):
                break
            await asyncio.sleep(_wait(response.headers if response else {}, attempt))
            response = await self._ask(url, ask)
        if response is None:
            raise SourceUnavailable(url, "It could not be reached.")
        return response

    async def _ask(self, url: str, ask: Callable[[str], Awaitable[OutboundResponse]]) -> OutboundResponse | None:
        """The response to one request; None if the source could not be reached."""
        try:
            async with self._slots:
                started = monotonic()
                response = await ask(url)
                self._answers, self._seconds = self._answers + 1, self._seconds + monotonic() - started
                return response
        except OutboundForbidden as error:
            raise SourceError(url, str(error)) from None
        except HostUnreachable:
            return None

    def download(self, path: str, seconds: float) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """The file below the address, in pieces; redirects lead to a storage, which does not get the token."""
        if ".." in unquote(path).split("/"):
            raise SourceError(f"{self.address}{path}", "Its path leads elsewhere.")
        return self.stream(f"{self.address}{path}", self._header, seconds, redirects=MAX_REDIRECTS)

    @asynccontextmanager
    async def stream(
        self, url: str, header: Mapping[str, str], seconds: float, *, redirects: int = 0
    ) -> AsyncGenerator[AsyncIterator[bytes]]:
        """The body at any address, in pieces; only this header is sent, and to no other host.

        Waits and asks again where the source says so: the seconds are those of one attempt.
        """
        lines = [
            (name.encode(), value.encode()) for name, value in header.items() if name.lower() not in _OF_CONNECTIONS
        ]
        address = url.partition("?")[0]  # what follows may be a secret
        try:
            for attempt in range(1, ATTEMPTS + 1):
                async with asyncio.timeout(seconds), self._slots, AsyncExitStack() as opened:
                    answer = await self._open(opened, url, lines, redirects)
                    if answer.status == 200:
                        yield answer.chunks
                        return
                    headers = _headers(answer)
                if attempt == ATTEMPTS or not _is_retried(answer.status, headers):
                    raise SourceError(address, f"It answered with status {answer.status}.", answer.status)
                await asyncio.sleep(_wait(headers, attempt))
        except OutboundForbidden as error:
            raise SourceError(address, str(error)) from None
        except (HostUnreachable, TimeoutError):
            raise SourceError(address, "It broke off.") from None
        except ValueError:
            raise SourceError(address, "It leads to no address.") from None

    async def _open(
        self, opened: AsyncExitStack, url: str, lines: list[tuple[bytes, bytes]], redirects: int
    ) -> OutboundStream:
        """The answer at the end of the redirects, while `opened` is open; another host does not get the header."""
        answer = await opened.enter_async_context(self._outbound.exchange("GET", url, lines, None, _TIMEOUTS))
        while redirects and answer.status in REDIRECTS:
            before, url = url, urljoin(url, _headers(answer).get("location", ""))
            redirects, lines = redirects - 1, lines if _origin(url) == _origin(before) else []
            answer = await opened.enter_async_context(self._outbound.exchange("GET", url, lines, None, _TIMEOUTS))
        return answer

    async def one(self, shape: type[Record], path: str) -> Record:
        """The object at the path."""
        return read(shape, await self.json(path), f"{self.address}{path}")

    async def json(self, path: str) -> Any:
        """The answer at the path, whatever it is."""
        return _json(f"{self.address}{path}", await self.get(path, max_bytes=MAX_LIST_BYTES))

    async def pages(
        self, path: str, query: Query = EMPTY, key: str = "", *, long: bool = False
    ) -> AsyncGenerator[list[Any]]:
        """The pages of a list, each as parsed JSON; a list that repeats itself or does not end is an error.

        `key`: the field of an answer that has the list; without one, the answer is the list. `long`: one page is kept in
        memory at a time, so that all of them may have any number of bytes.
        """
        name, size = self._page_size
        budget, max_bytes = _SHARED_BUDGET.get() or MemoryBudget(), MAX_PAGE_BYTES if long else MAX_LIST_BYTES
        params: dict[str, str | int] | None = {**query, "page": 1, name: size}
        url, before, seen = f"{self.address}{path}", None, 0
        for _ in range(MAX_PAGES):
            response = await self.get(path, params, max_bytes=max_bytes)
            if not long and not budget.take(len(response.body)):
                raise SourceError(url, f"Everything about it is longer than {MAX_LIST_BYTES} bytes together.")
            page, total = _items(url, response, key)
            if page and hash(response.body) == before:
                raise SourceError(url, "Its pages repeat each other.")
            before, seen = hash(response.body), seen + len(page)
            params = _following(params, response, total, seen, full=len(page) == size) if page else None
            if page:
                yield page
            if params is None:
                return
            del page, response  # neither is kept while the next one is read
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


def _items(url: str, response: OutboundResponse, key: str) -> tuple[list[Any], Any]:
    """The list that the response is, or has as `key`, and how many objects all pages have, if it says so."""
    items, total = _json(url, response), None
    if isinstance(items, dict):
        fields = cast("dict[str, Any]", items)
        items, total = fields.get(key), fields.get("total_count")
    if not isinstance(items, list):
        raise SourceError(url, "Its answer is not a list.")
    return cast("list[Any]", items), total


def _following(
    params: dict[str, str | int], response: OutboundResponse, total: Any, seen: int, *, full: bool
) -> dict[str, str | int] | None:
    """The parameters of the next page; None after the last one. Of a link only parameters are taken, never an address.

    `full`: the page is as long as was asked for. A longer one is a whole list, of a source that has no pages of it.
    """
    headers = response.headers
    more = {**params, "page": int(params["page"]) + 1}
    if "x-next-page" in headers:
        return more if headers["x-next-page"] else None
    if "link" in headers:
        following = _NEXT_PAGE.search(headers["link"])
        return {**more, **dict(parse_qsl(urlsplit(following[1]).query))} if following else None
    known = str(headers.get("x-total-count", total))
    if known.isascii() and known.isdigit():
        return more if seen < int(known[:18]) else None
    return more if full else None


def _headers(answer: OutboundStream) -> dict[str, str]:
    """The headers, with names in lower case."""
    return {name.lower().decode("latin-1"): value.decode("latin-1") for name, value in answer.headers}


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()


def _is_retried(status: int, headers: Mapping[str, str]) -> bool:
    """Whether the source asks to come back later; GitHub answers 403 when its rate limit is reached."""
    limited = "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"
    return status in _RETRIED or (status == 403 and limited)


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


def _wait(headers: Mapping[str, str], attempt: int) -> float:
    """Seconds until the next attempt: those that the source demands, else a few."""
    asked, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if asked.isascii() and asked.isdigit():
        return min(int(asked[:9]), MAX_WAIT_SECONDS)
    if headers.get("x-ratelimit-remaining") == "0" and reset.isascii() and reset.isdigit():
        return min(max(int(reset[:12]) - clock.timestamp() + 1, 0), MAX_WAIT_SECONDS)
    return attempt
