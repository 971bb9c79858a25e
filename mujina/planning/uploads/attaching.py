"""Attaching the files of a form to the text that it sends."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final, cast

from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import PageRequest
from mujina.kernel.http.forms import Upload
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.planning.uploads import operations
from mujina.planning.uploads.entities import uploaded
from mujina.planning.uploads.operations import StagedUpload
from mujina.planning.uploads.rules import UPLOAD_FILE
from mujina.workspaces.projects.rules import find_project

MAX_FORM_WITH_FILES: Final = 10 * 1024 * 1024
"""Bytes of a form with its files."""


def files_of(request: PageRequest) -> list[Upload]:
    """The files of the field `files[]`; a field without a file sends one without a name."""
    given: Any = request.tree.get("files")
    return [
        each
        for each in cast("list[Any]", given if isinstance(given, list) else [])
        if isinstance(each, Upload) and each.filename
    ]


@asynccontextmanager
async def staged_files(request: PageRequest) -> AsyncGenerator[list[StagedUpload]]:
    """Store the files of the form and run the block; if the block fails, remove them. 413 for one that is too large."""
    files = files_of(request)
    async with AsyncExitStack() as stack:
        if files:
            async with request.reading() as tx:
                max_size = (await read_settings(tx)).max_attachment_size * 1024 * 1024
            if any(len(file.data) > max_size for file in files):
                raise errors.too_large()
        store = request.services.files
        yield [await stack.enter_async_context(operations.staged_upload(store, file)) for file in files]


async def attach(tx: Tx, actor: Actor, project_id: int, text: str, files: list[StagedUpload]) -> str:
    """The text with a link to each file at its end."""
    if not files:
        return text
    project = await find_project(tx, actor, Ref.of(project_id), to=UPLOAD_FILE)
    for file in files:
        await operations.create(tx, actor, project.id, file)
    links = [uploaded(project.full_path, file.secret, file.name).markdown for file in files]
    return "\n\n".join([*([text.rstrip()] if text.strip() else []), *links])
