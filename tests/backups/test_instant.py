"""A set is of one instant: moves of refs after it are undone in the copy, and nothing that it needs is removed meanwhile."""

import asyncio
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mujina.adapters.file_locks import BackupRunning, backup_is_running, backup_lock, pruning
from mujina.adapters.git.storage import RepositoryStorage
from mujina.adapters.storage import FileStorage
from mujina.adapters.storage_marker import mark
from mujina.backups.repositories import RefMove, read_refs, undo
from mujina.settings import Settings
from tests.serve.wire import PATIENCE

A, B, C, ZERO = "a" * 40, "b" * 40, "c" * 40, "0" * 40
REF = "refs/heads/master"


@pytest.mark.parametrize(
    ("now", "moves", "before"),
    [
        (B, [(A, B)], A),
        (C, [(A, B), (B, C)], A),
        (A, [(A, B), (B, A)], A),
        (A, [(A, B), (B, A), (A, C)], A),  # the last one is intended, and has not moved yet
        (B, [(A, C), (A, B)], A),  # the first one was intended, and never moved
        (ZERO, [(A, ZERO)], A),
        (B, [(A, ZERO), (ZERO, B)], A),
        (A, [(ZERO, A)], ZERO),
        (A, [(B, C)], A),
        (A, [], A),
    ],
)
def test_moves_after_the_snapshot_are_undone(now: str, moves: list[tuple[str, str]], before: str):
    refs = {"refs/tags/other": C} | ({} if now == ZERO else {REF: now})
    undone = undo(refs, [RefMove(REF, *move) for move in moves])
    assert undone.pop("refs/tags/other") == C
    assert undone.get(REF, ZERO) == before


def test_refs_are_read_from_single_files_and_from_the_packed_ones(tmp_path: Path):
    (tmp_path / "refs" / "heads").mkdir(parents=True)
    (tmp_path / "packed-refs").write_text(f"# pack-refs with: peeled\n{A} {REF}\n{B} refs/tags/v1\n^{C}\n")
    (tmp_path / REF).write_text(f"{C}\n")
    (tmp_path / f"{REF}.lock").write_text("")
    assert read_refs(tmp_path) == {REF: C, "refs/tags/v1": B}


def test_nothing_is_removed_during_a_backup(tmp_path: Path):
    storage, files = RepositoryStorage.of(tmp_path), FileStorage(Settings(data=tmp_path))
    mark(storage.root)
    mark(tmp_path / "files")

    async def story() -> None:
        await storage.create(1)
        await files.put("uploads/a", b"kept")
        with backup_lock(tmp_path):
            await files.remove("uploads/a")
            with pytest.raises(OSError, match="a backup copies the repositories"):
                await storage.remove(1)
        assert await files.get("uploads/a") == b"kept"
        assert storage.find(1) is not None
        await files.remove("uploads/a")
        await storage.remove(1)
        assert await files.get("uploads/a") is None
        assert storage.find(1) is None

    asyncio.run(story())


def test_one_backup_of_an_instance_runs_at_a_time(tmp_path: Path):
    assert not backup_is_running(tmp_path)
    with backup_lock(tmp_path):
        assert backup_is_running(tmp_path)
        with pytest.raises(BackupRunning), backup_lock(tmp_path):
            pass
    assert not backup_is_running(tmp_path)


def test_a_backup_waits_for_housekeeping_that_began_before_it(tmp_path: Path):
    """It may prune what becomes unreachable after the snapshot."""
    with ThreadPoolExecutor() as threads:
        with pruning(tmp_path) as allowed:
            assert allowed
            backup = threads.submit(_begin_backup, tmp_path)
            time.sleep(0.3)
            assert not backup.done()
            with pruning(tmp_path) as later:
                assert not later
        assert backup.result(PATIENCE)
    with pruning(tmp_path) as allowed:
        assert allowed


def _begin_backup(data: Path) -> bool:
    with backup_lock(data):
        return True


def test_a_backup_that_was_killed_holds_nothing_up(tmp_path: Path):
    script = (
        "import os, signal, sys; from pathlib import Path; from mujina.adapters.file_locks import backup_lock\n"
        "with backup_lock(Path(sys.argv[1])): os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], env=os.environ, check=False)
    assert done.returncode == -9
    assert not backup_is_running(tmp_path)
