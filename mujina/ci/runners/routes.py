"""Runners as people see them, and how programs register and unregister."""

from mujina.ci.runners import entities, operations
from mujina.ci.runners.entities import CiRunner, RunnerDetails
from mujina.ci.runners.filters import all_runners, managed_runners, runners_of
from mujina.ci.runners.operations import IssuedRunner
from mujina.ci.runners.params import (
    CreateRunner,
    EditRunner,
    EnableRunner,
    ListRunners,
    RegisterRunner,
    RunnerInfo,
    RunnerToken,
)
from mujina.ci.runners.registration import (
    IssuedRegistrationToken,
    find_by_registration_token,
    find_new_owner,
    reset_registration_token,
)
from mujina.ci.runners.rules import (
    assigned_at,
    authenticate_runner,
    check_assignable,
    check_editable,
    check_readable,
    check_removable,
    find_runner,
)
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post, put
from mujina.kernel.permissions.actor import ANONYMOUS
from mujina.workspaces.owners.rules import INSTANCE, OwnerKind, find_administered
from mujina.workspaces.projects.rules import ADMIN_PROJECT, find_project


@get("/runners")
async def list_runners(call: Call, query: ListRunners, page: Page) -> Paged[CiRunner]:
    """List the runners of projects and groups that the caller manages."""
    async with call.reading() as tx:
        return await entities.load_page(tx, managed_runners(call.actor, query), page)


@get("/runners/all", admin=True)
async def list_all_runners(call: Call, query: ListRunners, page: Page) -> Paged[CiRunner]:
    async with call.reading() as tx:
        return await entities.load_page(tx, all_runners(query), page)


@get("/runners/:id")
async def show_runner(call: Call, id: int) -> RunnerDetails:
    async with call.reading() as tx:
        runner = await find_runner(tx, call.actor, id)
        check_readable(call.actor, runner)
        return await entities.to_details(tx, call.actor, runner)


@put("/runners/:id")
async def edit_runner(call: Call, id: int, change: EditRunner) -> RunnerDetails:
    async with call.transaction() as tx:
        runner = await find_runner(tx, call.actor, id, lock=True)
        check_editable(call.actor, runner)
        await operations.edit(tx, call.actor, runner, change)
        return await entities.to_details(tx, call.actor, await find_runner(tx, call.actor, id))


@delete("/runners/:id")
async def delete_runner(call: Call, id: int) -> None:
    async with call.transaction() as tx:
        runner = await find_runner(tx, call.actor, id, lock=True)
        check_removable(call.actor, runner)
        call.unless_modified(runner.updated_at)
        await operations.remove(tx, call.actor, runner)


@post("/runners/:id/reset_authentication_token")
async def reset_authentication_token(call: Call, id: int) -> IssuedRunner:
    async with call.transaction() as tx:
        runner = await find_runner(tx, call.actor, id, lock=True)
        check_removable(call.actor, runner)
        return await operations.reset_token(tx, call.actor, runner)


@get(project="/projects/:id/runners", group="/groups/:id/runners")
async def list_owner_runners(call: Call, kind: OwnerKind, id: Ref, query: ListRunners, page: Page) -> Paged[CiRunner]:
    async with call.reading() as tx:
        owner = await find_administered(tx, call.actor, kind, id)
        return await entities.load_page(tx, runners_of(owner, query), page)


@post("/projects/:id/runners")
async def enable_runner(call: Call, id: Ref, change: EnableRunner) -> CiRunner:
    """Let a runner of another project take the jobs of this one as well."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        runner = await find_runner(tx, call.actor, change.runner_id, lock=True)
        check_assignable(call.actor, runner)
        await operations.assign(tx, call.actor, runner, project.id)
        return entities.to_runner(runner)


@delete("/projects/:id/runners/:runner_id")
async def disable_runner(call: Call, id: Ref, runner_id: int) -> None:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        call.unless_modified(await assigned_at(tx, runner_id, project.id))
        await operations.unassign(tx, call.actor, runner_id, project.id)


@post("/runners/reset_registration_token", admin=True)
async def reset_instance_registration_token(call: Call) -> IssuedRegistrationToken:
    async with call.transaction() as tx:
        return await reset_registration_token(tx, call.services.vault, call.actor, INSTANCE)


@post(project="/projects/:id/runners/reset_registration_token", group="/groups/:id/runners/reset_registration_token")
async def reset_owner_registration_token(call: Call, kind: OwnerKind, id: Ref) -> IssuedRegistrationToken:
    async with call.transaction() as tx:
        owner = await find_administered(tx, call.actor, kind, id)
        return await reset_registration_token(tx, call.services.vault, call.actor, owner)


@post("/user/runners")
async def create_runner(call: Call, change: CreateRunner) -> IssuedRunner:
    """Create a runner; its program gets the token, which no other response shows."""
    async with call.transaction() as tx:
        owner = await find_new_owner(tx, call.actor, change)
        return await operations.create(tx, call.actor, owner, change)


@post("/runners", anonymous=True)
async def register_runner(call: Call, change: RegisterRunner) -> IssuedRunner:
    """Register a runner by the registration token of the instance, of a group or of a project."""
    async with call.transaction() as tx:
        owner = await find_by_registration_token(tx, call.services.vault, change.token)
        info = operations.info_columns(change.info or RunnerInfo(), call.address)
        return await operations.register(tx, owner, change, info)


@delete("/runners", anonymous=True)
async def unregister_runner(call: Call, change: RunnerToken) -> None:
    """Remove the runner that has this token."""
    async with call.transaction() as tx:
        runner = await authenticate_runner(tx, change.token, lock=True)
        call.unless_modified(runner.updated_at)
        await operations.remove(tx, ANONYMOUS, runner)


@post("/runners/verify", anonymous=True, status=200)
async def verify_runner(call: Call, change: RunnerToken) -> IssuedRunner:
    """Whether the token is that of a runner."""
    async with call.reading() as tx:
        return IssuedRunner((await authenticate_runner(tx, change.token)).id, change.token)


@post("/runners/reset_authentication_token", anonymous=True)
async def reset_own_authentication_token(call: Call, change: RunnerToken) -> IssuedRunner:
    async with call.transaction() as tx:
        runner = await authenticate_runner(tx, change.token, lock=True)
        return await operations.reset_token(tx, ANONYMOUS, runner)
