"""What a store of files offers, wherever it keeps them."""

from typing import Protocol


class Files(Protocol):
    """Whole files by name. Names are made by us, never taken from a client."""

    async def put(self, name: str, data: bytes) -> None:
        """The file is kept for good, whole or not at all."""
        ...

    async def get(self, name: str) -> bytes | None:
        """The file; None if there is none."""
        ...

    async def remove(self, name: str) -> None:
        """There is no such file any more, if there was one."""
        ...
