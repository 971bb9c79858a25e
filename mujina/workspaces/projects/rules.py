"""The rules of projects, and the only way to load one."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cache
from typing import Annotated, Any, LiteralString, NamedTuple

import msgspec

from mujina.accounts.paths.rules import lock_trees
from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.html.pages import PageRequest
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor, Kind
from mujina.kernel.permissions.levels import Visibility
from mujina.kernel.permissions.rules import REQUESTED, TRUE, Condition, Rule, admin, external, known_of, signed_in
from mujina.workspaces.job_token_scopes.rules import find_admitted_actor, where_admitted
from mujina.workspaces.members.access import PROJECT_LEVEL, developer, guest, master, owner, project_level, reporter

public = Condition("public", "(p.visibility = 'public')")
internal = Condition("internal", "(p.visibility = 'internal')")
archived = Condition("archived", "p.archived")
arriving = Condition("arriving", "(p.import_status IN ('scheduled', 'started'))")
"""Its repository is being fetched: the fetch would overwrite concurrent pushes."""
wiki_enabled = Condition("wiki_enabled", "p.wiki_enabled")
jobs_enabled = Condition("jobs_enabled", "p.jobs_enabled")

collaborates = Condition(
    "collaborates",
    f"""EXISTS (SELECT 1 FROM merge_requests mr JOIN projects target ON target.id = mr.project_id
        WHERE mr.source_project_id = p.id AND mr.project_id <> p.id AND mr.state = 'opened' AND mr.allow_collaboration
        AND target.deleted_at IS NULL AND NOT target.archived AND {project_level("target")} >= 30)""",
)
"""A merge request from a branch of the project lets developers of its target push to that branch."""

visible_to_all = public | (internal & signed_in & ~external)

READ_PROJECT = visible_to_all | guest | admin
READ_MEMBERS = READ_PROJECT
READ_CODE = visible_to_all | reporter | admin
PUSH_CODE = (developer | admin) & ~archived & ~arriving
"""Permission to push to some branch and to some tag; `code/pushes/checks/refs.py` decides which ones."""
PUSH_BRANCH = PUSH_CODE | (collaborates & ~archived & ~arriving)
"""Permission to push to some branch; `code/pushes/checks/refs.py` decides which ones."""
FORK_PROJECT = READ_CODE & signed_in
COMMENT_ON_CODE = READ_CODE & signed_in
REPORT_STATUS = (developer | admin) & ~archived
"""Permission to report the status of a commit."""
READ_WIKI = READ_PROJECT & wiki_enabled
PUSH_WIKI = PUSH_CODE & wiki_enabled
CREATE_ISSUE = READ_PROJECT & signed_in
TRIAGE_ISSUES = reporter | admin
"""Labels, milestone, assignees, due date, weight, lock; also of confidential issues."""
ADMIN_LABEL = reporter | admin
ADMIN_MILESTONE = developer | admin
ADMIN_PROJECT = master | admin
"""Settings, members, shares."""
ADMIN_WIKI = PUSH_WIKI & ADMIN_PROJECT
OWN_PROJECT = owner | admin
"""Rename, change the visibility, archive, delete; set the dates of issues."""

_NAMED: LiteralString = f"""
    SELECT p.*, {PROJECT_LEVEL} AS level FROM projects p
    WHERE p.id = coalesce(CAST(:ref_id AS bigint), (SELECT r.project_id FROM routes r WHERE r.path_folded = :ref_path))
    AND p.deleted_at IS NULL"""
PROJECT_AT: LiteralString = f"p AS MATERIALIZED ({_NAMED})"
"""The project a client names, with the actor's level in it: rules read `p.level` and run once for one row."""
PROJECT_SEEN: LiteralString = f"p AS NOT MATERIALIZED ({_NAMED})"
"""The table expression for look-ups that only read: the level is computed only if a rule reads it, and few do."""


LFS_ENABLED: LiteralString = """(p.lfs_enabled AND NOT EXISTS (
    SELECT 1 FROM group_tree t JOIN groups g ON g.id = t.ancestor_id
    WHERE t.group_id = p.namespace_id AND NOT g.lfs_enabled))"""
"""Whether LFS is enabled for the project and for every group above it."""


MAX_TO_SORT = 2000
"""Up to this many rows are sorted faster than they are found along the index of all rows."""


class ProjectsBelow(NamedTuple):
    """Projects below a group."""

    ids: list[int]
    total: int
    """The rows that they have."""
    every: bool
    """Whether the second rule holds for all of them."""


async def find_below_group(
    tx: Tx, actor: Actor, group_id: int, rule: Rule, counts: LiteralString, every: Rule = TRUE
) -> ProjectsBelow:
    """The projects below the group, at any depth, for which the rule holds and that have rows.

    `counts`: the table in which the number of rows of each project is kept.
    """
    condition, second = _below_group(rule, every, actor.kind)
    projects = Selection(
        f"projects p JOIN {counts} c ON c.project_id = p.id", condition, group_id=group_id, **actor.bound
    )
    projects = where_admitted(projects, actor)
    found = await tx.rows(
        tuple[int, int, bool],
        f"SELECT p.id, CAST(sum(c.n) AS bigint), {second} {projects.text} GROUP BY p.id",
        **projects.bound,
    )
    return ProjectsBelow([row[0] for row in found], sum(row[1] for row in found), all(row[2] for row in found))


