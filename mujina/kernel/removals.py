"""Clean-up after a removal by the slices that own the rows and files.

The slice that removes something declares an extension point for each step, so it need not know the chapters after it that
keep something of a user, a group or a project.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, LiteralString, ParamSpec

from mujina.kernel.db.transaction import Tx, Value

BATCH: Final = 1_000
"""How many rows of a table one transaction of a removal changes, so that other writers never wait long."""

Arguments = ParamSpec("Arguments")

Cleanup = Callable[Arguments, Awaitable[bool | None]]
"""One step of a removal, idempotent; False: something has to go first, try again later; or more is left, call it again."""


async def clean_up(cleanups: Sequence[Cleanup[Arguments]], *args: Arguments.args, **named: Arguments.kwargs) -> bool:
    """Run every clean-up, the last one first, because what comes later refers to what was there before.

    False as soon as one says that something has to go first.
    """
    for cleanup in reversed(cleanups):
        if await cleanup(*args, **named) is False:
            return False
    return True


async def delete_batch(tx: Tx, table: LiteralString, ids: LiteralString, **bound: Value) -> bool:
    """Delete a batch of the rows whose ids the statement `ids` selects. False: call it again for the rest."""
    return await tx.run(f"DELETE FROM {table} WHERE id IN ({ids} LIMIT :batch)", batch=BATCH, **bound) < BATCH


async def update_batch(tx: Tx, table: LiteralString, change: LiteralString, ids: LiteralString, **bound: Value) -> bool:
    """Set columns of a batch of these rows, which no longer match `ids` then. False: call it again for the rest."""
    return await tx.run(f"UPDATE {table} SET {change} WHERE id IN ({ids} LIMIT :batch)", batch=BATCH, **bound) < BATCH
