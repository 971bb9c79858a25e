"""Invitations to groups and projects: the same for both."""

from mujina.kernel.html.owners import OwnerKind
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, delete, get, post, put
from mujina.workspaces.invitations import entities, operations
from mujina.workspaces.invitations.entities import Invitation, SentInvitations
from mujina.workspaces.invitations.params import EditInvitation, ListInvitations, SendInvitations
from mujina.workspaces.invitations.rules import find_invitation
from mujina.workspaces.members.rules import CHOOSE_MEMBERS, find_source


@post(group="/groups/:id/invitations", project="/projects/:id/invitations")
async def send_invitations(call: Call, kind: OwnerKind, id: Ref, change: SendInvitations) -> SentInvitations:
    """Invite addresses: a known user becomes a member, others get a link by mail."""
    async with call.transaction() as tx:
        source = await find_source(tx, call.actor, kind, id, to=CHOOSE_MEMBERS)
        refused = await operations.invite_all(
            tx, call.actor, source, change.email or [], change.user_id or [], change.access_level,
            change.expires_at or None,
        )  # fmt: skip
    return SentInvitations(status="error" if refused else "success", message=refused)


@get(group="/groups/:id/invitations", project="/projects/:id/invitations")
async def list_invitations(
    call: Call, kind: OwnerKind, id: Ref, query: ListInvitations, page: Page
) -> Paged[Invitation]:
    """List the invitations that wait for an answer."""
    async with call.reading() as tx:
        source = await find_source(tx, call.actor, kind, id, to=CHOOSE_MEMBERS)
        return await entities.load_page(tx, source, query, page)


@put(group="/groups/:id/invitations/:email", project="/projects/:id/invitations/:email")
async def edit_invitation(call: Call, kind: OwnerKind, id: Ref, email: Segment, change: EditInvitation) -> Invitation:
    async with call.transaction() as tx:
        source = await find_source(tx, call.actor, kind, id, to=CHOOSE_MEMBERS)
        invitation = await find_invitation(tx, source, email)
        await operations.edit(tx, call.actor, invitation, change.access_level, change.expires_at)
        return await entities.load_one(tx, invitation.id)


@delete(group="/groups/:id/invitations/:email", project="/projects/:id/invitations/:email")
async def withdraw_invitation(call: Call, kind: OwnerKind, id: Ref, email: Segment) -> None:
    async with call.transaction() as tx:
        source = await find_source(tx, call.actor, kind, id, to=CHOOSE_MEMBERS)
        invitation = await find_invitation(tx, source, email)
        call.unless_modified(invitation.sent_at)
        await operations.withdraw(tx, call.actor, invitation)
