"""The settings of a project or group that concern pipelines: variables, runners, triggers, job tokens."""

from contextlib import suppress
from functools import partial
from typing import Any

from mujina.ci.runners import entities as runners
from mujina.ci.runners.filters import assignable_runners, runners_of
from mujina.ci.runners.params import ListRunners
from mujina.ci.runners.registration import read_registration_token
from mujina.ci.runners.rules import is_editable
from mujina.ci.settings.params import FIRST, FIRST_ALLOWED, AllowJobs, SaveCiSettings, ShowCiSettings
from mujina.ci.triggers import entities as triggers
from mujina.ci.variables import entities as variables
from mujina.ci.variables.rules import ADMIN_GROUP_VARIABLES, ADMIN_VARIABLES
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.urls import instance_address
from mujina.workspaces.groups.rules import ADMIN_GROUP, GroupRow
from mujina.workspaces.job_token_scopes import entities as allowlist
from mujina.workspaces.job_token_scopes import operations as job_token_scopes
from mujina.workspaces.job_token_scopes.params import EditJobTokenScope
from mujina.workspaces.owners.rules import OwnerOrInstance, find_owner
from mujina.workspaces.projects import operations as projects
from mujina.workspaces.projects.params import EditProject
from mujina.workspaces.projects.rules import ADMIN_PROJECT, OWN_PROJECT, ProjectRow, changing, find_project
from mujina.workspaces.projects.settings import read_settings_of

_PROJECT, _GROUP = "/{project}/settings/ci_cd", "/groups/{group}/-/settings/ci_cd"
_PROJECT_RIGHTS = {"own": OWN_PROJECT, "variables": ADMIN_VARIABLES}


