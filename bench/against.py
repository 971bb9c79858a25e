"""`make bench AGAINST=COMMIT`: the servers of this tree and of another commit under the same requests, in turn.

Every round starts both servers again, so what differs from process to process is part of the spread.
"""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import LiteralString

import httpcore2
import psycopg

from bench import api_seed, repository
from bench.api_seed import HEADERS, NOTED
from bench.other_commit import checked_out
from bench.seed import HOT, TOKEN
from bench.servers import THIS, Program, Server, cpu_of, mujina
from bench.sizes import FULL
from bench.table import BenchRun, vacuum
from bench.wrk import send

ROUNDS = 5
SECONDS = 1
CONNECTIONS = 16
WARMING = 20
"""Requests of each row to a server that has just started; they are not counted."""

SETTINGS = {"MUJINA_ROOT_TOKEN": TOKEN, "MUJINA_ROOT_PASSWORD": "measured and never used"}

HEAD = (
    "| Engine | What | COMMIT: CPU ms | this: CPU ms | ratio | ratio of each round | | "
    "COMMIT: PostgreSQL CPU ms | this: PostgreSQL CPU ms |"
)


@dataclass(frozen=True)
class Row:
    name: str
    path: str
    body: dict[str, str] | None = None
    verb: str = "GET"


_PROJECT = f"/projects/{HOT}"
ROWS = [
    Row("list 20 issues", f"{_PROJECT}/issues"),
    Row("list 20 issues, page 400", f"{_PROJECT}/issues?page=400"),
    Row("single issue", f"{_PROJECT}/issues/77"),
    Row("list 20 issues of all projects", "/issues?scope=all"),
    Row("search of issues, 80 match", "/issues?scope=all&search=needle"),
    Row("search of issues, 2,000 match", "/issues?scope=all&search=haystack"),
    Row("list 20 notes", f"{_PROJECT}/issues/{NOTED}/notes"),
    Row("list 20 events", f"{_PROJECT}/events"),
    Row("list 20 projects", "/projects"),
    Row("list 20 groups", "/groups"),
    Row("tree", f"{_PROJECT}/repository/tree"),
    Row("file", f"{_PROJECT}/repository/files/folder7%2Ffile7.txt?ref=master"),
    Row("list 20 commits", f"{_PROJECT}/repository/commits"),
    Row("create an issue", f"{_PROJECT}/issues", {"title": "measured"}, "POST"),
    Row("create an issue with a full body", f"{_PROJECT}/issues", FULL, "POST"),
    Row("write a note", f"{_PROJECT}/issues/{NOTED + 1}/notes", {"body": "measured, see @person1"}, "POST"),
    Row("edit an issue", f"{_PROJECT}/issues/{NOTED + 2}", {"title": "edited {n}"}, "PUT"),
]
"""Those that write come last: what they enqueue is not on the time of one that reads."""


@dataclass(frozen=True)
class Cost:
    """Milliseconds of processor per request, of the server and of PostgreSQL; and answers that were errors."""

    server: float
    database: float
    bad: int


@dataclass(frozen=True)
class Side:
    """One of the two that are compared: its program, its data and its database."""

    program: Program
    data: Path
    url: str

    def served(self) -> AbstractContextManager[Server]:
        return mujina(self.data, self.url, program=self.program, environment=SETTINGS)


Engine = Callable[[Path], AbstractContextManager[str]]
Turns = dict[str, list[tuple[Cost, Cost]]]
"""The other commit's cost and this one's, round by round."""


def compare(commit: str, engines: Mapping[str, Engine], seconds: int) -> None:
    """Print a table for each engine."""
    with tempfile.TemporaryDirectory() as temporary, checked_out(commit, folder := Path(temporary)) as other:
        source = folder / "source.git"
        repository.make(source)
        for engine, started in engines.items():
            with started(folder) as url:
                bench = BenchRun(engine, url, folder, seconds)
                turns = _measured(bench, other, source)
            print(HEAD.replace("COMMIT", commit), "|---" * (HEAD.count("|") - 1) + "|", sep="\n")
            for name, costs in turns.items():
                print(line(engine, name, costs), flush=True)


