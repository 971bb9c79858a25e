"""Where groups and projects of a source are here; those that are not here yet are created, without an event of their making."""

from collections.abc import Iterable
from typing import Final

import msgspec

from mujina.accounts.paths import operations as paths
from mujina.accounts.paths.rules import lock_trees
from mujina.activity.audit.operations import write_audit_events
from mujina.kernel import clock, secrets
from mujina.kernel.clock import NEVER
from mujina.kernel.db.rows import insert, insert_id, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import Event, record
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import SYSTEM
from mujina.kernel.permissions.levels import LEVELS, MASTER, Visibility, exceeds
from mujina.kernel.secrets import Vault
from mujina.kernel.text.folding import fold
from mujina.moving.move_in import moved
from mujina.moving.move_in.people import SourcePeople
from mujina.moving.move_in.report import MoveReport
from mujina.moving.sources.records import GroupRecord, SourceMember, SourceProject
from mujina.workspaces.groups.operations import insert_into_tree
from mujina.workspaces.groups.validation import check_group_name_taken
from mujina.workspaces.members.rules import Source
from mujina.workspaces.projects.origins.naming import check_name, check_name_taken, check_path, check_path_taken
from mujina.workspaces.projects.settings import MAX_TAG_LENGTH, MAX_TAGS
from mujina.workspaces.topics.links import link_topics

MAX_DESCRIPTION_LENGTH: Final = 2_000
_SETTINGS: Final = (
    "archived", "issues_enabled", "merge_requests_enabled", "wiki_enabled", "jobs_enabled", "snippets_enabled", "merge_method",
)  # fmt: skip
"""Fields of a project that are columns of the same name."""


class PlacementError(Exception):
    """The group or project can not be created here; the text says why."""


class _Above(msgspec.Struct, frozen=True, array_like=True):
    """The namespace in which something is created."""

    id: int
    path: str
    visibility: Visibility | None
    owner_id: int | None
    """The owner of a user's namespace."""


async def place_group(tx: Tx, source: str, group: GroupRecord, full_path: str, report: MoveReport) -> int:
    """The group at this path, which a later run finds again; it is created in the group above it, which must exist."""
    known = await moved.find(tx, source, "group", group.id)
    if known is not None and await _is_alive(tx, known.id):
        return known.id
    parent_path, _, path = full_path.rpartition("/")
    parent = await _find_above(tx, parent_path) if parent_path else None
    group_id: int | None = await tx.value(
        "SELECT g.id FROM groups g JOIN routes r ON r.namespace_id = g.id WHERE r.path_folded = :path",
        path=fold(full_path),
    )
    if group_id is None:
        group_id = await _create_group(tx, group, path, parent)
        report.created["groups"] += 1
    await moved.remember(tx, source, "group", group.id, group_id)
    return group_id


async def _create_group(tx: Tx, group: GroupRecord, path: str, parent: _Above | None) -> int:
    problems = Problems()
    name = group.name.strip()[:255] or path
    await paths.check_path(tx, problems, "path", path, parent.path if parent else None)
    await check_group_name_taken(tx, problems, name, parent.id if parent else None)
    _refuse(problems)
    group_id = await paths.create_group_namespace(tx, name, path, parent.id if parent else None)
    await insert(tx, "groups", id=group_id)
    await insert_into_tree(tx, group_id, parent.id if parent else None)
    columns = {
        "description": (group.description or "")[:MAX_DESCRIPTION_LENGTH],
        "visibility": _limited(group.visibility, parent),
    }
    await update(tx, "groups", columns, id=group_id)
    return group_id


async def place_project(
    tx: Tx, vault: Vault, source: str, project: SourceProject, full_path: str, report: MoveReport
) -> int:
    """The project at this path, which a later run finds again; `PlacementError` if another one is there."""
    known = await moved.find(tx, source, "project", project.id)
    if known is not None and await tx.value(
        "SELECT 1 FROM projects p WHERE p.id = :id AND p.deleted_at IS NULL", id=known.id
    ):
        return known.id
    above = await _find_above(tx, full_path.rpartition("/")[0])
    project_id = await _create_project(tx, vault, project, full_path.rpartition("/")[2], above)
    await moved.remember(tx, source, "project", project.id, project_id)
    report.created["projects"] += 1
    return project_id


