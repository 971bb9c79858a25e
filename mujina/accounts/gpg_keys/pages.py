"""The OpenPGP keys of the signed-in user, and those of any user as text."""

from mujina.accounts.gpg_keys import entities, operations
from mujina.accounts.gpg_keys.params import AddGpgKey
from mujina.accounts.gpg_keys.rules import find_gpg_key
from mujina.accounts.users.rules import find_active_user
from mujina.kernel.html.pages import HtmlPage, Numbered, PageRequest, Redirect, confirmation, document, form, view
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.http.paging import FIRST_PAGE

PAGE = "/profile/gpg_keys"


@view(PAGE)
async def show_gpg_keys(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        return HtmlPage("accounts/gpg_keys.html", {"keys": await entities.own_keys(tx, request.actor.id)})


@document("/{username}.gpg", anonymous=True)
async def show_gpg_keys_of(request: PageRequest) -> Response:
    """The public keys of a user, as `gpg --import` reads them."""
    async with request.reading() as tx:
        user = await find_active_user(tx, request.actor, request.captured["username"])
        keys = (await entities.load_page(tx, user.id, FIRST_PAGE)).items
    return Response("".join(f"{key.key}\n" for key in keys).encode(), content_type="text/plain; charset=utf-8")


@form(PAGE)
async def add_gpg_key(request: PageRequest) -> Redirect:
    key = await operations.parse(request.read_form(AddGpgKey, "gpg_key").key)
    async with request.transaction() as tx:
        await operations.add(tx, request.actor, request.actor.id, key)
    return Redirect(PAGE, flash="GPG key added.")


@view(f"{PAGE}/remove")
async def confirm_gpg_key_removal(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        key = await find_gpg_key(tx, request.actor.id, request.read_form(Numbered).id)
    consequence = (
        "Others no longer find it here. Commits that were verified with it stay verified. Revoke it instead if someone else "
        "may have the private key."
    )
    return confirmation(
        f"Remove the GPG key {key.fingerprint}?", consequence, "Remove key",
        action=f"{PAGE}/remove", id=key.id, back=PAGE,
    )  # fmt: skip


@form(f"{PAGE}/remove", again=PAGE)
async def remove_gpg_key(request: PageRequest) -> Redirect:
    await _remove(request, revoked=False)
    return Redirect(PAGE, flash="GPG key removed.")


@view(f"{PAGE}/revoke")
async def confirm_gpg_key_revocation(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        key = await find_gpg_key(tx, request.actor.id, request.read_form(Numbered).id)
    return confirmation(
        f"Revoke the GPG key {key.fingerprint}?",
        "Commits that are signed with it are no longer verified. Revoke it on key servers, too.",
        "Revoke key", action=f"{PAGE}/revoke", id=key.id, back=PAGE,
    )  # fmt: skip


@form(f"{PAGE}/revoke", again=PAGE)
async def revoke_gpg_key(request: PageRequest) -> Redirect:
    await _remove(request, revoked=True)
    return Redirect(PAGE, flash="GPG key revoked.")


async def _remove(request: PageRequest, *, revoked: bool) -> None:
    async with request.transaction() as tx:
        key = await find_gpg_key(tx, request.actor.id, request.read_form(Numbered).id)
        await operations.remove(tx, request.actor, key, revoked=revoked)
