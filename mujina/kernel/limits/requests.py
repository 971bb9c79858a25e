"""Limits of requests: how many of a kind a user, or an address without a user, may send in one minute.

The operator sets them, and they are read once: while none is set, no request costs a statement or carries a header. Each request
counts for one limit, the narrowest that is set for its kind and its sender.
"""

import re
from collections.abc import Awaitable
from contextvars import ContextVar
from email.utils import formatdate
from typing import Any, Final, Literal

import msgspec

from mujina.kernel import clock, errors
from mujina.kernel.http.applications import Application
from mujina.kernel.http.requests.log import current_address
from mujina.kernel.limits.counters import count_in_window, network_of
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.scopes import JOB
from mujina.kernel.services import Services
from mujina.kernel.storage.errors import storage_problem
from mujina.settings import Settings

_WINDOW: Final = 60
"""Seconds in which requests are counted together."""
Headers = list[tuple[bytes, bytes]]
Kind = Literal["api", "git", "search", "raw", "notes"]
_NAMES: Final[dict[Kind, str]] = {
    "api": "requests of the API", "git": "requests of git", "search": "searches", "raw": "raw files", "notes": "comments",
}  # fmt: skip
_NARROW: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    ("search", re.compile(r"GET .*/search")),
    ("raw", re.compile(r"GET .*(/raw|\}/raw/\{tail:path\})")),
    ("notes", re.compile(r"POST .*/(notes|draft_notes|discussions|comments)")),
)
"""The kinds that routes and pages have by their verb and path."""
_OF_RUNNERS: Final = re.compile(
    r"(?:GET|POST|PUT|PATCH) /jobs/.*|(?:POST|DELETE) /runners(?:/verify)?|POST .*_slash_commands/trigger"
)
"""Routes that runners call at their own pace, and those that chat servers call for everybody."""

_headers: ContextVar[Headers | None] = ContextVar("limit_headers", default=None)
"""The headers that the response to this request carries; None where there is no response."""


class Limit(msgspec.Struct, frozen=True):
    """How many requests of a kind may come in a minute."""

    kind: Kind
    number: int


class Limits(msgspec.Struct, frozen=True):
    """The limits of a route or page; None: there is none for such a sender."""

    of_user: Limit | None
    of_address: Limit | None


class RequestLimits:
    """The limits that the operator set. A secondary has none: it does not write to the database."""

    def __init__(self, services: Services) -> None:
        self._database = services.database
        on_primary = services.secondary is None
        self._of_users, self._of_addresses = _limits(services.settings) if on_primary else ({}, {})

    @property
    def on(self) -> bool:
        """Whether any is set."""
        return bool(self._of_users or self._of_addresses)

    def of_route(self, verb: str, path: str) -> Limits | None:
        """The limits of a route of the API; None if it has none."""
        if _OF_RUNNERS.fullmatch(f"{verb} {path}"):
            return None
        return self._among(*_narrow(verb, path), "api")

    def of_page(self, verb: str, path: str) -> Limits | None:
        """The limits of a page; None if it has none, as most."""
        return self._among(*_narrow(verb, path))

    def of_git(self) -> Limits | None:
        """The limits of git and LFS; None if they have none."""
        return self._among("git")

    def _among(self, *kinds: Kind) -> Limits | None:
        of_user, of_address = (
            next((limits[kind] for kind in kinds if kind in limits), None)
            for limits in (self._of_users, self._of_addresses)
        )
        return Limits(of_user, of_address) if of_user or of_address else None

    async def count(self, limits: Limits | None, actor: Actor, *, deploy_key: str | None = None) -> None:
        """Count a request; 429 if it is one too many. What CI jobs send is not counted, as what their runners send.

        While the storage is full, requests are answered uncounted: reading goes on.
        """
        if limits is None or JOB in actor.scopes:
            return
        limit, sender = limits.of_user, f"user {actor.id}"
        if deploy_key is not None:
            sender = f"key {deploy_key}"
        elif actor.anonymous:
            limit, sender = limits.of_address, f"address {network_of(current_address.get() or '')}"
        if limit is None:
            return
        window, passed = divmod(int(clock.timestamp()), _WINDOW)
        try:
            async with self._database.transaction() as tx:
                observed = await count_in_window(tx, f"{limit.kind} {sender} {window}")
        except Exception as error:
            if storage_problem(error) is None:
                raise
            return
        if (headers := _headers.get()) is not None:
            headers[:] = _headers_of(limit, observed, (window + 1) * _WINDOW)
        if observed > limit.number:
            raise errors.too_many_requests(_NAMES[limit.kind], _WINDOW - passed)


def _limits(settings: Settings) -> tuple[dict[Kind, Limit], dict[Kind, Limit]]:
    """The limits of users and those of addresses that are set."""
    of_users: dict[Kind, int | None] = {
        "api": settings.max_api_requests, "git": settings.max_git_requests, "search": settings.max_searches,
        "raw": settings.max_raw_files, "notes": settings.max_notes,
    }  # fmt: skip
    of_addresses: dict[Kind, int | None] = {
        "api": settings.max_anonymous_api_requests,
        "git": settings.max_anonymous_git_requests,
        "search": settings.max_anonymous_searches,
        "raw": settings.max_anonymous_raw_files,
    }
    return _those_set(of_users), _those_set(of_addresses)


def _those_set(numbers: dict[Kind, int | None]) -> dict[Kind, Limit]:
    return {kind: Limit(kind, number) for kind, number in numbers.items() if number is not None}


def _narrow(verb: str, path: str) -> list[Kind]:
    return [kind for kind, pattern in _NARROW if pattern.fullmatch(f"{verb} {path}")]


def _headers_of(limit: Limit, observed: int, reset: int) -> Headers:
    values = {
        "Limit": limit.number, "Observed": observed, "Remaining": max(0, limit.number - observed), "Reset": reset,
        "ResetTime": formatdate(reset, usegmt=True), "Name": limit.kind,
    }  # fmt: skip
    return [(f"ratelimit-{name}".lower().encode(), str(value).encode()) for name, value in values.items()]


def with_limit_headers(application: Application) -> Application:
    """The application whose responses to counted requests say how many more may come; composed only while a limit is set."""

    async def respond(scope: dict[str, Any], receive: Any, send: Any) -> None:
        headers: Headers = []
        _headers.set(headers)

        def sending(message: dict[str, Any]) -> Awaitable[None]:
            if message["type"] == "http.response.start" and headers:
                message["headers"] = [*message["headers"], *headers]
            return send(message)

        await application(scope, receive, sending)

    return respond
