"""Files that are attached to texts of a project."""

from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import post
from mujina.planning.uploads import entities, operations
from mujina.planning.uploads.entities import Uploaded
from mujina.planning.uploads.params import CreateUpload
from mujina.planning.uploads.rules import UPLOAD_FILE
from mujina.workspaces.projects.rules import find_project


@post("/projects/:id/uploads")
async def create_upload(call: Call, id: Ref, change: CreateUpload) -> Uploaded:
    async with call.reading() as tx:
        await find_project(tx, call.actor, id, to=UPLOAD_FILE)
        max_size = (await read_settings(tx)).max_attachment_size * 1024 * 1024
    if len(change.file.data) > max_size:
        raise errors.too_large()
    async with operations.staged_upload(call.services.files, change.file) as file, call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=UPLOAD_FILE)
        await operations.create(tx, call.actor, project.id, file)
        return entities.uploaded(project.full_path, file.secret, file.name)
