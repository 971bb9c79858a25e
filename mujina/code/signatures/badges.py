"""Signatures of commits and tags as pages show them."""

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from mujina.accounts.users.entities import RefRow, UserRef
from mujina.code.commits.operations import Repository
from mujina.code.signatures import operations
from mujina.code.signatures.rules import SignatureRow, Status
from mujina.kernel.services import Services

_REASONS: Final[dict[Status, str]] = {
    "verified": "This {noun} was signed with a verified signature, and the {person} is the owner of the key.",
    "unverified": "This {noun} was signed, but the signature could not be verified.",
    "same_user_different_email": (
        "This {noun} was signed with a verified signature, but the key does not name the {person}'s address."
    ),
    "other_user": "This {noun} was signed with the key of another user.",
    "unverified_key": "This {noun} was signed, but the owner of the key has not confirmed an address that it names.",
    "unknown_key": "This {noun} was signed with an unknown key.",
    "multiple_signatures": "This {noun} was signed with multiple signatures, which cannot be verified.",
}


class SignatureBadge(msgspec.Struct, frozen=True):
    """A signature as pages show it: without addresses."""

    verified: bool
    reason: str
    key_type: str
    key_id: str
    owner: UserRef | None
    """The user of the key."""


async def read_badges(
    services: Services, code: Repository, project_id: int, ids: Sequence[str], noun: Literal["commit", "tag"] = "commit"
) -> dict[str, SignatureBadge]:
    """The badges of those of these commits or tags that are signed: one statement, or none if none is signed."""
    found = await operations.read(services, code, project_id, ids)
    return {sha: _badge(row, noun) for sha, row in found.items()}


def _badge(row: SignatureRow, noun: Literal["commit", "tag"]) -> SignatureBadge:
    owner = None
    if row.known and row.user_id is not None:
        name, state = row.user_name or "", row.user_state or ""
        owner = RefRow(row.user_id, row.username or "", name, state, row.user_avatar).shown()
    key_id = (f"SHA256:{row.fingerprint}" if row.kind == "ssh" and row.fingerprint else row.key_id) or ""
    key_type = {"pgp": "GPG", "ssh": "SSH", "x509": "X.509"}[row.kind]
    reason = _REASONS[row.status].format(noun=noun, person="committer" if noun == "commit" else "tagger")
    return SignatureBadge(row.status == "verified", reason, key_type, key_id, owner)
