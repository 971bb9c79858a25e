"""A stage is set once per worker and engine: the newest schema, with whatever was built on it, to be copied in an instant."""

import itertools
import shutil
from asyncio import AbstractEventLoop
from pathlib import Path
from typing import Protocol

from mujina.kernel.db.transaction import Engine
from mujina.migrations.upgrade import migrate
from tests.harness.databases import PostgresDatabases
from tests.harness.rolled_back import RolledBack, RolledBackPostgres, RolledBackSqlite


class Stage(Protocol):
    engine: Engine
    url: str
    """The database everything is copied from. Nobody stays connected to it."""

    def copy(self) -> str:
        """The URL of a new database like the one at `url`."""
        ...

    def discard(self, url: str) -> None:
        """A copy is needed no more."""
        ...

    def forgetful(self) -> RolledBack:
        """A database, not yet open, over a copy; each test in it is rolled back."""
        ...


class SqliteStage:
    engine: Engine = "sqlite"

    def __init__(self, folder: Path, loop: AbstractEventLoop) -> None:
        self._folder = folder
        self._numbers = itertools.count(1)
        self.url = f"sqlite:///{folder / 'stage.db'}"
        loop.run_until_complete(migrate(self.url))

    def copy(self) -> str:
        path = self._folder / f"copy-{next(self._numbers)}.db"
        shutil.copyfile(self.url.removeprefix("sqlite:///"), path)
        return f"sqlite:///{path}"

    def discard(self, url: str) -> None:
        path = url.removeprefix("sqlite:///")
        for each in (path, f"{path}-wal", f"{path}-shm"):
            Path(each).unlink(missing_ok=True)

    def forgetful(self) -> RolledBack:
        return RolledBackSqlite(Path(self.copy().removeprefix("sqlite:///")))


class PostgresStage:
    engine: Engine = "postgres"

    def __init__(self, databases: PostgresDatabases, loop: AbstractEventLoop) -> None:
        self._databases = databases
        self.url = databases.create()
        loop.run_until_complete(migrate(self.url))

    def copy(self) -> str:
        return self._databases.create(template=self.url)

    def discard(self, url: str) -> None:
        self._databases.drop(url)

    def forgetful(self) -> RolledBack:
        return RolledBackPostgres(self.copy())
