"""Registering and removing applications, and withdrawing consent."""

from collections.abc import Sequence
from urllib.parse import urlsplit

import msgspec

from mujina.accounts.oauth.rules import ApplicationRow, find_client
from mujina.accounts.oauth.tokens import revoke_all
from mujina.kernel import clock, secrets
from mujina.kernel.db.rows import insert, insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import BLANK, Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import SCOPES as PERSONAL_SCOPES
from mujina.kernel.permissions.actor import Actor

SCOPES = (*PERSONAL_SCOPES, "openid", "profile", "email")
"""`profile` and `email` open nothing of their own: clients ask for them together with `openid`."""
_MAX_NAME_LENGTH, _MAX_URIS_LENGTH = 255, 2_000
_UNSAFE_SCHEMES = frozenset({"javascript", "data", "vbscript", "file", "blob", "about"})


class RegisteredApplication(msgspec.Struct, frozen=True):
    """A new application with its secret, which is shown only once."""

    id: int
    uid: str
    secret: str


async def register(
    tx: Tx, actor: Actor, name: str, redirect_uris: str, scopes: Sequence[str], *,
    owner_id: int | None = None, confidential: bool = True, trusted: bool = False,
) -> RegisteredApplication:  # fmt: skip
    """Register an application, which may then ask users for authorization; a trusted one does not ask."""
    uris = redirect_uris.split()
    _check(name, uris, scopes)
    uid, secret = secrets.new_client_id(), secrets.new_oauth_token()
    application_id: int = await insert_id(
        tx, "oauth_applications", owner_id=owner_id, name=name.strip(), uid=uid, secret_digest=secrets.digest(secret),
        redirect_uris="\n".join(uris), scopes=" ".join(scopes), confidential=confidential, trusted=trusted,
        **timestamps(),
    )  # fmt: skip
    await record(tx, "application.created", actor, subject_id=application_id, changes={"name": (None, name)})
    return RegisteredApplication(application_id, uid, secret)


async def ensure_client(tx: Tx, uid: str, name: str, redirect_uri: str, scopes: str) -> ApplicationRow:
    """An application of the instance itself, which exists from now on. Its secret is unknown: no token is given for its codes."""
    client = await find_client(tx, uid)
    if client is None:
        await insert(
            tx, "oauth_applications", "ON CONFLICT (uid) DO NOTHING", name=name, uid=uid,
            secret_digest=secrets.digest(secrets.new_oauth_token()), redirect_uris=redirect_uri, scopes=scopes,
            trusted=True, **timestamps(),
        )  # fmt: skip
        client = await find_client(tx, uid)
    assert client is not None
    return client


async def rename(tx: Tx, actor: Actor, application_id: int, name: str, redirect_uris: str) -> None:
    """Change the name of an application and where it may send users back to."""
    _check(name, redirect_uris.split(), SCOPES)
    columns = {"name": name.strip(), "redirect_uris": "\n".join(redirect_uris.split()), "updated_at": clock.now()}
    await update(tx, "oauth_applications", columns, id=application_id)
    await record(tx, "application.updated", actor, subject_id=application_id, changes={"name": (None, name)})


async def remove(tx: Tx, actor: Actor, application: ApplicationRow) -> None:
    """Remove the application; its tokens fail from the next request on."""
    await tx.run("DELETE FROM oauth_applications WHERE id = :id", id=application.id)
    await record(
        tx, "application.deleted", actor, subject_id=application.id, changes={"name": (application.name, None)}
    )


async def withdraw(tx: Tx, actor: Actor, application_id: int) -> None:
    """Revoke every token and grant that the application has of this user."""
    await tx.run(
        "DELETE FROM oauth_grants WHERE application_id = :id AND user_id = :user_id",
        id=application_id,
        user_id=actor.id,
    )
    await revoke_all(tx, application_id, actor.id)
    await record(tx, "application.withdrawn", actor, subject_id=application_id)


def _check(name: str, uris: Sequence[str], scopes: Sequence[str]) -> None:
    problems = Problems()
    problems.require("name", name, _MAX_NAME_LENGTH)
    if not uris:
        problems.add("redirect_uri", BLANK)
    problems.limit("redirect_uri", "\n".join(uris), _MAX_URIS_LENGTH)
    for uri in uris:
        _check_redirect(problems, uri)
    if not scopes:
        problems.add("scopes", BLANK)
    elif not set(scopes) <= set(SCOPES):
        problems.add("scopes", "doesn't match configured on the server.")
    problems.refuse()


def _check_redirect(problems: Problems, uri: str) -> None:
    """A redirect URI is absolute, has no fragment, and its scheme runs no script."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        parts = urlsplit("")
    web = parts.scheme in ("http", "https")
    if not uri.isascii() or not parts.scheme or (web and not parts.hostname) or parts.scheme in _UNSAFE_SCHEMES:
        problems.add("redirect_uri", "must be an absolute URI.")
    if "#" in uri:
        problems.add("redirect_uri", "cannot contain a fragment.")
