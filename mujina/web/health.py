"""What those who run the instance and their machines ask: does it live, is it ready, what does it count?"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any

import msgspec

from mujina.kernel import metrics
from mujina.kernel.logs import log
from mujina.settings import Settings

Application = Callable[..., Awaitable[None]]
FindTrouble = Callable[[], Awaitable[str | None]]
"""Tells in a word why the first POST would not work, or None."""
Scope = Mapping[str, Any]

TEXT, JSON, PROMETHEUS = "text/plain; charset=utf-8", "application/json", "text/plain; version=0.0.4; charset=utf-8"
PATIENCE_SECONDS = 2.0


class Health:
    """Answers `/-/health`, `/-/liveness`, `/-/readiness` and `/-/metrics`, and hands everything else on."""

    def __init__(self, application: Application, settings: Settings, find_trouble: FindTrouble, version: str) -> None:
        self._application = application
        self._version = version
        self._find_trouble = find_trouble
        self._allowed = [ip_network(network) for network in settings.metrics_allow]
        self._answers = {
            "/-/health": self._health,
            "/-/liveness": self._liveness,
            "/-/readiness": self._readiness,
            "/-/metrics": self._metrics,
        }

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """The ASGI application."""
        answer = self._answers.get(scope.get("path", "")) if scope.get("method") in ("GET", "HEAD") else None
        if answer is None:
            await self._application(scope, receive, send)
            return
        status, kind, body = await answer(scope)
        headers = [(b"content-type", kind.encode()), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _health(self, _: Scope) -> tuple[int, str, bytes]:
        """It answers."""
        return 200, TEXT, b"ok\n"

    async def _liveness(self, _: Scope) -> tuple[int, str, bytes]:
        """It answers: whatever else is wrong, a restart would not mend it."""
        return 200, JSON, b'{"status":"ok"}'

    async def _readiness(self, _: Scope) -> tuple[int, str, bytes]:
        """The first POST would work; if not, a word why, which tells a stranger nothing."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                trouble = await self._find_trouble()
        except Exception as error:  # noqa: BLE001 - whatever it is, we are not ready
            log.warning("not ready", error=repr(error))
            trouble = "unreachable"
        told = {"status": "failed" if trouble else "ok", "checks": {"database": trouble or "ok"}}
        return 503 if trouble else 200, JSON, msgspec.json.encode(told)

    async def _metrics(self, scope: Scope) -> tuple[int, str, bytes]:
        """Counts, for those addresses the operator allows."""
        if not _comes_from(scope, self._allowed):
            return 403, TEXT, b"Add your address to the setting metrics_allow to read this.\n"
        return 200, PROMETHEUS, metrics.exposition(self._version)


def _comes_from(scope: Scope, allowed: list[IPv4Network | IPv6Network]) -> bool:
    """Whether the request comes from these networks, as do all whom proxies name: a proxy is not the asker."""
    named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
    askers = [scope["client"][0], *(part.strip() for value in named for part in value.split(","))]
    try:
        return all(any(ip_address(asker) in network for network in allowed) for asker in askers)
    except ValueError:
        return False
