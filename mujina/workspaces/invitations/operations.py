"""Inviting people by their address: those who have no account yet get a link by mail, and answer it themselves."""

from datetime import timedelta
from typing import Any, Final

from mujina.accounts.emails.operations import check_address, normalize
from mujina.accounts.emails.rules import CONFIRMED
from mujina.accounts.mails.limits import MAX_MAILS, check_rate
from mujina.accounts.users.rules import UserRow, find_invited_person
from mujina.kernel import clock, errors, secrets
from mujina.kernel.clock import NEVER
from mujina.kernel.db.rows import update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.http.params import UNSET, Unset
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import fold
from mujina.workspaces.invitations.rules import PENDING, InvitationRow, InvitationTarget, find_target, pending_bound
from mujina.workspaces.members import operations as members
from mujina.workspaces.members.rules import Source

RESEND_DELAY: Final = timedelta(minutes=1)
TAKEN = "Invite email has already been taken"
TOO_SOON = "The invitation was sent a moment ago. Try again in a minute."


async def invite(tx: Tx, actor: Actor, source: Source, name: str, level: int, expires_on: str | None) -> UserRow | None:
    """Make the person with this username or primary address a member; otherwise mail an invitation to the address.

    The person, or None if the address was invited; 409 if they are a member, or invited, already.
    """
    person = await find_invited_person(tx, name)
    if person is not None:
        await members.add(tx, actor, source, person.id, level, expires_on)
        await tx.run(
            """DELETE FROM invitations
               WHERE source_kind = :source_kind AND source_id = :source_id AND email_folded = :folded""",
            folded=fold(name),
            **source.bound,
        )
        return person
    await members.check_lock(tx, source)
    email = normalize(name)
    problems = Problems()
    check_address(problems, email)
    _check(problems, source, level, expires_on)
    problems.refuse()
    await check_rate(tx, actor, email)
    await _store(tx, actor, source, email, level, expires_on or NEVER)
    return None


async def invite_all(
    tx: Tx, actor: Actor, source: Source, emails: list[str], user_ids: list[int], level: int, expires_on: str | None
) -> dict[str, str]:
    """Invite each address, and make each of these users a member; the reasons of those that are refused."""
    await members.check_lock(tx, source)
    if not emails and not user_ids:
        raise errors.none_of(("email", "user_id"))
    if len(emails) + len(user_ids) > MAX_MAILS:
        raise errors.bad_request(f"Too many users specified (limit is {MAX_MAILS})")
    problems = Problems()
    _check(problems, source, level, expires_on)
    problems.refuse()
    refused: dict[str, str] = {}
    for email in emails:
        try:
            await invite(tx, actor, source, email, level, expires_on)
        except errors.ApiError as error:
            refused[email] = " ".join(error.reasons)
    for user_id in dict.fromkeys(user_ids):
        try:
            await members.add(tx, actor, source, user_id, level, expires_on)
        except errors.ApiError as error:
            refused[str(user_id)] = " ".join(error.reasons)
    return refused


async def edit(
    tx: Tx, actor: Actor, invitation: InvitationRow, level: int | Unset, expires_at: str | Unset | None
) -> None:
    """Change what is offered. The actor is the one who invites from now on, and whose right counts."""
    level = invitation.level if level is UNSET else level
    expires_on = invitation.expires_on if expires_at is UNSET else expires_at or NEVER
    problems = Problems()
    _check(problems, invitation.source, level, expires_on)
    problems.refuse()
    await update(
        tx, "invitations", {"level": level, "expires_on": expires_on, "inviter_id": actor.id}, id=invitation.id
    )
    pairs = {"access_level": (invitation.level, level), "expires_at": (invitation.expires_on, expires_on)}
    changes = {name: (old, new) for name, (old, new) in pairs.items() if old != new}
    await _record(tx, "updated", actor, invitation, changes)


async def resend(tx: Tx, actor: Actor, invitation: InvitationRow) -> None:
    """Mail a new link, at most once a minute; the earlier one becomes invalid."""
    if invitation.sent_at > clock.later(-RESEND_DELAY):
        raise errors.bad_request(TOO_SOON)
    await members.check_lock(tx, invitation.source)
    await check_rate(tx, actor, invitation.email)
    await update(tx, "invitations", {"sent_at": clock.now(), "inviter_id": actor.id}, id=invitation.id)
    await _record(tx, "resent", actor, invitation, {})


async def withdraw(tx: Tx, actor: Actor, invitation: InvitationRow) -> None:
    """Delete the invitation: its link becomes invalid."""
    await _delete(tx, invitation)
    await _record(tx, "withdrawn", actor, invitation, {"access_level": (invitation.level, None)})


async def accept(tx: Tx, actor: Actor, invitation: InvitationRow) -> None:
    """Make the actor a member as the invitation says; who is one already stays as they are."""
    await check_addressee(tx, actor, invitation)
    await _delete(tx, invitation)
    expires_on = None if invitation.expires_on == NEVER else invitation.expires_on
    try:
        await members.add(
            tx, actor, invitation.source, actor.id, invitation.level, expires_on, created_by_id=invitation.inviter_id
        )
    except errors.Conflict:  # a member already
        return


