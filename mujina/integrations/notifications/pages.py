"""Unsubscribing by the link in a mail: a page with one button, and the request that mail programs send by themselves.

The key in the address is the right to do it: neither a session nor a form token is asked for (RFC 8058). Opening the page
changes nothing, because mail scanners open every link.
"""

from mujina.integrations.notifications import operations
from mujina.integrations.notifications.links import Unsubscription, read_key
from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, endpoint, view


@view("/sent_notifications/{key}/unsubscribe", anonymous=True, satisfies=("password", "second factor"))
@view("/unsubscribes/{key}", anonymous=True, satisfies=("password", "second factor"))
async def show_unsubscribing(request: PageRequest) -> HtmlPage:
    unsubscription = _unsubscription(request)
    action = unsubscription.path(request.services.vault)
    return HtmlPage("unsubscribe.html", {"action": action, "about": _about(unsubscription)})


@endpoint("/sent_notifications/{key}/unsubscribe", anonymous=True, satisfies=("password", "second factor"))
@endpoint("/unsubscribes/{key}", anonymous=True, satisfies=("password", "second factor"))
async def unsubscribe(request: PageRequest) -> HtmlPage:
    unsubscription = _unsubscription(request)
    async with request.transaction() as tx:
        await operations.unsubscribe(tx, unsubscription)
    return HtmlPage("unsubscribed.html", {"about": _about(unsubscription)})


def _unsubscription(request: PageRequest) -> Unsubscription:
    return errors.or_not_found(read_key(request.services.vault, request.captured["key"]), "Page")


def _about(unsubscription: Unsubscription) -> str:
    """The kind of subject without its title: the reader of a forwarded mail may not know it."""
    return "anything" if unsubscription.kind == "everything" else f"this {unsubscription.noun}"
