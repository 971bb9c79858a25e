"""Trees of commits: measured with each folder counted once, and listed page by page.

A push of a few kilobytes may contain a tree with more files than fit into memory, or deeper than the stack.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import msgspec

from mujina.adapters.git.objects import commit_of, opened
from mujina.kernel import deferred_imports

if TYPE_CHECKING:
    from pathlib import Path

    from pygit2 import Commit, Tree

MAX_NAME_BYTES: Final = 255
MAX_PATH_BYTES: Final = 4096
"""The limits of a name and of a path: no checkout could hold longer ones."""
MAX_ENTRIES: Final = 1_000_000
"""A tree with more is not read as a whole."""
MAX_CHANGED: Final = 100_000
"""Commits that differ in more files and folders are not compared."""


class TreeTooLarge(Exception):
    """The tree is too large to be processed; the message says why."""


TOO_DEEP: Final = "The tree is too deep"
TOO_MANY: Final = "The tree has too many files"


class Entry(msgspec.Struct, frozen=True):
    """An entry of a tree."""

    id: str
    name: str
    type: str
    path: str
    mode: str


class FolderSize(msgspec.Struct, frozen=True):
    """The number of entries below a folder, and the bytes of the longest path."""

    entries: int = 0
    longest: int = 0


UNREADABLE: Final = "\ufffd"
"""The text that is shown for each byte of a name that is not UTF-8."""


def tree_path(path: str) -> str:
    """The normalized path: no leading, trailing or double slash, and no `.`."""
    return "/".join(part for part in path.split("/") if part not in ("", "."))


_measured: dict[Any, FolderSize] = {}
MAX_MEASURED: Final = 20_000
"""Cached sizes of folders: the next commit has nearly all of them too."""


def below(tree: "Tree") -> FolderSize:
    """The size of a folder: measured once for each folder, and cached."""
    if (kept := _measured.get(tree.id)) is not None:
        return kept
    fresh: dict[Any, FolderSize] = {}
    folders: list[Any] = [tree]
    while folders:
        folder = folders[-1]
        inner = [(item, fresh.get(item.id) or _measured.get(item.id)) for item in folder if item.type_str == "tree"]
        if unknown := [item for item, known in inner if known is None]:
            folders += unknown
            continue
        folders.pop()
        names = (len(item.raw_name) for item in folder)
        deeper = (len(item.raw_name) + 1 + known.longest for item, known in inner if known)
        entries = len(folder) + sum(known.entries for _, known in inner if known)
        fresh[folder.id] = FolderSize(entries, max(*names, *deeper, 0, 0))
    # Other threads change the cache concurrently: the results of this call are in `fresh`.
    if len(_measured) + len(fresh) > MAX_MEASURED:
        _measured.clear()
    _measured.update(list(fresh.items())[-MAX_MEASURED:])
    return fresh[tree.id]


def check_whole(repo_path: "Path", commit_id: str) -> None:
    """`TreeTooLarge` if the tree is deeper than any checkout could hold, or has more entries than memory should.

    Git itself breaks down on its way through a deep one, and takes no end of memory for a wide one.
    """
    found = below(commit_of(opened(repo_path), commit_id).tree)
    if found.longest > MAX_PATH_BYTES or found.entries > MAX_ENTRIES:
        raise TreeTooLarge(TOO_DEEP if found.longest > MAX_PATH_BYTES else TOO_MANY)


def item_at(tree: "Tree", path: str) -> Any:
    """The file or folder at this path below the tree, or None. A name that is not UTF-8 is found as it is shown."""
    try:
        return tree[path]
    except (KeyError, ValueError):
        if UNREADABLE not in path:
            return None
    item: Any = tree
    for part in path.split("/"):
        if not isinstance(item, deferred_imports.pygit2().Tree):
            return None
        item = next((each for each in item if _shown_name(each) == part), None)
    return item


def _shown_name(item: Any) -> str:
    return item.raw_name.decode("utf-8", "replace")


def entries(commit: "Commit", path: str, *, recursive: bool, offset: int, limit: int) -> tuple[list[Entry], int]:
    """Some entries of the folder at this path, and how many it has: folders first, then files, in the order of bytes.

    Recursively each folder is followed by what is in it. Nothing where there is no folder.
    """
    tree: Any = item_at(commit.tree, path) if path else commit.tree
    if not isinstance(tree, deferred_imports.pygit2().Tree):
        return [], 0
    if recursive:
        return _listed(tree, path, offset, limit)
    found = sorted((_entry(item, path) for item in tree), key=lambda entry: (entry.type != "tree", entry.name.encode()))
    return found[offset : offset + limit], len(found)


def names_in(repo_path: "Path", commit_id: str, path: str) -> frozenset[str]:
    """The names in the folder at this path of a commit; none where there is no folder."""
    pygit2 = deferred_imports.pygit2()
    tree: Any = commit_of(opened(repo_path), commit_id).tree
    tree = item_at(tree, path) if path else tree
    return frozenset(_shown_name(item) for item in tree) if isinstance(tree, pygit2.Tree) else frozenset()


def entry_at(commit: "Commit", path: str) -> Entry | None:
    """Returns the entry at this path of the commit: a file, a folder, a symbolic link or a submodule."""
    item = item_at(commit.tree, path)
    return None if item is None else _entry(item, path.rpartition("/")[0])


def _listed(tree: "Tree", above: str, offset: int, limit: int) -> tuple[list[Entry], int]:
    """A page of all that is below; folders that lie before it are passed over without a look into them."""
    whole = below(tree)
    if len(above.encode()) + whole.longest > MAX_PATH_BYTES:
        raise TreeTooLarge(TOO_DEEP)
    page: list[Entry] = []
    folders: list[tuple[Iterator[Any], str]] = [(iter(tree), above)]
    while folders and len(page) < limit:
        items, above = folders[-1]
        if (item := next(items, None)) is None:
            folders.pop()
            continue
        inner = below(item).entries if item.type_str == "tree" else 0
        if offset > inner:
            offset -= 1 + inner
            continue
        entry = _entry(item, above)
        if offset == 0:
            page.append(entry)
        offset = max(0, offset - 1)
        if inner:
            folders.append((iter(item), entry.path))
    return page, whole.entries


def _entry(item: Any, above: str) -> Entry:
    """Decodes pushed bytes as UTF-8 and replaces invalid bytes."""
    name = _shown_name(item)
    return Entry(str(item.id), name, item.type_str, f"{above}/{name}" if above else name, f"{int(item.filemode):06o}")


def are_comparable(before: "Tree | None", after: "Tree") -> bool:
    """Whether two trees can be walked side by side and their differences stay within the limit."""
    if sum(below(tree).entries for tree in (before, after) if tree is not None) > MAX_ENTRIES:
        return False
    seen = 0
    pairs: list[tuple[Any, Any]] = [(before, after)]
    while pairs:
        old, new = ({item.raw_name: item for item in tree or ()} for tree in pairs.pop())
        for name in old.keys() | new.keys():
            one, other = old.get(name), new.get(name)
            if one is not None and other is not None and (one.id, one.filemode) == (other.id, other.filemode):
                continue
            seen += 1
            folders = [item if item is not None and item.type_str == "tree" else None for item in (one, other)]
            if folders != [None, None]:
                pairs.append((folders[0], folders[1]))
        if seen > MAX_CHANGED:
            return False
    return True
