"""Requests for links are jobs, so that neither the response nor its time reveals whether the address is known."""

from datetime import timedelta

from mujina.accounts.mail_links import operations
from mujina.accounts.mail_links.operations import Purpose
from mujina.accounts.sessions.logins import find_login_again
from mujina.accounts.users.rules import find_user
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.permissions.actor import SYSTEM
from mujina.kernel.text.folding import fold


@task("mail_links.request_reset")
async def request_reset(run: Run, key: str) -> None:
    """Mail a link for a new password to the user with this primary address, at the address as it is stored.

    The password of a user whom a directory knows is not ours to change.
    """
    async with run.database.transaction() as tx:
        user_id = await _user_with_address(tx, key)
        login = await find_login_again(tx, user_id) if user_id is not None else None
        if login is not None and login.local and not await operations.was_sent_recently(tx, "reset", login.id):
            await record(tx, "user.password_reset_requested", SYSTEM, subject_id=login.id)


@task("mail_links.request_confirmation")
async def request_confirmation(run: Run, key: str) -> None:
    """Mail the confirmation link again to the user with this unconfirmed address."""
    purpose: Purpose = "confirmation"
    async with run.database.transaction() as tx:
        user_id = await _user_with_address(tx, key, confirmed=False)
        if user_id is not None and not await operations.was_sent_recently(tx, purpose, user_id):
            user = await find_user(tx, user_id)
            changes = {"email": (None, user.email)}
            await record(tx, "user.confirmation_requested", SYSTEM, subject_id=user_id, changes=changes)


async def _user_with_address(tx: Tx, address: str, *, confirmed: bool = True) -> int | None:
    return await tx.value(
        """
        SELECT u.id FROM users u
        WHERE u.email_folded = :folded AND u.state = 'active' AND u.kind = 'person' AND u.deleted_at IS NULL
          AND (:confirmed OR u.confirmed_at IS NULL)
        """,
        folded=fold(address),
        confirmed=confirmed,
    )


@task("mail_links.sweep", every=timedelta(days=1))
async def sweep_links(run: Run, key: str) -> None:  # noqa: ARG001 - scheduled tasks have no key
    """Delete expired links."""
    async with run.database.transaction() as tx:
        await operations.delete_expired(tx)
