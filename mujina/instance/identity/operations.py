"""Facts that the instance keeps between two starts."""

from mujina.kernel.db.rows import insert, upsert
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.secrets import UnreadableSecret, Vault


async def check_instance_key(database: Database, vault: Vault) -> None:
    """The first start stores the id of its key. A later start with another key is refused before it writes anything."""
    async with database.reading() as tx:
        known = await read_fact(tx, "key_id")
    if known == vault.key_id:
        return
    if known is not None and not vault.knows(known):
        raise UnreadableSecret(
            f"This database belongs to the instance key {known}, but the key in use is {vault.key_id}. "
            "Give that key again (secrets/instance.key in the data folder, or the setting instance_key)."
        )
    async with database.transaction() as tx:
        await store_fact(tx, "key_id", vault.key_id)


async def read_fact(tx: Tx, name: str) -> str | None:
    """The value of this fact, if it is stored."""
    return await tx.value("SELECT f.value FROM instance_facts f WHERE f.name = :name", name=name)


async def store_fact(tx: Tx, name: str, value: str) -> None:
    """Store this value instead of a former one."""
    await upsert(tx, "instance_facts", "name", name=name, value=value)


async def store_fact_once(tx: Tx, name: str, value: str) -> str:
    """The stored value: this one, or the one that another process stored first."""
    await insert(tx, "instance_facts", "ON CONFLICT (name) DO NOTHING", name=name, value=value)
    return await read_fact(tx, name) or value