async def decline(tx: Tx, actor: Actor, invitation: InvitationRow) -> None:
    """Delete the invitation that the actor does not want."""
    await check_addressee(tx, actor, invitation)
    await _delete(tx, invitation)
    await _record(tx, "declined", actor, invitation, {})


async def check_addressee(tx: Tx, actor: Actor, invitation: InvitationRow) -> None:
    """403 unless the actor has confirmed the address that was invited: a link that was passed on opens nothing."""
    found = await tx.value(
        f"""SELECT 1 FROM emails a JOIN users u ON u.id = a.user_id
            WHERE a.user_id = :actor_id AND a.email_folded = :folded AND {CONFIRMED}""",
        actor_id=actor.id,
        folded=fold(invitation.email),
    )
    if found is None:
        raise errors.forbidden("This invitation was sent to another address")


async def new_link(tx: Tx, invitation_id: int) -> tuple[InvitationRow, InvitationTarget, str] | None:
    """The invitation, its target and the token of a new link; None if there is nothing to mail any more."""
    invitation = await tx.row(
        InvitationRow,
        f"SELECT {InvitationRow.columns} FROM invitations v WHERE v.id = :id AND {PENDING} FOR UPDATE",
        id=invitation_id,
        **pending_bound(),
    )
    target = await find_target(tx, invitation) if invitation is not None else None
    if invitation is None or target is None:
        return None
    token = secrets.new_oauth_token()
    await update(tx, "invitations", {"digest": secrets.digest(token)}, id=invitation.id)
    return invitation, target, token


async def delete_expired(tx: Tx) -> None:
    """Delete invitations that were not answered in time."""
    await tx.run("DELETE FROM invitations WHERE expires_on <= :today OR sent_at <= :since", **pending_bound())


async def delete_project_invitations(tx: Tx, project_id: int) -> None:
    await _delete_all(tx, Source("project", project_id))


async def delete_group_invitations(tx: Tx, group_ids: list[int]) -> None:
    for group_id in group_ids:
        await _delete_all(tx, Source("group", group_id))


async def delete_user_invitations(tx: Tx, _actor: Actor, user_id: int, _hard: bool) -> None:
    """Delete what a user who is being removed has sent, and what was sent to an address that they confirmed."""
    await tx.run("DELETE FROM invitations WHERE inviter_id = :user_id", user_id=user_id)
    await tx.run(
        f"""DELETE FROM invitations WHERE email_folded IN (
            SELECT a.email_folded FROM emails a JOIN users u ON u.id = a.user_id WHERE a.user_id = :user_id AND {CONFIRMED})""",
        user_id=user_id,
    )


def _check(problems: Problems, source: Source, level: int, expires_on: str | None) -> None:
    members.check_level(problems, source, level)
    if expires_on is not None and expires_on <= clock.today():
        problems.add("expires_at", "must be a date in the future")


async def _store(tx: Tx, actor: Actor, source: Source, email: str, level: int, expires_on: str) -> None:
    """Store the invitation, instead of one that has expired; 409 if there is a pending one."""
    invitation_id: int | None = await tx.value(
        """
        INSERT INTO invitations (source_kind, source_id, email, email_folded, level, expires_on, inviter_id, created_at, sent_at)
        VALUES (:source_kind, :source_id, :email, :folded, :level, :expires_on, :inviter_id, :now, :now)
        ON CONFLICT (source_kind, source_id, email_folded) DO UPDATE
        SET email = excluded.email, level = excluded.level, expires_on = excluded.expires_on, digest = NULL,
            inviter_id = excluded.inviter_id, created_at = excluded.created_at, sent_at = excluded.sent_at
        WHERE invitations.expires_on <= :today OR invitations.sent_at <= :since
        RETURNING id
        """,
        email=email, folded=fold(email), level=level, expires_on=expires_on, inviter_id=actor.id, now=clock.now(),
        **source.bound, **pending_bound(),
    )  # fmt: skip
    if invitation_id is None:
        raise errors.conflict(TAKEN)
    invitation = InvitationRow(
        id=invitation_id, source_kind=source.kind, source_id=source.id, email=email, level=level,
        expires_on=expires_on, inviter_id=actor.id, sent_at=clock.now(),
    )  # fmt: skip
    await _record(tx, "created", actor, invitation, {"access_level": (None, level)})


async def _delete(tx: Tx, invitation: InvitationRow) -> None:
    """404 if it was answered or withdrawn a moment ago."""
    if not await tx.run("DELETE FROM invitations WHERE id = :id", id=invitation.id):
        raise errors.not_found("Invitation")


async def _delete_all(tx: Tx, source: Source) -> None:
    await tx.run("DELETE FROM invitations WHERE source_kind = :source_kind AND source_id = :source_id", **source.bound)


async def _record(
    tx: Tx, verb: str, actor: Actor, invitation: InvitationRow, changes: dict[str, tuple[Any, Any]]
) -> None:
    changes = {"email": (invitation.email, invitation.email), **changes}
    await record(tx, f"invitation.{verb}", actor, subject_id=invitation.id, changes=changes, **invitation.source.ids)
