"""What the uploads of all kinds of packages share."""

from collections.abc import AsyncGenerator, AsyncIterator
from typing import Final

from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.publishing.packages.rules import find_project_to_publish
from mujina.workspaces.projects.rules import ProjectRow

MEGABYTE: Final = 1024 * 1024
MAX_NAME: Final = 255


async def begin_upload(call: Call, id: Ref) -> tuple[ProjectRow, int]:
    """The project, if the actor may publish in it, and the bytes that a file may have."""
    async with call.reading() as tx:
        project = await find_project_to_publish(tx, call.actor, id)
        return project, (await read_settings(tx)).max_package_size * MEGABYTE


async def limited(pieces: AsyncIterator[bytes], max_size: int) -> AsyncGenerator[bytes]:
    """The pieces; 400 as soon as there is more than `max_size`."""
    seen = 0
    async for piece in pieces:
        seen += len(piece)
        if seen > max_size:
            raise errors.bad_request("File is too large")
        yield piece
