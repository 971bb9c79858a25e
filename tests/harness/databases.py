"""Databases for tests: made in an instant, empty or as copies of a template."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

from mujina.kernel.db.connect import connect
from mujina.kernel.db.transaction import Tx

Found = TypeVar("Found")


@dataclass
class PostgresDatabases:
    """Databases of the one test server; each worker makes its own, by names no other worker makes."""

    server: str
    worker: str
    numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def create(self, template: str | None = None) -> str:
        """The URL of a new database: empty, or a copy of the one behind the URL `template` (which nobody may be using)."""
        name = f"mujina_{self.worker}_{next(self.numbers)}"
        source = "template0" if template is None else _name(template)
        # Copying files takes half as long as writing every page to the log.
        create = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY")
        self._run(create.format(sql.Identifier(name), sql.Identifier(source)))
        return urlunsplit(urlsplit(self.server)._replace(path=f"/{name}"))

    def drop(self, url: str) -> None:
        """Gone, whoever still uses it."""
        self._run(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(_name(url))))

    def _run(self, statement: sql.Composed) -> None:
        with psycopg.connect(self.server, autocommit=True) as connection:
            connection.execute(statement)


def _name(url: str) -> str:
    return urlsplit(url).path.removeprefix("/")


def in_transaction(url: str, work: Callable[[Tx], Awaitable[Found]]) -> Found:
    """Run the work in a transaction of its own, on a connection of its own."""

    async def run() -> Found:
        database = connect(url)
        await database.open()
        try:
            async with database.transaction() as tx:
                return await work(tx)
        finally:
            await database.close()

    return asyncio.run(run())
