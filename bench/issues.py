"""Rows of issues: Mujina beside the floor, and what the server takes when nobody asks."""

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from bench.seed import HOT
from bench.servers import Server, floor, mujina
from bench.table import Ground
from bench.wrk import ROUNDS, Measured, measure, middle


@dataclass(frozen=True)
class Row:
    """One thing measured on both programs, and what it may cost."""

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


def measured(ground: Ground) -> Iterator[str]:
    with _pair(ground) as (ours, theirs):
        ground.say("list, page 400")
        first, far = (_warm(ours, path, ground.seconds) for path in (LIST, f"{LIST}?page=400"))
        # The processor's time is that of Mujina alone; how many are answered also tells of PostgreSQL.
        within = far.cpu <= 1.3 * first.cpu and far.rate * 1.3 >= first.rate
        yield ground.compared("list, page 400, beside page 1", far, first, "≤ 1.3 × page 1", within=within)
        for row in ROWS:
            ground.say(row.name)
            turns = [
                [_warm(server, row.path, ground.seconds, row.body) for server in (theirs, ours)]
                for _ in range(row.rounds)
            ]
            other, told = (middle(rounds) for rounds in zip(*turns, strict=True))
            yield ground.compared(row.name, told, other, row.budget, within=row.within(told, other))
        memory = ours.memory()
        yield ground.stated("idle memory after the run", "≤ 150 MB", f"{memory:.0f} MB", within=memory <= 150)
        yield ground.stated("start to first answer", "≤ 0.9 s", f"{ours.started:.2f} s", within=ours.started <= 0.9)


def _warm(server: Server, path: str, seconds: int, body: dict[str, str] | None = None) -> Measured:
    measure(server, path, CONNECTIONS, 1, body)
    return measure(server, path, CONNECTIONS, seconds, body)


@contextmanager
def _pair(ground: Ground) -> Generator[tuple[Server, Server]]:
    with mujina(ground.folder / ground.engine, ground.url):
        pass  # for warmth: what a first start compiles is there for the one that is measured
    with ExitStack() as stack:
        yield (
            stack.enter_context(mujina(ground.folder / ground.engine, ground.url)),
            stack.enter_context(floor(ground.url)),
        )