def line(engine: str, name: str, turns: list[tuple[Cost, Cost]]) -> str:
    """The medians, their ratio, and whether it is larger than the rounds differ among themselves."""
    others, ours = zip(*turns, strict=True)
    before, after = (median(cost.server for cost in costs) for costs in (others, ours))
    ratios = [this.server / other.server for other, this in turns]
    bad = [sum(cost.bad for cost in costs) for costs in (others, ours)]
    verdict = f"errors: {bad[0]}, {bad[1]}" if any(bad) else _verdict(after / before, max(ratios) - min(ratios))
    databases = [f"{median(cost.database for cost in costs):.2f}" for costs in (others, ours)]
    cells = [
        engine, name, f"{before:.2f}", f"{after:.2f}", f"{after / before:.2f}", f"{min(ratios):.2f}–{max(ratios):.2f}",
        verdict, *(databases if engine == "PostgreSQL" else ["", ""]),
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _verdict(ratio: float, spread: float) -> str:
    if spread >= abs(ratio - 1):
        return "undecided"
    return "more CPU" if ratio > 1 else "less CPU"


def _measured(bench: BenchRun, other: Program, source: Path) -> Turns:
    sides = [
        Side(program, bench.folder / f"{bench.engine}-{name}", bench.new_database(f"against_{name}"))
        for name, program in (("other", other), ("this", THIS))
    ]
    _seed(bench, sides, source)
    turns: Turns = {row.name: [] for row in ROWS}
    for n in range(ROUNDS):
        bench.print_step(f"round {n + 1} of {ROUNDS}")
        for name, costs in _round(bench, sides, others_first=n % 2 == 0):
            turns[name].append(costs)
    return turns


def _seed(bench: BenchRun, sides: list[Side], source: Path) -> None:
    bench.print_step("seeding both")
    # No vacuum on the time of a row, and the same plans in all rounds; only what is measured waits for the disk.
    _configure(bench, "SET autovacuum = off", "SET synchronous_commit = off")
    with ExitStack() as stack, ThreadPoolExecutor(len(sides)) as threads:
        servers = [stack.enter_context(side.served()) for side in sides]
        list(threads.map(api_seed.seed, servers, [source] * len(servers)))
    _configure(bench, "RESET synchronous_commit")
    for side in sides:
        vacuum(side.url)


def _configure(bench: BenchRun, *changes: LiteralString) -> None:
    """Change the settings of PostgreSQL; SQLite has none of them."""
    if bench.engine == "PostgreSQL":
        with psycopg.connect(bench.url, autocommit=True) as connection:
            for change in changes:
                connection.execute("ALTER SYSTEM " + change)
            connection.execute("SELECT pg_reload_conf()")


def _round(bench: BenchRun, sides: list[Side], *, others_first: bool) -> Iterator[tuple[str, tuple[Cost, Cost]]]:
    with ExitStack() as stack:
        other, this = (stack.enter_context(side.served()) for side in sides)
        for server in (other, this):
            _warm(server)
        for row in ROWS:
            if others_first:
                before, after = _cost(bench, other, row), _cost(bench, this, row)
            else:
                after, before = _cost(bench, this, row), _cost(bench, other, row)
            yield row.name, (before, after)


def _warm(server: Server) -> None:
    with httpcore2.ConnectionPool() as pool:
        for row in ROWS:
            content = json.dumps(row.body).encode() if row.body else b""
            for _ in range(WARMING):
                pool.request(row.verb, server.url(f"/api/v4{row.path}"), headers=HEADERS, content=content)
    server.wait_until_idle()


def _cost(bench: BenchRun, server: Server, row: Row) -> Cost:
    """A request that writes also costs the jobs it enqueues."""
    before, database = server.cpu(), _database_cpu(bench)
    answers = send(server, f"/api/v4{row.path}", CONNECTIONS, bench.seconds, row.body, verb=row.verb)
    if row.body:
        server.wait_until_idle()
    used, database = server.cpu() - before, _database_cpu(bench) - database
    count = max(answers.requests, 1)
    return Cost(used / count * 1000, database / count * 1000, answers.bad)


def _database_cpu(bench: BenchRun) -> float:
    if bench.engine != "PostgreSQL":
        return 0
    return cpu_of(int((bench.folder / "postgres" / "postmaster.pid").read_text().split()[0]))
