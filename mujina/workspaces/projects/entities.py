"""What is shown of a project, and to whom."""

from typing import LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.paths.names import TITLE
from mujina.instance.custom_attributes.entities import Attribute, of_each
from mujina.kernel import errors
from mujina.kernel.access import MASTER
from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.entities import shown
from mujina.kernel.paging import Page
from mujina.kernel.secrets import Vault
from mujina.kernel.urls import api, web
from mujina.workspaces.groups.rules import READ_GROUP
from mujina.workspaces.members.access import PROJECT_LEVEL
from mujina.workspaces.projects.basics import (
    FORKS_COUNT,
    BasicProject,
    SimpleProject,
    addresses,
    avatar_url,
    basic_ones,
    simple_ones,
)
from mujina.workspaces.projects.rules import LFS_ENABLED
from mujina.workspaces.projects.statistics import Statistics, statistics_of


class ProjectOwner(msgspec.Struct):
    id: int
    name: str
    created_at: str
    username: str
    state: str
    avatar_url: str | None
    web_url: str


class NamespaceRef(msgspec.Struct):
    id: int
    name: str
    path: str
    kind: str
    full_path: str
    parent_id: int | None


class SharedWith(msgspec.Struct):
    group_id: int
    group_name: str
    group_access_level: int


class Access(msgspec.Struct):
    access_level: int
    notification_level: int


class Permissions(msgspec.Struct):
    project_access: Access | None
    group_access: Access | None


class Project(SimpleProject, kw_only=True, rename={"links": "_links"}):
    """A project whole; what needs a right is absent for those without it."""

    description: str | None
    default_branch: str | None
    visibility: str
    tag_list: list[str]
    topics: list[str]
    owner: ProjectOwner | UnsetType = UNSET
    issues_enabled: bool
    merge_requests_enabled: bool
    jobs_enabled: bool
    wiki_enabled: bool
    snippets_enabled: bool
    container_registry_enabled: bool
    open_issues_count: int | UnsetType = UNSET
    forks_count: int
    star_count: int
    creator_id: int | None
    resolve_outdated_diff_discussions: bool
    created_at: str
    last_activity_at: str
    namespace: NamespaceRef
    import_status: str
    import_error: str | UnsetType | None = UNSET
    mirror: bool
    permissions: Permissions | UnsetType = UNSET
    archived: bool
    avatar_url: str | None
    shared_runners_enabled: bool
    runners_token: str | UnsetType = UNSET
    public_jobs: bool
    shared_with_groups: list[SharedWith]
    repository_storage: str | UnsetType = UNSET
    only_allow_merge_if_pipeline_succeeds: bool
    only_allow_merge_if_all_discussions_are_resolved: bool
    printing_merge_requests_link_enabled: bool
    printing_merge_request_link_enabled: bool
    request_access_enabled: bool
    lfs_enabled: bool
    ci_config_path: str | None
    approvals_before_merge: int
    empty_repo: bool
    statistics: Statistics | UnsetType = UNSET
    custom_attributes: list[Attribute] | UnsetType = UNSET
    forked_from_project: BasicProject | UnsetType = UNSET
    links: dict[str, str]


class ProjectRow(msgspec.Struct, array_like=True, frozen=True):
    """The columns of `COLUMNS`."""

    id: int
    name: str
    path: str
    full_path: str
    description: str | None
    default_branch: str | None
    visibility: str
    tag_list: str
    issues_enabled: bool
    merge_requests_enabled: bool
    jobs_enabled: bool
    wiki_enabled: bool
    snippets_enabled: bool
    container_registry_enabled: bool
    open_issues_count: int
    forks_count: int
    star_count: int
    creator_id: int | None
    resolve_outdated_diff_discussions: bool
    created_at: str
    last_activity_at: str
    forked_from_id: int | None
    import_status: str
    import_error: str | None
    mirror: bool
    archived: bool
    avatar: str | None
    shared_runners_enabled: bool
    runners_token: str
    public_jobs: bool
    repository_storage: str
    only_allow_merge_if_pipeline_succeeds: bool
    only_allow_merge_if_all_discussions_are_resolved: bool
    printing_merge_request_link_enabled: bool
    request_access_enabled: bool
    lfs_enabled: bool
    ci_config_path: str | None
    approvals_before_merge: int
    namespace_id: int
    namespace_name: str
    namespace_path: str
    namespace_kind: str
    namespace_full_name: str
    parent_id: int | None
    owner_id: int | None
    owner_name: str | None
    owner_created_at: str | None
    owner_username: str | None
    owner_state: str | None
    owner_avatar: str | None
    project_level: int | None
    project_notification: int | None
    group_level: int | None
    group_notification: int | None
    level: int


