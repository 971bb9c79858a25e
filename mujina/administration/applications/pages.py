"""OAuth applications of the instance and of its users."""

from mujina.accounts.oauth import operations
from mujina.accounts.oauth.operations import SCOPES, RegisteredApplication
from mujina.administration.applications.entities import all_applications, find_application
from mujina.administration.applications.params import NewInstanceApplication
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page

PAGE = "/admin/applications"


@view(PAGE, admin=True)
async def show_all_applications(
    request: PageRequest, page: Page, registered: RegisteredApplication | None = None
) -> HtmlPage:
    async with request.reading() as tx:
        applications = await all_applications(tx, page)
    context = {"applications": applications, "registered": registered, "scopes": SCOPES}
    return HtmlPage("administration/applications.html", context)


@form(PAGE, admin=True)
async def register_instance_application(request: PageRequest, page: Page) -> HtmlPage:
    """The response shows the secret; no other does."""
    change = request.read_form(NewInstanceApplication, "application")
    async with request.transaction() as tx:
        registered = await operations.register(
            tx, request.actor, change.name, change.redirect_uri, change.scopes,
            confidential=change.confidential, trusted=change.trusted,
        )  # fmt: skip
    return await show_all_applications(request, page, registered)


@form(f"{PAGE}/{{id:int}}/delete", admin=True, again=PAGE)
async def delete_application(request: PageRequest, id: int) -> Redirect:
    async with request.transaction() as tx:
        application = await find_application(tx, id)
        await operations.remove(tx, request.actor, application)
    return Redirect(PAGE, flash=f"{application.name} was deleted.")
