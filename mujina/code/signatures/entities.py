"""Signatures of commits as responses show them."""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from mujina.code.signatures.rules import SignatureRow, Status


class SigningKey(msgspec.Struct):
    """An SSH key that has signed a commit. Its title is for its user alone."""

    id: int
    key: str
    created_at: str


class CommitSignature(msgspec.Struct, kw_only=True):
    """The signature of a commit; which fields it has depends on its type."""

    signature_type: Literal["PGP", "SSH", "X509"]
    verification_status: Status
    gpg_key_id: int | None | UnsetType = UNSET
    gpg_key_primary_keyid: str | None | UnsetType = UNSET
    gpg_key_user_name: str | None | UnsetType = UNSET
    gpg_key_user_email: str | None | UnsetType = UNSET
    gpg_key_subkey_id: int | None | UnsetType = UNSET
    key: SigningKey | None | UnsetType = UNSET
    # Compat: clients of today read where a signature was found; there is one place.
    commit_source: Literal["gitaly"] = "gitaly"


def to_signature(row: SignatureRow) -> CommitSignature:
    if row.kind == "x509":
        return CommitSignature(signature_type="X509", verification_status=row.status)
    if row.kind == "ssh":
        key = None
        if row.ssh_key_id is not None:
            key = SigningKey(row.ssh_key_id, row.ssh_key or "", row.ssh_key_created_at or "")
        return CommitSignature(signature_type="SSH", verification_status=row.status, key=key)
    return CommitSignature(
        signature_type="PGP",
        verification_status=row.status,
        gpg_key_id=row.gpg_key_id,
        gpg_key_primary_keyid=row.primary_key_id or row.key_id,
        gpg_key_user_name=row.signer_name if row.known else None,
        gpg_key_user_email=row.signer_email if row.known else None,
        gpg_key_subkey_id=row.subkey_id,
    )
