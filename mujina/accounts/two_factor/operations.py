"""Preparing, enabling, verifying and disabling two-factor authentication."""

from mujina.accounts.two_factor import totp
from mujina.accounts.users.rules import find_user
from mujina.accounts.users.sign_in import accounts
from mujina.kernel import clock, errors, secrets
from mujina.kernel.db.rows import insert, insert_each, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.secrets import Vault

PURPOSE = "two_factor"
RECOVERY_CODES = 10
WRONG_CODE = "The code is wrong or was already used."


async def prepare(tx: Tx, vault: Vault, actor: Actor) -> None:
    """Store a new key, which has no effect until the user enables it with a code."""
    await insert(
        tx, "two_factors", "ON CONFLICT (user_id) DO UPDATE SET sealed = excluded.sealed, last_step = 0",
        user_id=actor.id, sealed=vault.encrypt(totp.new_key(), PURPOSE), created_at=clock.now(),
    )  # fmt: skip


async def key_of(tx: Tx, vault: Vault, user_id: int) -> str | None:
    """The key of the user, prepared or in use."""
    encrypted = await tx.value("SELECT t.sealed FROM two_factors t WHERE t.user_id = :id", id=user_id)
    return None if encrypted is None else vault.decrypt(encrypted, PURPOSE)


async def enable(tx: Tx, vault: Vault, actor: Actor, code: str) -> list[str]:
    """Require a code at sign-in from now on. Returns the recovery codes, which are shown only once."""
    if not await _is_device_code(tx, vault, actor.id, code):
        raise errors.bad_request(WRONG_CODE)
    await accounts.set_two_factor(tx, actor, await find_user(tx, actor.id), enabled=True)
    return await regenerate_codes(tx, actor)


async def regenerate_codes(tx: Tx, actor: Actor) -> list[str]:
    """New recovery codes, which are shown only once; the old ones become invalid."""
    codes = [secrets.new_recovery_code() for _ in range(RECOVERY_CODES)]
    await tx.run("DELETE FROM recovery_codes WHERE user_id = :id", id=actor.id)
    digests = [{"user_id": actor.id, "digest": secrets.digest(code)} for code in codes]
    await insert_each(tx, "recovery_codes", digests)
    return codes


async def disable(tx: Tx, actor: Actor, user_id: int) -> bool:
    """The password alone is sufficient again. False if it was before."""
    await tx.run("DELETE FROM two_factors WHERE user_id = :id", id=user_id)
    await tx.run("DELETE FROM recovery_codes WHERE user_id = :id", id=user_id)
    if not await tx.value("SELECT u.two_factor_enabled FROM users u WHERE u.id = :id", id=user_id):
        return False
    await accounts.set_two_factor(tx, actor, await find_user(tx, user_id), enabled=False)
    return True


async def verify(tx: Tx, vault: Vault, user_id: int, code: str) -> bool:
    """Whether this is a code of the user's device or one of their recovery codes. Each code is valid once."""
    code = code.strip().replace(" ", "").lower()
    if await _is_device_code(tx, vault, user_id, code):
        return True
    used = await tx.run(
        "DELETE FROM recovery_codes WHERE user_id = :id AND digest = :digest", id=user_id, digest=secrets.digest(code)
    )
    return used == 1


async def _is_device_code(tx: Tx, vault: Vault, user_id: int, code: str) -> bool:
    row = await tx.row(
        tuple[str, int],
        "SELECT t.sealed, t.last_step FROM two_factors t WHERE t.user_id = :id FOR UPDATE",
        id=user_id,
    )
    step = None if row is None else totp.step_of(vault.decrypt(row[0], PURPOSE), code.strip(), after=row[1])
    if step is None:
        return False
    await update(tx, "two_factors", {"last_step": step}, user_id=user_id)
    return True
