"""The home page of a group, the lists of its subgroups and projects, and the form of a new group."""

from typing import Any
from urllib.parse import quote

from msgspec import structs

from mujina.accounts.users.profile.avatars import staged_avatar, submitted_avatar
from mujina.instance.application_settings.choices import default_visibility, visibility_choices
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import UNSET, Params, Ref, Unset, Words
from mujina.kernel.urls import instance_address
from mujina.rendering import markdown
from mujina.rendering.markdown import MarkdownText
from mujina.rendering.markdown_pieces import TextPlace
from mujina.workspaces.groups import avatars, entities, filters, operations
from mujina.workspaces.groups.entities import Group
from mujina.workspaces.groups.params import CreateGroup, ListGroups
from mujina.workspaces.groups.rules import GroupRow, find_group
from mujina.workspaces.projects import filters as project_filters
from mujina.workspaces.projects.params import ListProjects
from mujina.workspaces.projects.views import cards
from mujina.workspaces.projects.views.cards import ProjectCard

MAX_SUBGROUPS = 50
"""Subgroups that the home page shows; all of them have a list of their own."""


class SearchBelowGroup(Params):
    search: Words | Unset = UNSET


class ShowNewGroup(Params):
    """The group above the new one."""

    parent_id: int | Unset | None = UNSET


@view("/{group}")
async def show_group(request: PageRequest, group: GroupRow, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        context = {
            "subgroups": await _subgroups(tx, request, group, SearchBelowGroup(), Page(1, MAX_SUBGROUPS, {})),
            "projects": await _projects(tx, request, filters.own_projects(request.actor, group), page),
        }
        return await _home(tx, request, group, "", context)


@view("/groups/{group}/-/shared")
async def show_shared_projects(request: PageRequest, group: GroupRow, page: Page) -> HtmlPage:
    """The projects of others that are shared with the group."""
    async with request.reading() as tx:
        selection = filters.shared_projects(request.actor, group)
        context = {"subgroups": None, "projects": await _projects(tx, request, selection, page)}
        return await _home(tx, request, group, "shared", context)


@view("/groups/{group}/-/archived")
async def show_archived_projects(request: PageRequest, group: GroupRow, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        selection = filters.own_projects(request.actor, group)
        context = {"subgroups": None, "projects": await _projects(tx, request, selection, page, archived=True)}
        return await _home(tx, request, group, "archived", context)


@view("/groups/{group}/-/projects")
async def show_group_projects(request: PageRequest, group: GroupRow, query: SearchBelowGroup, page: Page) -> HtmlPage:
    """All projects of the group and of its subgroups."""
    async with request.reading() as tx:
        selection = filters.all_projects(request.actor, group, shared=False, below=True)
        projects = await _projects(tx, request, selection, page, search=query.search)
    return HtmlPage("workspaces/group_list.html", {"projects": projects, "groups": None}, fragments=("found",))


@view("/groups/{group}/-/subgroups")
async def show_subgroups(request: PageRequest, group: GroupRow, query: SearchBelowGroup, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        groups = await _subgroups(tx, request, group, query, page)
    return HtmlPage("workspaces/group_list.html", {"groups": groups, "projects": None}, fragments=("found",))


async def _subgroups(
    tx: Tx, request: PageRequest, group: GroupRow, query: SearchBelowGroup, page: Page
) -> Paged[Group]:
    below = ListGroups(all_available=True, search=query.search or UNSET)
    selection = filters.subgroups(request.actor, group, below)
    return await entities.load_page(tx, selection, filters.order(below), page)


async def _projects(
    tx: Tx,
    request: PageRequest,
    selection: Selection,
    page: Page,
    *,
    archived: bool = False,
    search: str | Unset = UNSET,
) -> Paged[ProjectCard]:
    query = ListProjects(archived=archived, order_by="last_activity_at", search=search or UNSET)
    selection = project_filters.apply_filters(selection, request.actor, query).collected("p")
    return await cards.load_page(tx, selection, project_filters.order(query), page)


async def _home(tx: Tx, request: PageRequest, group: GroupRow, tab: str, context: dict[str, Any]) -> HtmlPage:
    place = TextPlace(base=instance_address.get().base, group=group.full_path, below=1)
    texts = [MarkdownText(group.description, place)]
    [description] = await markdown.show(request.services, tx, request.actor, texts) if group.description else [""]
    return HtmlPage("workspaces/group.html", {**context, "group": group, "tab": tab, "description": description})


@view("/groups/new")
async def show_new_group(request: PageRequest, query: ShowNewGroup) -> HtmlPage:
    async with request.reading() as tx:
        settings = await read_settings(tx)
        parent = await operations.find_parent(tx, request.actor, query.parent_id or None, lock=False)
    limit = parent.visibility if parent else None
    context = {
        "parent": parent,
        "visibilities": visibility_choices(request.actor, settings, limit),
        "visibility": default_visibility(request.actor, settings, settings.default_group_visibility, limit),
    }
    return HtmlPage("workspaces/new_group.html", context)


@form("/groups", again="/groups/new")
async def create_group(request: PageRequest, change: CreateGroup) -> Redirect:
    change = structs.replace(change, avatar=submitted_avatar(change.avatar))
    async with staged_avatar(request.services.files, change.avatar, "group") as avatar, request.transaction() as tx:
        group_id = await operations.create(tx, request.actor, change)
        await avatars.put(tx, group_id, avatar)
        group = await find_group(tx, request.actor, Ref.of(group_id))
    return Redirect(f"/{quote(group.full_path)}", flash="Group created.")
