"""The members of a project or group: who has access, who is invited, requests, and groups that it is shared with."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from mujina.instance.editions.rules import has_feature
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import BLANK
from mujina.kernel.html.owners import OwnerKind
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import FIRST_PAGE, Page
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import LEVELS, PROJECT_LEVELS, ROLES
from mujina.kernel.permissions.rules import Rule
from mujina.workspaces.groups.rules import ADMIN_GROUP, GroupRow, find_group
from mujina.workspaces.invitations import entities as invitation_entities
from mujina.workspaces.invitations import operations as invitations
from mujina.workspaces.invitations.params import ListInvitations
from mujina.workspaces.ldap_groups.rules import are_links_offered
from mujina.workspaces.ldap_groups.status import directory_members, sync_state
from mujina.workspaces.members import entities, filters, operations
from mujina.workspaces.members.granting import requests, sharing
from mujina.workspaces.members.params import (
    ApproveRequest,
    EditMember,
    InviteMember,
    ListMembers,
    SearchMembers,
    ShareGroupWithGroup,
    ShareWithGroup,
)
from mujina.workspaces.members.rules import (
    ADD_MEMBERS,
    CHOOSE_MEMBERS,
    LEAVE,
    REQUEST_ACCESS,
    REQUESTED,
    SEE_MEMBERS,
    find_member,
    find_request,
)
from mujina.workspaces.members.views import page_view
from mujina.workspaces.members.views.page_view import find_page_source, members_page, source_of
from mujina.workspaces.members.views.shares import load_shares
from mujina.workspaces.owners.rules import ADMIN_OWNER, Owner, find_owner
from mujina.workspaces.projects.rules import ADMIN_PROJECT, ProjectRow

LOCKED = "A group above has locked the membership of its projects."

PROJECT, GROUP = "/{project}/project_members", "/groups/{group}/-/group_members"


def _rights(kind: OwnerKind) -> dict[str, Rule]:
    return {
        "choose": CHOOSE_MEMBERS[kind], "add": ADD_MEMBERS[kind], "leave": LEAVE[kind],
        "request": REQUEST_ACCESS[kind], "requested": REQUESTED[kind],
    }  # fmt: skip


@view(PROJECT, anonymous=False, to=SEE_MEMBERS["project"], rights=_rights("project"))
@view("/{project}/settings/members", anonymous=False, to=SEE_MEMBERS["project"], rights=_rights("project"))
@view(GROUP, anonymous=False, to=SEE_MEMBERS["group"], rights=_rights("group"))
@view("/groups/{group}/-/members", anonymous=False, to=SEE_MEMBERS["group"], rights=_rights("group"))
async def show_members(request: PageRequest, query: SearchMembers, page: Page) -> HtmlPage:
    source, chooses = source_of(request), request.rights["choose"]
    async with request.reading() as tx:
        context: dict[str, Any] = {
            "members": await page_view.load_page(
                tx, request.actor, source, ListMembers(query=query.search or UNSET), page, by_address=chooses
            ),
            "requests": (await entities.requests(tx, filters.requesters(source), FIRST_PAGE)).items if chooses else [],
            "invitations": await invitation_entities.load_page(tx, source, ListInvitations(), FIRST_PAGE)
            if chooses
            else None,
            "shares": await load_shares(tx, request.actor, source, managed=chooses),
            "sync": await sync_state(tx, source.id)
            if chooses and source.kind == "group" and has_feature("ldap_groups")
            else None,
        }
        listed = [each.member.id for each in context["members"].items if each.source == "direct"]
        synced = await directory_members(tx, source.id, listed) if context["sync"] else {}
    levels = [(level, ROLES[level]) for level in (LEVELS if source.kind == "group" else PROJECT_LEVELS)]
    context |= {"here": members_page(request), "levels": levels, "roles": ROLES, "kind": source.kind}
    context |= {
        "synced": synced,
        "overridable": are_links_offered(request),
        "share_links": f"{request.here}/group_links",
    }
    return HtmlPage("workspaces/members.html", context, fragments=("members",))


@form(PROJECT, to=CHOOSE_MEMBERS["project"])
@form(GROUP, to=CHOOSE_MEMBERS["group"])
async def invite_member(request: PageRequest, change: InviteMember) -> Redirect:
    async with request.transaction() as tx:
        source = await find_page_source(tx, request, to=CHOOSE_MEMBERS)
        name = change.user.strip().lstrip("@")
        try:
            with _lock_in_words():
                user = await invitations.invite(
                    tx, request.actor, source, name, change.access_level, change.expires_at or None
                )
        except errors.Invalid as error:
            raise _about_user(error, name) from None
    flash = f"An invitation is on its way to {name}." if user is None else f"{user.name} is a member now."
    return Redirect(members_page(request), flash=flash)


@contextmanager
def _lock_in_words() -> Generator[None]:
    try:
        yield
    except errors.MethodNotAllowed:
        raise errors.unprocessable(LOCKED) from None


def _about_user(error: errors.Invalid, name: str) -> errors.Invalid:
    """The complaint about an address as one about the field, which also takes usernames."""
    problems = dict(error.by_field)
    if problems.pop("email", None):
        problems["user"] = [
            "does not exist" if "@" not in name and name else "is not an email address" if name else BLANK
        ]
    return errors.invalid(problems)


@form(f"{PROJECT}/{{user_id:int}}", to=CHOOSE_MEMBERS["project"], again=PROJECT)
@form(f"{GROUP}/{{user_id:int}}", to=CHOOSE_MEMBERS["group"], again=GROUP)
async def edit_member(request: PageRequest, user_id: int, change: EditMember) -> Redirect:
    async with request.transaction() as tx:
        source = await find_page_source(tx, request, to=CHOOSE_MEMBERS)
        member = await find_member(tx, source, user_id)
        await operations.edit(tx, request.actor, source, member, change.access_level, change.expires_at)
    return Redirect(members_page(request), flash="Changes saved.")


@form(f"{PROJECT}/{{user_id:int}}/delete", to=CHOOSE_MEMBERS["project"], again=PROJECT)
@form(f"{GROUP}/{{user_id:int}}/delete", to=CHOOSE_MEMBERS["group"], again=GROUP)
async def remove_member(request: PageRequest, user_id: int) -> Redirect:
    await _remove(request, user_id)
    return Redirect(members_page(request), flash="Member removed.")


@form(f"{PROJECT}/leave", to=SEE_MEMBERS["project"], again=PROJECT)
@form(f"{GROUP}/leave", to=SEE_MEMBERS["group"], again=GROUP)
async def leave(request: PageRequest) -> Redirect:
    await _remove(request, request.actor.id)
    assert request.container is not None
    return Redirect("/", flash=f"You left {request.container.row.name}.")


async def _remove(request: PageRequest, user_id: int) -> None:
    right = SEE_MEMBERS if user_id == request.actor.id else CHOOSE_MEMBERS
    async with request.transaction() as tx:
        source = await find_page_source(tx, request, to=right)
        member = await find_member(tx, source, user_id)
        await operations.check_not_synced(tx, request.actor, source, member)
        await operations.remove(tx, request.actor, source, user_id)


@form(f"{PROJECT}/request_access", to=SEE_MEMBERS["project"], again=PROJECT)
@form(f"{GROUP}/request_access", to=SEE_MEMBERS["group"], again=GROUP)
async def request_access(request: PageRequest) -> Redirect:
    async with request.transaction() as tx:
        source = await find_page_source(tx, request, to=SEE_MEMBERS)
        await requests.create(tx, request.actor, source)
    return Redirect(members_page(request), flash="Your request was sent to those who choose members.")


@form(f"{PROJECT}/requests/{{user_id:int}}/approve", to=CHOOSE_MEMBERS["project"], again=PROJECT)
@form(f"{GROUP}/requests/{{user_id:int}}/approve", to=CHOOSE_MEMBERS["group"], again=GROUP)
async def approve_request(request: PageRequest, user_id: int, change: ApproveRequest) -> Redirect:
    async with request.transaction() as tx:
        source = await find_page_source(tx, request, to=CHOOSE_MEMBERS)
        await find_request(tx, source, user_id)
        with _lock_in_words():
            await requests.approve(tx, request.actor, source, user_id, change.access_level)
    return Redirect(members_page(request), flash="Access granted.")


@form(f"{PROJECT}/requests/{{user_id:int}}/delete", to=SEE_MEMBERS["project"], again=PROJECT)
@form(f"{GROUP}/requests/{{user_id:int}}/delete", to=SEE_MEMBERS["group"], again=GROUP)
async def delete_request(request: PageRequest, user_id: int) -> Redirect:
    """Users withdraw their own request; those who choose members deny it."""
    own = user_id == request.actor.id
    async with request.transaction() as tx:
        source = await find_page_source(tx, request, to=SEE_MEMBERS if own else CHOOSE_MEMBERS)
        await find_request(tx, source, user_id)
        await requests.withdraw(tx, request.actor, source, user_id)
    return Redirect(members_page(request), flash="Request withdrawn." if own else "Request denied.")


@form("/{project}/group_links", to=ADMIN_PROJECT, again=PROJECT)
async def share_with_group(request: PageRequest, project: ProjectRow, change: ShareWithGroup) -> Redirect:
    async with request.transaction() as tx:
        shared = await find_owner(tx, request.actor, "project", Ref.of(project.id), to=ADMIN_OWNER)
        name = await _share(tx, request.actor, shared, change)
    return Redirect(members_page(request), flash=f"The project is shared with {name}.")


@form("/groups/{group}/-/group_links", to=ADMIN_GROUP, again=GROUP)
async def share_group_with_group(request: PageRequest, group: GroupRow, change: ShareGroupWithGroup) -> Redirect:
    async with request.transaction() as tx:
        shared = await find_group(tx, request.actor, Ref.of(group.id), to=ADMIN_GROUP, lock=True)
        name = await _share(tx, request.actor, Owner("group", shared.id, shared.id), change)
    return Redirect(members_page(request), flash=f"The group is shared with {name}.")


async def _share(tx: Tx, actor: Actor, shared: Owner, change: ShareWithGroup | ShareGroupWithGroup) -> str:
    """Share it with the group whose path someone typed; the name of that group."""
    try:
        group = await find_group(tx, actor, Ref(change.group.strip().strip("/")))
    except errors.NotFound:
        raise errors.invalid({"group": ["does not exist"]}) from None
    await sharing.share(tx, actor, shared, group.id, change.group_access, change.share_expires_at or None)
    return group.name


@form("/{project}/group_links/{group_id:int}/delete", to=ADMIN_PROJECT, again=PROJECT)
@form("/groups/{group}/-/group_links/{group_id:int}/delete", to=ADMIN_GROUP, again=GROUP)
async def unshare(request: PageRequest, group_id: int) -> Redirect:
    source = source_of(request)
    async with request.transaction() as tx:
        shared = await find_owner(tx, request.actor, source.kind, Ref.of(source.id), to=ADMIN_OWNER)
        await sharing.unshare(tx, request.actor, shared, group_id)
    return Redirect(members_page(request), flash=f"The {source.kind} is no longer shared with this group.")
