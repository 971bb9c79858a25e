"""Files that belong to a project's texts."""

from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.http import Call, Json
from mujina.kernel.params import Ref
from mujina.kernel.routing import post
from mujina.planning.uploads import entities, operations
from mujina.planning.uploads.params import CreateUpload
from mujina.planning.uploads.rules import UPLOAD_FILE
from mujina.workspaces.projects.rules import find_project


@post("/projects/:id/uploads")
async def create_upload(call: Call, id: Ref, change: CreateUpload) -> Json:
    async with call.reading() as tx:
        await find_project(tx, call.actor, id, to=UPLOAD_FILE)
        most = (await read_settings(tx)).max_attachment_size * 1024 * 1024
    if len(change.file.data) > most:
        raise errors.too_large()
    async with operations.staged_upload(call.services.files, change.file) as file, call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=UPLOAD_FILE)
        await operations.create(tx, call.actor, project.id, file)
        return entities.uploaded(project.full_path, file.secret, file.name)
