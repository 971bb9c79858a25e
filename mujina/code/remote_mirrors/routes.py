"""Push mirrors of projects."""

from mujina.code.remote_mirrors import entities, operations
from mujina.code.remote_mirrors.entities import MirrorPublicKey, RemoteMirror, to_mirror
from mujina.code.remote_mirrors.params import CreateMirror, EditMirror
from mujina.code.remote_mirrors.rules import ADMIN_MIRRORS, MirrorRow, find_mirror
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post, put
from mujina.workspaces.projects.rules import find_project


@get("/projects/:id/remote_mirrors")
async def list_remote_mirrors(call: Call, id: Ref, page: Page) -> Paged[RemoteMirror]:
    async with call.reading() as tx:
        project_id = await _find_project_id(call, tx, id)
        return await entities.load_page(tx, call.services.vault, project_id, page)


@get("/projects/:id/remote_mirrors/:mirror_id")
async def show_remote_mirror(call: Call, id: Ref, mirror_id: int) -> RemoteMirror:
    async with call.reading() as tx:
        return to_mirror(call.services.vault, await _find(call, tx, id, mirror_id))


@get("/projects/:id/remote_mirrors/:mirror_id/public_key")
async def show_remote_mirror_public_key(call: Call, id: Ref, mirror_id: int) -> MirrorPublicKey:
    """The key that the other server has to accept; 404 if the mirror does not use SSH."""
    async with call.reading() as tx:
        mirror = await _find(call, tx, id, mirror_id)
    return MirrorPublicKey(errors.or_not_found(mirror.public_key, "Public Key"))


@post("/projects/:id/remote_mirrors")
async def create_remote_mirror(call: Call, id: Ref, change: CreateMirror) -> RemoteMirror:
    async with call.transaction() as tx:
        project_id = await _find_project_id(call, tx, id)
        mirror_id = await operations.create(tx, call.services, call.actor, project_id, change)
        return to_mirror(call.services.vault, await find_mirror(tx, project_id, mirror_id))


@put("/projects/:id/remote_mirrors/:mirror_id")
async def edit_remote_mirror(call: Call, id: Ref, mirror_id: int, change: EditMirror) -> RemoteMirror:
    async with call.transaction() as tx:
        mirror = await _find(call, tx, id, mirror_id)
        await operations.edit(tx, call.actor, mirror, change)
        return to_mirror(call.services.vault, await find_mirror(tx, mirror.project_id, mirror_id))


@delete("/projects/:id/remote_mirrors/:mirror_id")
async def delete_remote_mirror(call: Call, id: Ref, mirror_id: int) -> None:
    async with call.transaction() as tx:
        mirror = await _find(call, tx, id, mirror_id)
        call.unless_modified(mirror.updated_at)
        await operations.remove(tx, call.actor, mirror)


@post("/projects/:id/remote_mirrors/:mirror_id/sync", status=204)
async def sync_remote_mirror(call: Call, id: Ref, mirror_id: int) -> None:
    """Push to the mirror soon."""
    async with call.transaction() as tx:
        await operations.sync(tx, call.actor, await _find(call, tx, id, mirror_id))


async def _find(call: Call, tx: Tx, id: Ref, mirror_id: int) -> MirrorRow:
    return await find_mirror(tx, await _find_project_id(call, tx, id), mirror_id)


async def _find_project_id(call: Call, tx: Tx, id: Ref) -> int:
    try:
        return (await find_project(tx, call.actor, id, to=ADMIN_MIRRORS)).id
    except errors.Forbidden:
        # Compat: those who may not manage mirrors get a 401.
        raise errors.unauthorized() from None
