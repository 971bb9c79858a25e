"""Signatures of commits as responses and pages show them."""

from typing import Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.users.entities import RefRow, UserRef
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


def single(row: SignatureRow) -> CommitSignature:
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


_REASONS: Final[dict[Status, str]] = {
    "verified": "This commit was signed with a verified signature, and the committer is the owner of the key.",
    "unverified": "This commit was signed, but the signature could not be verified.",
    "same_user_different_email": "This commit was signed with a verified signature, but the key does not name the committer's address.",
    "other_user": "This commit was signed with the key of another user.",
    "unverified_key": "This commit was signed, but the owner of the key has not confirmed an address that it names.",
    "unknown_key": "This commit was signed with an unknown key.",
    "multiple_signatures": "This commit was signed with multiple signatures, which cannot be verified.",
}


class SignatureBadge(msgspec.Struct, frozen=True):
    """A signature as pages show it: without addresses."""

    verified: bool
    reason: str
    key_type: str
    key_id: str
    owner: UserRef | None
    """The user of the key."""


def badge(row: SignatureRow) -> SignatureBadge:
    owner = None
    if row.known and row.user_id is not None:
        name, state = row.user_name or "", row.user_state or ""
        owner = RefRow(row.user_id, row.username or "", name, state, row.user_avatar).shown()
    key_id = (f"SHA256:{row.fingerprint}" if row.kind == "ssh" and row.fingerprint else row.key_id) or ""
    key_type = {"pgp": "GPG", "ssh": "SSH", "x509": "X.509"}[row.kind]
    return SignatureBadge(row.status == "verified", _REASONS[row.status], key_type, key_id, owner)
