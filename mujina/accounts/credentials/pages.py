"""Personal access tokens: created, shown once and revoked on a page."""

from datetime import timedelta

from mujina.accounts.credentials import entities, operations, personal_tokens
from mujina.accounts.credentials.params import CreateToken
from mujina.kernel import clock, errors
from mujina.kernel.html.pages import HtmlPage, Numbered, PageRequest, Redirect, confirmation, form, view

PAGE = "/profile/personal_access_tokens"
MEANING = {
    "api": "do everything you can do through the API and git",
    "read_user": "read your profile and the profiles of other users",
    "read_api": "read everything you can read through the API",
    "read_repository": "clone and fetch with git",
    "write_repository": "clone, fetch and push with git",
    "self_rotate": "replace this token by a new one",
}
FOR_ADMINISTRATORS = {"sudo": "act as any other user"}


@view(PAGE)
async def show_tokens(request: PageRequest, created: str = "") -> HtmlPage:
    async with request.reading() as tx:
        tokens = await entities.tokens_of(tx, request.actor.id)
    context = {
        "tokens": tokens,
        "scopes": _scopes(request),
        "created": created,
        "tomorrow": clock.later(timedelta(days=1))[:10],
    }
    return HtmlPage("access_tokens.html", context)


@form(PAGE)
async def create_token(request: PageRequest) -> HtmlPage:
    token_form = request.read_form(CreateToken, "personal_access_token")
    expires_on = token_form.expires_at or None
    operations.check_token(token_form.name, token_form.scopes, list(_scopes(request)), expires_on=expires_on)
    async with request.transaction() as tx:
        token = await operations.create_token(
            tx, request.actor, request.actor.id, token_form.name, token_form.scopes, expires_on=expires_on
        )
    return await show_tokens(request, token)


@view(f"{PAGE}/revoke")
async def confirm_revocation(request: PageRequest) -> HtmlPage:
    token_id = request.read_form(Numbered).id
    async with request.reading() as tx:
        tokens = await entities.tokens_of(tx, request.actor.id)
    token = next((token for token in tokens if token.id == token_id and not token.revoked), None)
    if token is None:
        raise errors.not_found("Token")
    consequence = "Programs that use this token will no longer have access. You cannot undo this."
    return confirmation(
        f"Revoke the token “{token.name}”?",
        consequence,
        "Revoke token",
        action=f"{PAGE}/revoke",
        id=token_id,
        back=PAGE,
    )


@form(f"{PAGE}/revoke")
async def revoke_token(request: PageRequest) -> Redirect:
    async with request.transaction() as tx:
        if not await operations.revoke_own_token(tx, request.actor, request.read_form(Numbered).id):
            raise errors.not_found("Token")
    return Redirect(PAGE)


@form(f"{PAGE}/rotate", again=PAGE)
async def rotate_token(request: PageRequest) -> HtmlPage:
    """Replace a token by one that is valid for a week, and show that once."""
    async with request.transaction() as tx:
        token = await personal_tokens.find_token_of(tx, request.actor.id, request.read_form(Numbered).id)
        new = await operations.rotate(tx, request.actor, token, None)
    return await show_tokens(request, operations.replaced(new).token)


def _scopes(request: PageRequest) -> dict[str, str]:
    return MEANING | (FOR_ADMINISTRATORS if request.actor.admin else {})
