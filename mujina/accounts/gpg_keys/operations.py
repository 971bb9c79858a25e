"""Adding, removing and revoking OpenPGP keys."""

import asyncio

import msgspec

from mujina.accounts.gpg_keys import certificates
from mujina.accounts.gpg_keys.certificates import BEGIN, END, Certificate, CertificateTooLarge, InvalidCertificate
from mujina.accounts.gpg_keys.rules import GpgKeyRow
from mujina.kernel import clock, errors
from mujina.kernel.db.errors import UniqueViolation
from mujina.kernel.db.rows import delete_row, insert, insert_each, insert_id
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import BLANK
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor

INVALID_KEY = f"is invalid. A valid public GPG key begins with '{BEGIN}' and ends with '{END}'"

TOO_LARGE = "is too large. Export it with --export-options export-minimal"


class ParsedKey(msgspec.Struct, frozen=True):
    """A key as a user sent it, and what it contains."""

    text: str
    certificate: Certificate


async def parse(text: str) -> ParsedKey:
    """The key in this text, read in a thread; 400 with the reason if it cannot be added."""
    text = text.strip()
    try:
        return ParsedKey(text, await asyncio.to_thread(certificates.parse, text))
    except CertificateTooLarge:
        raise errors.invalid({"key": [TOO_LARGE]}) from None
    except InvalidCertificate:
        raise errors.invalid({"key": [INVALID_KEY if text else BLANK]}) from None


async def add(tx: Tx, actor: Actor, user_id: int, key: ParsedKey) -> int:
    """Add a key of a user; signatures by it count as theirs."""
    text, certificate = key.text, key.certificate
    await _check_new(tx, text, certificate.fingerprint, certificate.key_id)
    try:
        key_id: int = await insert_id(
            tx, "gpg_keys", user_id=user_id, key=text, fingerprint=certificate.fingerprint,
            primary_keyid=certificate.key_id, addresses="\n".join(certificate.addresses), created_at=clock.now(),
        )  # fmt: skip
    except UniqueViolation:
        raise errors.taken("fingerprint", "primary_keyid") from None
    handles = [
        {"gpg_key_id": key_id, "fingerprint": fingerprint, "key_id": short}
        for fingerprint, short in certificate.handles
    ]
    await insert_each(tx, "gpg_key_handles", handles)
    await tx.run(
        "DELETE FROM revoked_gpg_keys WHERE user_id = :user_id AND fingerprint = :fingerprint",
        user_id=user_id,
        fingerprint=certificate.fingerprint,
    )
    await record(tx, "gpg_key.added", actor, subject_id=key_id, changes={"user_id": (None, user_id)})
    return key_id


async def remove(tx: Tx, actor: Actor, key: GpgKeyRow, *, revoked: bool) -> None:
    """Remove the key; it may be added again. Its signatures stay verified, unless the key is `revoked`."""
    await delete_row(tx, "gpg_keys", "GPG Key", id=key.id)
    if revoked:
        await insert(
            tx, "revoked_gpg_keys", "ON CONFLICT DO NOTHING", user_id=key.user_id, fingerprint=key.fingerprint,
            created_at=clock.now(),
        )  # fmt: skip
    await record(
        tx, "gpg_key.revoked" if revoked else "gpg_key.removed", actor, subject_id=key.id,
        changes={"fingerprint": (key.fingerprint, None), "user_id": (key.user_id, None)},
    )  # fmt: skip


async def release_user(tx: Tx, user_id: int) -> None:
    """Remove every key of a user."""
    await tx.run("DELETE FROM gpg_keys WHERE user_id = :user_id", user_id=user_id)


async def _check_new(tx: Tx, text: str, fingerprint: str, key_id: str) -> None:
    taken = await tx.row(
        tuple[str, str],
        "SELECT k.key, k.fingerprint FROM gpg_keys k WHERE k.fingerprint = :fingerprint OR k.primary_keyid = :key_id",
        fingerprint=fingerprint,
        key_id=key_id,
    )
    if taken is None:
        return
    same = {"key": taken[0] == text, "fingerprint": taken[1] == fingerprint, "primary_keyid": True}
    raise errors.taken(*(name for name, is_taken in same.items() if is_taken))
