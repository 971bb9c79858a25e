"""What is counted, for Prometheus: requests, statements, git operations and jobs, as totals of all processes of one `mujina serve`.

Where there are several, each counts in files of a shared folder, and the one that is asked adds them up.
"""

import asyncio
import os
import shutil
from collections import Counter
from functools import cache
from pathlib import Path

from mujina.kernel import deferred_imports

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
GIT_SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800)
MAX_DELAY_SECONDS = 1.0
"""Seconds until a request is counted at the latest."""
BATCH_SIZE = 100
"""So many requests are counted at once, in a fraction of a millisecond."""
_SHARED = "PROMETHEUS_MULTIPROC_DIR"  # read by prometheus_client when it is first imported


def share(folder: Path) -> None:
    """From now on count together with the processes forked from this one; what the folder held is forgotten."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    os.environ[_SHARED] = str(folder)


def count_request(method: str, route: str, status: int, seconds: float, statements: int) -> None:
    """A request was answered; `route` is the pattern of the path, `statements` what was run since the last one.

    Other processes hear of it within a second.
    """
    _counting().note((method, route, status, seconds, statements))


def count_job(task: str, outcome: str) -> None:
    """A job ended: done, failed, released or parked."""
    _counting().jobs.labels(task, outcome).inc()


def count_git(operation: str, protocol: str, outcome: str, seconds: float) -> None:
    """A git operation ended; over HTTP, a clone or push consists of several."""
    counting = _counting()
    counting.git.labels(operation, protocol, outcome).inc()
    counting.git_seconds.labels(operation, protocol).observe(seconds)


def exposition(version: str) -> bytes:
    """Everything counted so far, in the text format of Prometheus."""
    prometheus = deferred_imports.prometheus()
    counting = _counting()
    counting.tell()
    registry = counting.registry
    if _SHARED in os.environ:
        registry = prometheus.CollectorRegistry()
        deferred_imports.prometheus_files().MultiProcessCollector(registry)
    build = f'# HELP mujina_build_info This Mujina.\n# TYPE mujina_build_info gauge\nmujina_build_info{{version="{version}"}} 1\n'
    return build.encode() + prometheus.generate_latest(registry)


Answered = tuple[str, str, int, float, int]
"""Method, route, status, seconds and statements of one request."""


class _Counting:
    """Requests are collected and passed to Prometheus in batches, after the responses were sent."""

    def __init__(self) -> None:
        prometheus = deferred_imports.prometheus()
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
        self.git = prometheus.Counter(
            "mujina_git_operations_total",
            "Git operations ended.",
            ["operation", "protocol", "outcome"],
            registry=self.registry,
        )
        self.git_seconds = prometheus.Histogram(
            "mujina_git_operation_seconds",
            "Time of a git operation, including the transfer.",
            ["operation", "protocol"],
            buckets=GIT_SECONDS,
            registry=self.registry,
        )
        self.statements = prometheus.Counter(
            "mujina_statements_total", "SQL statements run, counted at the end of requests.", registry=self.registry
        )
        self._answers = cache(self.requests.labels)
        self._times = cache(self.seconds.labels)
        self._noted: list[Answered] = []

    def note(self, request: Answered) -> None:
        self._noted.append(request)
        if len(self._noted) == 1:
            asyncio.get_running_loop().call_later(MAX_DELAY_SECONDS, self.tell)
        elif len(self._noted) == BATCH_SIZE:
            self.tell()

    def tell(self) -> None:
        """What was noted is counted."""
        noted, self._noted = self._noted, []
        for (method, route, status), times in Counter(request[:3] for request in noted).items():
            self._answers(method, route, status).inc(times)
        for method, route, _, seconds, statements in noted:
            self._times(method, route).observe(seconds)
            self.statements.inc(statements)


@cache
def _counting() -> _Counting:
    return _Counting()
