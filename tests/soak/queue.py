"""A long queue: it survives restarts, and is delivered fast."""

import time
from pathlib import Path

from tests.soak import database
from tests.soak.figures import Figure, progress
from tests.soak.receivers import Receivers
from tests.soak.servers import HookServer

HOOKS = 10
MIN_RATE = 200
PATIENCE_SECONDS = 30
"""For two starts, besides the time that the required rate gives."""


def drain(place: Path, url: str, engine: str, *, others: int, queued: int) -> list[Figure]:
    """Deliveries that wait while the server is stopped: all of them arrive, also over another restart."""
    server = HookServer(place, url, others=others)
    server.start()
    try:
        with Receivers() as receivers:
            port = receivers.healthy()
            for number in range(HOOKS):
                server.project_with_hook(f"queue-{number}", port)
            server.stop()
            database.enqueue(url, queued)
            left = database.waiting(url)
            progress(engine, f"{left} deliveries wait")
            server.start()
            started = time.monotonic()
            deadline = started + PATIENCE_SECONDS + queued / MIN_RATE
            _wait(engine, receivers, queued // 4, deadline)
            server.stop()
            progress(engine, f"restarted, {database.waiting(url)} deliveries wait")
            server.start()
            _wait(engine, receivers, queued, deadline)
            rate = len(receivers.different) / (time.monotonic() - started)
            arrived, repeats = len(receivers.different), len(receivers.received) - len(receivers.different)
    finally:
        server.kill()
    return [
        Figure(engine, f"of {queued} queued deliveries, arrived over two restarts", str(arrived), str(queued),
               arrived == queued),
        Figure(engine, "of these, each second", f"{rate:.0f}", f"≥ {MIN_RATE}", rate >= MIN_RATE),
        Figure(engine, "of these, delivered twice", str(repeats), "< 0.5 %", repeats < queued * 0.005),
    ]  # fmt: skip


def _wait(engine: str, receivers: Receivers, number: int, deadline: float) -> None:
    told = time.monotonic()
    while len(receivers.different) < number and time.monotonic() < deadline:
        time.sleep(0.1)
        if time.monotonic() > told + 10:
            told = time.monotonic()
            progress(engine, f"{len(receivers.different)} delivered")