async def _create_project(tx: Tx, vault: Vault, project: SourceProject, path: str, above: _Above) -> int:
    name = project.name.strip()
    problems = Problems()
    check_name(problems, name)
    check_path(problems, path)
    await check_name_taken(tx, problems, above.id, name)
    await check_path_taken(tx, problems, f"{above.path}/{path}")
    _refuse(problems)
    created_at, token = clock.iso(project.created_at), secrets.new_token()
    description = (project.description or "")[:MAX_DESCRIPTION_LENGTH]
    topics = sorted({" ".join(each.split())[:MAX_TAG_LENGTH] for each in project.tag_list} - {""})[:MAX_TAGS]
    project_id: int = await insert_id(
        tx, "projects", namespace_id=above.id, name=name, name_folded=fold(name), path=path, path_folded=fold(path),
        description=description or None, description_folded=fold(description),
        visibility=_limited(project.visibility, above), creator_id=None, created_at=created_at, updated_at=created_at,
        last_activity_at=clock.iso(project.last_activity_at or project.created_at),
        runners_token=vault.encrypt(token, "runners_token"), runners_token_digest=secrets.digest(token),
        tag_list="\n".join(topics), **{column: getattr(project, column) for column in _SETTINGS},
    )  # fmt: skip
    await link_topics(tx, project_id, topics)
    await paths.claim_for_project(tx, project_id, f"{above.path}/{path}")
    if above.owner_id is not None:
        await _add_member(tx, Source("project", project_id), above.owner_id, MASTER, NEVER, created_at)
    await record(tx, "project.moved_in", SYSTEM, subject_id=project_id, project_id=project_id)
    return project_id


async def adopt_settings(tx: Tx, project_id: int, project: SourceProject) -> None:
    """A project that is here already is described and set up like that of the source; who sees it stays."""
    description = (project.description or "")[:MAX_DESCRIPTION_LENGTH]
    columns = {"description": description or None, "description_folded": fold(description)}
    await update(tx, "projects", columns | {each: getattr(project, each) for each in _SETTINGS}, id=project_id)


async def add_members(
    tx: Tx, people: SourcePeople, to: Source, members: Iterable[SourceMember], report: MoveReport
) -> None:
    """Make those whom the map names members with their levels; others get no rights by an import."""
    for member in members:
        user_id = people.mapped(member)
        if user_id is None or member.access_level not in LEVELS:
            report.problem(
                f"{people.source}/{member.username}", "This member has no user here who could get the access."
            )
            continue
        level = min(member.access_level, MASTER) if to.kind == "project" else member.access_level
        expires_on = member.expires_at.isoformat() if member.expires_at else NEVER
        created_at = clock.iso(member.created_at) if member.created_at else clock.now()
        if await _add_member(tx, to, user_id, level, expires_on, created_at):
            report.created["members"] += 1
            await _audit_member(tx, to, user_id, level)


async def _audit_member(tx: Tx, to: Source, user_id: int, level: int) -> None:
    """The audit log tells who got which access by the move; hooks and mails do not."""
    event = Event(
        id=0, kind="member.added", actor_id=None, subject_kind="member", subject_id=user_id,
        changes={"access_level": (None, level)}, confidential=False, created_at=clock.now(), actor=SYSTEM, **to.ids,
    )  # fmt: skip
    await write_audit_events(tx, event)


async def _add_member(tx: Tx, to: Source, user_id: int, level: int, expires_on: str, at: str) -> int:
    """How many were added: none if the user is a member already."""
    return await insert(
        tx, "members", "ON CONFLICT DO NOTHING", user_id=user_id, level=level, expires_on=expires_on, created_at=at,
        updated_at=at, **to.bound,
    )  # fmt: skip


async def _find_above(tx: Tx, path: str) -> _Above:
    """The namespace at this path, its tree locked."""
    await lock_trees(tx, Ref(path))
    found = await tx.row(
        _Above,
        """SELECT n.id, r.path, g.visibility, n.owner_id FROM namespaces n JOIN routes r ON r.namespace_id = n.id
           LEFT JOIN groups g ON g.id = n.id WHERE r.path_folded = :path AND n.deleted_at IS NULL""",
        path=fold(path),
    )
    if found is None:
        raise PlacementError(f"There is no group or user {path or 'for it'} here: name a group with --into.")
    return found


async def _is_alive(tx: Tx, namespace_id: int) -> bool:
    found = await tx.value("SELECT 1 FROM namespaces n WHERE n.id = :id AND n.deleted_at IS NULL", id=namespace_id)
    return found is not None


def _limited(visibility: Visibility, above: _Above | None) -> Visibility:
    """The visibility, or that of the group above if it is lower."""
    ceiling = above.visibility if above else None
    return ceiling if ceiling and exceeds(visibility, ceiling) else visibility


def _refuse(problems: Problems) -> None:
    if problems:
        raise PlacementError("; ".join(f"{field} {text}" for field, texts in problems.found.items() for text in texts))
