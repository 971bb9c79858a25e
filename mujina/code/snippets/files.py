"""The files of a snippet. The first is that of the snippet itself, which clients of one file know; others follow it."""

from typing import LiteralString, NamedTuple

from mujina.code.snippets.params import ChangeFile, CreateFile
from mujina.code.snippets.rules import SnippetRow
from mujina.kernel import errors
from mujina.kernel.db.rows import insert_each
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.http.forms import Tree
from mujina.kernel.http.params import read

MAX_FILES = 10
MAX_PATH_LENGTH = 255
FIRST_PATH = "snippetfile1.txt"
"""The path of a first file that has no name."""
FURTHER: LiteralString = """(SELECT CAST(json_agg(f.path ORDER BY f.id) AS text) FROM snippet_files f
    WHERE f.snippet_id = s.id)"""
"""The paths of the files of the snippet `s` behind the first, as JSON."""


class SnippetFile(NamedTuple):
    path: str
    content: str


async def files_of(tx: Tx, snippet: SnippetRow) -> list[SnippetFile]:
    """Every file of the snippet, in the order in which they were added."""
    further = await tx.rows(
        tuple[str, str],
        "SELECT f.path, f.content FROM snippet_files f WHERE f.snippet_id = :id ORDER BY f.id",
        id=snippet.id,
    )
    return [SnippetFile(snippet.file_name, snippet.content), *(SnippetFile(*file) for file in further)]


async def find_file(tx: Tx, snippet: SnippetRow, path: str) -> SnippetFile:
    """The file at this path; the first where the path is empty."""
    if path in ("", snippet.file_name or FIRST_PATH):
        return SnippetFile(snippet.file_name, snippet.content)
    content: str | None = await tx.value(
        "SELECT f.content FROM snippet_files f WHERE f.snippet_id = :id AND f.path = :path", id=snippet.id, path=path
    )
    return SnippetFile(path, errors.or_not_found(content, "File"))


async def store_further(tx: Tx, snippet_id: int, files: list[SnippetFile]) -> None:
    """The snippet has these files behind the first."""
    await tx.run("DELETE FROM snippet_files WHERE snippet_id = :id", id=snippet_id)
    rows = [{"snippet_id": snippet_id, "path": file.path, "content": file.content} for file in files]
    await insert_each(tx, "snippet_files", rows)


def read_files(trees: list[Tree]) -> list[SnippetFile]:
    """The files of a new snippet, as `files` lists them."""
    changes = [read(CreateFile, tree) for tree in trees]
    return [SnippetFile(change.file_path, change.content) for change in changes]


def change_files(files: list[SnippetFile], trees: list[Tree]) -> list[SnippetFile]:
    """The files after these changes, one after another."""
    found = {file.path or FIRST_PATH: file.content for file in files}
    for change in (read(ChangeFile, tree) for tree in trees):
        _change(found, change)
    return [SnippetFile(*file) for file in found.items()]


def _change(found: dict[str, str], change: ChangeFile) -> None:
    path, before = change.file_path, change.previous_path or change.file_path
    if change.action == "create":
        if path in found:
            raise errors.invalid({"files": [f"{path} already exists"]})
        found[path] = change.content or ""
        return
    if before not in found:
        raise errors.invalid({"files": [f"{before} does not exist"]})
    if change.action == "delete":
        del found[before]
        return
    if path != before and path in found:
        raise errors.invalid({"files": [f"{path} already exists"]})
    renamed = [(path, change.content or text) if name == before else (name, text) for name, text in found.items()]
    found.clear()
    found.update(renamed)


def check_files(files: list[SnippetFile]) -> None:
    """400 unless there are one to ten files with different paths below the snippet and with content."""
    problems = Problems()
    if not 1 <= len(files) <= MAX_FILES:
        problems.add("files", f"have to be 1 to {MAX_FILES}")
    if len({file.path for file in files}) < len(files):
        problems.add("files", "have the same path")
    for file in files:
        if {"", ".", ".."} & set(file.path.split("/")) or "\\" in file.path or len(file.path) > MAX_PATH_LENGTH:
            problems.add("files", "have a path that is not allowed")
        if not file.content.strip():
            problems.add("files", "have no content")
    problems.refuse()
