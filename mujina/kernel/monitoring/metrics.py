"""Counts for Prometheus: requests, statements, git operations, jobs, hooks and dropped log lines of all processes.

If there are several processes, each writes its counts to a file of a shared folder once a second, and the process that
is asked adds them up. The files are never mapped into memory: on a full disk a mapped file kills its process, while
counts that cannot be written are only old.
"""

import asyncio
import os
import shutil
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from mujina.kernel import deferred_imports
from mujina.kernel.monitoring import logs

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
GIT_SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800)
MAX_DELAY_SECONDS = 1.0
"""Seconds until other processes know a count, at the latest."""
Labels = TypeVar("Labels", bound=tuple[str, ...])
_folder: Path | None = None
"""Where processes that count together write their counts."""


def share(folder: Path) -> None:
    """From now on count together with the processes forked from this one; earlier counts in the folder are deleted."""
    global _folder  # noqa: PLW0603 - set once, before the processes are forked
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    _folder = folder


def count_request(method: str, route: str, status: int, seconds: float, statements: int) -> None:
    """A request was answered; `route` is the pattern of the path, `statements` what was run since the last one."""
    counts = _counts()
    request = (method, route, str(status))
    counts.requests[request] = counts.requests.get(request, 0) + 1
    _observe(counts.seconds, request[:2], SECONDS, seconds)
    counts.statements += statements
    _publish_soon()


def count_job(task: str, outcome: str) -> None:
    """A job ended: done, failed, released or parked."""
    jobs = _counts().jobs
    jobs[task, outcome] = jobs.get((task, outcome), 0) + 1
    _publish_soon()


def count_git(operation: str, protocol: str, outcome: str, seconds: float) -> None:
    """A git operation ended; over HTTP, a clone or push consists of several."""
    counts = _counts()
    counts.git[operation, protocol, outcome] = counts.git.get((operation, protocol, outcome), 0) + 1
    _observe(counts.git_seconds, (operation, protocol), GIT_SECONDS, seconds)
    _publish_soon()


def count_delivery(outcome: str, seconds: float) -> None:
    """A hook was called: answered, unreachable, forbidden by the guard of outbound requests, or its secrets are unreadable."""
    counts = _counts()
    counts.deliveries[(outcome,)] = counts.deliveries.get((outcome,), 0) + 1
    _observe(counts.delivery_seconds, (outcome,), SECONDS, seconds)
    _publish_soon()


def count_mail(outcome: str) -> None:
    """A notification was sent, rejected or postponed by the server, or withheld from one who may not read it any more."""
    mails = _counts().mails
    mails[(outcome,)] = mails.get((outcome,), 0) + 1
    _publish_soon()


def count_ldap_run(provider: str, kind: str, outcome: str) -> None:
    """A synchronization with a directory ended: done, failed, or waiting for a confirmation."""
    runs = _counts().ldap_runs
    runs[provider, kind, outcome] = runs.get((provider, kind, outcome), 0) + 1
    _publish_soon()


class Gauge(NamedTuple):
    """A number that is read when it is asked for."""

    name: str
    description: str
    values: Mapping[tuple[str, ...], float]
    """The counts by the values of the labels."""
    labels: tuple[str, ...] = ()


def exposition(version: str, gauges: Sequence[Gauge] = ()) -> bytes:
    """Everything counted so far, and these gauges, in the text format of Prometheus."""
    prometheus = deferred_imports.prometheus()
    registry = prometheus.CollectorRegistry()
    if _folder is None:
        prometheus.ProcessCollector(registry=registry)
    registry.register(_Collector(_all_processes(), gauges))
    build = f'# HELP mujina_build_info This Mujina.\n# TYPE mujina_build_info gauge\nmujina_build_info{{version="{version}"}} 1\n'
    return build.encode() + prometheus.generate_latest(registry)


def families(gauges: Sequence[Gauge]) -> Iterator[Any]:
    """Every metric that is counted, without counts, and these gauges: name, type, documentation and labels."""
    return _Collector(_Counts(), gauges).collect()


