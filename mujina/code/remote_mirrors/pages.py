"""The forms of push mirrors; the settings of the repository list them."""

from mujina.code.remote_mirrors import operations
from mujina.code.remote_mirrors.params import CreateMirror, MirrorForm
from mujina.code.remote_mirrors.rules import ADMIN_MIRRORS, find_mirror
from mujina.kernel.html.pages import PageRequest, Redirect, form
from mujina.kernel.http.params import UNSET
from mujina.workspaces.projects.rules import ProjectRow, changing

_SETTINGS = "/{project}/settings/repository"
_MIRRORS = "/{project}/remote_mirrors"


@form(_MIRRORS, to=ADMIN_MIRRORS, again=_SETTINGS)
async def create_remote_mirror(request: PageRequest, project: ProjectRow) -> Redirect:
    sent = request.read_form(MirrorForm, "remote_mirror")
    change = CreateMirror(
        url=sent.url.strip(), enabled=True, only_protected_branches=sent.only_protected_branches,
        keep_divergent_refs=sent.keep_divergent_refs, host_keys=sent.host_keys.strip().splitlines() or UNSET,
        auth_method="ssh_public_key" if sent.url.strip().startswith("ssh://") else "password",
    )  # fmt: skip
    async with changing(request, project, to=ADMIN_MIRRORS) as tx:
        await operations.create(tx, request.services, request.actor, project.id, change)
    return _listed(request, "Mirror added. Everything is pushed to it now.")


@form(f"{_MIRRORS}/{{mirror_id:int}}/sync", to=ADMIN_MIRRORS, again=_SETTINGS)
async def sync_remote_mirror(request: PageRequest, project: ProjectRow, mirror_id: int) -> Redirect:
    async with changing(request, project, to=ADMIN_MIRRORS) as tx:
        await operations.sync(tx, request.actor, await find_mirror(tx, project.id, mirror_id))
    return _listed(request, "The mirror is updated now.")


@form(f"{_MIRRORS}/{{mirror_id:int}}/delete", to=ADMIN_MIRRORS, again=_SETTINGS)
async def delete_remote_mirror(request: PageRequest, project: ProjectRow, mirror_id: int) -> Redirect:
    async with changing(request, project, to=ADMIN_MIRRORS) as tx:
        await operations.remove(tx, request.actor, await find_mirror(tx, project.id, mirror_id))
    return _listed(request, "Mirror removed.")


def _listed(request: PageRequest, sentence: str) -> Redirect:
    return Redirect(f"{request.here}/settings/repository", flash=sentence)
