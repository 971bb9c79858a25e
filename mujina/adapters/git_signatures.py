"""Reads the signatures of commits, and what they sign."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import msgspec

from mujina.kernel import deferred_imports

if TYPE_CHECKING:
    from pygit2 import Repository

MAX_COMMIT_BYTES: Final = 1024 * 1024
"""A larger commit counts as unsigned: whatever signs it would have to be hashed."""
_HEADER: Final = b"gpgsig"


class SignedCommit(msgspec.Struct, frozen=True):
    id: str
    signature: bytes
    """As the header has it, armored; several headers one after the other."""
    payload: bytes
    """What is signed: the commit without the signature."""


def signed_ids(repository: "Repository", ids: Iterable[str]) -> list[str]:
    """Those of these commits that have a signature."""
    return [id_ for id_ in ids if b"\n" + _HEADER in _raw(repository, id_).partition(b"\n\n")[0]]


def read_signatures(repository: "Repository", ids: Iterable[str]) -> list[SignedCommit]:
    """The signatures of those of these commits that have one."""
    found = ((id_, *_split(_raw(repository, id_))) for id_ in ids)
    return [SignedCommit(id_, signature, payload) for id_, signature, payload in found if signature]


def _raw(repository: "Repository", id_: str) -> bytes:
    """The commit as it is stored; empty if it is missing or too large."""
    pygit2 = deferred_imports.pygit2()
    try:
        kind, size = repository.odb.read_header(id_)
        is_read = kind == pygit2.enums.ObjectType.COMMIT and size <= MAX_COMMIT_BYTES
        return repository.odb.read(id_)[1] if is_read else b""
    except (KeyError, ValueError, pygit2.GitError):
        return b""


def _split(raw: bytes) -> tuple[bytes, bytes]:
    """The signature, and the commit without it, as git separates them: no header `gpgsig…` is signed."""
    head, blank, message = raw.partition(b"\n\n")
    signature: list[bytes] = []
    signed: list[bytes] = []
    inside = ours = False
    for line in head.split(b"\n"):
        if not line.startswith(b" "):
            inside, ours = line.startswith(_HEADER), line.startswith(_HEADER + b" ")
        if ours:
            signature.append(line.removeprefix(_HEADER).removeprefix(b" "))
        elif not inside:
            signed.append(line)
    return b"\n".join(signature), b"\n".join(signed) + blank + message
