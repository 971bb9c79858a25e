"""The JSON representations of a project."""

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, Final, LiteralString, cast

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.users.entities import RefRow
from mujina.accounts.users.entities import avatar_url as user_avatar_url
from mujina.instance.custom_attributes.entities import show_attributes
from mujina.kernel import errors
from mujina.kernel.db.entities import entity_maker, to_entity
from mujina.kernel.db.rows import Row, read_row
from mujina.kernel.db.sql.selection import Order, Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_joined
from mujina.kernel.permissions.actor import Actor, Kind
from mujina.kernel.permissions.rules import Condition, known_of
from mujina.kernel.secrets import Vault
from mujina.kernel.storage.recent_results import RecentResults
from mujina.kernel.urls import api, instance_address, web
from mujina.workspaces.groups.rules import READ_GROUP
from mujina.workspaces.projects.figures.statistics import statistics_of
from mujina.workspaces.projects.params import ACCESS_LEVELS, ECHOED
from mujina.workspaces.projects.rules import ADMIN_PROJECT
from mujina.workspaces.projects.views.basics import SOURCE as BASICS
from mujina.workspaces.projects.views.basics import (
    SimpleProject,
    SimpleProjectView,
    addresses,
    avatar_url,
    basic_projects,
    read_tags,
    to_simple,
)
from mujina.workspaces.projects.views.full import (
    Access,
    NamespaceRef,
    Permissions,
    Project,
    ProjectOwner,
    SharedWith,
)
from mujina.workspaces.stored_settings.entities import shown, with_settings
from mujina.workspaces.stored_settings.storing import read_settings

_ProjectWithSettings = with_settings(Project, ECHOED)
_encode = msgspec.json.Encoder().encode
_encoded: Final = RecentResults[tuple["ProjectView", msgspec.Raw]](1_000_000)
"""The projects of lists, encoded, by all that decides how they are shown: about 500 of them."""


OPEN_ISSUES_COUNT: LiteralString = """coalesce((
    SELECT CAST(sum(c.n) AS bigint) FROM issue_counts c
    WHERE c.project_id = p.id AND c.state = 'opened' AND NOT c.confidential), 0)"""


class _NamespaceRow(Row, alias="n"):
    id: int
    name: str
    path: str
    kind: str
    parent_id: int | None


class _OwnerRow(RefRow):
    created_at: str


class ProjectView(SimpleProjectView, of=Project):
    """The columns from which a project is shown in full."""

    default_branch: str | None
    tag_list: str
    issues_enabled: bool
    merge_requests_enabled: bool
    open_issues_count: Annotated[int, OPEN_ISSUES_COUNT]
    forked_from_id: int | None
    import_error: str | None
    avatar: str | None
    runners_token: str
    repository_storage: str
    namespace: _NamespaceRow
    owner: _OwnerRow | None
    project_level: Annotated[int | None, "pm.level"]
    project_notification: Annotated[int | None, "pm.notification_level"]
    group_level: Annotated[int | None, "gm.level"]
    group_notification: Annotated[int | None, "gm.notification_level"]
    managed: Annotated[bool, ADMIN_PROJECT]
    """May see what is for masters alone: the token of runners, the import error, all shares."""
    is_shared: Annotated[bool, "EXISTS (SELECT 1 FROM project_shares share WHERE share.project_id = p.id)"]
    stored_settings: str | None


@cache
def _columns(kind: Kind, managed: bool | None = None) -> LiteralString:
    """The columns for an actor of this kind; `managed`: the answer, where the look-up of the project has given it."""
    # For a page it takes less time to collect what the actor manages than to ask for the level in each project.
    collected = Condition("managed", ADMIN_PROJECT.assuming(known_of(kind)).for_scan)
    return ProjectView.columns_assuming({ADMIN_PROJECT: collected if managed is None else managed})


SOURCE: LiteralString = """
    projects p
    JOIN routes r ON r.project_id = p.id
    JOIN namespaces n ON n.id = p.namespace_id
    LEFT JOIN users u ON u.id = n.owner_id
    LEFT JOIN members pm ON pm.source_kind = 'project' AND pm.source_id = p.id AND pm.user_id = :actor
        AND pm.expires_on > :today
    LEFT JOIN members gm ON gm.source_kind = 'group' AND gm.source_id = n.id AND gm.user_id = :actor
        AND gm.expires_on > :today"""