class _Counts(msgspec.Struct):
    """The counts of one process, or of several together."""

    requests: dict[tuple[str, str, str], int] = {}
    """The counts by method, route and status."""
    seconds: dict[tuple[str, str], list[float]] = {}
    """The numbers of requests that took up to each of `SECONDS` and longer, and the sum, by method and route."""
    jobs: dict[tuple[str, str], int] = {}
    """The counts by task and outcome."""
    git: dict[tuple[str, str, str], int] = {}
    """The counts by operation, protocol and outcome."""
    git_seconds: dict[tuple[str, str], list[float]] = {}
    """The durations by operation and protocol, as `seconds`."""
    deliveries: dict[tuple[str], int] = {}
    """The counts by outcome."""
    delivery_seconds: dict[tuple[str], list[float]] = {}
    """The durations by outcome, as `seconds`."""
    mails: dict[tuple[str], int] = {}
    """The counts by outcome."""
    ldap_runs: dict[tuple[str, str, str], int] = {}
    """The counts by provider, kind and outcome."""
    statements: int = 0
    dropped_log_lines: int = 0

    def add(self, other: "_Counts") -> None:
        _add_numbers(self.requests, other.requests)
        _add_times(self.seconds, other.seconds)
        _add_numbers(self.jobs, other.jobs)
        _add_numbers(self.git, other.git)
        _add_times(self.git_seconds, other.git_seconds)
        _add_numbers(self.deliveries, other.deliveries)
        _add_times(self.delivery_seconds, other.delivery_seconds)
        _add_numbers(self.mails, other.mails)
        _add_numbers(self.ldap_runs, other.ldap_runs)
        self.statements += other.statements
        self.dropped_log_lines += other.dropped_log_lines


def _observe(times: dict[Labels, list[float]], key: Labels, bounds: tuple[float, ...], seconds: float) -> None:
    buckets = times.get(key) or times.setdefault(key, [0.0] * (len(bounds) + 2))
    buckets[bisect_left(bounds, seconds)] += 1
    buckets[-1] += seconds


def _add_numbers(total: dict[Labels, int], numbers: dict[Labels, int]) -> None:
    for key, number in numbers.items():
        total[key] = total.get(key, 0) + number


def _add_times(total: dict[Labels, list[float]], times: dict[Labels, list[float]]) -> None:
    for key, buckets in times.items():
        known = total.get(key)
        total[key] = list(buckets) if known is None else [a + b for a, b in zip(known, buckets, strict=True)]


@cache
def _counts() -> _Counts:
    return _Counts()


_publishing: asyncio.TimerHandle | None = None


def _publish_soon() -> None:
    global _publishing  # noqa: PLW0603 - one timer for all counts of a second
    if _folder is not None and _publishing is None:
        _publishing = asyncio.get_running_loop().call_later(MAX_DELAY_SECONDS, _publish)


def _publish() -> None:
    """Write the counts of this process for the others; if the disk is full, they keep what was written before."""
    global _publishing  # noqa: PLW0603 - as above
    _publishing = None
    assert _folder is not None
    counts = _counts()
    counts.dropped_log_lines = logs.dropped_lines()
    path = _folder / f"{os.getpid()}.counts"
    draft = path.with_suffix(".draft")
    with suppress(OSError):
        draft.write_bytes(msgspec.msgpack.encode(counts))
        draft.replace(path)


def _all_processes() -> _Counts:
    total = _Counts()
    own = _counts()
    own.dropped_log_lines = logs.dropped_lines()
    total.add(own)
    for path in _folder.glob("*.counts") if _folder is not None else ():
        if path.stem != str(os.getpid()):
            total.add(msgspec.msgpack.decode(path.read_bytes(), type=_Counts))
    return total


