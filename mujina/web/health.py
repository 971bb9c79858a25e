"""Health, readiness and metrics for operators and their monitoring."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any

import msgspec

from mujina.kernel.http.applications import Application
from mujina.kernel.http.requests.log import record_of
from mujina.kernel.monitoring import metrics
from mujina.kernel.monitoring.logs import log
from mujina.kernel.monitoring.readiness import OK, TIMEOUT_SECONDS
from mujina.settings import Settings

RunChecks = Callable[[], Awaitable[Mapping[str, str]]]
"""Returns the outcome of each check: `ok`, or why the next POST would fail."""
ReadGauges = Callable[[], Awaitable[Sequence[metrics.Gauge]]]
Scope = dict[str, Any]

TEXT, JSON, PROMETHEUS = "text/plain; charset=utf-8", "application/json", "text/plain; version=0.0.4; charset=utf-8"


class Health:
    """Answers `/-/health`, `/-/liveness`, `/-/readiness` and `/-/metrics`, and passes all other requests on."""

    def __init__(
        self,
        application: Application,
        settings: Settings,
        run_checks: RunChecks,
        version: str,
        read_gauges: ReadGauges,
    ) -> None:
        self._application = application
        self._version = version
        self._run_checks = run_checks
        self._read_gauges = read_gauges
        self._allowed = [ip_network(network) for network in settings.metrics_allow]
        self._handlers = {
            "/-/health": self._health,
            "/-/liveness": self._liveness,
            "/-/readiness": self._readiness,
            "/-/metrics": self._metrics,
        }

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """The ASGI application."""
        handler = self._handlers.get(scope.get("path", "")) if scope.get("method") in ("GET", "HEAD") else None
        if handler is None:
            await self._application(scope, receive, send)
            return
        record_of(scope).route = scope["path"]
        status, content_type, body = await handler(scope)
        headers = [(b"content-type", content_type.encode()), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _health(self, _: Scope) -> tuple[int, str, bytes]:
        return 200, TEXT, b"ok\n"

    async def _liveness(self, _: Scope) -> tuple[int, str, bytes]:
        """The process responds; no other problem would be fixed by a restart."""
        return 200, JSON, b'{"status":"ok"}'

    async def _readiness(self, _: Scope) -> tuple[int, str, bytes]:
        """Whether the next POST would work; the reason given otherwise reveals nothing sensitive."""
        results = await self._run_checks()
        ready = all(result == OK for result in results.values())
        report = {"status": "ok" if ready else "failed", "checks": results}
        return 200 if ready else 503, JSON, msgspec.json.encode(report)

    async def _metrics(self, scope: Scope) -> tuple[int, str, bytes]:
        """Prometheus metrics, for the addresses that the operator allows."""
        if not _comes_from(scope, self._allowed):
            return 403, TEXT, b"Add your address to the setting metrics_allow to read this.\n"
        gauges: Sequence[metrics.Gauge] = ()
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                gauges = await self._read_gauges()
        except Exception as error:  # noqa: BLE001 - what is counted here does not depend on the database
            log.warning("metrics without the database", error=repr(error))
        return 200, PROMETHEUS, metrics.exposition(self._version, gauges)


def _comes_from(scope: Scope, allowed: list[IPv4Network | IPv6Network]) -> bool:
    """Whether the client and every address in `X-Forwarded-For` are in these networks: a proxy does not vouch for others."""
    forwarded = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
    addresses = [scope["client"][0], *(part.strip() for value in forwarded for part in value.split(","))]
    try:
        return all(any(ip_address(address) in network for network in allowed) for address in addresses)
    except ValueError:
        return False