COLUMNS: LiteralString = f"""
    p.id, p.name, p.path, r.path, p.description, p.default_branch, p.visibility, p.tag_list, p.issues_enabled,
    p.merge_requests_enabled, p.jobs_enabled, p.wiki_enabled, p.snippets_enabled, p.container_registry_enabled,
    coalesce((SELECT c.n FROM issue_counts c WHERE c.project_id = p.id AND c.state = 'opened' AND NOT c.confidential), 0),
    {FORKS_COUNT}, p.star_count, p.creator_id, p.resolve_outdated_diff_discussions, p.created_at, p.last_activity_at,
    p.forked_from_id, p.import_status, p.import_error, p.mirror, p.archived, p.avatar, p.shared_runners_enabled, p.runners_token, p.public_jobs,
    p.repository_storage, p.only_allow_merge_if_pipeline_succeeds, p.only_allow_merge_if_all_discussions_are_resolved,
    p.printing_merge_request_link_enabled, p.request_access_enabled, {LFS_ENABLED}, p.ci_config_path,
    p.approvals_before_merge, n.id, n.name, n.path, n.kind, {TITLE}, n.parent_id, u.id, u.name, u.created_at,
    u.username, u.state, u.avatar, pm.level, pm.notification_level, gm.level, gm.notification_level, {PROJECT_LEVEL}"""

SOURCE: LiteralString = """
    projects p
    JOIN routes r ON r.project_id = p.id
    JOIN namespaces n ON n.id = p.namespace_id
    LEFT JOIN users u ON u.id = n.owner_id
    LEFT JOIN members pm ON pm.source_kind = 'project' AND pm.source_id = p.id AND pm.user_id = :actor
        AND pm.expires_on > :today
    LEFT JOIN members gm ON gm.source_kind = 'group' AND gm.source_id = n.id AND gm.user_id = :actor
        AND gm.expires_on > :today"""


async def single(
    tx: Tx,
    vault: Vault,
    actor: Actor,
    project_id: int,
    *,
    permissions: bool = True,
    statistics: bool = False,
    attributes: bool = False,
) -> Project:
    """One project, whole; what a change answers leaves `permissions` out."""
    found = await whole(
        tx, vault, actor, [project_id], permissions=permissions, statistics=statistics, attributes=attributes
    )
    if not found:
        raise errors.not_found("Project")  # removed a moment ago
    return found[0]


async def listed(
    tx: Tx,
    vault: Vault,
    actor: Actor,
    chosen: Selection,
    order: LiteralString,
    page: Page,
    *,
    simple: bool,
    statistics: bool = False,
    attributes: bool = False,
    permissions: bool = True,
    few: bool = False,
) -> list[Project] | list[SimpleProject]:
    """One page of projects: the ids first, then only those rows.

    `few`: probably not many are chosen, so they are gathered first. Planned with the limit, PostgreSQL would go along
    the order and look at every project there is.
    """
    ids = await tx.values(
        (
            f"WITH p AS MATERIALIZED (SELECT p.* {chosen.text}) SELECT p.id FROM p"
            if few
            else f"SELECT p.id {chosen.text}"
        )
        + f" ORDER BY {order} LIMIT :limit OFFSET :offset",
        **chosen.bound,
        **page.bound,
    )
    if simple:
        return await simple_ones(tx, ids)
    return await whole(tx, vault, actor, ids, statistics=statistics, attributes=attributes, permissions=permissions)


async def whole(
    tx: Tx,
    vault: Vault,
    actor: Actor,
    ids: list[int],
    *,
    permissions: bool = True,
    statistics: bool = False,
    attributes: bool = False,
) -> list[Project]:
    """Whole projects, in the order of the ids, in two statements however many, and one more for what else is asked.

    Statistics are for those who may read, what is noted about a project for administrators.
    """
    rows = await tx.rows(ProjectRow, f"SELECT {COLUMNS} FROM {SOURCE} WHERE p.id IN :ids", ids=ids, **actor.bound)
    shares = await _shares(tx, actor, ids)
    projects = {row.id: _whole(row, vault, actor, shares.get(row.id, []), permissions) for row in rows}
    if statistics and not actor.anonymous:
        measured = await statistics_of(tx, list(projects))
        for project in projects.values():
            project.statistics = measured[project.id]
    if attributes and actor.admin:
        noted = await of_each(tx, "project", list(projects))
        for project in projects.values():
            project.custom_attributes = noted.get(project.id, [])
    if forks := {row.id: row.forked_from_id for row in rows if row.forked_from_id is not None}:
        sources = await basic_ones(tx, actor, list(forks.values()))
        for fork_id, source_id in forks.items():
            projects[fork_id].forked_from_project = sources.get(source_id, UNSET)
    return [projects[id_] for id_ in ids if id_ in projects]


