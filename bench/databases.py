"""The database of a measured server, opened beside it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from mujina.kernel.db.connect import connect
from mujina.kernel.db.transaction import Database
from mujina.product import PRODUCT


@asynccontextmanager
async def open_database(url: str) -> AsyncGenerator[Database]:
    """Changes in it have the consequences that they have in the product."""
    database = connect(url)
    database.product = PRODUCT
    await database.open()
    try:
        yield database
    finally:
        await database.close()
