"""The table: where a group of rows is measured, and how a row is told."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from bench.wrk import Measured

HEAD = (
    "| Engine | What | Mujina req/s | p99 ms | CPU ms | Floor (or small tree) req/s | CPU ms | CPU ratio | Budget | |",
    "|---" * 10 + "|",
)


@dataclass(frozen=True)
class Ground:
    """What every group of rows is given: a database with the load in it, and room of its own."""

    engine: str
    url: str
    folder: Path
    seconds: int

    def beside(self, name: str) -> str:
        """The address of an empty database of this name, beside the first."""
        if self.url.startswith("sqlite"):
            return f"sqlite:///{self.folder}/{name}.db"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return urlsplit(self.url)._replace(path=f"/{name}").geturl()

    def say(self, what: str) -> None:
        """What is being done now, for whoever waits."""
        print(f"{self.engine}: {what} …", flush=True)

    def compared(self, what: str, told: Measured, other: Measured, budget: str, *, within: bool) -> str:
        """A row of requests beside those of another program, or of another load."""
        return (
            f"| {self.engine} | {what} | {told.rate:.0f} | {told.p99:.1f} | {told.cpu:.2f} | {other.rate:.0f} "
            f"| {other.cpu:.2f} | {told.cpu / other.cpu:.2f} | {budget} | {_verdict(within)} |"
        )

    def requests(self, what: str, told: Measured, budget: str, *, within: bool) -> str:
        """A row of requests held to a figure."""
        return (
            f"| {self.engine} | {what} | {told.rate:.0f} | {told.p99:.1f} | {told.cpu:.2f} | | | | {budget} "
            f"| {_verdict(within)} |"
        )

    def stated(self, what: str, budget: str, figure: str, *, within: bool) -> str:
        """A row of anything else: the figure stands in the last column."""
        return f"| {self.engine} | {what} | | | | | | | {budget} | {figure} {_verdict(within)} |"


def settle(url: str) -> None:
    """What PostgreSQL does by itself within minutes of so many writes."""
    if not url.startswith("sqlite"):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")


def _verdict(within: bool) -> str:
    return "✓" if within else "over"
