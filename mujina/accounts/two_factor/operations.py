"""A second factor is prepared, proven, asked for and taken away."""

from mujina.accounts.two_factor import totp
from mujina.accounts.users import accounts
from mujina.accounts.users.rules import find_user
from mujina.kernel import clock, errors, secrets
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.secrets import Vault

PURPOSE = "two_factor"
CODES = 10
WRONG = "The code is wrong, or was used before."


async def prepare(tx: Tx, vault: Vault, actor: Actor) -> None:
    """A new key, which counts for nothing until a code made with it is shown."""
    await tx.run(
        """
        INSERT INTO two_factors (user_id, sealed, created_at) VALUES (:user_id, :sealed, :now)
        ON CONFLICT (user_id) DO UPDATE SET sealed = excluded.sealed, last_step = 0
        """,
        user_id=actor.id, sealed=vault.encrypt(totp.new_key(), PURPOSE), now=clock.now(),
    )  # fmt: skip


async def key_of(tx: Tx, vault: Vault, user_id: int) -> str | None:
    """The key that was prepared or is in use."""
    sealed = await tx.value("SELECT t.sealed FROM two_factors t WHERE t.user_id = :id", id=user_id)
    return None if sealed is None else vault.decrypt(sealed, PURPOSE)


async def enable(tx: Tx, vault: Vault, actor: Actor, code: str) -> list[str]:
    """From now on a password is not enough. The codes for the day the device is lost, shown only now."""
    if not await _is_of_the_device(tx, vault, actor.id, code):
        raise errors.bad_request(WRONG)
    await accounts.set_two_factor(tx, actor, await find_user(tx, actor.id), enabled=True)
    return await renew_codes(tx, actor)


async def renew_codes(tx: Tx, actor: Actor) -> list[str]:
    """New recovery codes, shown only now; the old ones are good no more."""
    codes = [secrets.new_recovery_code() for _ in range(CODES)]
    await tx.run("DELETE FROM recovery_codes WHERE user_id = :id", id=actor.id)
    await tx.run_each(
        "INSERT INTO recovery_codes (user_id, digest) VALUES (:user_id, :digest)",
        [{"user_id": actor.id, "digest": secrets.digest(code)} for code in codes],
    )
    return codes


async def disable(tx: Tx, actor: Actor) -> None:
    """A password is enough again."""
    await tx.run("DELETE FROM two_factors WHERE user_id = :id", id=actor.id)
    await tx.run("DELETE FROM recovery_codes WHERE user_id = :id", id=actor.id)
    await accounts.set_two_factor(tx, actor, await find_user(tx, actor.id), enabled=False)


async def prove(tx: Tx, vault: Vault, user_id: int, code: str) -> bool:
    """Whether the code is of the person's device, or one of their recovery codes: either is good once."""
    code = code.strip().replace(" ", "").lower()
    if await _is_of_the_device(tx, vault, user_id, code):
        return True
    used = await tx.run(
        "DELETE FROM recovery_codes WHERE user_id = :id AND digest = :digest", id=user_id, digest=secrets.digest(code)
    )
    return used == 1


async def _is_of_the_device(tx: Tx, vault: Vault, user_id: int, code: str) -> bool:
    row = await tx.row(
        tuple[str, int],
        "SELECT t.sealed, t.last_step FROM two_factors t WHERE t.user_id = :id FOR UPDATE",
        id=user_id,
    )
    step = None if row is None else totp.step_of(vault.decrypt(row[0], PURPOSE), code.strip(), after=row[1])
    if step is None:
        return False
    await tx.run("UPDATE two_factors SET last_step = :step WHERE user_id = :id", id=user_id, step=step)
    return True
