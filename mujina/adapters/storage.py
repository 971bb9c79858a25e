"""Files in a folder of this machine, or in a bucket: S3, Google or Azure, by URL."""

from contextlib import suppress
from functools import cached_property
from typing import Any

from mujina.kernel import lazy
from mujina.settings import Settings


class Storage:
    """The store of files the operator chose. It is opened when it is first needed: no start pays for it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    async def put(self, name: str, data: bytes) -> None:
        """The file is kept, whole or not at all."""
        await lazy.obstore().put_async(self._store, name, data)

    async def get(self, name: str) -> bytes | None:
        """The file; None if there is none."""
        try:
            found = await lazy.obstore().get_async(self._store, name)
        except FileNotFoundError:
            return None
        return bytes(await found.bytes_async())

    async def remove(self, name: str) -> None:
        """There is no such file any more, if there was one."""
        with suppress(FileNotFoundError):
            await lazy.obstore().delete_async(self._store, name)

    @cached_property
    def _store(self) -> Any:
        url = self._settings.storage_url
        if url is None:
            return lazy.obstore().store.LocalStore(str(self._settings.data.absolute() / "files"), mkdir=True)
        return lazy.obstore().store.from_url(url)
