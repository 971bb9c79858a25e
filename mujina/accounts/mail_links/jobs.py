"""Asking for a link is a job, so that neither the answer nor its time tells whether the address is anybody's."""

from datetime import timedelta

from mujina.accounts.mail_links import operations
from mujina.accounts.mail_links.operations import Purpose
from mujina.accounts.users.rules import find_user
from mujina.kernel.actor import SYSTEM
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.text import fold


@task("mail_links.request_reset")
async def request_reset(run: Run, key: str) -> None:
    """The person whose principal address this is gets a link to choose a new password, at that address as it is stored."""
    async with run.database.transaction() as tx:
        user_id = await _person_at(tx, key)
        if user_id is not None and not await operations.was_just_sent(tx, "reset", user_id):
            await record(tx, "user.password_reset_requested", SYSTEM, subject_id=user_id)


@task("mail_links.request_confirmation")
async def request_confirmation(run: Run, key: str) -> None:
    """The person whose unconfirmed address this is gets the link to confirm it once more."""
    purpose: Purpose = "confirmation"
    async with run.database.transaction() as tx:
        user_id = await _person_at(tx, key, confirmed=False)
        if user_id is not None and not await operations.was_just_sent(tx, purpose, user_id):
            user = await find_user(tx, user_id)
            changes = {"email": (None, user.email)}
            await record(tx, "user.confirmation_requested", SYSTEM, subject_id=user_id, changes=changes)


async def _person_at(tx: Tx, address: str, *, confirmed: bool = True) -> int | None:
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
async def sweep_links(run: Run, key: str) -> None:  # noqa: ARG001 - the clock wants no particular key
    """What ran out takes up no room; it has counted for nothing since."""
    async with run.database.transaction() as tx:
        await operations.sweep(tx)
