"""Files in storage that no row names: interrupted uploads, copies and removals leave them."""

from collections.abc import AsyncGenerator
from datetime import timedelta
from typing import Final

from mujina.adapters.storage import FileStorage
from mujina.kernel.services import Services
from mujina.planning.storage.files import STORED_FILES, find_keys

MIN_AGE: Final = timedelta(days=30)
"""A younger file may belong to a request that has not committed yet, or to rows that a restored database lacks: there is
time to notice that a backup was too old, or that a trial with a copy of the database uses the storage of the original."""
FEW: Final = 10
"""This number is removed even if all files of a small instance are leftovers."""


class TooManyLeftovers(Exception):
    """Most files have no row: storage and database do not belong together, or one of them was restored."""


async def remove_leftovers(services: Services) -> int:
    """Remove what no row names; how many files. If that is most of many, nothing is removed: `TooManyLeftovers`."""
    listed = found = 0
    async for names, unknown in _list(services):
        listed += len(names)
        found += len(unknown)
    if found > FEW and found * 2 > listed:
        raise TooManyLeftovers(
            f"{found} of {listed} files in the storage belong to nothing in the database, so none was removed: "
            "is this the right database, and the right storage?"
        )
    removed = 0
    async for _, unknown in _list(services):
        for name in unknown:
            await services.files.remove(name)
        removed += len(unknown)
    return removed


async def _list(services: Services) -> AsyncGenerator[tuple[list[str], list[str]]]:
    """All old files in batches, and those of each batch that no row names."""
    storage = FileStorage(services.settings)
    for each in services.product.all(STORED_FILES):
        async for names in storage.old_files(each.folder, MIN_AGE):
            async with services.database.reading() as tx:
                known = await find_keys(tx, each.kind, names)
            yield names, [name for name in names if name not in known]
