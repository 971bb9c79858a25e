"""The SSH keys of the signed-in user, and those of any user as text."""

from mujina.accounts.keys import operations
from mujina.accounts.keys.params import AddKey
from mujina.accounts.keys.rules import find_own_key, own_keys
from mujina.accounts.users.rules import find_user_named
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.http import Response
from mujina.kernel.pages import HtmlPage, Numbered, PageRequest, Redirect, document, form, view

PAGE = "/profile/keys"


@view(PAGE)
async def show_keys(visit: PageRequest) -> HtmlPage:
    async with visit.reading() as tx:
        return HtmlPage("keys.html", {"keys": await own_keys(tx, visit.actor.id)})


@document("/{username}.keys", anonymous=True)
async def show_keys_of(visit: PageRequest) -> Response:
    """The keys of a user, one on each line, as `authorized_keys` files have them."""
    async with visit.reading() as tx:
        if visit.actor.anonymous and (await read_settings(tx)).forbids("public"):
            raise errors.not_found("User")
        user = await find_user_named(tx, visit.captured["username"])
        keys = await own_keys(tx, user.id)
    return Response("".join(f"{key.key}\n" for key in keys).encode(), content_type="text/plain; charset=utf-8")


@form(PAGE)
async def add_key(visit: PageRequest) -> Redirect:
    key = visit.read_form(AddKey, "key")
    async with visit.transaction() as tx:
        await operations.add(tx, visit.actor, visit.actor.id, key)
    return Redirect(PAGE)


@form(f"{PAGE}/remove", again=PAGE)
async def remove_key(visit: PageRequest) -> Redirect:
    async with visit.transaction() as tx:
        key = await find_own_key(tx, visit.actor.id, visit.read_form(Numbered).id)
        await operations.remove(tx, visit.actor, key)
    return Redirect(PAGE)
