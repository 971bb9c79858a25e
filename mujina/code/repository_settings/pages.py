"""The settings of a repository: protected branches and tags, deploy keys, the push rule, the mirror."""

from mujina.code.deploy_keys import entities as deploy_keys
from mujina.code.deploy_keys import operations as deploy_key_operations
from mujina.code.deploy_keys.params import AddDeployKey, EditDeployKey
from mujina.code.deploy_keys.rules import find_deploy_key, find_usable
from mujina.code.protected_branches import entities as protected_branches
from mujina.code.protected_branches.operations import Grant, protect, unprotect
from mujina.code.protected_branches.rules import find_protected_branch, protected_in
from mujina.code.protected_tags import entities as protected_tags
from mujina.code.protected_tags import operations as protected_tag_operations
from mujina.code.protected_tags.rules import find_protected_tag, protected_tags_in
from mujina.code.push_rules import operations as push_rules
from mujina.code.push_rules.params import ChangePushRule
from mujina.code.push_rules.rules import push_rule_of
from mujina.code.remote_mirrors import entities as remote_mirrors
from mujina.code.remote_mirrors.rules import public_keys_of
from mujina.code.repository_settings.params import ProtectBranchForm, ProtectTagForm, SaveMirror
from mujina.instance.editions.rules import check_route, has_feature
from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import FIRST_PAGE
from mujina.kernel.http.params import UNSET, Ref
from mujina.workspaces.projects import operations as projects
from mujina.workspaces.projects.origins import imports
from mujina.workspaces.projects.params import EditProject
from mujina.workspaces.projects.rules import ADMIN_PROJECT, OWN_PROJECT, ProjectRow, changing, find_project

_HERE = "/{project}/settings/repository"


@view(_HERE, to=ADMIN_PROJECT, rights={"own": OWN_PROJECT}, anonymous=False)
async def show_repository_settings(request: PageRequest, project: ProjectRow) -> HtmlPage:
    async with request.reading() as tx:
        context = {
            "protected": await protected_branches.load_page(tx, protected_in(project.id), FIRST_PAGE),
            "protected_tags": await protected_tags.load_page(tx, protected_tags_in(project.id), FIRST_PAGE),
            "keys": await deploy_keys.of_project(tx, project.id, FIRST_PAGE),
            "available": await deploy_keys.available(tx, request.actor, project.id, FIRST_PAGE),
            "push_rules": has_feature("push_rules"),
            "rule": await push_rule_of(tx, project.id) if has_feature("push_rules") else None,
            "state": await imports.state_of(tx, project.id),
            "mirror_keys": await public_keys_of(tx, project.id),
            "mirrors": await remote_mirrors.load_page(tx, request.services.vault, project.id, FIRST_PAGE),
        }
    return HtmlPage("code/repository_settings.html", context)


def _saved(request: PageRequest, sentence: str) -> Redirect:
    return Redirect(f"{request.here}/settings/repository", flash=sentence)


@form("/{project}/protected_branches", to=ADMIN_PROJECT, again=_HERE)
async def protect_branch(request: PageRequest, project: ProjectRow, change: ProtectBranchForm) -> Redirect:
    push, merge = (Grant(level=level) for level in (change.push_access_level, change.merge_access_level))
    async with changing(request, project, to=ADMIN_PROJECT) as tx:
        await protect(
            tx, request.actor, project.id, change.name.strip(), push=[push], merge=[merge],
            allow_force_push=change.allow_force_push, owners=change.code_owner_approval_required,
        )  # fmt: skip
    return _saved(request, f"{change.name.strip()} is protected.")


@form("/{project}/protected_branches/{name:path}/unprotect", to=ADMIN_PROJECT, again=_HERE)
async def unprotect_branch(request: PageRequest, project: ProjectRow, name: str) -> Redirect:
    async with changing(request, project, to=ADMIN_PROJECT) as tx:
        protection = await find_protected_branch(tx, project.id, name)
        await unprotect(tx, request.actor, project.id, protection.id, name)
    return _saved(request, f"{name} is no longer protected.")


@form("/{project}/protected_tags", to=ADMIN_PROJECT, again=_HERE)
async def protect_tag(request: PageRequest, project: ProjectRow, change: ProtectTagForm) -> Redirect:
    name, grant = change.tag_name.strip(), Grant(level=change.create_access_level)
    async with changing(request, project, to=ADMIN_PROJECT) as tx:
        await protected_tag_operations.protect(tx, request.actor, project.id, name, [grant])
    return _saved(request, f"{name} is protected.")


