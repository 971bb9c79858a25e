"""The page of a mailed invitation, and the forms by which those who choose members change what they sent.

Opening the link changes nothing, because mail scanners open every link. Anonymous visitors sign in first, whether the link
is valid or not.
"""

from urllib.parse import quote

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.permissions.levels import ROLES
from mujina.workspaces.invitations import operations
from mujina.workspaces.invitations.params import EditInvitation
from mujina.workspaces.invitations.rules import InvitationRow, InvitationTarget, find_invitation_by_id, find_mailed
from mujina.workspaces.members.rules import CHOOSE_MEMBERS
from mujina.workspaces.members.views.page_view import find_page_source, members_page

PAGE = "/invites/{token}"
PROJECT, GROUP = "/{project}/project_members", "/groups/{group}/-/group_members"
NOT_VALID = "This invitation is no longer valid. Ask the person who invited you for a new one."
WRONG_ACCOUNT = (
    "This invitation was sent to an address that your account does not have. Add the address to your account and confirm it,"
    " or sign in with the account that has it; then open the link again."
)


@view(PAGE, anonymous=False)
async def show_invitation(request: PageRequest, token: str) -> HtmlPage:
    async with request.reading() as tx:
        found = await find_mailed(tx, token)
        if found is None:
            return HtmlPage("workspaces/no_invitation.html", {"sentence": NOT_VALID}, 422 if request.problems else 410)
        invitation, target = found
        try:
            await operations.check_addressee(tx, request.actor, invitation)
        except errors.Forbidden:
            return HtmlPage("workspaces/no_invitation.html", {"sentence": WRONG_ACCOUNT}, 403)
    context = {"invitation": invitation, "target": target, "role": ROLES[invitation.level], "token": token}
    return HtmlPage("workspaces/invitation.html", context)


@form(f"{PAGE}/accept", again=PAGE)
async def accept_invitation(request: PageRequest, token: str) -> Redirect:
    async with request.transaction() as tx:
        invitation, target = await _mailed(tx, token)
        await operations.accept(tx, request.actor, invitation)
    path = quote(target.path)
    there = f"/{path}" if invitation.source_kind == "project" else f"/groups/{path}"
    return Redirect(there, flash=f"You are a member of {target.name} now.")


@form(f"{PAGE}/decline", again=PAGE)
async def decline_invitation(request: PageRequest, token: str) -> Redirect:
    async with request.transaction() as tx:
        invitation, target = await _mailed(tx, token)
        await operations.decline(tx, request.actor, invitation)
    return Redirect("/", flash=f"You declined the invitation to {target.name}.")


async def _mailed(tx: Tx, token: str) -> tuple[InvitationRow, InvitationTarget]:
    found = await find_mailed(tx, token, lock=True)
    if found is None:
        raise errors.bad_request(NOT_VALID)
    return found


@form(f"{PROJECT}/invitations/{{invitation_id:int}}", to=CHOOSE_MEMBERS["project"], again=PROJECT)
@form(f"{GROUP}/invitations/{{invitation_id:int}}", to=CHOOSE_MEMBERS["group"], again=GROUP)
async def edit_invitation(request: PageRequest, invitation_id: int, change: EditInvitation) -> Redirect:
    async with request.transaction() as tx:
        invitation = await _sent(tx, request, invitation_id)
        await operations.edit(tx, request.actor, invitation, change.access_level, change.expires_at)
    return Redirect(members_page(request), flash="Changes saved.")


@form(f"{PROJECT}/invitations/{{invitation_id:int}}/resend", to=CHOOSE_MEMBERS["project"], again=PROJECT)
@form(f"{GROUP}/invitations/{{invitation_id:int}}/resend", to=CHOOSE_MEMBERS["group"], again=GROUP)
async def resend_invitation(request: PageRequest, invitation_id: int) -> Redirect:
    async with request.transaction() as tx:
        invitation = await _sent(tx, request, invitation_id)
        await operations.resend(tx, request.actor, invitation)
    return Redirect(members_page(request), flash=f"A new link is on its way to {invitation.email}.")


@form(f"{PROJECT}/invitations/{{invitation_id:int}}/delete", to=CHOOSE_MEMBERS["project"], again=PROJECT)
@form(f"{GROUP}/invitations/{{invitation_id:int}}/delete", to=CHOOSE_MEMBERS["group"], again=GROUP)
async def withdraw_invitation(request: PageRequest, invitation_id: int) -> Redirect:
    async with request.transaction() as tx:
        await operations.withdraw(tx, request.actor, await _sent(tx, request, invitation_id))
    return Redirect(members_page(request), flash="Invitation withdrawn.")


async def _sent(tx: Tx, request: PageRequest, invitation_id: int) -> InvitationRow:
    """The invitation of this project or group, if the actor still chooses its members."""
    return await find_invitation_by_id(tx, await find_page_source(tx, request, to=CHOOSE_MEMBERS), invitation_id)
