"""A prepared database for each worker and engine, with the newest schema and the cast; copying it is fast."""

import itertools
import shutil
from asyncio import AbstractEventLoop
from collections.abc import Callable, Generator
from contextlib import contextmanager
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Any

from mujina.adapters.git.storage import RepositoryStorage
from mujina.adapters.storage_marker import mark
from mujina.app import build, build_services
from mujina.directory_settings import Directory
from mujina.kernel.db.connect import connect
from mujina.kernel.db.transaction import Database, Engine
from mujina.kernel.product import Product
from mujina.migrations.upgrade import migrate
from mujina.product import PRODUCT
from mujina.settings import Settings
from tests.harness.cast import Cast, Roster, bind
from tests.harness.casting import build_cast
from tests.harness.client import Client
from tests.harness.databases import PostgresDatabases
from tests.harness.files import ForgetfulFiles
from tests.harness.originals import Original, Originals
from tests.harness.permission_world import Ids, build_world
from tests.harness.replication_nodes import add_reporting_node
from tests.harness.rolled_back import RolledBack, RolledBackPostgres, RolledBackSqlite

UNREACHABLE = (Directory(id="main", url="ldap://127.0.0.1:1", base="o=nowhere"),)
"""A directory without groups: nothing has to be asked to list them."""


REFUSING = "127.0.0.1:1025"
"""Nobody listens there: every connection is refused at once."""

Builds = dict[str, Callable[[Cast], Any]]
"""By the name of a fixture, what builds it."""

OPENED = {"forgetful", "permission_world"}
"""Attributes of a stage that hold an open database."""


