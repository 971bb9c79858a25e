"""What the instance remembers of itself between two starts."""

from mujina.kernel.db.transaction import Database
from mujina.kernel.secrets import Unreadable, Vault


async def keep_to_key(database: Database, vault: Vault) -> None:
    """The first start remembers which key it used; a later one with another key is refused before it writes anything."""
    async with database.reading() as tx:
        known = await tx.value("SELECT value FROM instance_facts WHERE name = 'key_id'")
    if known == vault.key_id:
        return
    if known is not None and not vault.knows(known):
        raise Unreadable(
            f"This database belongs to the instance key {known}, but the key in use is {vault.key_id}. "
            "Give that key again (secrets/instance.key in the data folder, or the setting instance_key)."
        )
    async with database.transaction() as tx:
        await tx.run(
            """INSERT INTO instance_facts (name, value) VALUES ('key_id', :value)
               ON CONFLICT (name) DO UPDATE SET value = excluded.value""",
            value=vault.key_id,
        )
