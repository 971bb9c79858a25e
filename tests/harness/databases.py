"""Databases for tests: made in an instant, empty or as copies of a template."""

import itertools
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql


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
