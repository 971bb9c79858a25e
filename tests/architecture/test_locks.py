"""What `make run` installs, and what `make test` adds to it."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]


def locked(file: str) -> dict[str, tuple[str, frozenset[str]]]:
    """The version and the hashes of each package; every entry has both."""
    entries = re.split(r"\n(?=\S)", (ROOT / file).read_text().strip())
    found = {}
    for entry in entries:
        name, version = re.match(r"([a-z0-9.-]+)==(\S+)", entry).groups()
        hashes = frozenset(re.findall(r"--hash=sha256:([0-9a-f]{64})", entry))
        assert hashes, entry
        found[name] = (version, hashes)
    return found


def names(requirements: list[str]) -> set[str]:
    return {re.match(r"[a-z0-9.-]+", requirement)[0] for requirement in requirements}


def test_every_dependency_is_locked():
    assert names([*PROJECT["dependencies"], *EXTRAS["build"]]) <= locked("requirements.lock").keys()
    assert names(EXTRAS["dev"]) <= locked("requirements-dev.lock").keys()


def test_running_installs_nothing_that_only_the_tests_ask_for():
    assert not names(EXTRAS["dev"]) & locked("requirements.lock").keys()


def test_the_tests_run_with_the_packages_that_running_installs():
    assert locked("requirements.lock").items() <= locked("requirements-dev.lock").items()


def test_the_locks_hold_packages_and_hashes_and_no_place_to_download_from():
    line = re.compile(r"([a-z0-9.-]+==\S+( ; .+)?|    --hash=sha256:[0-9a-f]{64})( \\)?")
    for file in ("requirements.lock", "requirements-dev.lock"):
        assert [text for text in (ROOT / file).read_text().splitlines() if not line.fullmatch(text)] == []
