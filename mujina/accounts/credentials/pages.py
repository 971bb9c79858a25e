"""Personal access tokens: created, shown once and revoked on a page."""

from mujina.accounts.credentials import entities, operations
from mujina.accounts.credentials.params import CreateToken
from mujina.kernel import errors
from mujina.kernel.pages import HtmlPage, Numbered, PageRequest, Redirect, form, view

MEANING = {
    "api": "do everything you can do through the API and git",
    "read_user": "read your profile and the profiles of other users",
    "read_repository": "clone and fetch with git",
}
FOR_ADMINISTRATORS = {"sudo": "act as any other user"}


@view("/profile/personal_access_tokens")
async def show_tokens(visit: PageRequest, created: str = "") -> HtmlPage:
    async with visit.reading() as tx:
        tokens = await entities.tokens_of(tx, visit.actor.id)
    return HtmlPage("access_tokens.html", {"tokens": tokens, "scopes": _scopes(visit), "created": created})


@form("/profile/personal_access_tokens")
async def create_token(visit: PageRequest) -> HtmlPage:
    token_form = visit.read_form(CreateToken, "personal_access_token")
    operations.check_token(token_form.name, token_form.scopes, list(_scopes(visit)))
    async with visit.transaction() as tx:
        token = await operations.create_token(
            tx, visit.actor.id, token_form.name, token_form.scopes, expires_on=token_form.expires_at or None
        )
    return await show_tokens(visit, token)


@form("/profile/personal_access_tokens/revoke")
async def revoke_token(visit: PageRequest) -> Redirect:
    async with visit.transaction() as tx:
        if not await operations.revoke_own_token(tx, visit.actor.id, visit.read_form(Numbered).id):
            raise errors.not_found("Token")
    return Redirect("/profile/personal_access_tokens")


def _scopes(visit: PageRequest) -> dict[str, str]:
    return MEANING | (FOR_ADMINISTRATORS if visit.actor.admin else {})