async def load_one(
    tx: Tx,
    vault: Vault,
    actor: Actor,
    project_id: int,
    *,
    managed: bool | None = None,
    permissions: bool = True,
    statistics: bool = False,
    attributes: bool = False,
) -> Project:
    """One project in full; the answer to a change leaves `permissions` out.

    `managed`: whether the actor manages it, if that is known.
    """
    found = await load_many(
        tx, vault, actor, [project_id],
        managed=managed, permissions=permissions, statistics=statistics, attributes=attributes,
    )  # fmt: skip
    if not found:
        raise errors.not_found("Project")  # removed a moment ago
    return found[0]


async def load_page(
    tx: Tx,
    vault: Vault,
    actor: Actor,
    selection: Selection,
    order: Order,
    page: Page,
    *,
    simple: bool,
    statistics: bool = False,
    attributes: bool = False,
    permissions: bool = True,
    encoded: bool = False,
) -> Paged[Project | SimpleProject]:
    """One page of projects; `encoded`: for a response, so that what was encoded of the same columns before is not made again."""
    if simple:
        return (await load_joined(tx, SimpleProjectView, BASICS, "p.id", selection, order, page)).map(to_simple)
    selection = selection.bind(**actor.bound)
    if encoded and not (statistics or attributes):
        return await _load_encoded(tx, vault, actor, selection, order, page, permissions=permissions)
    found = await load_joined(tx, ProjectView, SOURCE, "p.id", selection, order, page, columns=_columns(actor.kind))
    return found.with_items(
        await _to_entities(
            tx, vault, actor, found.items, statistics=statistics, attributes=attributes, permissions=permissions
        )
    )


async def _load_encoded(
    tx: Tx, vault: Vault, actor: Actor, selection: Selection, order: Order, page: Page, *, permissions: bool
) -> Paged[Project | SimpleProject]:
    found = await load_joined(tx, tuple[Any, ...], SOURCE, "p.id", selection, order, page, columns=_columns(actor.kind))
    encoded = [_to_json(values, vault, actor, permissions) for values in found.items]
    special = [row for row, _ in encoded if row.is_shared or row.forked_from_id is not None]
    made = await _to_entities(tx, vault, actor, special, permissions=permissions, statistics=False, attributes=False)
    others = {project.id: project for project in made}
    return found.with_items([others.get(row.id, cast("Project", json)) for row, json in encoded])


def _to_json(values: tuple[Any, ...], vault: Vault, actor: Actor, permissions: bool) -> tuple[ProjectView, msgspec.Raw]:
    """The row of these columns, and the project that is neither shared nor a fork, encoded."""
    key = values, permissions, actor.anonymous, actor.admin, instance_address.get()
    kept = _encoded.get(key)
    if kept is None:
        row = read_row(ProjectView, values)
        kept = row, msgspec.Raw(_encode(_to_entity(row, vault, actor, [], permissions)))
        _encoded.put(key, kept, len(bytes(kept[1])))
    return kept


async def load_many(
    tx: Tx,
    vault: Vault,
    actor: Actor,
    ids: list[int],
    *,
    managed: bool | None = None,
    permissions: bool,
    statistics: bool = False,
    attributes: bool = False,
) -> list[Project]:
    """Projects in full, in the order of the ids."""
    columns = _columns(actor.kind, managed)
    found = await tx.rows(ProjectView, f"SELECT {columns} FROM {SOURCE} WHERE p.id IN :ids", ids=ids, **actor.bound)
    rows = {row.id: row for row in found}
    return await _to_entities(
        tx, vault, actor, [rows[id_] for id_ in ids if id_ in rows],
        statistics=statistics, attributes=attributes, permissions=permissions,
    )  # fmt: skip


async def _to_entities(
    tx: Tx,
    vault: Vault,
    actor: Actor,
    rows: Sequence[ProjectView],
    *,
    permissions: bool,
    statistics: bool,
    attributes: bool,
) -> list[Project]:
    """The projects of these rows, whatever their number: one statement for each extra, and one if some are shared or forks.

    Only signed-in callers see statistics, only administrators see custom attributes.
    """
    shared = [row.id for row in rows if row.is_shared]
    shares = await _shares(tx, actor, shared) if shared else {}
    projects = {row.id: _to_entity(row, vault, actor, shares.get(row.id, []), permissions) for row in rows}
    if statistics and not actor.anonymous:
        measured = await statistics_of(tx, list(projects))
        for project in projects.values():
            project.statistics = measured[project.id]
    if attributes:
        await show_attributes(tx, actor, "project", list(projects.values()))
    if forks := {row.id: row.forked_from_id for row in rows if row.forked_from_id is not None}:
        sources = await basic_projects(tx, actor, list(forks.values()))
        for fork_id, source_id in forks.items():
            projects[fork_id].forked_from_project = sources.get(source_id, UNSET)
    return list(projects.values())


