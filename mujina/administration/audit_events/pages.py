"""The audit log of the instance."""

from mujina.accounts.users import entities as users
from mujina.activity.audit import entities, filters
from mujina.activity.audit.params import ListAllAuditEvents
from mujina.kernel.html.pages import HtmlPage, PageRequest, view
from mujina.kernel.http.paging import Page


@view("/admin/audit_events", admin=True)
async def show_all_audit_events(request: PageRequest, query: ListAllAuditEvents, page: Page) -> HtmlPage:
    async with request.searching() as tx:
        events = await entities.load_page(tx, filters.of_all(query), page)
        authors = await users.refs(tx, sorted({event.author_id for event in events.items}))
    context = {"events": events, "authors": {author.id: author for author in authors}}
    return HtmlPage("administration/audit_events.html", context, fragments=("events",))
