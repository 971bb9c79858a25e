"""The table: the environment in which rows are measured, and their format."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from bench.wrk import Comparison, Measured

HEAD = (
    (
        "| Engine | What | Mujina req/s | p99 ms | CPU ms | Floor (or small) req/s | CPU ms | CPU ratio | Budget | "
        "| PostgreSQL CPU ms | of the other |"
    ),
    "|---" * 12 + "|",
)
FAR_PAGE_BUDGET = {"SQLite": 2, "PostgreSQL": 3}
"""How many times the CPU of page 1 a far page of a list may cost."""


@dataclass(frozen=True)
class BenchRun:
    """The environment of every group of rows: a database with the load, and a folder."""

    engine: str
    url: str
    folder: Path
    seconds: int
    """For each measurement, and for each side of a comparison, which is measured in rounds of a second."""

    @property
    def data(self) -> Path:
        """The folder of every server on this database: it has the repositories that the database names."""
        return self.folder / self.engine

    def new_database(self, name: str) -> str:
        """The URL of another, empty database of this name."""
        if self.url.startswith("sqlite"):
            return f"sqlite:///{self.folder}/{name}.db"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return urlsplit(self.url)._replace(path=f"/{name}").geturl()

    def print_step(self, what: str) -> None:
        """Print the current step."""
        print(f"{self.engine}: {what} …", flush=True)

    def compared(self, what: str, compared: Comparison, budget: str, *, within: bool) -> str:
        """A row that compares requests with those of another program or load."""
        result, other = compared.result, compared.other
        return (
            f"| {self.engine} | {what} | {result.rate:.0f} | {result.p99:.1f} | {result.cpu:.2f} | {other.rate:.0f} "
            f"| {other.cpu:.2f} | {compared.cpu:.2f} | {budget} | {_verdict(within)} "
            f"| {_figure(result.database)} | {_figure(other.database)} |"
        )

    def requests(self, what: str, result: Measured, budget: str, *, within: bool) -> str:
        """A row of requests held to a figure."""
        return (
            f"| {self.engine} | {what} | {result.rate:.0f} | {result.p99:.1f} | {result.cpu:.2f} | | | | {budget} "
            f"| {_verdict(within)} | {_figure(result.database)} | |"
        )

    def stated(self, what: str, budget: str, figure: str, *, within: bool) -> str:
        """A row of anything else: the figure stands in the last column."""
        return f"| {self.engine} | {what} | | | | | | | {budget} | {figure} {_verdict(within)} | | |"


def vacuum(url: str) -> None:
    """Vacuum PostgreSQL, as autovacuum does within minutes of so many writes."""
    if not url.startswith("sqlite"):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")


def _figure(milliseconds: float) -> str:
    return f"{milliseconds:.2f}" if milliseconds else ""


def _verdict(within: bool) -> str:
    return "✓" if within else "over"
