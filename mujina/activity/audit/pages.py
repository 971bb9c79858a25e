"""The audit log of a project or group, for its owners."""

from mujina.activity.audit import entities, filters
from mujina.activity.audit.params import ListAuditEvents
from mujina.kernel.html.pages import HtmlPage, PageRequest, view
from mujina.kernel.http.paging import Page
from mujina.workspaces.groups.rules import ADMIN_GROUP
from mujina.workspaces.projects.rules import OWN_PROJECT


@view("/{project}/audit_events", to=OWN_PROJECT, rights={"own": OWN_PROJECT}, anonymous=False)
@view("/groups/{group}/-/audit_events", to=ADMIN_GROUP, anonymous=False)
async def show_audit_events(request: PageRequest, query: ListAuditEvents, page: Page) -> HtmlPage:
    container = request.container
    assert container is not None
    selection = filters.of_entity("Project" if container.kind == "project" else "Group", container.row.id, query)
    async with request.searching() as tx:
        events = await entities.load_page(tx, selection, page)
    return HtmlPage("activity/audit_events.html", {"events": events})
