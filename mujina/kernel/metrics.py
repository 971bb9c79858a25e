"""What is counted, for Prometheus: requests, statements and jobs, as totals of all processes of one `mujina serve`.

Where there are several, each counts in files of a shared folder, and the one that is asked adds them up.
"""

import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

from mujina.kernel import lazy

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_SHARED = "PROMETHEUS_MULTIPROC_DIR"  # read by prometheus_client when it is first imported


def share(folder: Path) -> None:
    """From now on count together with the processes forked from this one; what the folder held is forgotten."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    os.environ[_SHARED] = str(folder)


def count_request(method: str, route: str, status: int, seconds: float, statements: int) -> None:
    """A request was answered; `route` is the pattern of the path, `statements` what was run since the last one."""
    counting = _counting()
    answer, last = counting.request(method, route, status)
    answer()
    last(seconds)
    counting.statements.inc(statements)


def count_job(task: str, outcome: str) -> None:
    """A job ended: done, failed, released or parked."""
    _counting().jobs.labels(task, outcome).inc()


def exposition(version: str) -> bytes:
    """Everything counted so far, in the text format of Prometheus."""
    prometheus = lazy.prometheus()
    registry = _counting().registry
    if _SHARED in os.environ:
        registry = prometheus.CollectorRegistry()
        lazy.prometheus_files().MultiProcessCollector(registry)
    build = f'# HELP mujina_build_info This Mujina.\n# TYPE mujina_build_info gauge\nmujina_build_info{{version="{version}"}} 1\n'
    return build.encode() + prometheus.generate_latest(registry)


class _Counting:
    def __init__(self) -> None:
        prometheus = lazy.prometheus()
        prometheus.disable_created_metrics()
        self.registry = prometheus.CollectorRegistry()
        prometheus.ProcessCollector(registry=self.registry)
        self.requests = prometheus.Counter(
            "mujina_requests_total", "Requests answered.", ["method", "route", "status"], registry=self.registry
        )
        self.seconds = prometheus.Histogram(
            "mujina_request_seconds", "Time to an answer.", ["method", "route"], buckets=SECONDS, registry=self.registry
        )
        self.jobs = prometheus.Counter("mujina_jobs_total", "Jobs ended.", ["task", "outcome"], registry=self.registry)
        self.statements = prometheus.Counter(
            "mujina_statements_total", "SQL statements run, counted at the end of requests.", registry=self.registry
        )
        self.request = cache(self._request)

    def _request(self, method: str, route: str, status: int) -> tuple[Callable[[], None], Callable[[float], None]]:
        return self.requests.labels(method, route, status).inc, self.seconds.labels(method, route).observe


@cache
def _counting() -> _Counting:
    return _Counting()
