"""Consent to a client, and the page of one's own and one's authorized applications."""

import re
from urllib.parse import urlencode, urlsplit, urlunsplit

import msgspec

from mujina.accounts.oauth import entities, grants, operations
from mujina.accounts.oauth.params import Authorize, NewApplication
from mujina.accounts.oauth.rules import ApplicationRow, find_client, find_own_application, may_register
from mujina.kernel import errors
from mujina.kernel.pages import HtmlPage, Numbered, PageRequest, Redirect, form, view

MEANING = {
    "api": "do everything you can do through the API and git",
    "read_user": "read your profile and the profiles of other users",
    "read_repository": "clone and fetch your repositories",
    "sudo": "act as any other user, if you are an administrator",
    "openid": "see who you are: your name, email address and groups",
}
UNKNOWN_CLIENT = "This application is unknown, or its redirect URI is not registered. No data was shared."
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")


class Asked(msgspec.Struct, frozen=True):
    """A request that may be granted."""

    client: ApplicationRow
    said: Authorize
    scopes: str


@view("/oauth/authorize")
async def show_consent(visit: PageRequest) -> HtmlPage | Redirect:
    asked = await _asked(visit)
    if isinstance(asked, Redirect):
        return asked
    async with visit.reading() as tx:
        granted = await grants.is_granted(tx, visit.actor, asked.client, asked.scopes)
    if granted:
        return await _grant(visit, asked)
    scopes = {scope: MEANING[scope] for scope in asked.scopes.split()}
    words = {"client": asked.client, "authorization": asked.said, "scopes": scopes}
    return HtmlPage("consent.html", words, leads_outside=True)


@form("/oauth/authorize")
async def consent(visit: PageRequest) -> Redirect:
    asked = await _asked(visit)
    return asked if isinstance(asked, Redirect) else await _grant(visit, asked)


@form("/oauth/authorize/deny")
async def deny(visit: PageRequest) -> Redirect:
    asked = await _asked(visit)
    if isinstance(asked, Redirect):
        return asked
    return _refuse(asked.said, "access_denied", "The resource owner denied the request.")


async def _grant(visit: PageRequest, asked: Asked) -> Redirect:
    async with visit.transaction() as tx:
        code = await grants.grant(tx, visit.actor, asked.client, asked.said, asked.scopes)
    return _send_back(asked.said, {"code": code})


async def _asked(visit: PageRequest) -> Asked | Redirect:
    """What the client asks for, or back to it with what is wrong; to an address that is not the client's, nobody is sent."""
    said = visit.said(Authorize)
    async with visit.reading() as tx:
        client = await find_client(tx, said.client_id)
    if client is None or not client.redirects_to(said.redirect_uri):
        raise errors.unprocessable(UNKNOWN_CLIENT)
    if said.response_type != "code":
        return _refuse(said, "unsupported_response_type", "The authorization server supports the response type code.")
    proves = said.code_challenge or said.code_challenge_method
    if (proves or not client.confidential) and not (
        said.code_challenge_method == "S256" and _CHALLENGE.fullmatch(said.code_challenge)
    ):
        return _refuse(said, "invalid_request", "A code challenge by the method S256 is required.")
    scopes = grants.granted_scopes(client, said.scope)
    if scopes is None:
        return _refuse(said, "invalid_scope", "The requested scope is invalid, unknown, or malformed.")
    return Asked(client, said, scopes)


def _refuse(said: Authorize, error: str, description: str) -> Redirect:
    return _send_back(said, {"error": error, "error_description": description})


def _send_back(said: Authorize, told: dict[str, str]) -> Redirect:
    """To the client's registered address, with what it is told and the state it gave."""
    parts = urlsplit(said.redirect_uri)
    query = urlencode({**told, "state": said.state} if said.state else told)
    return Redirect(urlunsplit(parts._replace(query=f"{parts.query}&{query}" if parts.query else query)))


@view("/profile/applications")
async def show_applications(visit: PageRequest, made: operations.Registered | None = None) -> HtmlPage:
    async with visit.reading() as tx:
        own = await entities.own_applications(tx, visit.actor)
        authorized = await entities.authorized_applications(tx, visit.actor)
        allowed = await may_register(tx, visit.actor)
    words = {"own": own, "authorized": authorized, "scopes": MEANING, "made": made, "allowed": allowed}
    return HtmlPage("applications.html", words)


@form("/profile/applications")
async def register_application(visit: PageRequest) -> HtmlPage:
    said = visit.said(NewApplication, "application")
    async with visit.transaction() as tx:
        if not await may_register(tx, visit.actor):
            raise errors.forbidden("Applications are registered by administrators")
        made = await operations.register(
            tx, visit.actor, said.name, said.redirect_uri, said.scopes,
            owner_id=visit.actor.id, confidential=said.confidential,
        )  # fmt: skip
    return await show_applications(visit, made)


@form("/profile/applications/remove")
async def remove_application(visit: PageRequest) -> Redirect:
    async with visit.transaction() as tx:
        application = await find_own_application(tx, visit.actor, visit.said(Numbered).id)
        await operations.remove(tx, visit.actor, application)
    return Redirect("/profile/applications")


@form("/profile/applications/withdraw")
async def withdraw_consent(visit: PageRequest) -> Redirect:
    async with visit.transaction() as tx:
        await operations.withdraw(tx, visit.actor, visit.said(Numbered).id)
    return Redirect("/profile/applications")