@form("/{project}/protected_tags/{name:path}/unprotect", to=ADMIN_PROJECT, again=_HERE)
async def unprotect_tag(request: PageRequest, project: ProjectRow, name: str) -> Redirect:
    async with changing(request, project, to=ADMIN_PROJECT) as tx:
        protection = await find_protected_tag(tx, project.id, name)
        await protected_tag_operations.unprotect(tx, request.actor, project.id, protection)
    return _saved(request, f"{name} is no longer protected.")


@form("/{project}/deploy_keys", to=ADMIN_PROJECT, again=_HERE)
async def add_deploy_key(request: PageRequest, project: ProjectRow, change: AddDeployKey) -> Redirect:
    async with changing(request, project, to=ADMIN_PROJECT) as tx:
        await deploy_key_operations.add(tx, request.actor, project.id, change)
    return _saved(request, "Deploy key added.")


@form("/{project}/deploy_keys/{key_id:int}", to=ADMIN_PROJECT, again=_HERE)
async def edit_deploy_key(request: PageRequest, project: ProjectRow, key_id: int, change: EditDeployKey) -> Redirect:
    async with changing(request, project, to=ADMIN_PROJECT) as tx:
        key = await find_deploy_key(tx, project.id, key_id)
        await deploy_key_operations.edit(tx, request.actor, project.id, key, change)
    return _saved(request, "Changes saved.")


@form("/{project}/deploy_keys/{key_id:int}/enable", to=ADMIN_PROJECT, again=_HERE)
async def enable_deploy_key(request: PageRequest, project: ProjectRow, key_id: int) -> Redirect:
    async with changing(request, project, to=ADMIN_PROJECT) as tx:
        usable = errors.or_not_found(await find_usable(tx, request.actor, key_id=key_id), "Deploy Key")
        await deploy_key_operations.enable(tx, request.actor, project.id, usable)
    return _saved(request, "Deploy key enabled.")


@form("/{project}/deploy_keys/{key_id:int}/disable", to=ADMIN_PROJECT, again=_HERE)
async def disable_deploy_key(request: PageRequest, project: ProjectRow, key_id: int) -> Redirect:
    async with changing(request, project, to=ADMIN_PROJECT) as tx:
        key = await find_deploy_key(tx, project.id, key_id)
        await deploy_key_operations.disable(tx, request.actor, project.id, key)
    return _saved(request, "Deploy key disabled.")


@form("/{project}/push_rule", to=ADMIN_PROJECT, again=_HERE)
async def save_push_rule(request: PageRequest, project: ProjectRow, change: ChangePushRule) -> Redirect:
    check_route("push_rules")
    async with changing(request, project, to=ADMIN_PROJECT) as tx:
        rule = await push_rule_of(tx, project.id)
        if rule is None:
            await push_rules.create(tx, request.actor, project.id, change)
        else:
            await push_rules.edit(tx, request.actor, rule, change)
    return _saved(request, "Push rule saved.")


@form("/{project}/push_rule/delete", to=ADMIN_PROJECT, again=_HERE)
async def delete_push_rule(request: PageRequest, project: ProjectRow) -> Redirect:
    check_route("push_rules")
    async with changing(request, project, to=ADMIN_PROJECT) as tx:
        rule = await push_rule_of(tx, project.id)
        if rule is not None:
            await push_rules.remove(tx, request.actor, rule)
    return _saved(request, "Push rule removed.")


@form("/{project}/mirror", to=ADMIN_PROJECT, again=_HERE)
async def save_mirror(request: PageRequest, project: ProjectRow, change: SaveMirror) -> Redirect:
    host_keys = change.import_host_keys.strip().splitlines()
    edit = EditProject(
        mirror=change.mirror, import_url=change.import_url.strip() or UNSET, import_host_keys=host_keys or UNSET
    )
    projects.check_import(request.services, edit)
    async with request.transaction() as tx:
        found = await find_project(tx, request.actor, Ref.of(project.id), to=ADMIN_PROJECT, lock=True)
        await projects.edit(tx, request.actor, found, edit)
        await imports.edit(tx, request.services.vault, request.actor, project.id, edit)
    return _saved(request, "The mirror is updated now." if change.mirror else "Changes saved.")


@form("/{project}/mirror/pull", to=ADMIN_PROJECT, again=_HERE)
async def pull_mirror(request: PageRequest, project: ProjectRow) -> Redirect:
    async with changing(request, project, to=ADMIN_PROJECT) as tx:
        await imports.update_mirror(tx, request.actor, project.id)
    return _saved(request, "The mirror is updated now.")


@form("/{project}/import/retry", to=ADMIN_PROJECT, again="/{project}/import")
async def retry_import(request: PageRequest, project: ProjectRow) -> Redirect:
    async with changing(request, project, to=ADMIN_PROJECT, lock=True) as tx:
        await imports.retry(tx, request.actor, project.id)
    return Redirect(request.here, flash="The import starts again.")