@view(_PROJECT, to=ADMIN_PROJECT, rights=_PROJECT_RIGHTS, anonymous=False)
async def show_ci_settings(request: PageRequest, project: ProjectRow, query: ShowCiSettings, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        context = {
            "stored": None if query.section else await read_settings_of(tx, project.id),
            "variables": await _variables(tx, request, OwnerOrInstance(project_id=project.id), query, page),
            "triggers": await _triggers(tx, request, project.id, query, page),
            "job_tokens": None if query.section else await _job_tokens(tx, request, project.id),
            **await _runners(tx, request, OwnerOrInstance(project_id=project.id), query, page),
        }
    return _shown(query, {**context, "project": project})


@view(
    _GROUP, to=ADMIN_GROUP_VARIABLES, rights={"admin": ADMIN_GROUP, "variables": ADMIN_GROUP_VARIABLES}, anonymous=False
)
async def show_group_ci_settings(request: PageRequest, group: GroupRow, query: ShowCiSettings, page: Page) -> HtmlPage:
    context: dict[str, Any] = {"stored": None, "triggers": None, "runners": None, "job_tokens": None}
    async with request.reading() as tx:
        context["variables"] = await _variables(tx, request, OwnerOrInstance(group_id=group.id), query, page)
        if request.rights["admin"]:
            context |= await _runners(tx, request, OwnerOrInstance(group_id=group.id), query, page)
    return _shown(query, context)


@form(_PROJECT, to=ADMIN_PROJECT)
async def save_ci_settings(request: PageRequest, project: ProjectRow, change: SaveCiSettings) -> Redirect:
    given = change.sent_fields()
    if change.auto_cancel_pending_pipelines is not UNSET:
        given["auto_cancel_pending_pipelines"] = "enabled" if change.auto_cancel_pending_pipelines else "disabled"
    if change.ci_config_path is not UNSET:
        given["ci_config_path"] = change.ci_config_path.strip() or None
    async with request.transaction() as tx:
        found = await find_project(tx, request.actor, Ref.of(project.id), to=ADMIN_PROJECT)
        await projects.edit(tx, request.actor, found, EditProject(**given))
    return _saved(request)


@form(f"{_PROJECT}/job_token", to=ADMIN_PROJECT, again=_PROJECT)
async def limit_job_tokens(request: PageRequest, project: ProjectRow, change: EditJobTokenScope) -> Redirect:
    async with changing(request, project, to=ADMIN_PROJECT) as tx:
        await job_token_scopes.limit(tx, request.actor, project.id, enabled=change.enabled)
    return _saved(request)


@form(f"{_PROJECT}/job_token/allow", to=ADMIN_PROJECT, again=_PROJECT)
async def allow_jobs(request: PageRequest, project: ProjectRow, change: AllowJobs) -> Redirect:
    """Let in the jobs of the project or group whose path someone typed."""
    async with changing(request, project, to=ADMIN_PROJECT) as tx:
        target = await _find_target(tx, request.actor, Ref(change.path.strip().strip("/")))
        try:
            await job_token_scopes.allow(tx, request.actor, project.id, target)
        except errors.Invalid:
            raise errors.invalid({"path": [job_token_scopes.ALREADY_ALLOWED]}) from None
    return _saved(request)


@form(f"{_PROJECT}/job_token/projects/{{target_id:int}}/delete", to=ADMIN_PROJECT, again=_PROJECT)
async def disallow_jobs_of_project(request: PageRequest, project: ProjectRow, target_id: int) -> Redirect:
    async with changing(request, project, to=ADMIN_PROJECT) as tx:
        await job_token_scopes.disallow(tx, request.actor, project.id, OwnerOrInstance(project_id=target_id))
    return _saved(request)


@form(f"{_PROJECT}/job_token/groups/{{target_id:int}}/delete", to=ADMIN_PROJECT, again=_PROJECT)
async def disallow_jobs_of_group(request: PageRequest, project: ProjectRow, target_id: int) -> Redirect:
    async with changing(request, project, to=ADMIN_PROJECT) as tx:
        await job_token_scopes.disallow(tx, request.actor, project.id, OwnerOrInstance(group_id=target_id))
    return _saved(request)


async def _find_target(tx: Tx, actor: Actor, ref: Ref) -> OwnerOrInstance:
    for kind in ("project", "group"):
        with suppress(errors.NotFound):
            found = await find_owner(tx, actor, kind, ref)
            return OwnerOrInstance(found.project_id, found.group_id)
    raise errors.invalid({"path": ["does not exist"]})


def _saved(request: PageRequest) -> Redirect:
    return Redirect(f"{request.here}/settings/ci_cd", flash="Changes saved.")


async def _job_tokens(tx: Tx, request: PageRequest, project_id: int) -> dict[str, Any]:
    """Which jobs can access the project: those of projects and groups that the reader sees, and how many others."""
    projects = await allowlist.load_projects(tx, request.actor, project_id, FIRST_ALLOWED)
    groups = await allowlist.load_groups(tx, request.actor, project_id, FIRST_ALLOWED)
    others = [each for each in projects.items if each.id != project_id]
    return {
        "limited": (await allowlist.load_scope(tx, project_id)).inbound_enabled,
        "projects": others,
        "groups": groups.items,
        "more": await allowlist.count_allowed(tx, project_id) - len(others) - len(groups.items),
    }


async def _variables(tx: Tx, request: PageRequest, owner: OwnerOrInstance, query: ShowCiSettings, page: Page) -> Any:
    shown = query.page_of("variables", page)
    if shown is None or not request.rights["variables"]:
        return None
    return await variables.load_page(tx, request.services.vault, owner, shown)


async def _triggers(tx: Tx, request: PageRequest, project_id: int, query: ShowCiSettings, page: Page) -> Any:
    shown = query.page_of("triggers", page)
    if shown is None or not request.rights["variables"]:
        return None
    return await triggers.load_page(tx, request.services.vault, request.actor, project_id, shown)


async def _runners(
    tx: Tx, request: PageRequest, owner: OwnerOrInstance, query: ShowCiSettings, page: Page
) -> dict[str, Any]:
    """The runners of the owner, those that a project may get as well, and the token that registers more."""
    shown = query.page_of("runners", page)
    if shown is None:
        return {"runners": None}
    spare = None if owner.project_id is None else assignable_runners(request.actor, owner.project_id)
    return {
        "runners": await runners.load_managed_page(tx, request.actor, runners_of(owner, ListRunners()), shown),
        "spare": spare and await runners.load_managed_page(tx, request.actor, spare, FIRST),
        "registration_token": await read_registration_token(tx, request.services.vault, owner),
        "editable": partial(is_editable, request.actor),
    }


def _shown(query: ShowCiSettings, context: dict[str, Any]) -> HtmlPage:
    shared = {"query": query, "reveal": query.reveal, "base": instance_address.get().base}
    return HtmlPage("ci/settings.html", {**shared, **context})
