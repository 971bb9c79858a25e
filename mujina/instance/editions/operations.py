"""Noticing that the edition is another than before."""

from typing import Final

from mujina.instance.identity.operations import read_fact, store_fact
from mujina.kernel.db.transaction import Database
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import SYSTEM
from mujina.settings import Edition

FACT: Final = "edition"


async def record_edition(database: Database, edition: Edition) -> None:
    """Record it if the instance starts with another edition than at its last start."""
    async with database.reading() as tx:
        if await read_fact(tx, FACT) == edition:
            return
    async with database.transaction() as tx:
        before = await read_fact(tx, FACT)
        await store_fact(tx, FACT, edition)
        if before not in (None, edition):
            await record(tx, "edition.changed", SYSTEM, subject_id=1, changes={"edition": (before, edition)})