class _ShareRow(msgspec.Struct, array_like=True, frozen=True):
    project_id: int
    group_id: int
    group_name: str
    cap: int
    visible: bool


async def _shares(tx: Tx, actor: Actor, ids: list[int]) -> dict[int, list[_ShareRow]]:
    """By project, what it is shared with and whether the caller may know of that group."""
    shares: dict[int, list[_ShareRow]] = {}
    for share in await tx.rows(
        _ShareRow,
        f"""SELECT s.project_id, s.group_id, n.name, s.cap, {READ_GROUP.many} FROM project_shares s
            JOIN groups g ON g.id = s.group_id JOIN namespaces n ON n.id = g.id AND n.deleted_at IS NULL
            WHERE s.project_id IN :ids AND s.expires_on > :today ORDER BY s.id""",
        ids=ids,
        **actor.bound,
    ):
        shares.setdefault(share.project_id, []).append(share)
    return shares


def _whole(row: ProjectRow, vault: Vault, actor: Actor, shares: list[_ShareRow], permissions: bool) -> Project:
    master = actor.admin or row.level >= MASTER
    tags = row.tag_list.split("\n") if row.tag_list else []
    return shown(
        Project,
        row,
        **addresses(row.full_path, row.namespace_full_name, row.name),
        tag_list=tags,
        topics=tags,
        owner=_owner(row),
        open_issues_count=row.open_issues_count if row.issues_enabled else UNSET,
        namespace=NamespaceRef(
            row.namespace_id, row.namespace_name, row.namespace_path, row.namespace_kind,
            row.full_path.rpartition("/")[0], row.parent_id,
        ),
        import_error=row.import_error if master else UNSET,
        runners_token=vault.decrypt(row.runners_token, "runners_token") if master else UNSET,
        repository_storage=row.repository_storage if actor.admin else UNSET,
        permissions=_permissions(row) if permissions and not actor.anonymous else UNSET,
        avatar_url=avatar_url(row.id, row.avatar),
        # Whoever may end a share knows of it; others are not told of groups that are hidden from them.
        shared_with_groups=[
            SharedWith(share.group_id, share.group_name, share.cap) for share in shares if master or share.visible
        ],
        printing_merge_requests_link_enabled=row.printing_merge_request_link_enabled,
        empty_repo=row.default_branch is None,
        links=_links(row),
    )  # fmt: skip


def _owner(row: ProjectRow) -> ProjectOwner | UnsetType:
    """The person whose namespace it is; a group's project has none."""
    if row.owner_id is None or row.owner_name is None or row.owner_username is None:
        return UNSET
    avatar = web(f"/uploads/-/system/user/avatar/{row.owner_id}/{row.owner_avatar}") if row.owner_avatar else None
    return ProjectOwner(
        row.owner_id, row.owner_name, row.owner_created_at or "", row.owner_username,
        "active" if row.owner_state == "active" else "blocked", avatar, web(f"/{row.owner_username}"),
    )  # fmt: skip


def _permissions(row: ProjectRow) -> Permissions:
    """The caller's own row in the project and in the group right above; what is inherited from further up is not shown."""
    project = None if row.project_level is None else Access(row.project_level, row.project_notification or 0)
    group = None if row.group_level is None else Access(row.group_level, row.group_notification or 0)
    return Permissions(project, group)


def _links(row: ProjectRow) -> dict[str, str]:
    here = api(f"/projects/{row.id}")
    links = {"self": here}
    if row.issues_enabled:
        links["issues"] = f"{here}/issues"
    if row.merge_requests_enabled:
        links["merge_requests"] = f"{here}/merge_requests"
    for name, tail in (
        ("repo_branches", "repository/branches"),
        ("labels", "labels"),
        ("events", "events"),
        ("members", "members"),
    ):
        links[name] = f"{here}/{tail}"
    return links
