"""Repositories as of the instant of a snapshot: their files, and their refs as the pushes since then found them.

A ref moves only by a push, which writes its intent into the database first: what the snapshot does not know of is undone in
the copy. Objects are only added meanwhile, because nothing is removed during a backup.
"""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from mujina.adapters.git.git import EMPTY, ZERO
from mujina.adapters.git.storage import RepositoryStorage
from mujina.backups.rows import DatabaseSnapshot

LATE_PUSHES: Final = 1_000
"""PostgreSQL gives ids before transactions commit: the snapshot may lack this number of pushes before the last one."""
_KNOWN: Final = f"SELECT o.id FROM pushes o ORDER BY o.id DESC LIMIT {LATE_PUSHES}"
_PUSHES: Final = """
    SELECT o.id, o.project_id, o.wiki, c.ref, c.old_id, c.new_id FROM pushes o JOIN push_refs c ON c.push_id = o.id
    WHERE o.id >= {} ORDER BY o.id"""
_PACKED: Final = b"# pack-refs with: sorted \n"
_TEMPORARY: Final = (".lock", ".keep", ".tmp")


class RefMove(NamedTuple):
    """A ref that a push has moved, or was about to move, after the snapshot."""

    ref: str
    old: str
    new: str


class RepositoryCopy(NamedTuple):
    """A repository, and its refs as of the snapshot."""

    path: Path
    packed_refs: bytes


def read_repositories(data: Path, snapshot: DatabaseSnapshot) -> list[RepositoryCopy]:
    """All repositories, with their refs as of the snapshot, which must have just begun."""
    found = [(path, read_refs(path)) for path in sorted(_find(data / "repositories"))]
    moves = _read_moves(snapshot)  # after the refs: the intent of each move that they show is there
    return [RepositoryCopy(path, _packed(undo(refs, moves.get(path.name, ())))) for path, refs in found]


def _find(root: Path) -> Iterator[Path]:
    for storage in root.iterdir() if root.is_dir() else ():
        for path in (*storage.glob("@hashed/*/*/*.git"), storage / EMPTY):
            if (path / "HEAD").exists():
                yield path


def _read_moves(snapshot: DatabaseSnapshot) -> Mapping[str, Sequence[RefMove]]:
    """The moves since the snapshot, by the name of the folder of each repository."""
    known = {id for (id,) in snapshot.values(_KNOWN)}
    moves = defaultdict[str, list[RefMove]](list)
    for id, project_id, wiki, ref, old, new in snapshot.current(_PUSHES.format(min(known, default=0))):
        if id not in known:
            moves[RepositoryStorage(Path()).repo_path(project_id, wiki=bool(wiki)).name].append(RefMove(ref, old, new))
    return moves


def undo(refs: Mapping[str, str], moves: Sequence[RefMove]) -> dict[str, str]:
    """The refs before these moves, of which some may not have taken place."""
    earlier, rest = dict(refs), list(moves)
    for ref in {move.ref for move in moves}:
        while last := next(
            (move for move in reversed(rest) if (move.ref, move.new) == (ref, earlier.get(ref, ZERO))), None
        ):
            rest.remove(last)
            earlier[ref] = last.old
    return {ref: tip for ref, tip in earlier.items() if tip != ZERO}


def read_refs(repository: Path) -> dict[str, str]:
    """All refs. Single files come first: one that is packed meanwhile is found in `packed-refs`, which is read last."""
    loose = dict[str, str]()
    root = os.fspath(repository)
    for folder, _, names in os.walk(f"{root}/refs"):
        for name in names:
            if not name.endswith(".lock"):
                tip = _read(f"{folder}/{name}").strip()
                if tip and not tip.startswith(b"ref:"):
                    loose[f"{folder}/{name}"[len(root) + 1 :]] = tip.decode()
    packed = dict[str, str]()
    for line in _read(f"{root}/packed-refs").split(b"\n"):
        if line and line[:1] not in (b"#", b"^"):
            tip, _, ref = line.partition(b" ")
            packed[os.fsdecode(ref)] = tip.decode()
    return packed | loose


def _read(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - of thousands of repositories
            return file.read()
    except FileNotFoundError:  # packed or deleted meanwhile
        return b""


def _packed(refs: Mapping[str, str]) -> bytes:
    lines = sorted((os.fsencode(ref), tip) for ref, tip in refs.items())
    return _PACKED + b"".join(tip.encode() + b" " + ref + b"\n" for ref, tip in lines) if refs else b""


def list_files(repository: Path) -> Iterator[str]:
    """The paths of the files of the repository, without refs; of a damaged one, those that are there.

    What refers to objects comes before them, and loose objects before packs, into which they may be packed meanwhile.
    """
    objects = f"{repository}/objects"
    yield from (path for path in (f"{repository}/HEAD", f"{repository}/config") if os.path.exists(path))  # noqa: PTH110
    yield from _files(f"{objects}/info")
    for name in _names(objects):
        if len(name) == 2:
            yield from _files(f"{objects}/{name}")
    yield from _packs(f"{objects}/pack")


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - a list of names, of thousands of folders
    except FileNotFoundError:
        return []


def _files(folder: str) -> Iterator[str]:
    for path, _, names in os.walk(folder):
        yield from (f"{path}/{name}" for name in sorted(names) if not _is_temporary(name))


def _packs(folder: str) -> list[str]:
    """The files of packs that are complete: git writes the index last."""
    names = _names(folder)
    complete = {name.removesuffix(".idx") for name in names if name.endswith(".idx")}
    return [f"{folder}/{name}" for name in names if name.partition(".")[0] in complete and not _is_temporary(name)]


def _is_temporary(name: str) -> bool:
    return name.startswith("tmp_") or name.endswith(_TEMPORARY)
