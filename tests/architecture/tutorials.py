"""Follows a tutorial: all blocks of code of a page are applied, in order, to a copy of the tree.

The first line of a block says what it is: `python file=…` and `html file=…` are new files, `diff file=…` changes a file,
`sh` is run, and `text` is output.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

COPIED = ("mujina", "tests", "docs", "bench", "pyproject.toml")
MAX_OUTPUT = 6_000
"""Characters of the output of a command that failed."""
_BLOCK = re.compile(r"^```(?P<language>\w*)(?: file=(?P<file>\S+))?\n(?P<text>(?:.*\n)*?)```$", re.MULTILINE)


class WrongBlock(Exception):
    """A block that cannot be applied, or a command that fails."""


def copy_tree(root: Path, tree: Path) -> None:
    """What tutorials need of the tree at `root`, with the virtual environment of this process."""
    tree.mkdir()
    for source in map(root.joinpath, COPIED):
        if source.is_dir():
            shutil.copytree(source, tree / source.name, ignore=shutil.ignore_patterns("__pycache__", "screenshots"))
        else:
            shutil.copy2(source, tree)
    (tree / ".venv").symlink_to(sys.prefix)
    # Compiled modules are valid for copies of their sources: commands compile only what the blocks change.
    compiled = Path(sys.pycache_prefix or "/nowhere", root.relative_to("/"))
    if compiled.is_dir():
        shutil.copytree(compiled, Path(tree, "pycache", tree.relative_to("/")))


def follow(page: str, text: str, tree: Path, thorough: bool = True) -> set[str]:
    """Apply every block of the text, in order; the files of the blocks. A `WrongBlock` names the page and the line.

    Of the blocks that run tests, only the last one is run if the test is not `thorough`.
    """
    blocks = list(_BLOCK.finditer(text))
    if 2 * len(blocks) != text.count("```"):
        raise WrongBlock(f"{page}: a block of code has no end or an unknown first line")
    if not thorough:
        runs = [block for block in blocks if block["language"] == "sh" and "-m pytest" in block["text"]]
        blocks = [block for block in blocks if block not in runs[:-1]]
    for block in blocks:
        try:
            _apply(tree, block["language"], block["file"], block["text"])
        except WrongBlock as wrong:
            line = text.count("\n", 0, block.start()) + 1
            raise WrongBlock(f"{page} line {line}: {wrong}") from None
    return {block["file"] for block in blocks if block["file"]}


def lint(tree: Path, files: Iterable[str]) -> None:
    """What the blocks wrote has the form of all other code."""
    written = " ".join(sorted(file for file in files if file.endswith(".py")))
    _run(tree, f".venv/bin/ruff check --no-cache {written}")
    _run(tree, f".venv/bin/ruff format --no-cache --check {written}")


def _apply(tree: Path, language: str, file: str | None, text: str) -> None:
    match language, file:
        case "text", None:
            pass
        case "sh", None:
            for command in text.splitlines():
                _run(tree, command)
        case _, None:
            raise WrongBlock(f"a block of `{language}` names no file")
        case "diff", _:
            _change(tree, file, text)
        case _:
            _write(tree, file, text)


def _write(tree: Path, file: str, text: str) -> None:
    path = tree / file
    if path.exists():
        raise WrongBlock(f"{file} exists already")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _change(tree: Path, file: str, diff: str) -> None:
    """Lines with `+` are added, lines with `-` removed, the others are context; `@@` begins another passage."""
    path = tree / file
    if not path.exists():
        raise WrongBlock(f"there is no {file} to change")
    for passage in diff.split("@@\n"):
        lines = [(line[:1], f"{line[1:]}\n") for line in passage.splitlines()]
        before = "\n" + "".join(line for sign, line in lines if sign != "+")
        after = "\n" + "".join(line for sign, line in lines if sign != "-")
        text = f"\n{path.read_text()}"
        if (count := text.count(before)) != 1:
            raise WrongBlock(f"{file} contains this passage {count} times instead of once:{before.rstrip()}")
        path.write_text(text.replace(before, after)[1:])


def _run(tree: Path, command: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        command,
        check=False,
        shell=True,
        cwd=tree,
        # Compiled modules are kept, so that the next command need not compile them again.
        env=environment | {"PYTHONPYCACHEPREFIX": str(tree / "pycache"), "PYTHONDONTWRITEBYTECODE": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if done.returncode:
        raise WrongBlock(f"`{command}` ends with {done.returncode}\n{done.stdout[-MAX_OUTPUT:]}")
