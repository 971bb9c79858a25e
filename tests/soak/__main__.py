"""`make soak`: hooks under load for minutes, on both engines; the table goes into `docs/reliability.md`.

It ends by itself. `--seconds` and `--queued` shorten it.
"""

import argparse
import re
import tempfile
from pathlib import Path

from tests.harness.databases import PostgresDatabases
from tests.harness.postgres_server import shared_server
from tests.soak.hooks import Figures, drain, measure

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
START, END = "<!-- soak -->", "<!-- end of soak -->"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--seconds", type=int, default=100, help="length of the load with sick receivers")
    parser.add_argument("--queued", type=int, default=100_000, help="deliveries that a restart finds")
    parser.add_argument("--dry", action="store_true", help="print the table, and leave the page alone")
    chosen = parser.parse_args()
    rows: list[Figures] = []
    with tempfile.TemporaryDirectory(prefix="mujina-soak-") as folder:
        home = Path(folder)
        with shared_server(home) as server:
            databases = PostgresDatabases(server, "soak")
            for engine in ("sqlite", "postgres"):
                for name in ("load", "queue"):
                    place = home / f"{engine}-{name}"
                    place.mkdir()
                    url = databases.create() if engine == "postgres" else f"sqlite:///{place / 'mujina.db'}"
                    others = 2 if engine == "postgres" else 0
                    rows += (
                        measure(place, url, engine, others=others, seconds=chosen.seconds)
                        if name == "load"
                        else drain(place, url, engine, others=others, queued=chosen.queued)
                    )
    table = "\n".join(["| Engine | Measured | Found | Required |", "|---|---|---|---|", *map(str, rows)])
    print(table)  # noqa: T201 - its output
    if not chosen.dry:
        text = PAGE.read_text()
        PAGE.write_text(re.sub(f"{START}.*{END}", f"{START}\n\n{table}\n\n{END}", text, flags=re.DOTALL))


if __name__ == "__main__":
    main()
