"""Stored files, opened for those who ask for them."""

from collections.abc import AsyncGenerator

from mujina.kernel.db.replica import ask_primary
from mujina.kernel.services import Services
from mujina.kernel.storage.errors import missing_file


async def open_file(
    services: Services, name: str, absent: Exception, start: int = 0, end: int | None = None
) -> AsyncGenerator[bytes]:
    """The bytes of the file from `start` to before `end`; a secondary without a copy raises `absent`, and the primary answers."""
    try:
        return await services.files.pieces(name, start, end)
    except FileNotFoundError:
        await record_missing(services, name)
        raise absent from None


async def record_missing(services: Services, name: str) -> None:
    """The file is not there: `StorageMissing`, except on a secondary, which fetches it later and lets the primary answer."""
    if services.secondary is None:
        raise missing_file(name)
    await services.secondary.record_missing(name)
    ask_primary()
