"""One measurement: wrk sends, the server's own processor time is read before and after."""

import json
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from bench.seed import TOKEN
from bench.servers import Server

SCRIPT = """
wrk.method = "%(method)s"
wrk.body = '%(body)s'
wrk.headers["Private-Token"] = "%(token)s"
wrk.headers["Content-Type"] = "application/json"
if "%(cookie)s" ~= "" then wrk.headers["Cookie"] = "%(cookie)s" end
local sent = 0
if string.find(wrk.body, "{n}", 1, true) then
  request = function()
    sent = sent + 1
    return wrk.format(nil, nil, nil, (string.gsub(wrk.body, "{n}", sent)))
  end
end
done = function(summary, latency, requests)
  local bad = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout
  io.write(string.format('{"requests": %%d, "seconds": %%f, "p99": %%f, "bad": %%d}',
    summary.requests, summary.duration / 1e6, latency:percentile(99) / 1e3, bad))
end
"""


@dataclass(frozen=True)
class Measured:
    rate: float
    """Requests per second."""
    cpu: float
    """Milliseconds of processor per request, of the server."""
    p99: float
    """Milliseconds."""
    bad: int
    """Answers that were errors."""
    database: float = 0.0
    """Milliseconds of processor per request, of PostgreSQL."""

    @property
    def total(self) -> float:
        """Milliseconds of processor per request, of both."""
        return self.cpu + self.database


ROUNDS = 3


def middle(rounds: Sequence[Measured]) -> Measured:
    """The round with the middle p99, errors of all of them counted: the slowest hundredth of a round is a few requests."""
    result = sorted(rounds, key=lambda each: each.p99)[len(rounds) // 2]
    return replace(result, bad=sum(each.bad for each in rounds))


@dataclass(frozen=True)
class Comparison:
    """What was measured and what it is compared with, in rounds: a slow second of the machine is one of both."""

    rounds: Sequence[tuple[Measured, Measured]]

    @property
    def result(self) -> Measured:
        return _medians([this for this, _ in self.rounds])

    @property
    def other(self) -> Measured:
        return _medians([other for _, other in self.rounds])

    def ratio(self, figure: Callable[[Measured], float]) -> float:
        """The median of the rounds' ratios."""
        return median(figure(this) / figure(other) for this, other in self.rounds)

    @property
    def cpu(self) -> float:
        return self.ratio(lambda measured: measured.cpu)

    @property
    def total(self) -> float:
        return self.ratio(lambda measured: measured.total)

    @property
    def rate(self) -> float:
        return self.ratio(lambda measured: measured.rate)


DECISIVE = 2
"""Rows that decide the budgets of reading and creating issues have this many times the rounds."""


def in_turn(rounds: int, result: Callable[[], Measured], other: Callable[[], Measured]) -> Comparison:
    """Measure both in each round, the other one first in every second of them.

    A round before them counts for nothing: it warms the caches.
    """

    def one(n: int) -> tuple[Measured, Measured]:
        if n % 2:
            return result(), other()
        compared = other()
        return result(), compared

    return Comparison([one(n) for n in range(1 + rounds)][1:])


def _medians(rounds: Sequence[Measured]) -> Measured:
    """The median of each figure; errors of all rounds are counted."""
    rate, cpu, p99, database = (
        median(figures)
        for figures in zip(*((each.rate, each.cpu, each.p99, each.database) for each in rounds), strict=True)
    )
    return Measured(rate, cpu, p99, sum(each.bad for each in rounds), database)


@dataclass(frozen=True)
class Answers:
    """What wrk counted."""

    requests: int
    seconds: float
    p99: float
    bad: int


def measure(
    server: Server, path: str, connections: int, seconds: int, body: dict[str, str] | None = None,
    *, verb: str = "", token: str = TOKEN, cookie: str = "",
) -> Measured:  # fmt: skip
    """Send requests for this many seconds over this many connections; the default verb is POST with a body and GET without.
    `cookie`: that of a session, for pages.
    """
    before, database = server.cpu(), server.database_cpu()
    answers = send(server, path, connections, seconds, body, verb=verb, token=token, cookie=cookie)
    used, database = server.cpu() - before, server.database_cpu() - database
    count = max(answers.requests, 1)
    return Measured(
        count / answers.seconds, used / count * 1000, answers.p99, answers.bad, database=database / count * 1000
    )


def send(
    server: Server, path: str, connections: int, seconds: int, body: dict[str, str] | None = None,
    *, verb: str = "", token: str = TOKEN, cookie: str = "",
) -> Answers:  # fmt: skip
    """The requests of `measure`. `{n}` in a body is the number of the request."""
    verb = verb or ("POST" if body else "GET")
    script = SCRIPT % {"method": verb, "body": json.dumps(body) if body else "", "token": token, "cookie": cookie}
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        Path(file.name).write_text(script)
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", file.name, server.url(path)]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Answers(**json.loads(out[out.rindex("{") :]))
