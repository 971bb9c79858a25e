"""The domains of a project in its settings. The list of them is on the page of its site."""

from urllib.parse import quote

from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.publishing.pages_domains import operations
from mujina.publishing.pages_domains.params import CreatePagesDomain, EditPagesDomain
from mujina.publishing.pages_domains.rules import (
    ADMIN_PAGES,
    FILE_PATH,
    TXT_NAME,
    find_domain,
    verification_code,
)
from mujina.workspaces.projects.rules import OWN_PROJECT, ProjectRow

_HERE = "/{project}/pages"
_ONE = _HERE + "/domains/{domain}"
_RIGHTS = {"own": OWN_PROJECT}


@form(_HERE + "/domains", to=ADMIN_PAGES, again=_HERE)
async def create_domain(request: PageRequest, project: ProjectRow) -> Redirect:
    change = request.read_form(CreatePagesDomain, "pages_domain")
    async with request.transaction() as tx:
        domain = await operations.create(tx, request.services, request.actor, project.id, change)
    return Redirect(f"{request.here}/pages", flash=f"{domain} was added.")


@view(_ONE, to=ADMIN_PAGES, rights=_RIGHTS, anonymous=False)
async def show_domain(request: PageRequest, project: ProjectRow, domain: str) -> HtmlPage:
    async with request.reading() as tx:
        row = await find_domain(tx, project.id, domain)
    code = verification_code(request.services.vault, project.id, row.domain)
    context = {"domain": row, "code": code, "txt_name": f"{TXT_NAME}.{row.domain}", "file_path": FILE_PATH}
    return HtmlPage("publishing/pages_domain.html", context)


@form(_ONE + "/verify", to=ADMIN_PAGES, again=_ONE)
async def verify_domain(request: PageRequest, project: ProjectRow, domain: str) -> Redirect:
    async with request.transaction() as tx:
        row = await find_domain(tx, project.id, domain)
        await operations.request_check(tx, row)
    return Redirect(f"{request.here}/pages/domains/{quote(row.domain)}", flash="The domain is being checked.")


@form(_ONE, to=ADMIN_PAGES)
async def save_certificate(request: PageRequest, project: ProjectRow, domain: str) -> Redirect:
    change = request.read_form(EditPagesDomain, "pages_domain")
    async with request.transaction() as tx:
        row = await find_domain(tx, project.id, domain, lock=True)
        await operations.edit(tx, request.services, request.actor, row, change)
    return Redirect(f"{request.here}/pages", flash="Changes saved.")


@form(_ONE + "/delete", to=ADMIN_PAGES, again=_ONE)
async def delete_domain(request: PageRequest, project: ProjectRow, domain: str) -> Redirect:
    async with request.transaction() as tx:
        await operations.remove(tx, request.actor, await find_domain(tx, project.id, domain, lock=True))
    return Redirect(f"{request.here}/pages", flash=f"{domain} was removed.")
