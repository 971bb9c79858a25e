"""How long a transaction waits for locks on PostgreSQL."""

from mujina.kernel.db.transaction import Tx


async def limit_lock_wait(tx: Tx) -> None:
    """From here on the transaction gives up before PostgreSQL looks for a deadlock, which might end the other one."""
    if tx.engine == "postgres":
        await tx.run("SET LOCAL lock_timeout = '100ms'")
