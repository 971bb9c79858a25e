"""The deploy keys of all projects."""

from mujina.administration.deploy_keys.entities import uses_of
from mujina.code.deploy_keys import entities
from mujina.kernel.html.pages import HtmlPage, PageRequest, view
from mujina.kernel.http.paging import Page


@view("/admin/deploy_keys", admin=True)
async def show_all_deploy_keys(request: PageRequest, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        keys = await entities.of_all(tx, page)
        uses = await uses_of(tx, [key.id for key in keys.items])
    return HtmlPage("administration/deploy_keys.html", {"keys": keys, "uses": uses})
