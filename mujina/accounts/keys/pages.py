"""The SSH keys of the signed-in user, and those of any user as text."""

from mujina.accounts.keys import operations
from mujina.accounts.keys.params import AddKey
from mujina.accounts.keys.rules import find_own_key, own_keys
from mujina.accounts.users.rules import find_active_user
from mujina.kernel.html.pages import HtmlPage, Numbered, PageRequest, Redirect, confirmation, document, form, view
from mujina.kernel.http.dispatcher import Response

PAGE = "/profile/keys"


@view(PAGE)
async def show_keys(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        return HtmlPage("keys.html", {"keys": await own_keys(tx, request.actor.id)})


@document("/{username}.keys", anonymous=True)
async def show_keys_of(request: PageRequest) -> Response:
    """The valid keys of a user, one on each line, as `authorized_keys` files have them."""
    async with request.reading() as tx:
        user = await find_active_user(tx, request.actor, request.captured["username"])
        keys = [key for key in await own_keys(tx, user.id) if not key.expired]
    return Response("".join(f"{key.key}\n" for key in keys).encode(), content_type="text/plain; charset=utf-8")


@form(PAGE)
async def add_key(request: PageRequest) -> Redirect:
    key = request.read_form(AddKey, "key")
    async with request.transaction() as tx:
        await operations.add(tx, request.actor, request.actor.id, key)
    return Redirect(PAGE)


@view(f"{PAGE}/remove")
async def confirm_key_removal(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        key = await find_own_key(tx, request.actor.id, request.read_form(Numbered).id)
    consequence = "Devices that use this key will no longer have access over SSH."
    return confirmation(
        f"Remove the SSH key “{key.title}”?", consequence, "Remove key", action=f"{PAGE}/remove", id=key.id, back=PAGE
    )


@form(f"{PAGE}/remove", again=PAGE)
async def remove_key(request: PageRequest) -> Redirect:
    async with request.transaction() as tx:
        key = await find_own_key(tx, request.actor.id, request.read_form(Numbered).id)
        await operations.remove(tx, request.actor, key)
    return Redirect(PAGE)
