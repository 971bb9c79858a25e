"""Fixtures for pytest: a real server, reset for each test. docs/testing.md describes them.

The plugin is part of every run of pytest: it starts the server, and imports what talks to it, only for tests that use it.
"""

from collections.abc import Callable, Generator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mujina.seeds.description import WorldIds
    from mujina.testing.client import Mujina, MujinaProcess
    from mujina.testing.process import ServerProcess

_STARTED = pytest.StashKey["ServerProcess"]()
_SERVER = pytest.StashKey["MujinaProcess"]()
_LINES = pytest.StashKey[int]()
"""The number of lines that the server had written when the test began."""
_KEPT = pytest.StashKey[list[str]]()
"""The folders that the workers of pytest-xdist have kept."""
_FOLDER = "mujina_data"
"""What a worker tells pytest-xdist."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("mujina", "a real server as a fixture")
    group.addoption(
        "--mujina-keep", action="store_true", help="keep the data folder of the server, and print where it is"
    )
    group.addoption(
        "--mujina-database-url",
        metavar="URL",
        help="PostgreSQL database for the server, empty or made by it; {worker} in it is replaced by gw0, gw1, … of pytest-xdist",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse one database for several servers."""
    url = config.getoption("--mujina-database-url")
    if url and "{worker}" not in url and config.getoption("numprocesses", None):
        raise pytest.UsageError("--mujina-database-url: put {worker} into the name of the database")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Start the server as soon as it is known that a selected test uses it; `--mujina-keep` waits for a folder to keep."""
    config = session.config
    if config.getoption("collectonly") or config.getoption("--mujina-keep"):
        return
    if any("mujina_server" in getattr(item, "fixturenames", ()) for item in session.items):
        _start(config)


def _start(config: pytest.Config, data: Path | None = None) -> "ServerProcess":
    """The process of the server, which is started once."""
    if _STARTED not in config.stash:
        worker: str = getattr(config, "workerinput", {}).get("workerid", "main")
        url: str | None = config.getoption("--mujina-database-url")
        url = url and url.replace("{worker}", worker)
        config.stash[_STARTED] = import_module("mujina.testing.process").ServerProcess(data, url)
    return config.stash[_STARTED]


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the server, whether a test has used it or not."""
    if _STARTED in config.stash:
        config.stash[_STARTED].stop()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Learn where a worker of pytest-xdist has kept its data."""
    if folder := getattr(node, "workeroutput", {}).get(_FOLDER):
        node.config.stash.setdefault(_KEPT, []).append(folder)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print where the kept data is."""
    for folder in config.stash.get(_KEPT, list[str]()):
        terminalreporter.write_line(f"mujina kept its data in {folder}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Note where the log of a test begins that uses the server."""
    if "mujina_server" in getattr(item, "fixturenames", ()):
        item.stash[_LINES] = len(item.config.stash[_SERVER].log) if _SERVER in item.config.stash else 0


@pytest.fixture(scope="session")
def mujina_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> "MujinaProcess":
    """The server of this process of pytest, once it is ready. Tests take `mujina`, which resets it."""
    config = request.config
    data = tmp_path_factory.mktemp("mujina") / "data" if config.getoption("--mujina-keep") else None
    started = _start(config, data)
    server = config.stash[_SERVER] = import_module("mujina.testing.client").MujinaProcess(started)
    if data is not None:
        config.stash.setdefault(_KEPT, []).append(str(data))
        getattr(config, "workeroutput", {})[_FOLDER] = str(data)
    return server


@pytest.fixture
def mujina(mujina_server: "MujinaProcess") -> "Mujina":
    """The server without anything but root: `mujina.url` and root's `mujina.token`."""
    mujina_server.seed({})
    return mujina_server


@pytest.fixture
def mujina_world(mujina: "Mujina") -> "Callable[[Any], WorldIds]":
    """Fills the server: `mujina_world({"users": [{"username": "ann"}]})`, or the name of a YAML file; returns ids and tokens."""
    return mujina.seed


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach what the server wrote during the test to the report of a test that failed."""
    report = yield
    if report.failed and _LINES in item.stash and _SERVER in item.config.stash:
        lines = item.config.stash[_SERVER].log_since(item.stash[_LINES])
        report.sections.append(("Log of the mujina server", "".join(lines)))
    return report