@cache
def _below_group(rule: Rule, every: Rule, kind: Kind) -> tuple[LiteralString, LiteralString]:
    known = known_of(kind)
    condition: LiteralString = f"""p.deleted_at IS NULL AND {rule.assuming(known).for_scan}
        AND p.namespace_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id)"""
    return condition, every.assuming(known).for_scan


def in_projects(column: LiteralString, projects: int, count: int, prefix: LiteralString = "") -> LiteralString:
    """Whether the column is one of `:project_ids`, whose projects have `count` rows, or the only one, `:project_id`."""
    if projects == 1:
        return f"{column} = :{prefix}project_id"
    # The addition keeps the planner from sorting every row of the projects: it walks the index of the order.
    return f"{column}{'' if count <= MAX_TO_SORT else ' + 0'} IN :{prefix}project_ids"


def select_in_projects(table: LiteralString, alias: LiteralString, ids: list[int], total: int) -> Selection:
    """The rows of these projects, for a list in the order of an index."""
    bound: dict[str, Value] = {"project_id": ids[0]} if len(ids) == 1 else {"project_ids": ids}
    return Selection(f"{table} {alias}", in_projects(f"{alias}.project_id", len(ids), total), **bound).counted(total)


class ProjectRow(Row, alias="p"):
    """The columns of a project that operations need."""

    id: int
    namespace_id: int
    name: str
    path: str
    full_path: Annotated[str, "r.path"]
    visibility: Visibility
    archived: bool
    issues_enabled: bool
    default_branch: str | None
    repository_storage: str
    updated_at: str
    last_activity_at: str
    level: int
    owned: Annotated[bool, OWN_PROJECT]
    """May rename it, change its visibility, delete it."""
    triager: Annotated[bool, TRIAGE_ISSUES]
    managed: Annotated[bool, ADMIN_PROJECT]
    """May change its settings, and edit the notes of others."""
    readable: Annotated[bool, READ_PROJECT]
    pushable: Annotated[bool, PUSH_CODE]
    """May push to branches that are not protected."""
    allowed: Annotated[bool, REQUESTED]


async def find_project(tx: Tx, actor: Actor, ref: Ref, *, to: Rule = READ_PROJECT, lock: bool = False) -> ProjectRow:
    """The project, if the actor may do this with it: 404 if they may not even read it, 403 if they may.

    With `lock` the tree it is in is locked before the project is read, and stays locked until the transaction ends.
    """
    if lock:
        await lock_trees(tx, project=ref)
    actor = await find_admitted_actor(tx, actor, ref)
    project = await tx.row(ProjectRow, _found_to(to, actor.kind), **ref.bound, **actor.bound)
    if project is None or not project.readable:
        raise errors.not_found("Project")
    if not project.allowed:
        raise errors.forbidden()
    return project


@asynccontextmanager
async def changing(request: PageRequest, project: ProjectRow, *, to: Rule, lock: bool = False) -> AsyncGenerator[Tx]:
    """A transaction of a form, in which the actor may still do this with the project; `lock` as for `find_project`."""
    async with request.transaction() as tx:
        await find_project(tx, request.actor, Ref.of(project.id), to=to, lock=lock)
        yield tx


async def find_project_with(
    tx: Tx,
    actor: Actor,
    ref: Ref,
    columns: LiteralString,
    rights: tuple[Rule, ...],
    *,
    to: Rule = READ_PROJECT,
    **bound: Value,
) -> tuple[ProjectRow, list[Any], list[bool]]:
    """Finds a project with further columns of `p`, `r` and its namespace `n`, and with the answers to further rules."""
    actor = await find_admitted_actor(tx, actor, ref)
    text = _found_with(to, columns, rights, actor.kind)
    rows = await tx.rows(tuple[Any, ...], text, **ref.bound, **actor.bound, **bound)
    width = len(ProjectRow.__struct_fields__)
    project = msgspec.convert(rows[0][:width], ProjectRow, strict=False) if rows else None
    if project is None or not project.readable:
        raise errors.not_found("Project")
    if not project.allowed:
        raise errors.forbidden()
    further = rows[0][width:]
    count = len(further) - len(rights)
    return project, list(further[:count]), [bool(right) for right in further[count:]]


async def find_former(tx: Tx, ref: Ref) -> Ref | None:
    """The project that had this path before it was renamed or moved; whether the caller may read it is not checked."""
    former = await tx.value(
        "SELECT f.project_id FROM former_paths f WHERE f.path_folded = :ref_path AND CAST(:ref_id AS bigint) IS NULL",
        **ref.bound,
    )
    return None if former is None else Ref.of(former)


@cache
def _found_to(to: Rule, kind: Kind) -> LiteralString:
    known = known_of(kind)
    columns = ProjectRow.columns_assuming({**known, REQUESTED: to.assuming({READ_PROJECT: True}).assuming(known)})
    return f"WITH {PROJECT_AT} SELECT {columns} FROM p JOIN routes r ON r.project_id = p.id"


@cache
def _found_with(to: Rule, columns: LiteralString, rights: tuple[Rule, ...], kind: Kind) -> LiteralString:
    known = known_of(kind)
    declared = ProjectRow.columns_assuming({**known, REQUESTED: to.assuming({READ_PROJECT: True}).assuming(known)})
    answers = "".join(f", {right.assuming(known).for_row}" for right in rights)
    return f"""
        WITH {PROJECT_AT} SELECT {declared}, {columns}{answers}
        FROM p JOIN routes r ON r.project_id = p.id JOIN namespaces n ON n.id = p.namespace_id
    """
