"""`make bench AGAINST=COMMIT`: which rows are decided, and where the other commit's package comes from."""

import subprocess
import sys
from pathlib import Path

import pytest

from bench.against import Cost, line
from bench.other_commit import checked_out

MAKEFILE = """
.venv/installed:
\tpython3 -m venv --without-pip .venv
\ttouch $@
"""


def _row(*ratios: float, engine: str = "SQLite", bad: int = 0) -> list[str]:
    turns = [(Cost(2.0, 3.0, 0), Cost(2.0 * ratio, 4.5, bad)) for ratio in ratios]
    return [cell.strip() for cell in line(engine, "single issue", turns).split("|")[1:-1]]


def test_a_row_shows_the_medians_their_ratio_and_the_ratios_of_the_rounds():
    assert _row(1.48, 1.5, 1.52, 1.5, 1.6) == [
        "SQLite", "single issue", "2.00", "3.00", "1.50", "1.48–1.60", "more CPU", "", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ((1.05, 1.04, 1.06, 1.05, 1.05), "more CPU"),
        ((0.95, 0.94, 0.96, 0.95, 0.95), "less CPU"),
        ((1.05, 1.00, 1.10, 1.05, 1.05), "undecided"),
        ((1.00, 1.00, 1.00, 1.00, 1.00), "undecided"),
    ],
)
def test_a_difference_is_decided_when_it_is_larger_than_the_spread(ratios, verdict):
    assert _row(*ratios)[6] == verdict


def test_a_row_with_errors_is_not_decided():
    assert _row(1.5, 1.5, bad=2)[6] == "errors: 0, 4"


def test_the_processor_time_of_postgresql_stands_beside_it():
    assert _row(1.0, 1.0, engine="PostgreSQL")[7:] == ["3.00", "4.50"]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A first commit whose package says 1, a second whose package says 2."""
    folder = tmp_path / "repository"
    _git(tmp_path, "init", "--quiet", str(folder))
    (folder / "mujina").mkdir()
    (folder / "Makefile").write_text(MAKEFILE)
    (folder / "requirements.lock").write_text("")
    for n in (1, 2):
        (folder / "mujina" / "__init__.py").write_text(f"NUMBER = {n}\n")
        _git(folder, "add", ".")
        _git(folder, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", str(n))
    return folder


def test_the_other_commit_runs_its_own_package_and_its_worktree_is_removed(repository, tmp_path):
    with checked_out("HEAD~1", tmp_path, repository) as program:
        assert program.python == sys.executable
        script = "import mujina; print(mujina.NUMBER)"
        environment = program.environment
        assert subprocess.check_output([program.python, "-c", script], env=environment, cwd=tmp_path) == b"1\n"
    assert not program.tree.exists()
    assert _git(repository, "worktree", "list").count("\n") == 1


def test_a_commit_with_other_locks_gets_an_environment_of_its_own(repository, tmp_path):
    (repository / "requirements.lock").write_text("something==1.0\n")
    with checked_out("HEAD", tmp_path, repository) as program:
        assert program.python == str(program.tree / ".venv" / "bin" / "python")
    assert not program.tree.exists()


def test_a_commit_that_does_not_exist_is_named(repository, tmp_path):
    with pytest.raises(SystemExit, match="never-made is not a commit"), checked_out("never-made", tmp_path, repository):
        pass


def _git(folder: Path, *words: str) -> str:
    return subprocess.check_output(["git", *words], cwd=folder, text=True)
