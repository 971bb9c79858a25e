"""The page on which users choose what they are notified of."""

from mujina.accounts.emails import entities as emails
from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import Ref
from mujina.workspaces.notification_settings import entities, operations, page_view
from mujina.workspaces.notification_settings.params import EVENTS, EditGlobalNotifications, EditNotifications
from mujina.workspaces.notification_settings.rules import NotificationScope
from mujina.workspaces.owners.rules import find_owner

PAGE = "/profile/notifications"
LEVELS = [
    ("watch", "Watch", "You are notified of all activity."),
    ("participating", "Participate", "You are notified of what you take part in."),
    ("mention", "On mention", "You are notified when someone mentions you."),
    ("disabled", "Disabled", "You get no notifications."),
    ("custom", "Custom", "You are notified of what you take part in and of the events chosen below."),
]


@view(PAGE)
async def show_notifications(request: PageRequest, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        found, more = await page_view.sources(tx, request.actor, page)
        context = {
            "settings": await entities.load_one(tx, request.actor, NotificationScope()),
            "addresses": await emails.addresses_of(tx, request.actor.id),
            "sources": found, "more": more, "page": page, "levels": LEVELS, "events": EVENTS,
        }  # fmt: skip
    return HtmlPage("workspaces/notifications.html", context)


@form(PAGE)
async def edit_global_notifications(request: PageRequest) -> Redirect:
    change = request.read_form(EditGlobalNotifications, "notifications")
    async with request.transaction() as tx:
        await operations.edit(tx, request.actor, NotificationScope(), change)
    return Redirect(PAGE, flash="Notification settings saved.")


@form(f"{PAGE}/{{kind}}/{{id:int}}", again=PAGE)
async def edit_source_notifications(request: PageRequest, kind: str, id: int, change: EditNotifications) -> Redirect:
    """The level for one group or project."""
    if kind not in ("group", "project"):
        raise errors.unknown_route()
    async with request.transaction() as tx:
        scope = NotificationScope(kind, (await find_owner(tx, request.actor, kind, Ref.of(id))).id)
        await operations.edit(tx, request.actor, scope, change)
    return Redirect(PAGE, flash="Notification settings saved.")
