"""Facts that the instance keeps between two starts."""

from mujina.kernel.db.rows import insert, upsert
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.secrets import INSTANCE_KEY, UnreadableSecret, Vault, find_instance_key, instance_key
from mujina.settings import Settings


async def open_vault(database: Database, settings: Settings, *, is_primary: bool) -> Vault:
    """The vault under the key that this database belongs to; `UnreadableSecret`, and nothing is written, if it is not here.

    A database that belongs to no key yet, which is that of a new instance, belongs to this one from now on. Only for it a key
    is made: another one would encrypt what the running server cannot read.
    """
    known = await _read_key_id(database)
    vault = _find(known, settings) or Vault(instance_key(settings.data, settings.instance_key))
    if is_primary and known != vault.key_id:
        async with database.transaction() as tx:
            stored = await store_fact_once(tx, "key_id", vault.key_id)
            _check(stored, vault)  # another node may have been first
            await store_fact(tx, "key_id", vault.key_id)
    return vault


async def find_vault(database: Database, settings: Settings) -> Vault | None:
    """As `open_vault`, without any writing: None if the database belongs to no key yet, and none is here."""
    return _find(await _read_key_id(database), settings)


async def _read_key_id(database: Database) -> str | None:
    async with database.reading() as tx:
        return await read_fact(tx, "key_id")


def _find(known: str | None, settings: Settings) -> Vault | None:
    key = find_instance_key(settings.data, settings.instance_key)
    if key is not None:
        vault = Vault(key)
        _check(known, vault)
        return vault
    if known is not None:
        raise _other_key(known, f"there is none in {settings.data / 'secrets' / INSTANCE_KEY}")
    return None


def _check(known: str | None, vault: Vault) -> None:
    if known is not None and not vault.knows(known):
        raise _other_key(known, f"the key in use is {vault.key_id}")


def _other_key(known: str, found: str) -> UnreadableSecret:
    return UnreadableSecret(
        f"This database belongs to the instance key {known}, but {found}. "
        "Give that key again (secrets/instance.key in the data folder, or the setting instance_key)."
    )


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
