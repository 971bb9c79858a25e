"""Rows of issues: Mujina beside the floor, and what the server takes when nobody asks."""

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from bench.seed import HOT
from bench.servers import Server, floor, mujina
from bench.table import Ground
from bench.wrk import Measured, measure


@dataclass(frozen=True)
class Row:
    """One thing measured on both programs, and what it may cost."""

    name: str
    path: str
    budget: str
    within: Callable[[Measured, Measured], bool]
    body: dict[str, str] | None = None
    connections: int = 16


ROWS = [
    Row("list 20 issues", f"/api/v4/projects/{HOT}/issues", "≤ 1.5 × floor CPU", lambda m, f: m.cpu <= 1.5 * f.cpu),
    Row("single issue", f"/api/v4/projects/{HOT}/issues/77", "≤ 2 × floor CPU", lambda m, f: m.cpu <= 2 * f.cpu),
    Row("list, page 400", f"/api/v4/projects/{HOT}/issues?page=400", "≤ 1.5 × floor CPU", lambda m, f: m.cpu <= 1.5 * f.cpu),
    Row("create, durable", f"/api/v4/projects/{HOT}/issues", "≥ 0.5 × floor rate, p99 ≤ 50 ms",
        lambda m, f: m.rate >= 0.5 * f.rate and m.p99 <= 50 and m.bad == 0, {"title": "measured"}),
]  # fmt: skip


def measured(ground: Ground) -> Iterator[str]:
    with _pair(ground) as (ours, theirs):
        for row in ROWS:
            ground.say(row.name)
            for server in (theirs, ours):
                measure(server, row.path, row.connections, 1, row.body)  # warm both
            other = measure(theirs, row.path, row.connections, ground.seconds, row.body)
            told = measure(ours, row.path, row.connections, ground.seconds, row.body)
            yield ground.compared(row.name, told, other, row.budget, within=row.within(told, other))
        memory = ours.memory()
        yield ground.stated("idle memory after the run", "≤ 150 MB", f"{memory:.0f} MB", within=memory <= 150)
        yield ground.stated("start to first answer", "≤ 0.9 s", f"{ours.started:.2f} s", within=ours.started <= 0.9)


@contextmanager
def _pair(ground: Ground) -> Generator[tuple[Server, Server]]:
    with ExitStack() as stack:
        yield (
            stack.enter_context(mujina(ground.folder / ground.engine, ground.url)),
            stack.enter_context(floor(ground.url)),
        )
