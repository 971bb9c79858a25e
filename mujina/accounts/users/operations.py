"""Creating and editing users."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from mujina.accounts.emails import operations as emails
from mujina.accounts.paths import operations as paths
from mujina.accounts.users import validation
from mujina.accounts.users.params import CreateUser, EditUser
from mujina.accounts.users.profile import columns as profile
from mujina.accounts.users.rules import UserRow
from mujina.accounts.users.sign_in import accounts, identities
from mujina.accounts.users.sign_in.confirmation import change_address
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import clock, errors
from mujina.kernel.db.errors import UniqueViolation
from mujina.kernel.db.rows import insert_id, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.http.params import UNSET
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import fold


def password_of(change: CreateUser) -> str | None:
    """The password to set, if any; `reset_password` takes priority over a password."""
    return None if change.reset_password is True else change.password or None


async def create(
    tx: Tx, actor: Actor, change: CreateUser, password_hash: str | None, *, any_domain: bool = False
) -> int:
    """Create a user with their namespace. The caller hashes the password before the transaction, as hashing takes long.

    `any_domain` accepts addresses of domains that the settings do not allow.
    """
    settings = await read_settings(tx)
    await validation.check_new(tx, change, settings, any_domain=any_domain)
    confirmed_at = clock.now() if change.skip_confirmation is True else None
    user_id = await _insert(tx, change, password_hash, confirmed_at)
    external = settings.user_default_external if change.external is UNSET else change.external
    columns = {"projects_limit": settings.default_projects_limit} | profile.columns_of(change)
    rights = profile.rights(change, settings, external=external, was_external=False)
    await profile.store(tx, user_id, columns | rights)
    await identities.put(tx, user_id, change)
    await record(tx, "user.created", actor, subject_id=user_id)
    if confirmed_at is None:
        email = emails.normalize(change.email)
        await record(tx, "user.confirmation_requested", actor, subject_id=user_id, changes={"email": (None, email)})
    if change.reset_password is True:
        await record(tx, "user.password_reset_requested", actor, subject_id=user_id)
    return user_id


async def edit(tx: Tx, actor: Actor, user: UserRow, change: EditUser, password_hash: str | None) -> None:
    """Apply the change to a user found with `lock`, and record it. A new username moves every path of the namespace."""
    settings = await read_settings(tx)
    await validation.check_edit(tx, user, change, settings)
    if change.admin is False:
        await accounts.check_not_last_admin(tx, user)
    changes: dict[str, Any] = {}
    if change.username is not UNSET and change.username != user.username:
        namespace_id: int = await tx.value("SELECT n.id FROM namespaces n WHERE n.owner_id = :id", id=user.id)
        with _reported_as_taken():
            await paths.rename(tx, namespace_id, change.username, change.username)
            names = {"username": change.username, "username_folded": fold(change.username)}
            await update(tx, "users", names, id=user.id)
        changes["username"] = (user.username, change.username)
    external = user.external if change.external is UNSET else change.external
    rights = profile.rights(change, settings, external=external, was_external=user.external)
    changes |= await profile.store(tx, user.id, profile.columns_of(change) | rights)
    changes |= await identities.put(tx, user.id, change)
    if change.email is not UNSET:
        confirmed = change.skip_reconfirmation is True
        changes |= await change_address(tx, actor, user, emails.normalize(change.email), confirmed=confirmed)
    if changes:
        await record(tx, "user.updated", actor, subject_id=user.id, changes=changes)
    if password_hash is not None:
        await accounts.set_password(tx, actor, user, password_hash, expired=True)


async def limit_minutes(tx: Tx, actor: Actor, user_id: int, minutes: int | None) -> None:
    """Set the limit of runner minutes of the user's namespace; None: the limit of the instance."""
    changes = await profile.store(tx, user_id, {"shared_runners_minutes_limit": minutes})
    if changes:
        await record(tx, "user.updated", actor, subject_id=user_id, changes=changes)


async def _insert(tx: Tx, change: CreateUser, password_hash: str | None, confirmed_at: str | None) -> int:
    """Insert the user with their namespace and address."""
    username, email, name = change.username, emails.normalize(change.email), change.name.strip()
    with _reported_as_taken(new=True):
        # The user changes a password that an administrator chose at the first sign-in.
        now = clock.now()
        user_id: int = await insert_id(
            tx, "users", username=username, username_folded=fold(username), name=name, name_folded=fold(name), email=email,
            email_folded=fold(email), password_hash=password_hash, password_expires_at=now, confirmed_at=confirmed_at,
            created_at=now, updated_at=now,
        )  # fmt: skip
        await emails.claim_primary(tx, user_id, email, confirmed_at)
        await paths.create_user_namespace(tx, user_id, username)
    return user_id


@contextmanager
def _reported_as_taken(*, new: bool = False) -> Generator[None]:
    """A name or address that another transaction claimed at the same moment is refused as taken, as one claimed before."""
    try:
        yield
    except UniqueViolation as conflict:
        field = "email" if "email_folded" in conflict.columns else "username"
        if new and conflict.table == "users":
            raise errors.conflict(validation.EMAIL_TAKEN if field == "email" else validation.USERNAME_TAKEN) from None
        raise errors.taken(field) from None
