"""A repository of 2,000 commits and 20 MB, the same each time, and more commits on top of it."""

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

from mujina.adapters.git.git import ENVIRONMENT

COMMITS = 2_000
FOLDERS = 40
FIRST_DAY = 1_500_000_000
WORDS = 4_000
LINES = 105
"""Lines of a new file: about 10 KB in a pack, so 2,000 files are 20 MB."""


def make(place: Path) -> None:
    """Create a bare repository in which every commit adds a file and changes another."""
    run(place.parent, "init", "--quiet", "--bare", str(place))
    _write(place, "refs/heads/master", _history(random.Random(1), 0, COMMITS))
    run(place, "gc", "--quiet")


def grow(place: Path, branch: str, commits: int) -> None:
    """Add a branch with this many commits on top of master."""
    _write(place, f"refs/heads/{branch}", _history(random.Random(branch), COMMITS, commits, "refs/heads/master"))


def run(folder: Path, *words: str, patient: bool = False) -> None:
    """Run git without any configuration; `patient` runs it at idle priority."""
    environment = {**ENVIRONMENT, "GIT_ALLOW_PROTOCOL": "http:file", "GIT_CONFIG_GLOBAL": "/dev/null"}
    command = [*(["chrt", "--idle", "0"] if patient else []), "git", *words]
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)


def _write(place: Path, ref: str, history: Iterator[bytes]) -> None:
    import_stream(place, b"".join(b"commit %s\n%s" % (ref.encode(), commit) for commit in history))


def import_stream(place: Path, stream: bytes) -> None:
    """Store what a stream for `git fast-import` describes."""
    subprocess.run(["git", "fast-import", "--quiet"], cwd=place, env=ENVIRONMENT, input=stream, check=True)


def _history(chance: random.Random, start: int, count: int, onto: str = "") -> Iterator[bytes]:
    words = [f"{chance.getrandbits(40):x}" for _ in range(WORDS)]
    files: dict[str, list[str]] = {}
    for n in range(start, start + count):
        new = f"folder{n % FOLDERS}/file{n}.txt"
        files[new] = [_line(chance, words) for _ in range(LINES)]
        changed = chance.choice(list(files))
        files[changed][chance.randrange(LINES)] = _line(chance, words)
        who = b"committer Somebody <somebody@example.org> %d +0000\n" % (FIRST_DAY + n * 60)
        above = b"from %s\n" % onto.encode() if onto and n == start else b""
        yield who + data(f"Change {n}\n\nWhat it is for.\n") + above + _file(new, files) + _file(changed, files)


def _line(chance: random.Random, words: list[str]) -> str:
    return " ".join(chance.choices(words, k=8))


def _file(path: str, files: dict[str, list[str]]) -> bytes:
    return b"M 100644 inline %s\n%s" % (path.encode(), data("\n".join(files[path]) + "\n"))


def data(text: str) -> bytes:
    """A text as `git fast-import` reads it."""
    return b"data %d\n%s\n" % (len(text.encode()), text.encode())
