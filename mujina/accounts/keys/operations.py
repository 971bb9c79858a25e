"""Adding, renaming and removing SSH keys."""

from collections.abc import Collection
from typing import Any

from mujina.accounts.keys import public_keys
from mujina.accounts.keys.params import AddKey
from mujina.accounts.keys.public_keys import MAX_LENGTH, InvalidPublicKey, PublicKey
from mujina.accounts.keys.rules import KeyRow, is_expired
from mujina.instance.application_settings.params import FORBIDDEN, ApplicationSettings
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import clock
from mujina.kernel.db.errors import unique
from mujina.kernel.db.rows import delete_row, insert_id, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import INVALID, TAKEN, ApiError, Problems
from mujina.kernel.events import record
from mujina.kernel.monitoring.logs import log
from mujina.kernel.permissions.actor import SYSTEM, Actor

_MAX_TITLE_LENGTH = 255


async def add(tx: Tx, actor: Actor, user_id: int | None, change: AddKey, *, from_directory: bool = False) -> int:
    """Add a key that authenticates this user; without a user it is a deploy key."""
    line = public_keys.normalize(change.key)
    expires_at = change.expires_at or None
    key = await check(tx, change.title, line, expires_at)
    now = clock.now()
    with unique("fingerprint"):
        key_id: int = await insert_id(
            tx, "ssh_keys", user_id=user_id, title=change.title, key=line, family=key.family, bits=key.bits,
            md5=key.md5, sha256=key.sha256, from_directory=from_directory, expires_at=expires_at, created_at=now,
            updated_at=now,
        )  # fmt: skip
    await record(
        tx, "key.added", actor, subject_id=key_id,
        changes={"title": (None, change.title), "user_id": (None, user_id)} | _origin(from_directory),
    )  # fmt: skip
    return key_id


def _origin(from_directory: bool) -> dict[str, Any]:
    """The part of an event that describes a key from a directory: system hooks use other names for those."""
    return {"from_directory": (None, True)} if from_directory else {}


async def follow_directory(tx: Tx, user_id: int, title: str, lines: Collection[str]) -> None:
    """Make the user's keys from the directory these. Keys added by hand stay; one that cannot be added is left out."""
    wanted = {public_keys.normalize(line): line for line in lines}
    known = await tx.rows(
        KeyRow,
        f"SELECT {KeyRow.columns} FROM ssh_keys k WHERE k.user_id = :user_id AND k.from_directory ORDER BY k.id FOR UPDATE",
        user_id=user_id,
    )
    for key in known:
        if wanted.pop(key.key, None) is None:
            await remove(tx, SYSTEM, key, from_directory=True)
    for line in wanted:
        try:
            async with tx.savepoint():
                await add(tx, SYSTEM, user_id, AddKey(title=title, key=line), from_directory=True)
        except ApiError as error:
            log.warning(
                "an SSH key of the directory was not added", user_id=user_id, problem="; ".join(error.sentences)
            )


async def rename(tx: Tx, key_id: int, title: str) -> None:
    """Change the title of the key."""
    problems = Problems()
    problems.require("title", title, _MAX_TITLE_LENGTH)
    problems.refuse()
    await update(tx, "ssh_keys", {"title": title, "updated_at": clock.now()}, id=key_id)


async def remove(tx: Tx, actor: Actor, key: KeyRow, *, from_directory: bool = False) -> None:
    """Remove the key; it may be added again."""
    await record(  # before the deletion: what follows still sees the key
        tx,
        "key.removed",
        actor,
        subject_id=key.id,
        changes={"title": (key.title, None), "user_id": (key.user_id, None)} | _origin(from_directory),
    )
    await delete_row(tx, "ssh_keys", "Key", id=key.id)


async def release_user(tx: Tx, user_id: int) -> None:
    """Remove every key of a user."""
    await tx.run("DELETE FROM ssh_keys WHERE user_id = :user_id", user_id=user_id)


async def delete_deploy_keys(tx: Tx, key_ids: list[int]) -> None:
    """Delete keys that no project uses any more."""
    await tx.run("DELETE FROM ssh_keys WHERE id IN :key_ids AND user_id IS NULL", key_ids=key_ids)


async def check(tx: Tx, title: str, line: str, expires_at: str | None = None) -> PublicKey:
    """The parsed key. Refuses one that is invalid, too weak, in use or expired, with every problem at once."""
    problems = Problems()
    problems.require("title", title, _MAX_TITLE_LENGTH)
    problems.limit("key", line, MAX_LENGTH)
    problems.require("key", line)
    key = None if problems else _parse(problems, line)
    if is_expired(expires_at):
        problems.add("expires_at", "must be in the future")
    if key is not None:
        _check_restrictions(problems, key, await read_settings(tx))
        if await tx.value("SELECT 1 FROM ssh_keys k WHERE k.sha256 = :sha256", sha256=key.sha256):
            problems.add("fingerprint", TAKEN)
    problems.refuse()
    assert key is not None
    return key


def _parse(problems: Problems, line: str) -> PublicKey | None:
    try:
        return public_keys.parse(line)
    except InvalidPublicKey:
        problems.add("key", INVALID)
        problems.add("fingerprint", "cannot be generated")
        return None


_NAMES = {
    "rsa": "RSA", "dsa": "DSA", "ecdsa": "ECDSA", "ed25519": "ED25519", "ecdsa_sk": "ECDSA_SK",
    "ed25519_sk": "ED25519_SK",
}  # fmt: skip


def _check_restrictions(problems: Problems, key: PublicKey, settings: ApplicationSettings) -> None:
    """Add a problem if the settings forbid the type or the length of the key."""
    min_bits = {family: getattr(settings, f"{family}_key_restriction") for family in _NAMES}
    if min_bits[key.family] == FORBIDDEN:
        allowed = [name for family, name in _NAMES.items() if min_bits[family] != FORBIDDEN]
        problems.add("key", f"type is forbidden. Must be {_alternatives(allowed)}")
    elif key.bits < min_bits[key.family]:
        problems.add("key", f"must be at least {min_bits[key.family]} bits")


def _alternatives(names: list[str]) -> str:
    """The names as a list of choices: A, B, or C."""
    return ", or ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
