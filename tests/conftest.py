"""Fixtures every test may ask for. What they stand on is in `tests/harness/`."""

import asyncio
import gc
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TextIO

import pytest

from mujina.instance.editions.rules import register_edition
from mujina.kernel.monitoring import metrics
from mujina.migrations.upgrade import migrate
from mujina.settings import Edition
from tests.harness.browsers import browser_of
from tests.harness.canaries import CANARIES
from tests.harness.cast import Cast
from tests.harness.client import Client
from tests.harness.composed import ROUTES
from tests.harness.databases import PostgresDatabases
from tests.harness.directory_world import DirectoryWorld
from tests.harness.fork_server import fork_server
from tests.harness.loop_watch import LoopWatch
from tests.harness.originals import Originals
from tests.harness.postgres_server import shared_server, use_server
from tests.harness.quick_disks import keep_files_in_memory, skip_flushes
from tests.harness.rolled_back import forgotten
from tests.harness.running import RunningServer
from tests.harness.slapd import Slapd, running_slapd
from tests.harness.stage import Builds, PostgresStage, SqliteStage, Stage
from tests.harness.unfriendly import unfriendly_servers
from tests.harness.visitor import Visitor
from tests.harness.watching import overhear_output, overhear_secrets

pytest_plugins = ["tests.harness.forked_workers"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite", action="store_true", help="write checked-in tables anew instead of comparing them")
    parser.addoption(
        "--thorough", action="store_true", help="run the long form of the tests that have one, and no other"
    )


IN_MEMORY = pytest.StashKey[bool]()
"""Whether the temporary files of the run are."""
SERVER = pytest.StashKey[TextIO]()
"""The file that keeps the database server of all workers running."""


def pytest_sessionstart(session: pytest.Session) -> None:
    session.config.stash[IN_MEMORY] = keep_files_in_memory()
    gc.disable()  # nothing that importing and collecting makes is garbage
    skip_flushes()
    overhear_secrets(CANARIES.catch)
    overhear_output()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Nothing stays in memory of a run whose files nobody has to look at."""
    if SERVER in session.config.stash:
        session.config.stash[SERVER].close()
    if session.config.stash[IN_MEMORY] and exitstatus == pytest.ExitCode.OK:
        folders: Any = session.config._tmp_path_factory  # pyright: ignore[reportAttributeAccessIssue]
        shutil.rmtree(folders.getbasetemp(), ignore_errors=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--thorough"):
        items[:] = [item for item in items if isinstance(item, pytest.Function) and "thorough" in item.fixturenames]
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What a test that passed wrote is not sent to the process that reports: it logs every request."""
    report = yield
    if report.passed:
        report.sections.clear()
    return report


def pytest_collection_finish(session: pytest.Session) -> None:
    """The garbage collector skips the modules and cases, which exist until the run ends.

    What one worker has built in the database server is there for one that needs it after all others have ended, and all
    have one fork server.
    """
    if session.config.option.workers > 1:
        folders: Any = session.config._tmp_path_factory  # pyright: ignore[reportAttributeAccessIssue]
        session.config.stash[SERVER] = use_server(folders.getbasetemp())
        fork_server()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)  # by default, it takes a fifteenth of the processor time of a test
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _metrics_tell_no_secret() -> Iterator[None]:
    yield
    CANARIES.sweep_words("metrics", metrics.exposition("tests"), " ".join(route.path for route in ROUTES).encode())
    assert CANARIES.settle() == []


@pytest.fixture(autouse=True)
def _no_secret_comes_out() -> Iterator[None]:
    """A test in which a secret comes out where none is ruled to has failed."""
    yield
    for server in RunningServer.running:
        server.search_output()
    assert CANARIES.settle() == []


@pytest.fixture(scope="session")
def thorough(request: pytest.FixtureRequest) -> bool:
    """Whether a test runs in its long form, as `make soak` does; the short form shows the same with fewer rounds or samples."""
    return bool(request.config.getoption("--thorough"))


@pytest.fixture(scope="session")
def loop_watch() -> Iterator[LoopWatch]:
    watch = LoopWatch()
    with watch.watching():
        yield watch


@pytest.fixture(autouse=True)
def _no_statement_holds_the_loop(loop_watch: LoopWatch) -> Iterator[None]:
    """A test in which a read on SQLite held the event loop for long has failed, and names the statement."""
    yield
    assert loop_watch.take() == []


@pytest.fixture(scope="session")
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    """The one event loop of this process: whatever is opened in one test can be used in the next."""
    with asyncio.Runner() as runner:
        yield runner.get_loop()


@pytest.fixture(scope="session")
def meeting(tmp_path_factory: pytest.TempPathFactory, worker: str) -> Path:
    """A folder that all workers of the run know."""
    own = tmp_path_factory.getbasetemp()
    return own if worker == "alone" else own.parent


@pytest.fixture(scope="session")
def originals(meeting: Path) -> Originals:
    """Databases that the first worker that needs them builds for all."""
    return Originals(meeting)


@pytest.fixture(scope="session")
def postgres(meeting: Path, worker: str) -> Iterator[PostgresDatabases]:
    """A real PostgreSQL, shared by all workers of the run, to make databases in."""
    with shared_server(meeting) as url:
        yield PostgresDatabases(url, worker)


@pytest.fixture(scope="session")
def slapd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slapd]:
    """A real LDAP server of this process; each test takes a tree of its own in it."""
    with running_slapd(tmp_path_factory.mktemp("slapd") / "server") as server:
        yield server


