"""Issue rows: Mujina compared with the floor, and the memory and start time of an idle server."""

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial

from bench.seed import HOT
from bench.servers import Server, floor, mujina
from bench.table import FAR_PAGE_BUDGET, BenchRun
from bench.wrk import DECISIVE, Comparison, Measured, in_turn, measure


@dataclass(frozen=True)
class Row:
    """One request measured on both programs, and its budget."""

    name: str
    path: str
    budget: str
    within: Callable[[Comparison], bool]
    body: dict[str, str] | None = None


CONNECTIONS = 16
LIST = f"/api/v4/projects/{HOT}/issues"
ROWS = [
    Row("list 20 issues", LIST, "≤ 1.5 × floor CPU", lambda row: row.cpu <= 1.5),
    Row("single issue", f"{LIST}/77", "≤ 2 × floor CPU", lambda row: row.cpu <= 2),
    # A disk that takes long to sync delays the floor as well.
    Row("create, durable", LIST, "≥ 0.5 × floor rate, p99 ≤ 50 ms or ≤ 1.2 × the floor's",
        lambda row: row.rate >= 0.5 and row.result.p99 <= max(50, 1.2 * row.other.p99) and row.result.bad == 0,
        {"title": "measured"}),
]  # fmt: skip


def measured(bench: BenchRun) -> Iterator[str]:
    rounds = DECISIVE * bench.seconds
    with _pair(bench) as (ours, theirs):
        start = ours.memory()
        yield bench.stated("memory after the start", "≤ 70 MB", f"{start:.0f} MB", within=start <= 70)
        bench.print_step("list, page 400")
        far = in_turn(rounds, lambda: _once(ours, f"{LIST}?page=400"), lambda: _once(ours, LIST))
        # CPU time is that of Mujina alone; the rate also reflects the work of PostgreSQL.
        budget = FAR_PAGE_BUDGET[bench.engine]
        within = far.cpu <= budget and far.rate * budget >= 1
        yield bench.compared("list, page 400, compared with page 1", far, f"≤ {budget} × page 1", within=within)
        for row in ROWS:
            bench.print_step(row.name)
            compared = in_turn(
                rounds, partial(_once, ours, row.path, row.body), partial(_once, theirs, row.path, row.body)
            )
            yield bench.compared(row.name, compared, row.budget, within=row.within(compared))
        memory = ours.memory()
        yield bench.stated("idle memory after the run", "≤ 100 MB", f"{memory:.0f} MB", within=memory <= 100)
        yield bench.stated("start to first answer", "≤ 0.9 s", f"{ours.started:.2f} s", within=ours.started <= 0.9)


def _once(server: Server, path: str, body: dict[str, str] | None = None) -> Measured:
    return measure(server, path, CONNECTIONS, 1, body)


@contextmanager
def _pair(bench: BenchRun) -> Generator[tuple[Server, Server]]:
    with mujina(bench.data, bench.url):
        pass  # warm-up: bytecode compiled at the first start is there for the measured one
    with ExitStack() as stack:
        yield (
            stack.enter_context(mujina(bench.data, bench.url)),
            stack.enter_context(floor(bench.url)),
        )
