"""Repositories on disk: what is made, copied, moved or deleted there survives a power cut, and nobody waits for the disk."""

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from mujina.adapters.git import git, refs
from mujina.adapters.git.storage import RepositoryStorage
from mujina.adapters.git.transport import copying
from mujina.adapters.storage_marker import mark

Flushed = Callable[[Coroutine[Any, Any, Any]], set[str]]
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
AUTHOR = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


@pytest.fixture
def storage(tmp_path: Path) -> RepositoryStorage:
    made = RepositoryStorage.of(tmp_path)
    mark(made.root)
    return made


@pytest.fixture
def flushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flushed]:
    """The paths that are synced while something runs."""
    threads: dict[str, int] = {}

    def seen(handle: int) -> None:
        path = Path(f"/proc/self/fd/{handle}").readlink()
        threads[str(path.relative_to(tmp_path))] = threading.get_ident()

    def run(work: Coroutine[Any, Any, Any]) -> set[str]:
        threads.clear()
        asyncio.run(work)
        return set(threads)

    monkeypatch.setattr(os, "fsync", seen)
    yield run
    assert threading.get_ident() not in threads.values(), "the event loop waited for the disk"


async def commit(repo_path: Path) -> str:
    await git.run(repo_path, "hash-object", "-w", "-t", "tree", "--stdin")
    made = await git.run(repo_path, "commit-tree", EMPTY_TREE, stdin=b"x", environment=AUTHOR)
    return made.decode().strip()


def test_a_new_repository_is_on_disk_with_every_folder_that_leads_to_it(
    storage: RepositoryStorage, flushed: Flushed, tmp_path: Path
):
    synced = flushed(storage.create(1))
    repo_path = storage.repo_path(1).relative_to(tmp_path)
    assert {str(folder) for folder in repo_path.parents} <= synced
    files = {path.relative_to(storage.repo_path(1)) for path in storage.repo_path(1).rglob("*")}
    # Its files were synced before it got its name.
    drafts = {Path(*Path(path).parts[len(repo_path.parts) :]) for path in synced if ".draft-" in path}
    assert drafts == files | {Path()}


def test_a_copy_that_replaces_a_repository_is_on_disk(storage: RepositoryStorage, flushed: Flushed, tmp_path: Path):
    async def prepare() -> None:
        repo_path = await storage.create(1)
        await refs.set_refs(repo_path, {"refs/heads/a/b": await commit(repo_path)})

    asyncio.run(prepare())
    synced = flushed(storage.replace(2, lambda draft: copying.copy(storage.repo_path(1), draft)))
    parent = str(storage.repo_path(2).parent.relative_to(tmp_path))
    assert parent in synced
    names = {Path(path).name for path in synced if path.startswith(f"{parent}/.draft-")}
    assert {"HEAD", "config", "b", "a", "pack"} <= names
    assert flushed(storage.remove(2)) == {parent}


def test_the_names_of_moved_and_deleted_refs_are_on_disk(storage: RepositoryStorage, flushed: Flushed, tmp_path: Path):
    async def move() -> None:
        await refs.set_refs(repo_path, {"refs/heads/a/b": await commit(repo_path)})

    repo_path = asyncio.run(storage.create(1))
    inside = str(repo_path.relative_to(tmp_path))
    assert {f"{inside}/refs/heads/a", f"{inside}/refs/heads"} <= flushed(move())
    # The empty folder is gone with its last ref.
    assert {f"{inside}/refs/heads", inside} <= flushed(refs.drop_refs(repo_path, ["refs/heads/a/b"]))


def test_a_folder_that_did_not_change_lately_costs_no_wait(
    storage: RepositoryStorage, flushed: Flushed, tmp_path: Path
):
    async def move() -> None:
        await refs.set_refs(repo_path, {"refs/heads/topic": tip})

    repo_path = asyncio.run(storage.create(1))
    tip = asyncio.run(commit(repo_path))
    for folder in (repo_path, repo_path / "refs", repo_path / "objects" / "pack"):
        os.utime(folder, (0, 0))
    assert flushed(move()) == {str((repo_path / "refs" / "heads").relative_to(tmp_path))}


def test_a_copy_that_was_killed_is_removed_by_the_next_one(storage: RepositoryStorage):
    killed, under_way = (storage.repo_path(1).parent / f".draft-{name}" for name in ("killed", "under-way"))
    for draft in (killed, under_way):
        (draft / "objects").mkdir(parents=True)
    os.utime(killed, (0, 0))

    async def fill(_: Path) -> None:
        pass

    asyncio.run(storage.replace(1, fill))
    assert not killed.exists()
    assert under_way.exists()