class _Collector:
    """Counts as metrics of Prometheus."""

    def __init__(self, counts: _Counts, gauges: Sequence[Gauge]) -> None:
        self._counts = counts
        self._gauges = gauges

    def collect(self) -> Iterator[Any]:
        families, counts = deferred_imports.prometheus_families(), self._counts
        requests = families.CounterMetricFamily(
            "mujina_requests", "Requests answered.", labels=["method", "route", "status"]
        )
        for request, number in counts.requests.items():
            requests.add_metric(request, number)
        yield requests
        seconds = families.HistogramMetricFamily(
            "mujina_request_seconds", "Time to an answer.", labels=["method", "route"]
        )
        for route, times in counts.seconds.items():
            seconds.add_metric(route, _cumulative(SECONDS, times[:-1]), times[-1])
        yield seconds
        git = families.CounterMetricFamily(
            "mujina_git_operations", "Git operations ended.", labels=["operation", "protocol", "outcome"]
        )
        for operation, number in counts.git.items():
            git.add_metric(operation, number)
        yield git
        git_seconds = families.HistogramMetricFamily(
            "mujina_git_operation_seconds",
            "Time of a git operation, including the transfer.",
            labels=["operation", "protocol"],
        )
        for operation, times in counts.git_seconds.items():
            git_seconds.add_metric(operation, _cumulative(GIT_SECONDS, times[:-1]), times[-1])
        yield git_seconds
        yield from self._jobs(families)
        yield from self._deliveries(families)
        yield from self._read(families)
        yield from (self._mails(), self._ldap_runs())
        yield families.CounterMetricFamily(
            "mujina_statements", "SQL statements run, counted at the end of requests.", value=counts.statements
        )
        yield families.CounterMetricFamily(
            "mujina_dropped_log_lines", "Log lines that could not be written.", value=counts.dropped_log_lines
        )

    def _jobs(self, families: Any) -> Iterator[Any]:
        jobs = families.CounterMetricFamily("mujina_jobs", "Jobs ended.", labels=["task", "outcome"])
        for job, number in self._counts.jobs.items():
            jobs.add_metric(job, number)
        yield jobs

    def _deliveries(self, families: Any) -> Iterator[Any]:
        deliveries = families.CounterMetricFamily("mujina_hook_deliveries", "Calls of hooks.", labels=["outcome"])
        for outcome, number in self._counts.deliveries.items():
            deliveries.add_metric(outcome, number)
        yield deliveries
        seconds = families.HistogramMetricFamily(
            "mujina_hook_delivery_seconds", "Time of a call of a hook.", labels=["outcome"]
        )
        for outcome, times in self._counts.delivery_seconds.items():
            seconds.add_metric(outcome, _cumulative(SECONDS, times[:-1]), times[-1])
        yield seconds

    def _mails(self) -> Any:
        mails = deferred_imports.prometheus_families().CounterMetricFamily(
            "mujina_notification_mails", "Mail notifications.", labels=["outcome"]
        )
        for outcome, number in self._counts.mails.items():
            mails.add_metric(outcome, number)
        return mails

    def _read(self, families: Any) -> Iterator[Any]:
        for gauge in self._gauges:
            family = families.GaugeMetricFamily(gauge.name, gauge.description, labels=gauge.labels)
            for labels, value in gauge.values.items():
                family.add_metric(labels, value)
            yield family

    def _ldap_runs(self) -> Any:
        runs = deferred_imports.prometheus_families().CounterMetricFamily(
            "mujina_ldap_runs",
            "Synchronizations with a directory that ended; `waiting` ones need a confirmation.",
            labels=["provider", "kind", "outcome"],
        )
        for run, number in self._counts.ldap_runs.items():
            runs.add_metric(run, number)
        return runs


def _cumulative(bounds: tuple[float, ...], numbers: list[float]) -> list[tuple[str, float]]:
    total, buckets = 0.0, list[tuple[str, float]]()
    for bound, number in zip((*map(str, map(float, bounds)), "+Inf"), numbers, strict=True):
        total += number
        buckets.append((bound, total))
    return buckets
