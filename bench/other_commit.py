"""The source tree of another commit, with an environment that fits it, for as long as it is measured."""

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from bench.servers import THIS, Program

LOCKS = "*.lock"
_PACKAGE = "import mujina; print(*mujina.__path__)"


@contextmanager
def checked_out(commit: str, folder: Path, repository: Path = THIS.tree) -> Generator[Program]:
    """A worktree of the commit in the folder, removed at the end."""
    found = _git(
        repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}", check=False
    )
    if not found:
        raise SystemExit(f"{commit} is not a commit of this repository.")
    tree = folder / "tree"
    _git(repository, "worktree", "add", "--quiet", "--detach", str(tree), found)
    try:
        program = Program(_python(tree, repository), tree)
        _require_own_package(program)
        yield program
    finally:
        _git(repository, "worktree", "remove", "--force", str(tree))


def _python(tree: Path, repository: Path) -> str:
    """Equal locks mean equal dependencies: then this environment serves both, and nothing is installed."""
    if _locks(tree) == _locks(repository):
        return sys.executable
    print("Its locks differ: an environment is installed for it …", flush=True)
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
    subprocess.run(["make", "--silent", "VENV=.venv", ".venv/installed"], cwd=tree, env=environment, check=True)
    return str(tree / ".venv" / "bin" / "python")


def _locks(tree: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in tree.glob(LOCKS)}


def _require_own_package(program: Program) -> None:
    """A comparison of this commit with itself would look like a result."""
    command = [program.python, "-c", _PACKAGE]
    environment = os.environ | program.environment
    found = subprocess.check_output(command, cwd=program.tree, env=environment, text=True).strip()
    if Path(found).resolve() != (program.tree / "mujina").resolve():
        raise SystemExit(f"The other commit would run the package in {found}, not its own.")


def _git(repository: Path, *words: str, check: bool = True) -> str:
    return subprocess.run(
        ["git", *words], cwd=repository, check=check, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
