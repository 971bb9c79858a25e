"""A prepared database for each worker and engine, with the newest schema and the cast; copying it is fast."""

import itertools
import shutil
import socket
from asyncio import AbstractEventLoop
from collections.abc import Generator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from mujina.app import build, build_services
from mujina.kernel.db.connect import connect
from mujina.kernel.db.transaction import Database, Engine
from mujina.kernel.directories import Directory
from mujina.migrations.upgrade import migrate
from mujina.settings import Settings
from tests.harness.canaries import CANARIES
from tests.harness.cast import Cast, Roster, bind
from tests.harness.casting import build_cast
from tests.harness.client import Client
from tests.harness.databases import PostgresDatabases
from tests.harness.files import ForgetfulFiles
from tests.harness.permission_world import Ids, build_world
from tests.harness.replication_nodes import add_reporting_node
from tests.harness.rolled_back import RolledBack, RolledBackPostgres, RolledBackSqlite

UNREACHABLE = (Directory(id="main", url="ldap://127.0.0.1:1", base="o=nowhere"),)
"""A directory without groups: nothing has to be asked to list them."""


class Stage:
    """One engine's database with the cast in it, copies of it, and the application over any of them."""

    engine: Engine
    url: str
    """The database that is copied. No connection to it stays open."""
    folder: Path
    """The data folder of the application; it is restored after each test."""

    def __init__(self, home: Path, loop: AbstractEventLoop, url: str) -> None:
        self.home = home
        self.folder = home / "data"
        self.loop = loop
        self.url = url
        self._numbers = itertools.count(1)
        # Bound, but never listening: every connection to it is refused at once.
        self._refusing = socket.socket()
        self.folder.mkdir()
        self.loop.run_until_complete(migrate(url))
        with self.opened(url) as database:
            self.roster: Roster = build_cast(self.client(database), database)
        CANARIES.catch_keys(self.folder)
        CANARIES.keep()
        self.files = ForgetfulFiles(self.folder, home / "data-kept")

    @contextmanager
    def opened(self, url: str) -> Generator[Database]:
        """The database at `url`, as the product opens it, closed again whatever happens."""
        database = connect(url)
        self.loop.run_until_complete(database.open())
        try:
            yield database
        finally:
            self.loop.run_until_complete(database.close())

    def client(
        self, database: Any, data: Path | None = None, *outbound_allow: str, ldap: tuple[Directory, ...] = ()
    ) -> Client:
        """An anonymous client of an application over this database and data folder."""
        settings = Settings(
            data=data or self.folder, jobs="inline", external_url="http://mujina.test", password_kilobytes=64,
            outbound_allow=outbound_allow, ldap=ldap,
        )  # fmt: skip
        return Client(build(build_services(settings, database)), self.loop)

    def cast(self, client: Client, database: Any) -> Cast:
        return bind(self.roster, client, database)

    @cached_property
    def permission_world(self) -> tuple[RolledBack, ForgetfulFiles, Cast, dict[str, Ids]]:
        """Like `forgetful`, with files of its own and at least one of every resource."""
        url = self.copy()
        data = self.home / "world"
        shutil.copytree(self.folder, data)
        self._refusing.bind(("127.0.0.1", 0))
        refusing = f"127.0.0.1:{self._refusing.getsockname()[1]}"
        with self.opened(url) as database:
            cast = self.cast(self.client(database, data, refusing, ldap=UNREACHABLE), database)
            ids = build_world(cast, refusing)
            node_id = self.loop.run_until_complete(add_reporting_node(database))
            ids = {visibility: {**around, "/geo_nodes/:": node_id} for visibility, around in ids.items()}
        CANARIES.keep()
        forgetful = self._forgetful(url)
        self.loop.run_until_complete(forgetful.open())
        files = ForgetfulFiles(data, self.home / "world-kept")
        return forgetful, files, self.cast(self.client(forgetful, data, refusing, ldap=UNREACHABLE), forgetful), ids

    @cached_property
    def forgetful(self) -> tuple[RolledBack, Client]:
        """The one copy whose tests are rolled back, open, with the application over it."""
        database = self._forgetful(self.copy())
        self.loop.run_until_complete(database.open())
        return database, self.client(database)

    def close(self) -> None:
        for name in {"forgetful", "permission_world"} & self.__dict__.keys():
            self.loop.run_until_complete(getattr(self, name)[0].close())
        self._refusing.close()

    def copy(self) -> str:
        """The URL of a new database like the one at `url`."""
        raise NotImplementedError

    def discard(self, url: str) -> None:
        """A copy is needed no more."""
        raise NotImplementedError

    def _forgetful(self, url: str) -> RolledBack:
        raise NotImplementedError


class SqliteStage(Stage):
    engine: Engine = "sqlite"

    def __init__(self, home: Path, loop: AbstractEventLoop) -> None:
        super().__init__(home, loop, f"sqlite:///{home / 'stage.db'}")

    def copy(self) -> str:
        path = self.home / f"copy-{next(self._numbers)}.db"
        shutil.copyfile(self.url.removeprefix("sqlite:///"), path)
        return f"sqlite:///{path}"

    def discard(self, url: str) -> None:
        path = url.removeprefix("sqlite:///")
        for each in (path, f"{path}-wal", f"{path}-shm"):
            Path(each).unlink(missing_ok=True)

    def _forgetful(self, url: str) -> RolledBack:
        return RolledBackSqlite(Path(url.removeprefix("sqlite:///")))


class PostgresStage(Stage):
    engine: Engine = "postgres"

    def __init__(self, home: Path, loop: AbstractEventLoop, databases: PostgresDatabases) -> None:
        self._databases = databases
        super().__init__(home, loop, databases.create())

    def copy(self) -> str:
        return self._databases.create(template=self.url)

    def discard(self, url: str) -> None:
        self._databases.drop(url)

    def _forgetful(self, url: str) -> RolledBack:
        return RolledBackPostgres(url)
