"""Deploy keys: SSH keys of projects."""

from mujina.accounts.keys import rules as keys
from mujina.accounts.keys.params import AddKey
from mujina.code.deploy_keys import entities, operations
from mujina.code.deploy_keys.entities import DeployKey, IdentifiedKey, PublicDeployKey
from mujina.code.deploy_keys.params import AddDeployKey, EditDeployKey, FindKey
from mujina.code.deploy_keys.rules import find_deploy_key, find_usable
from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post, put
from mujina.workspaces.projects.rules import ADMIN_PROJECT, find_project


@get("/deploy_keys", admin=True)
async def list_all_deploy_keys(call: Call, page: Page) -> Paged[DeployKey]:
    """List the deploy keys of all projects."""
    async with call.reading() as tx:
        return await entities.of_all(tx, page)


@post("/deploy_keys", admin=True)
async def add_public_deploy_key(call: Call, change: AddKey) -> PublicDeployKey:
    """Add a key that every project may enable."""
    async with call.transaction() as tx:
        return await entities.load_public(tx, await operations.add_public(tx, call.actor, change))


@get("/keys", admin=True)
async def find_key_by_fingerprint(call: Call, query: FindKey) -> IdentifiedKey:
    """Find the key of a user or of projects by its fingerprint."""
    async with call.reading() as tx:
        key = await keys.find_key_by_fingerprint(tx, query.fingerprint)
        return await entities.identified(tx, call.actor, key)


@get("/projects/:id/deploy_keys")
async def list_deploy_keys(call: Call, id: Ref, page: Page) -> Paged[DeployKey]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        return await entities.of_project(tx, project.id, page)


@get("/projects/:id/deploy_keys/:key_id")
async def show_deploy_key(call: Call, id: Ref, key_id: int) -> DeployKey:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        key = await find_deploy_key(tx, project.id, key_id)
        return await entities.load_one(tx, project.id, key.id)


@post("/projects/:id/deploy_keys")
async def add_deploy_key(call: Call, id: Ref, change: AddDeployKey) -> DeployKey:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        key_id = await operations.add(tx, call.actor, project.id, change)
        return await entities.load_one(tx, project.id, key_id)


@put("/projects/:id/deploy_keys/:key_id")
async def edit_deploy_key(call: Call, id: Ref, key_id: int, change: EditDeployKey) -> DeployKey:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        key = await find_deploy_key(tx, project.id, key_id)
        await operations.edit(tx, call.actor, project.id, key, change)
        return await entities.load_one(tx, project.id, key.id)


@post("/projects/:id/deploy_keys/:key_id/enable")
async def enable_deploy_key(call: Call, id: Ref, key_id: int) -> DeployKey:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        usable = errors.or_not_found(await find_usable(tx, call.actor, key_id=key_id), "Deploy Key")
        await operations.enable(tx, call.actor, project.id, usable)
        return await entities.load_one(tx, project.id, usable)


@delete("/projects/:id/deploy_keys/:key_id")
async def disable_deploy_key(call: Call, id: Ref, key_id: int) -> None:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        key = await find_deploy_key(tx, project.id, key_id)
        call.unless_modified(key.updated_at)
        await operations.disable(tx, call.actor, project.id, key)
