"""Reads the signatures of commits and annotated tags, and what they sign."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import msgspec

from mujina.kernel import deferred_imports

if TYPE_CHECKING:
    from pygit2 import Repository

MAX_BYTES: Final = 1024 * 1024
"""A larger object counts as unsigned: what is signed has to be hashed."""
PGP, PGP_MESSAGE = b"-----BEGIN PGP SIGNATURE-----", b"-----BEGIN PGP MESSAGE-----"
SSH, X509 = b"-----BEGIN SSH SIGNATURE-----", b"-----BEGIN SIGNED MESSAGE-----"
_HEADER: Final = b"gpgsig"
_TAG: Final = b"object "
"""How a tag starts; a commit starts with its tree."""


class SignedObject(msgspec.Struct, frozen=True):
    """A commit or an annotated tag."""

    id: str
    address: str
    """The address of the committer or the tagger."""
    signature: bytes
    """Armored; several of a commit one after the other."""
    payload: bytes
    """The signed bytes: the object without the signature."""


def read_signatures(repository: "Repository", ids: Iterable[str]) -> list[SignedObject]:
    """The signatures of those of these commits and tags that have one."""
    found = ((id_, _raw(repository, id_)) for id_ in ids)
    split = ((id_, raw, *(_split_tag(raw) if raw.startswith(_TAG) else _split_commit(raw))) for id_, raw in found)
    return [SignedObject(id_, _address(raw), signature, payload) for id_, raw, signature, payload in split if signature]


def _raw(repository: "Repository", id_: str) -> bytes:
    """The commit or tag as it is stored; empty if it is missing, too large or something else."""
    pygit2 = deferred_imports.pygit2()
    kinds = (pygit2.enums.ObjectType.COMMIT, pygit2.enums.ObjectType.TAG)
    try:
        kind, size = repository.odb.read_header(id_)
        return repository.odb.read(id_)[1] if kind in kinds and size <= MAX_BYTES else b""
    except (KeyError, ValueError, pygit2.GitError):
        return b""


def _split_commit(raw: bytes) -> tuple[bytes, bytes]:
    """The signature, and the commit without it, as git separates them: no header `gpgsig…` is signed."""
    head, blank, message = raw.partition(b"\n\n")
    if b"\n" + _HEADER not in head:
        return b"", raw
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


def _split_tag(raw: bytes) -> tuple[bytes, bytes]:
    """The signature stands at the end of the message: git takes the last one."""
    start = max(raw.rfind(b"\n" + mark) for mark in (PGP, PGP_MESSAGE, SSH, X509)) + 1
    return (raw[start:], raw[:start]) if start else (b"", raw)


def _address(raw: bytes) -> str:
    for line in raw.partition(b"\n\n")[0].split(b"\n"):
        if line.startswith((b"committer ", b"tagger ")):
            return line.rpartition(b">")[0].rpartition(b"<")[2].decode("utf-8", "replace")
    return ""