class _ShareRow(Row, alias="s"):
    project_id: int
    group_id: int
    group_name: Annotated[str, "n.name"]
    cap: int
    visible: Annotated[bool, READ_GROUP.for_scan]


async def _shares(tx: Tx, actor: Actor, ids: list[int]) -> dict[int, list[_ShareRow]]:
    """The groups that each project is shared with, and whether the caller may see each group."""
    shares: dict[int, list[_ShareRow]] = {}
    for share in await tx.rows(
        _ShareRow,
        f"""SELECT {_ShareRow.columns} FROM project_shares s
            JOIN groups g ON g.id = s.group_id JOIN namespaces n ON n.id = g.id AND n.deleted_at IS NULL
            WHERE s.project_id IN :ids AND s.expires_on > :today ORDER BY s.id""",
        ids=ids,
        **actor.bound,
    ):
        shares.setdefault(share.project_id, []).append(share)
    return shares


_to_project = entity_maker(
    Project, ProjectView, "tag_list", "owner", "open_issues_count", "namespace", "import_error", "runners_token",
    "repository_storage",
)  # fmt: skip
_to_namespace = entity_maker(NamespaceRef, _NamespaceRow)


def _to_entity(row: ProjectView, vault: Vault, actor: Actor, shares: list[_ShareRow], permissions: bool) -> Project:
    tags = read_tags(row.tag_list)
    project = _to_project(
        row,
        **addresses(row),
        tag_list=tags,
        topics=tags,
        owner=_owner(row.owner),
        open_issues_count=row.open_issues_count if row.issues_enabled else UNSET,
        namespace=_to_namespace(row.namespace, full_path=row.full_path.rpartition("/")[0]),
        import_error=row.import_error if row.managed else UNSET,
        runners_token=vault.decrypt(row.runners_token, "runners_token") if row.managed else UNSET,
        repository_storage=row.repository_storage if actor.admin else UNSET,
        permissions=_permissions(row) if permissions and not actor.anonymous else UNSET,
        avatar_url=avatar_url(row.id, row.avatar),
        # Callers who may end a share see it; others see no groups that are hidden from them.
        shared_with_groups=[
            SharedWith(share.group_id, share.group_name, share.cap) for share in shares if row.managed or share.visible
        ],
        empty_repo=row.default_branch is None,
        statistics=UNSET,
        custom_attributes=UNSET,
        forked_from_project=UNSET,
        links=_links(row),
    )
    if row.stored_settings is None:
        return project
    settings = read_settings(row.stored_settings)
    for name in settings.keys() & ACCESS_LEVELS:  # the other name of the setting may have changed it since
        settings[name] = "enabled" if getattr(row, ACCESS_LEVELS[name]) else "disabled"
    return shown(project, _ProjectWithSettings, settings)


def _owner(owner: _OwnerRow | None) -> ProjectOwner | UnsetType:
    """The user whose namespace it is in; a group's project has none."""
    if owner is None:
        return UNSET
    return to_entity(
        ProjectOwner, owner, state="active" if owner.state == "active" else "blocked",
        avatar_url=user_avatar_url(owner), web_url=web(f"/{owner.username}"),
    )  # fmt: skip


def _permissions(row: ProjectView) -> Permissions:
    """The caller's own row in the project and in the group directly above; levels from further up are not shown."""
    project = None if row.project_level is None else Access(row.project_level, row.project_notification or 0)
    group = None if row.group_level is None else Access(row.group_level, row.group_notification or 0)
    return Permissions(project, group)


def _links(row: ProjectView) -> dict[str, str]:
    here = api(f"/projects/{row.id}")
    links = {"self": here}
    if row.issues_enabled:
        links["issues"] = f"{here}/issues"
    if row.merge_requests_enabled:
        links["merge_requests"] = f"{here}/merge_requests"
    links["repo_branches"] = f"{here}/repository/branches"
    for name in ("labels", "events", "members"):
        links[name] = f"{here}/{name}"
    return links
