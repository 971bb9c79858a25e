"""The access log: one line for each HTTP request and each SSH command, and their metrics.

Lines are collected and written together a moment later, so that a request does not wait for the log.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Mapping, MutableMapping
from contextvars import ContextVar
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from random import getrandbits
from typing import Any, Literal

import msgspec

from mujina.kernel.db.transaction import Database
from mujina.kernel.http.applications import Application
from mujina.kernel.http.requests.headers import headers_of
from mujina.kernel.monitoring.logs import MASKED, bind, log, mask_text
from mujina.kernel.monitoring.metrics import count_git, count_request
from mujina.kernel.permissions.actor import Actor
from mujina.settings import Settings

SLOW_SECONDS = 1.0
"""Requests that take longer are logged even if the access log is off."""
MAX_DELAY_SECONDS = 0.1
"""A line is written at most this long after its request has ended."""
CLIENT_CLOSED = 499
"""The status logged for a request whose client disconnected before the response began."""
OTHER = "other"
"""Unknown paths and methods are counted together: clients must not add labels."""
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_MAX_PATH = 500
_TOKEN = re.compile(r"[0-9a-f]{32,}")
_SAFE_ID = re.compile(r"[^A-Za-z0-9_.:-]")
_KEY = "mujina.request"

current_address: ContextVar[str | None] = ContextVar("current_address", default=None)
"""The address of the client whose request runs; None in jobs and on the command line."""

GitOperation = Literal["advertise", "ls-refs", "fetch", "push", "archive", "lfs"]
Outcome = Literal["ok", "rejected", "busy", "failed", "disconnected"]


class ClientDisconnected(ConnectionError):
    """The client disconnected before the end of its request or of the response: nothing more reaches it."""


class RequestRecord(msgspec.Struct, omit_defaults=True):
    """The fields of one line of the access log; each part of the program sets those that it knows."""

    method: str
    path: str
    address: str
    request_id: str
    event: str = ""
    route: str = ""
    """The pattern of the path; empty if it matches none."""
    user: str | None = None
    impersonator_id: int | None = None
    """The administrator who acts as `user`."""
    key: str | None = None
    """The fingerprint of the deploy key that was used."""
    operation: GitOperation | None = None
    outcome: Outcome | None = None
    """How a git request ended; of other requests, only that the response is not whole."""
    status: int | None = None
    bytes_received: int = 0
    """The bytes that a git request sent."""
    bytes: int | None = None
    seconds: float = 0.0
    level: str = ""
    timestamp: str = ""

    def acts(self, actor: Actor) -> None:
        """The request is authenticated as this actor."""
        if not actor.anonymous:
            self.user, self.impersonator_id = actor.username, actor.impersonator_id


def record_of(scope: Mapping[str, Any]) -> RequestRecord:
    """The record of a request, by its ASGI scope."""
    return scope.get(_KEY) or RequestRecord("", "", "", "")


def new_id() -> str:
    """A random UUID; it is no secret, so a fast generator suffices."""
    digits = f"{getrandbits(128):032x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


class RequestLog:
    """An application whose requests are counted and logged, and whose responses carry their request id."""

    def __init__(self, application: Application, settings: Settings, database: Database) -> None:
        self._application = application
        self._database = database
        self._counted = 0
        self._all = settings.access_log
        self._proxies = [ip_network(network) for network in settings.trusted_proxies]

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """The ASGI application."""
        started = time.perf_counter()
        address = (scope.get("client") or ("",))[0]
        if self._proxies:
            address = client_address(address, scope["headers"], self._proxies)
            scope["client"] = (address, 0)
        current_address.set(address or None)
        record = scope[_KEY] = RequestRecord(scope["method"], scope["path"], address, _request_id(scope))
        id_header = (b"x-request-id", record.request_id.encode())
        size = 0

        def counted(message: dict[str, Any]) -> Awaitable[None]:
            nonlocal size
            if message["type"] == "http.response.start":
                record.status = message["status"]
                message["headers"] = [*message["headers"], id_header]
            else:
                size += len(message.get("body", b""))
            return send(message)

        bind(request_id=record.request_id)
        try:
            await self._application(scope, receive, counted)
        except ClientDisconnected:
            record.outcome = "disconnected"
        except Exception:
            record.outcome = "failed"
            raise
        finally:
            record.status = record.status or CLIENT_CLOSED
            record.bytes, record.path = size, scope["path"]  # as it was sent, if the application set it so
            self._finish(record, time.perf_counter() - started)

    def _finish(self, record: RequestRecord, seconds: float) -> None:
        run = self._database.statements
        method = record.method if record.method in METHODS else OTHER
        record.route = record.route or OTHER
        count_request(method, record.route, record.status or 0, seconds, run - self._counted)
        self._counted = run
        if record.operation:
            record.outcome = record.outcome or _outcome(record.status or 0)
            count_git(record.operation, "http", record.outcome, seconds)
        if self._all or seconds > SLOW_SECONDS:
            record.method = method
            log_access("request", record, seconds)


def log_access(event: str, record: RequestRecord, seconds: float) -> None:
    """Write the line of a request that has ended."""
    record.event, record.seconds = event, round(seconds, 6)
    record.route, record.level = record.route or OTHER, "info"
    record.path = _logged_path(record.path[:_MAX_PATH], record.route)
    record.timestamp = datetime.now(UTC).isoformat(timespec="microseconds")
    _pending.append(record)
    if len(_pending) == 1:
        asyncio.get_running_loop().call_later(MAX_DELAY_SECONDS, flush)


def _logged_path(path: str, route: str) -> str:
    """A path with a token, as links in mails have, would open what it leads to; so might one that was cut off or extended."""
    if "{token}" in route:
        return route
    return mask_text(_TOKEN.sub(MASKED, path) if route == OTHER else path)


_pending: list[RequestRecord] = []


def flush() -> None:
    """Write the collected lines now."""
    records = [*_pending]
    _pending.clear()
    if records:
        log.write_records(records)


def client_address(peer: str, headers: list[tuple[bytes, bytes]], proxies: list[IPv4Network | IPv6Network]) -> str:
    """The address of the client: the last one in `X-Forwarded-For` that is not a trusted proxy.

    Each proxy appends the address it was called from. What stands before an untrusted address may be forged.
    """
    forwarded = [value.decode("latin-1") for name, value in headers if name == b"x-forwarded-for"]
    hops = [peer, *(part.strip() for part in reversed(",".join(forwarded).split(",")) if part.strip())]
    address = peer
    for hop in hops:
        parsed = _parsed(hop)
        if parsed is None:
            break
        address = str(parsed)
        if not any(parsed in network for network in proxies):
            break
    return address


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def _request_id(scope: MutableMapping[str, Any]) -> str:
    """The client's `X-Request-Id`, reduced to harmless characters, or a new one."""
    given = headers_of(scope).get(b"x-request-id")
    return (given and _SAFE_ID.sub("", given.decode("latin-1"))[:255]) or new_id()


def _outcome(status: int) -> Outcome:
    if status == CLIENT_CLOSED:
        return "disconnected"
    if status == 503:
        return "busy"
    return "ok" if status < 400 else "rejected" if status < 500 else "failed"
