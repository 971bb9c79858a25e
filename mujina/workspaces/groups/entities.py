"""The JSON representations of a group."""

from typing import Annotated, Any, LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.instance.custom_attributes.entities import Attribute
from mujina.instance.editions.rules import has_feature
from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Order, Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_joined
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.secrets import Vault
from mujina.kernel.urls import web
from mujina.workspaces.groups import filters
from mujina.workspaces.groups.params import STORED
from mujina.workspaces.groups.rules import GroupRow
from mujina.workspaces.members.rules import Source
from mujina.workspaces.members.views.shares import load_shares
from mujina.workspaces.projects import entities as projects
from mujina.workspaces.projects.entities import Project
from mujina.workspaces.stored_settings.entities import shown, with_settings
from mujina.workspaces.stored_settings.storing import read_settings


class GroupStatistics(msgspec.Struct):
    """The sizes of the group's own projects, in bytes."""

    storage_size: int = 0
    repository_size: int = 0
    lfs_objects_size: int = 0
    job_artifacts_size: int = 0


class LdapLinkRef(msgspec.Struct):
    """A link to a group of a directory, as part of a group."""

    cn: str | None
    """None: people are linked by a filter."""
    group_access: int
    provider: str


class Group(msgspec.Struct, kw_only=True):
    """A group as lists show it."""

    id: int
    name: Annotated[str, "n.name"]
    path: Annotated[str, "n.path"]
    description: str
    visibility: str
    lfs_enabled: bool
    avatar_url: Computed[str | None]
    web_url: Computed[str]
    request_access_enabled: bool
    full_name: Annotated[str, "n.full_name"]
    full_path: Annotated[str, "r.path"]
    parent_id: Annotated[int | None, "n.parent_id"]
    ldap_cn: str | None = None
    ldap_access: int | None = None
    ldap_group_links: list[LdapLinkRef] | UnsetType = UNSET
    statistics: GroupStatistics | UnsetType = UNSET
    custom_attributes: list[Attribute] | UnsetType = UNSET


class GroupShare(msgspec.Struct):
    """A group that a group is shared with."""

    group_id: int
    group_name: str
    group_full_path: str
    group_access_level: int
    expires_at: str | None


class GroupDetail(Group, kw_only=True):
    """A group with its projects and those shared with it."""

    projects: list[Project]
    shared_projects: list[Project]
    shared_runners_minutes_limit: int | None
    shared_with_groups: list[GroupShare]


_GroupWithSettings = with_settings(Group, STORED)
_GroupDetailWithSettings = with_settings(GroupDetail, STORED)


class TransferLocation(msgspec.Struct, kw_only=True):
    """A group into which something may be moved."""

    id: int
    name: str
    avatar_url: str | None
    web_url: str
    full_name: str
    full_path: str


class GroupView(Row, alias="g", of=Group):
    """The columns from which a group is shown."""

    id: int
    avatar: str | None
    stored_settings: str | None
    full_path: Annotated[str, "r.path"]
    ldap_links: Annotated[
        str | None,
        """(SELECT string_agg(CAST(k.group_access AS text) || '\t' || k.provider || '\t' || k.cn, '
' ORDER BY k.id) FROM ldap_group_links k WHERE k.group_id = g.id)""",
    ]
    """One line for each link, its values separated by tabs: neither a provider nor a CN has any."""


class GroupDetailView(GroupView, of=GroupDetail):
    shared_runners_minutes_limit: int | None
    is_shared: Annotated[bool, "EXISTS (SELECT 1 FROM group_shares share WHERE share.shared_group_id = g.id)"]


SOURCE: LiteralString = "groups g JOIN namespaces n ON n.id = g.id JOIN routes r ON r.namespace_id = g.id"


async def load_page(
    tx: Tx, selection: Selection, order: Order, page: Page, *, statistics: bool = False
) -> Paged[Group]:
    """One page of groups."""
    rows = await load_joined(tx, GroupView, SOURCE, "g.id", selection, order, page)
    groups = rows.map(
        lambda row: shown(
            to_entity(Group, row, **_addresses(row)), _GroupWithSettings, read_settings(row.stored_settings)
        )
    )
    if statistics:
        sizes = await _sizes(tx, [group.id for group in groups.items])
        for group in groups.items:
            group.statistics = sizes.get(group.id, GroupStatistics())
    return groups


async def locations(tx: Tx, selection: Selection, page: Page) -> Paged[TransferLocation]:
    """One page of groups into which something may be moved, by name."""
    groups = await load_page(tx, selection, ascending("n.name_folded", "n.id"), page)
    return groups.map(lambda group: to_entity(TransferLocation, group))


async def _sizes(tx: Tx, ids: list[int]) -> dict[int, GroupStatistics]:
    """The sizes of the projects directly in each group; groups without any measured project are left out."""
    rows = await tx.rows(
        tuple[int, int, int, int],
        """
        SELECT p.namespace_id, CAST(sum(s.repository_size) AS bigint), CAST(sum(s.lfs_objects_size) AS bigint),
            CAST(sum(s.job_artifacts_size) AS bigint)
        FROM projects p JOIN project_statistics s ON s.project_id = p.id
        WHERE p.namespace_id IN :ids AND p.deleted_at IS NULL GROUP BY p.namespace_id
        """,
        ids=ids,
    )
    return {id_: GroupStatistics(sum(sizes), *sizes) for id_, *sizes in rows}


async def load_one(tx: Tx, vault: Vault, actor: Actor, group: GroupRow) -> GroupDetail:
    """One group in full; 404 if it was removed a moment ago."""
    row = await find_row(tx, GroupDetailView, Selection(SOURCE, "g.id = :id", id=group.id), "Group")
    own, shared = [
        await tx.values(f"SELECT p.id {selection.text} ORDER BY p.id", **selection.bound)
        for selection in (filters.own_projects(actor, group), filters.shared_projects(actor, group))
    ]
    found = {each.id: each for each in await projects.load_many(tx, vault, actor, [*own, *shared], permissions=False)}
    shares = await load_shares(tx, actor, Source("group", group.id), managed=group.owned) if row.is_shared else []
    detail = to_entity(
        GroupDetail,
        row,
        **_addresses(row),
        projects=[found[id_] for id_ in own if id_ in found],
        shared_projects=[found[id_] for id_ in shared if id_ in found],
        shared_with_groups=[
            GroupShare(each.group_id, each.name, each.path, each.cap, each.expires_at) for each in shares
        ],
    )
    return shown(detail, _GroupDetailWithSettings, read_settings(row.stored_settings))


def _addresses(row: GroupView) -> dict[str, Any]:
    avatar = web(f"/uploads/-/system/group/avatar/{row.id}/{row.avatar}") if row.avatar else None
    return {"web_url": web(f"/groups/{row.full_path}"), "avatar_url": avatar, **_ldap_links(row.ldap_links)}


def _ldap_links(lines: str | None) -> dict[str, Any]:
    """The links, and the oldest of them in the fields that had one link only."""
    if not lines or not has_feature("ldap_groups"):
        return {}
    links = [
        LdapLinkRef(cn or None, int(level), provider)
        for level, provider, cn in (line.split("\t") for line in lines.split("\n"))
    ]
    return {"ldap_cn": links[0].cn, "ldap_access": links[0].group_access, "ldap_group_links": links}
