"""`make soak`: hooks under load for minutes and backups, on both engines, replication and power cuts; each part has its
table in `docs/reliability.md`, where a run writes the rows of what it measured and leaves the others.

It ends by itself, after about nine minutes for each engine, ten for its backups, four for replication, four for several
nodes, three for failovers and two for power cuts, which need root and a loop device, some twenty-five for each engine for
moves from another instance, and with exit code 1 if a requirement is not met. `--seconds`, `--queued`, `--rounds`,
`--backups`, `--projects`, `--repositories`, `--cut` and `--moved` shorten it; `--part` and `--engine` choose what is measured.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.harness.databases import PostgresDatabases
from tests.harness.postgres_server import shared_server
from tests.soak.backups import back_up
from tests.soak.failover import fail_over
from tests.soak.figures import Figure, progress
from tests.soak.load import measure
from tests.soak.moves import Sizes, move_in
from tests.soak.nodes import kill_nodes
from tests.soak.power_cuts import cut_power
from tests.soak.queue import drain
from tests.soak.replication import replicate

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
ENGINES = ("sqlite", "postgres")
PARTS = ("load", "queue", "backup", "replication", "nodes", "failover", "power", "moves")
ONLY = {"replication": "postgres", "nodes": "postgres", "failover": "postgres", "power": "sqlite"}
"""A secondary, and more than one node, needs PostgreSQL; the disk of a database that is lost with the power is SQLite's."""
OTHERS = {"sqlite": 0, "postgres": 2}
"""Further processes that deliver, besides that of the server."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--seconds", type=int, default=100, help="length of the load with sick receivers")
    parser.add_argument("--queued", type=int, default=100_000, help="deliveries that a restart finds")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of reads without and with sick receivers")
    parser.add_argument("--repositories", type=int, default=1_000, help="that a secondary copies first")
    parser.add_argument("--cut", type=int, default=60, help="seconds for which the link to the secondary is cut")
    parser.add_argument("--backups", type=int, default=20, help="that are made under load and restored")
    parser.add_argument("--projects", type=int, default=1_000, help="of 2 MB each, whose backup is measured")
    parser.add_argument("--kills", type=int, default=120, help="seconds in which parts of several nodes are killed")
    parser.add_argument("--failovers", type=int, default=3, help="times that the primary of PostgreSQL dies")
    parser.add_argument("--moved", type=int, default=100, help="percent of the instance that is moved from another one")
    parser.add_argument("--engine", choices=ENGINES, action="append", help="only this engine")
    parser.add_argument("--part", choices=PARTS, action="append", help="only this part")
    parser.add_argument("--dry", action="store_true", help="print the table, and leave the page alone")
    chosen = parser.parse_args()
    met = True
    with tempfile.TemporaryDirectory(prefix="mujina-soak-") as folder:
        home = Path(folder)
        with shared_server(home) as server:
            databases = PostgresDatabases(server, "soak")
            for engine in chosen.engine or ENGINES:
                for part in chosen.part or PARTS:
                    if ONLY.get(part, engine) != engine:
                        continue
                    progress(engine, part)
                    place = home / f"{engine}-{part}"
                    place.mkdir()
                    url = databases.create() if engine == "postgres" else f"sqlite:///{place / 'mujina.db'}"
                    if part == "backup":
                        new_database = databases.create if engine == "postgres" else None
                        figures = back_up(
                            place, url, engine, new_database, backups=chosen.backups, projects=chosen.projects
                        )
                    else:
                        figures = _measured(place, url, engine, part, chosen)
                    print(*figures, sep="\n", flush=True)  # noqa: T201 - its output
                    met = met and all(figure.met for figure in figures)
                    if not chosen.dry:
                        PAGE.write_text(with_rows(PAGE.read_text(), part, engine, figures))
    return 0 if met else 1


def with_rows(page: str, part: str, engine: str, figures: Sequence[Figure]) -> str:
    """The page with these rows for the engine in the part's table; the other engine's rows stay."""
    before, start, rest = page.partition(f"<!-- soak {part} -->\n")
    table, end, after = rest.partition(f"<!-- end of {part} -->\n")
    rows = {name: [row for row in table.splitlines() if row.startswith(f"| {name} |")] for name in ENGINES}
    rows[engine] = [str(figure) for figure in figures]
    lines = [
        "",
        "| Engine | Measured | Found | Required |",
        "|---|---|---|---|",
        *rows["sqlite"],
        *rows["postgres"],
        "",
    ]
    return "".join([before, start, "\n".join(lines), "\n", end, after])


def _measured(place: Path, url: str, engine: str, part: str, chosen: argparse.Namespace) -> list[Figure]:
    if part == "load":
        return measure(
            place, url, engine, others=OTHERS[engine], seconds=chosen.seconds, rounds=chosen.rounds
        )  # fmt: skip
    if part == "replication":
        return replicate(place, repositories=chosen.repositories, cut_seconds=chosen.cut)
    if part == "nodes":
        return kill_nodes(place, url, seconds=chosen.kills)
    if part == "failover":
        return fail_over(place, times=chosen.failovers)
    if part == "power":
        return cut_power(place)
    if part == "moves":
        sizes = [size * chosen.moved // 100 for size in (50, 5_000, 20_000, 500)]
        return move_in(place, url, engine, Sizes(*sizes, kills=10, timed=100 * chosen.moved))
    return drain(place, url, engine, others=OTHERS[engine], queued=chosen.queued)


if __name__ == "__main__":
    raise SystemExit(main())
