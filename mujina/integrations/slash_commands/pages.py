"""The page on which a user says that they are the user of a chat."""

from mujina.integrations.slash_commands.connections import ChatUser, connect
from mujina.integrations.slash_commands.params import ConnectAccount
from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view

_HERE = "/profile/chat_accounts/new"


@view(_HERE)
async def show_connection(request: PageRequest, query: ConnectAccount) -> HtmlPage:
    return HtmlPage(
        "integrations/chat_account.html", {"chat_user": _read(request, query), "request_text": query.request}
    )


@form(_HERE)
async def connect_account(request: PageRequest, query: ConnectAccount) -> Redirect:
    async with request.transaction() as tx:
        await connect(tx, request.actor, _read(request, query))
    return Redirect("/profile", flash="Commands that you write in the chat are run as you.")


def _read(request: PageRequest, query: ConnectAccount) -> ChatUser:
    return errors.or_not_found(ChatUser.of_link(request.services.vault, query.request), "Page")
