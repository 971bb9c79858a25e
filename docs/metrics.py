"""Generates `metrics.md`: every metric that `/-/metrics` shows."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mujina import app
from mujina.kernel.db.connect import opened
from mujina.kernel.monitoring.metrics import Gauge, families
from mujina.kernel.monitoring.readiness import read_gauges
from mujina.migrations.upgrade import migrate
from mujina.settings import Settings

HEAD = """\
# Metrics

`/-/metrics` shows these to the addresses in `metrics_allow`; [operating](operating.md#monitoring) says how. Written from the code
by `make docs`. With one process, those of Python's client for the process itself (`process_…`) are there as well.

[grafana-dashboard.json](grafana-dashboard.json) shows them: import it in Grafana and choose the Prometheus that reads this
instance. A test checks that it asks for nothing that is not in this table.

| Metric | Type | Labels | |
|---|---|---|---|
"""


def page() -> str:
    """The page with the current metrics."""
    return HEAD + "".join(f"{row}\n" for row in sorted(map(_row, all_families())))


def all_families() -> list[Any]:
    """Every metric, as an instance without content has it."""
    with TemporaryDirectory() as folder:
        return list(families(asyncio.run(_gauges(Path(folder)))))


async def _gauges(folder: Path) -> list[Gauge]:
    settings = Settings(data=folder)
    await migrate(settings.database)
    async with opened(settings.database) as database:
        services = app.build_services(settings, database)
        try:
            return await read_gauges(services)
        finally:
            services.passwords.close()


def _row(family: Any) -> str:
    labels = ", ".join(f"`{label}`" for label in family._labelnames)  # noqa: SLF001 - it has no other name
    return f"| `{name(family)}` | {family.type} | {labels} | {family.documentation} |"


def name(family: Any) -> str:
    """The name as queries have it: a counter ends in `_total`."""
    return f"{family.name}_total" if family.type == "counter" else family.name
