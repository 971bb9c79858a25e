"""The interface of file storage."""

from typing import Protocol


class Files(Protocol):
    """Whole files by name. Our code makes the names; clients never choose them."""

    async def put(self, name: str, data: bytes) -> None:
        """Store the file durably, whole or not at all."""
        ...

    async def get(self, name: str) -> bytes | None:
        """The file; None if there is none."""
        ...

    async def remove(self, name: str) -> None:
        """Delete the file if it exists."""
        ...
