"""Issue rows: Mujina compared with the floor, and the memory and start time of an idle server."""

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from bench.seed import HOT
from bench.servers import Server, floor, mujina
from bench.table import BenchRun
from bench.wrk import ROUNDS, Measured, measure, middle


@dataclass(frozen=True)
class Row:
    """One request measured on both programs, and its budget."""

    name: str
    path: str
    budget: str
    within: Callable[[Measured, Measured], bool]
    body: dict[str, str] | None = None
    rounds: int = 1


CONNECTIONS = 16
LIST = f"/api/v4/projects/{HOT}/issues"
ROWS = [
    Row("list 20 issues", LIST, "≤ 1.5 × floor CPU", lambda m, f: m.cpu <= 1.5 * f.cpu),
    Row("single issue", f"{LIST}/77", "≤ 2 × floor CPU", lambda m, f: m.cpu <= 2 * f.cpu),
    Row("create, durable", LIST, "≥ 0.5 × floor rate, p99 ≤ 50 ms",
        lambda m, f: m.rate >= 0.5 * f.rate and m.p99 <= 50 and m.bad == 0, {"title": "measured"}, ROUNDS),
]  # fmt: skip


def measured(bench: BenchRun) -> Iterator[str]:
    with _pair(bench) as (ours, theirs):
        bench.print_step("list, page 400")
        first, far = (_warm(ours, path, bench.seconds) for path in (LIST, f"{LIST}?page=400"))
        # CPU time is that of Mujina alone; the rate also reflects the work of PostgreSQL.
        within = far.cpu <= 1.2 * first.cpu and far.rate * 1.2 >= first.rate
        yield bench.compared("list, page 400, compared with page 1", far, first, "≤ 1.2 × page 1", within=within)
        for row in ROWS:
            bench.print_step(row.name)
            rounds_ = [
                [_warm(server, row.path, bench.seconds, row.body) for server in (theirs, ours)]
                for _ in range(row.rounds)
            ]
            other, result = (middle(rounds) for rounds in zip(*rounds_, strict=True))
            yield bench.compared(row.name, result, other, row.budget, within=row.within(result, other))
        memory = ours.memory()
        yield bench.stated("idle memory after the run", "≤ 150 MB", f"{memory:.0f} MB", within=memory <= 150)
        yield bench.stated("start to first answer", "≤ 0.9 s", f"{ours.started:.2f} s", within=ours.started <= 0.9)


def _warm(server: Server, path: str, seconds: int, body: dict[str, str] | None = None) -> Measured:
    measure(server, path, CONNECTIONS, 1, body)
    return measure(server, path, CONNECTIONS, seconds, body)


@contextmanager
def _pair(bench: BenchRun) -> Generator[tuple[Server, Server]]:
    with mujina(bench.folder / bench.engine, bench.url):
        pass  # warm-up: bytecode compiled at the first start is there for the measured one
    with ExitStack() as stack:
        yield (
            stack.enter_context(mujina(bench.folder / bench.engine, bench.url)),
            stack.enter_context(floor(bench.url)),
        )