@pytest.fixture
def postgres_url(postgres: PostgresDatabases) -> Iterator[str]:
    """An empty PostgreSQL database of this test's own."""
    url = postgres.create()
    yield url
    postgres.drop(url)


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest) -> str:
    """The name of the engine; a test that asks for it, or for anything that stands on it, runs on both."""
    return request.param


@pytest.fixture(scope="session")
def _sqlite_stage(
    tmp_path_factory: pytest.TempPathFactory, loop: asyncio.AbstractEventLoop, originals: Originals
) -> Iterator[Stage]:
    with closing(SqliteStage(tmp_path_factory.mktemp("sqlite"), loop, originals)) as stage:
        yield stage


@pytest.fixture(scope="session")
def _postgres_stage(
    tmp_path_factory: pytest.TempPathFactory,
    loop: asyncio.AbstractEventLoop,
    originals: Originals,
    postgres: PostgresDatabases,
) -> Iterator[Stage]:
    with closing(PostgresStage(tmp_path_factory.mktemp("postgres"), loop, originals, postgres)) as stage:
        yield stage


@pytest.fixture
def begins_with() -> Builds:
    """Fixtures of a folder that its tests find built: what the functions return is `stage.made`, and their work is kept."""
    return {}


@pytest.fixture
def stage(engine: str, begins_with: Builds, request: pytest.FixtureRequest) -> Stage:
    """The prepared database of the engine, to be copied, with the first of `begins_with` that the test uses."""
    stage: Stage = request.getfixturevalue(f"_{engine}_stage")
    used = [build for name, build in begins_with.items() if name in request.fixturenames]
    return stage.extended(used[0]) if used else stage


@pytest.fixture
def _performance(stage: Stage, request: pytest.FixtureRequest) -> Iterator[tuple[Any, Client]]:
    """A database with the cast in it, and the application over it, for one test."""
    if request.node.get_closest_marker("commits"):
        url = stage.copy()
        with stage.opened(url) as database:
            yield database, stage.client(database)
        stage.discard(url)
    else:
        database, client = stage.forgetful
        with forgotten(database, stage.loop):
            yield database, client
    stage.files.forget()


@pytest.fixture
def database(_performance: tuple[Any, Client]) -> Any:
    """The database of this test: rolled back after it, or its own when it is marked `commits`."""
    return _performance[0]


@pytest.fixture
def client(_performance: tuple[Any, Client]) -> Client:
    """A caller without a credential; `cast` has callers with one."""
    return _performance[1]


@pytest.fixture
def cast(stage: Stage, client: Client, database: Any) -> Cast:
    """The standing cast around a private, an internal and a public project."""
    return stage.cast(client, database)


@pytest.fixture
def browse(client: Client, database: Any, cast: Cast) -> Callable[[str], Visitor]:
    """The browser of one of the cast, signed in: `browse("guest")`; without a session: `browse("anonymous")`."""
    return lambda name: browser_of(getattr(cast, name), database, client)


@pytest.fixture
def set_edition() -> Iterator[Callable[[Edition], None]]:
    """Sets the edition of the application; after the test it has every feature again."""
    yield register_edition
    register_edition("ultimate")


@pytest.fixture
def database_url(engine: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database of this test's own, on either engine."""
    if engine == "postgres":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path / 'mujina.db'}"


@pytest.fixture(scope="session")
def sqlite_schema(originals: Originals, loop: asyncio.AbstractEventLoop) -> str:
    """The URL of a SQLite database with the schema of this version and no rows, to be copied."""
    return _schema("sqlite", lambda place: f"sqlite:///{place / 'schema.db'}", originals, loop)


@pytest.fixture(scope="session")
def postgres_schema(originals: Originals, postgres: PostgresDatabases, loop: asyncio.AbstractEventLoop) -> str:
    """The URL of a PostgreSQL database with the schema of this version and no rows, to be copied."""
    return _schema("postgres", lambda _: postgres.create(), originals, loop)


def _schema(engine: str, create: Callable[[Path], str], originals: Originals, loop: asyncio.AbstractEventLoop) -> str:
    def build(data: Path) -> tuple[str, None]:
        url = create(data.parent)
        loop.run_until_complete(migrate(url))
        return url, None

    return originals.get(f"{engine}/schema", build).url


@pytest.fixture
def sqlite_url(sqlite_schema: str, tmp_path: Path) -> str:
    """The URL of a SQLite database of this test's own, with the schema and no rows."""
    copy = shutil.copyfile(sqlite_schema.removeprefix("sqlite:///"), tmp_path / "mujina.db")
    return f"sqlite:///{copy}"


@pytest.fixture
def migrated_url(engine: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a database of this test's own with the schema and no rows, on either engine; a copy costs little."""
    if engine == "sqlite":
        yield request.getfixturevalue("sqlite_url")
        return
    postgres: PostgresDatabases = request.getfixturevalue("postgres")
    url = postgres.create(template=request.getfixturevalue("postgres_schema"))
    yield url
    postgres.drop(url)


@pytest.fixture
def running_server(migrated_url: str, tmp_path: Path) -> Iterator[RunningServer]:
    """The real program on either engine, on an empty folder, ready at `.url` for whoever holds `.token`."""
    server = RunningServer(tmp_path / "data", migrated_url)
    server.start()
    yield server
    server.kill()


@pytest.fixture
def directory_world(stage: Stage, database: Any, slapd: Slapd) -> DirectoryWorld:
    """An application whose users sign in by a real directory, in which this test has an empty tree."""
    return DirectoryWorld(stage, database, slapd.tree())


@pytest.fixture
def unfriendly_server() -> Iterator[Callable[[str], str]]:
    """The address of a server that is down, silent, or closes every connection."""
    with unfriendly_servers() as start:
        yield start