class Stage:
    """One engine's database with the cast in it, copies of it, and the application over any of them."""

    engine: Engine
    url: str
    """The database that is copied. No connection to it stays open."""
    folder: Path
    """The data folder of the application; it is restored after each test."""
    made: Any
    """What the function returned that extended another stage to this one."""

    def __init__(self, home: Path, loop: AbstractEventLoop, originals: Originals) -> None:
        self.home = home
        self.loop = loop
        self.originals = originals
        self._numbers = itertools.count(1)
        self._extended: dict[Callable[[Cast], Any], Stage] = {}
        original = originals.get(f"{self.engine}/cast", self._build_cast)
        self.roster: Roster = original.made
        self._take(original)

    def _build_cast(self, data: Path) -> tuple[str, Roster]:
        url = self._create(data.parent)
        self.loop.run_until_complete(migrate(url))
        mark_storage(data)
        with self.opened(url) as database:
            return url, build_cast(self.client(database, data), database)

    def forget_stored(self) -> None:
        """Remove all repositories and files: the rows of the last test are rolled back and their ids used again."""
        for name in ("repositories", "files"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        mark_storage(self.folder)

    def _take(self, original: Original) -> None:
        """Be a copy of the original."""
        self.url, self.made = original.url, original.made
        self.folder = self.home / "data"
        self.files = ForgetfulFiles(self.folder, original.folder)

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
        self,
        database: Any,
        data: Path | None = None,
        *outbound_allow: str,
        ldap: tuple[Directory, ...] = (),
        product: Product = PRODUCT,
    ) -> Client:
        """An anonymous client of an application of these chapters over this database and data folder."""
        settings = Settings(
            data=data or self.folder, jobs="inline", external_url="http://mujina.test", password_kilobytes=64,
            outbound_allow=outbound_allow, ldap=ldap,
        )  # fmt: skip
        return Client(build(build_services(settings, database, product)), self.loop)

    def cast(self, client: Client, database: Any) -> Cast:
        return bind(self.roster, client, database)

    def extended(self, build: Callable[[Cast], Any]) -> "Stage":
        """A stage like this one after `build` was called, which happens once; what it returned is its `made`."""
        if build not in self._extended:
            other = self._extended[build] = copy(self)
            for name in OPENED & other.__dict__.keys():
                delattr(other, name)
            other.home = self.home / f"{build.__module__}.{build.__qualname__}"
            other._extended = {}
            other._take(self._built(other.home.name, lambda cast, _database, _data: build(cast)))
        return self._extended[build]

    def _built(self, name: str, build: Callable[[Cast, Database, Path], Any], *allow: str, **options: Any) -> Original:
        """An original that was a copy of this stage before `build` was called."""

        def extend(data: Path) -> tuple[str, Any]:
            url = self.copy()
            shutil.copytree(self.files.kept, data, dirs_exist_ok=True)
            with self.opened(url) as database:
                return url, build(self.cast(self.client(database, data, *allow, **options), database), database, data)

        return self.originals.get(f"{self.engine}/{name}", extend)

    @cached_property
    def permission_world(self) -> tuple[RolledBack, ForgetfulFiles, Cast, dict[str, Ids]]:
        """Like `forgetful`, with files of its own and at least one of every resource."""

        def build(cast: Cast, database: Database, data: Path) -> dict[str, Ids]:
            ids = build_world(cast, data, REFUSING)
            node_id = self.loop.run_until_complete(add_reporting_node(database))
            return {visibility: {**around, "/geo_nodes/:": node_id} for visibility, around in ids.items()}

        original = self._built("world", build, REFUSING, ldap=UNREACHABLE)
        self._world_url = original.url
        forgetful = self._forgetful(self._copy_of(original.url))
        self.loop.run_until_complete(forgetful.open())
        data = self.home / "world"
        files = ForgetfulFiles(data, original.folder)
        cast = self.cast(self.client(forgetful, data, REFUSING, ldap=UNREACHABLE), forgetful)
        return forgetful, files, cast, original.made

    @contextmanager
    def committed_world(self) -> Generator[tuple[Cast, Ids]]:
        """The permission world on a database of its own, whose transactions are real, around the private project."""
        _, files, _, ids = self.permission_world
        url = self._copy_of(self._world_url)
        with self.opened(url) as database:
            data = self.home / "world"
            yield self.cast(self.client(database, data, REFUSING, ldap=UNREACHABLE), database), ids["private"]
        self.discard(url)
        files.forget()

    @cached_property
    def forgetful(self) -> tuple[RolledBack, Client]:
        """The one copy whose tests are rolled back, open, with the application over it."""
        database = self._forgetful(self.copy())
        self.loop.run_until_complete(database.open())
        return database, self.client(database)

    def close(self) -> None:
        for name in OPENED & self.__dict__.keys():
            self.loop.run_until_complete(getattr(self, name)[0].close())
        for other in self._extended.values():
            other.close()

    def copy(self) -> str:
        """The URL of a new database like the one at `url`."""
        return self._copy_of(self.url)

    def _create(self, place: Path) -> str:
        """The URL of a new, empty database; a file of it is at this place."""
        raise NotImplementedError

    def _copy_of(self, url: str) -> str:
        """The URL of a new database like that one."""
        raise NotImplementedError

    def discard(self, url: str) -> None:
        """A copy is needed no more."""
        raise NotImplementedError

    def _forgetful(self, url: str) -> RolledBack:
        raise NotImplementedError


class SqliteStage(Stage):
    engine: Engine = "sqlite"

    def _create(self, place: Path) -> str:
        return f"sqlite:///{place / 'stage.db'}"

    def _copy_of(self, url: str) -> str:
        path = self.home / f"copy-{next(self._numbers)}.db"
        shutil.copyfile(url.removeprefix("sqlite:///"), path)
        return f"sqlite:///{path}"

    def discard(self, url: str) -> None:
        path = url.removeprefix("sqlite:///")
        for each in (path, f"{path}-wal", f"{path}-shm"):
            Path(each).unlink(missing_ok=True)

    def _forgetful(self, url: str) -> RolledBack:
        return RolledBackSqlite(Path(url.removeprefix("sqlite:///")))


class PostgresStage(Stage):
    engine: Engine = "postgres"

    def __init__(self, home: Path, loop: AbstractEventLoop, originals: Originals, databases: PostgresDatabases) -> None:
        self._databases = databases
        super().__init__(home, loop, originals)

    def _create(self, place: Path) -> str:  # noqa: ARG002 - the server has it
        return self._databases.create()

    def _copy_of(self, url: str) -> str:
        return self._databases.create(template=url)

    def discard(self, url: str) -> None:
        self._databases.drop(url)

    def _forgetful(self, url: str) -> RolledBack:
        return RolledBackPostgres(url)


def mark_storage(data: Path) -> None:
    """Make this data folder that of an instance that was started."""
    mark(RepositoryStorage.of(data).root)
    mark(data / "files")
