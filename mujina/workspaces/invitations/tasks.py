"""Mailing invitations, and deleting those that were not answered."""

from datetime import timedelta

from mujina.accounts.mails.messages import compose, one_line, unlinked
from mujina.adapters import mail
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel.jobs.tasks import PermanentFailure, Run, task
from mujina.kernel.permissions.levels import ROLES
from mujina.kernel.urls import web
from mujina.workspaces.invitations import operations
from mujina.workspaces.invitations.rules import LIFETIME


@task("invitations.deliver")
async def deliver_invitation(run: Run, key: str) -> None:
    """Mail the link, which is made now, so that the database contains no secret."""
    async with run.database.transaction() as tx:
        link = await operations.new_link(tx, int(key))
        html = (await read_settings(tx)).html_emails_enabled
    if link is None:
        return
    settings = run.services.settings
    invitation, target, token = link
    inviter, name = unlinked(target.inviter), unlinked(target.name)
    offer = f"{inviter} invites you to the {invitation.source_kind} {name}, as {ROLES[invitation.level]}."
    answer = f"Sign in with an account that has this address, {invitation.email}, to accept or decline."
    lines = [
        one_line(f"{offer} {answer} If you have none, ask for one."),
        f"The link expires in {LIFETIME.days} days. If you did not expect it, ignore this email.",
    ]
    message = compose(
        settings, invitation.email, f"{inviter} invites you to {name}", lines,
        link=web(f"/invites/{token}"), label="Answer the invitation", html=html,
    )  # fmt: skip
    try:
        await mail.send(settings, message)
    except mail.RejectedMail as error:
        raise PermanentFailure(f"the mail server rejected the invitation: {error}") from error


@task("invitations.sweep", every=timedelta(days=1))
async def sweep_invitations(run: Run, key: str) -> None:  # noqa: ARG001 - a scheduled run has no key
    """Delete expired invitations."""
    async with run.database.transaction() as tx:
        await operations.delete_expired(tx)
