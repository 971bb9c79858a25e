"""The services of a project: the list, and the form of each."""

from typing import Any

from mujina.integrations.deliveries import entities as deliveries
from mujina.integrations.deliveries.queue.leases import resume
from mujina.integrations.hooks.params import TRIGGERS
from mujina.integrations.hooks.rules import hook_of_service
from mujina.integrations.services import entities, operations, testing
from mujina.integrations.services.kinds import CATALOG
from mujina.integrations.services.params import SaveService
from mujina.integrations.services.rules import (
    ADMIN_SERVICES,
    READ_EXTERNAL_WIKI,
    find_service,
    known_service,
    service_of,
)
from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import UNSET
from mujina.workspaces.projects.rules import OWN_PROJECT, ProjectRow

_HERE = "/{project}/services"
_ONE = _HERE + "/{slug}"
_RIGHTS = {"own": OWN_PROJECT}


@view(_HERE, to=ADMIN_SERVICES, rights=_RIGHTS, anonymous=False)
async def show_services(request: PageRequest, project: ProjectRow) -> HtmlPage:
    async with request.reading() as tx:
        saved = await entities.load_slugs(tx, project.id)
    listed = sorted(CATALOG.items(), key=lambda each: (not saved.get(each[0]), each[1].title.casefold()))
    return HtmlPage("integrations/services.html", {"services": listed, "saved": saved})


@view(_ONE + "/edit", to=ADMIN_SERVICES, rights=_RIGHTS, anonymous=False)
async def show_service(request: PageRequest, project: ProjectRow, slug: str, page: Page) -> HtmlPage:
    known, service = known_service(slug)
    async with request.reading() as tx:
        row = await service_of(tx, project.id, known)
        hook = None if row is None else await hook_of_service(tx, row.id)
        attempts = None if hook is None else await deliveries.lines(tx, hook.id, page)
    secrets = set[str]() if row is None else operations.read_secrets(request.services.vault, row).keys()
    events = operations.default_events(service) if row is None else row.read_events()
    triggers = [(name, title, help_) for name, title, help_ in TRIGGERS if name in service.events]
    context: dict[str, Any] = {
        "slug": known, "service": service, "shown": entities.to_service(known, row), "secrets": secrets,
        "events": events, "triggers": triggers, "attempts": attempts, "hook": hook,
    }  # fmt: skip
    return HtmlPage("integrations/service.html", context)


@form(_ONE, to=ADMIN_SERVICES, again=_ONE + "/edit")
async def save_service(request: PageRequest, project: ProjectRow, slug: str) -> Redirect:
    """An empty secret keeps the stored one, which no page shows."""
    known, service = known_service(slug)
    change = request.read_form(SaveService, "service")
    kept = {field.name: UNSET for field in service.fields if field.kind == "secret" and not getattr(change, field.name)}
    async with request.transaction() as tx:
        change = SaveService(**{**change.sent_fields(), **kept})
        await operations.save(tx, request.services, request.actor, project.id, known, change)
    return Redirect(f"{request.here}/services/{known}/edit", flash=f"{service.title} saved.")


@form(_ONE + "/delete", to=ADMIN_SERVICES, again=_ONE + "/edit")
async def delete_service(request: PageRequest, project: ProjectRow, slug: str) -> Redirect:
    known, service = known_service(slug)
    async with request.transaction() as tx:
        await operations.remove(tx, request.actor, await find_service(tx, project.id, known, lock=True))
    return Redirect(f"{request.here}/services", flash=f"{service.title} removed.")


@form(_ONE + "/test", to=ADMIN_SERVICES, again=_ONE + "/edit")
async def test_service(request: PageRequest, project: ProjectRow, slug: str) -> Redirect:
    known, _ = known_service(slug)
    async with request.reading() as tx:
        row = await find_service(tx, project.id, known)
    try:
        await testing.call_now(request.services, request.actor, row)
    except errors.Unprocessable as error:
        return Redirect(f"{request.here}/services/{known}/edit", flash=f"Not delivered: {error.sentences[0]}")
    return Redirect(f"{request.here}/services/{known}/edit", flash="The service was called.")


@form(_ONE + "/resume", to=ADMIN_SERVICES, again=_ONE + "/edit")
async def resume_service(request: PageRequest, project: ProjectRow, slug: str) -> Redirect:
    known, _ = known_service(slug)
    async with request.transaction() as tx:
        row = await find_service(tx, project.id, known, lock=True)
        await resume(tx, errors.or_not_found(await hook_of_service(tx, row.id), "Service").id)
    return Redirect(f"{request.here}/services/{known}/edit", flash="Deliveries resumed.")


@view("/{project}/external_wiki", to=READ_EXTERNAL_WIKI)
async def show_external_wiki(request: PageRequest, project: ProjectRow) -> HtmlPage:
    """Names the address, which leads away from this site."""
    async with request.reading() as tx:
        row = errors.or_not_found(await service_of(tx, project.id, "external-wiki"), "Wiki")
    return HtmlPage("integrations/external_wiki.html", {"address": row.read_properties()["external_wiki_url"]})
