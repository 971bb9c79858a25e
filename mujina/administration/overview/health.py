"""The state of each part of the instance in words."""

import shutil
from typing import Final
from urllib.parse import urlsplit

from mujina.administration.overview.entities import InstanceState
from mujina.kernel import clock
from mujina.kernel.monitoring.readiness import HealthLine
from mujina.settings import Settings
from mujina.web.frame.formats import plural, size

MIN_FREE_SHARE: Final = 0.05
"""The share of the disk below which an administrator should make room."""
MAX_WAIT_SECONDS: Final = 300
"""Work in the background that waits for longer is late."""
ENGINES: Final = {"sqlite": "SQLite", "postgres": "PostgreSQL"}


def health_lines(settings: Settings, state: InstanceState) -> list[HealthLine]:
    """Every part of the instance, in a fixed order."""
    return [
        _database(state),
        _repositories(settings, state),
        _jobs(state),
        _hooks(state),
        _mail(settings, state),
        *state.later_lines,
    ]


def _database(state: InstanceState) -> HealthLine:
    version = state.database.version.partition(" ")[0]
    return HealthLine.of("Database", True, f"{ENGINES[state.engine]} {version}, {size(state.database.bytes)}")


def _repositories(settings: Settings, state: InstanceState) -> HealthLine:
    disk = shutil.disk_usage(settings.data)
    words = f"{size(state.totals.repository_bytes)}, {size(disk.free)} of {size(disk.total)} free"
    return HealthLine.of("Repositories", disk.free >= disk.total * MIN_FREE_SHARE, words)


def _jobs(state: InstanceState) -> HealthLine:
    waiting = sum(queue.backlog for queue in state.queues)
    parked = sum(queue.parked for queue in state.queues)
    age = max((age_of(queue.oldest) for queue in state.queues), default=0.0)
    words = f"{waiting:,} queued, oldest {seconds_in_words(age)}" if waiting else "Nothing waits"
    if parked:
        words += f", {parked:,} failed for good"
    return HealthLine.of("Background jobs", not parked and age <= MAX_WAIT_SECONDS, words, "/admin/background_jobs")


def _hooks(state: InstanceState) -> HealthLine:
    stopped = state.deliveries.paused + state.deliveries.disabled
    if stopped:
        words = f"{stopped:,} of {state.totals.hooks:,} paused after failures"
    else:
        words = f"{plural(state.totals.hooks, 'hook')}, {plural(state.deliveries.waiting, 'delivery', 'deliveries')} waiting"
    return HealthLine.of("Web hooks", not stopped, words, "/admin/hooks")


def _mail(settings: Settings, state: InstanceState) -> HealthLine:
    waiting = f", {state.totals.mails:,} waiting" if state.totals.mails else ""
    if not mail_server(settings):
        return HealthLine.of("Email", True, f"No mail server: mail is kept in the data folder{waiting}", "/admin/email")
    healthy = age_of(state.totals.oldest_mail) <= MAX_WAIT_SECONDS
    return HealthLine.of("Email", healthy, f"{mail_server(settings)}{waiting}", "/admin/email")


def mail_server(settings: Settings) -> str:
    """The mail server without its credentials; empty: none."""
    return urlsplit(settings.smtp_url or "").hostname or ""


def age_of(moment: str | None) -> float:
    """Seconds since a stored instant; 0 for none."""
    return 0.0 if moment is None else max(0.0, -clock.seconds_until(moment))


def seconds_in_words(seconds: float) -> str:
    """`0.4 s`, `12 s`, `5 min`, `3 h`, `2 days`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    for limit, step, unit in ((120, 1, "s"), (7_200, 60, "min"), (172_800, 3_600, "h")):
        if seconds < limit:
            return f"{int(seconds // step)} {unit}"
    return f"{int(seconds // 86_400)} days"
