"""The rules of merge requests, and the only way to find one."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, LiteralString, Protocol

from mujina.code.protected_branches.rules import Protection, may_merge_under, protections
from mujina.instance.editions.rules import counts_as_assignee
from mujina.kernel import errors
from mujina.kernel.db.rows import AnyRow, Row, read_row
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor, Kind
from mujina.kernel.permissions.rules import Condition, Rule, admin, known_of, signed_in
from mujina.planning.noteables.kinds import note_sources
from mujina.workspaces.members.access import developer, guest
from mujina.workspaces.projects.rules import (
    ADMIN_PROJECT,
    OWN_PROJECT,
    PROJECT_AT,
    PUSH_CODE,
    READ_CODE,
    READ_PROJECT,
    archived,
)

unresolved = Condition(
    "unresolved",
    """EXISTS (SELECT 1 FROM notes note WHERE note.noteable_kind = 'merge_request' AND note.noteable_id = mr.id
        AND NOT note.system AND NOT note.individual AND note.resolved_at IS NULL)""",
)
"""The request has an open discussion."""
blocked_by_discussions = (
    Condition("discussions_must_be_resolved", "p.only_allow_merge_if_all_discussions_are_resolved") & unresolved
)
merge_requests_enabled = Condition("merge_requests_enabled", "p.merge_requests_enabled")
locked = Condition("locked", "mr.discussion_locked")
author = Condition("author", lambda who: f"(mr.author_id = {who.id})")


def _assigned(user: LiteralString) -> LiteralString:
    return f"""SELECT mine.merge_request_id FROM merge_request_assignees mine
        WHERE mine.user_id = {user} AND {counts_as_assignee("merge_request_assignees", "merge_request_id", "mine")}"""


assignee = Condition(
    "assignee",
    lambda who: f"EXISTS ({_assigned(who.id)} AND mine.merge_request_id = mr.id)",
    for_scan=f"(mr.id IN ({_assigned(':actor')}))",
)

READ_MERGE_REQUESTS = READ_CODE & merge_requests_enabled
"""All requests of the project."""
READ_MERGE_REQUEST = READ_PROJECT & merge_requests_enabled & (READ_CODE | author | assignee)
TRIAGE_MERGE_REQUEST = developer | admin
"""Labels, milestone, assignees, reviewers, lock."""
UPDATE_MERGE_REQUEST = READ_MERGE_REQUEST & ~archived & (author | assignee | TRIAGE_MERGE_REQUEST)
COMMENT_ON_MERGE_REQUEST = READ_MERGE_REQUEST & signed_in & (~locked | guest | admin)
"""Only members comment on a request whose discussion is locked."""
RESOLVE_DISCUSSIONS = COMMENT_ON_MERGE_REQUEST & (author | TRIAGE_MERGE_REQUEST)
DELETE_MERGE_REQUEST = READ_MERGE_REQUEST & ~archived & OWN_PROJECT
CREATE_MERGE_REQUEST = TRIAGE_MERGE_REQUEST & merge_requests_enabled & ~archived
"""Permission to create a request from a branch of the project."""
RECEIVE_MERGE_REQUEST = READ_CODE & ~archived
"""Into a branch of the project; whether requests are enabled there is asked after this."""


NOTE_SOURCES: LiteralString = note_sources("'merge_request'", "mr.id")


class MergeRequestRow(Row, alias="mr"):
    """The columns that operations on a merge request need."""

    id: int
    iid: int
    project_id: int
    state: str
    merging: Annotated[bool, "(mr.merging_push_id IS NOT NULL)"]
    """The server is merging it."""
    author_id: int
    source_branch: str
    target_branch: str
    updated_at: str
    namespace_id: Annotated[int, "p.namespace_id"]
    full_path: Annotated[str, "r.path"]
    storage: Annotated[str, "p.repository_storage"]
    source_project_id: Annotated[
        int | None,
        "(SELECT src.id FROM projects src WHERE src.id = mr.source_project_id AND src.deleted_at IS NULL)",
    ]
    """None: the source project is gone."""
    source_storage: Annotated[
        str | None, "(SELECT src.repository_storage FROM projects src WHERE src.id = mr.source_project_id)"
    ]
    triager: Annotated[bool, TRIAGE_MERGE_REQUEST]
    owner: Annotated[bool, OWN_PROJECT]
    """Whether the actor may set dates."""
    manager: Annotated[bool, ADMIN_PROJECT]
    """Whether the actor may edit the notes of others."""
    resolver: Annotated[bool, (~locked | guest | admin) & (author | TRIAGE_MERGE_REQUEST)]
    """Whether the actor may resolve discussions."""
    approvals_required: Annotated[int, "p.approvals_before_merge"]
    overridable: Annotated[bool, "NOT p.disable_overriding_approvers_per_merge_request"]
    """Whether the request may ask for more approvals than its project, and of others."""
    archived: Annotated[bool, "p.archived"]
    level: Annotated[int, "p.level"]
    project_active_at: Annotated[str, "p.last_activity_at"]


class NotedMergeRequestRow(MergeRequestRow):
    """A request whose notes are about to be read."""

    note_sources: Annotated[str, NOTE_SOURCES]


async def find_merge_request(
    tx: Tx, actor: Actor, ref: Ref, iid: int, *, to: Rule = READ_MERGE_REQUEST, hide: bool = False
) -> MergeRequestRow:
    """The request, if the actor may do this with it: 403 if they may not read it, or may only read it.

    `hide`: 404 if they may not read it.
    """
    return await find_merge_request_as(MergeRequestRow, tx, actor, ref, iid, to=to, hide=hide)


_NOTHING: Mapping[str, Value] = {}


async def find_merge_request_as(
    shape: type[AnyRow],
    tx: Tx,
    actor: Actor,
    ref: Ref,
    iid: int,
    *,
    to: Rule = READ_MERGE_REQUEST,
    hide: bool = False,
    joined: LiteralString = "",
    bound: Mapping[str, Value] = _NOTHING,
) -> AnyRow:
    """Finds a row of another shape, made of the request `mr`, its project `p`, the route `r` and what is `joined`."""
    rows = await tx.rows(
        tuple[Any, ...], _found_to(to, shape, joined, actor.kind), iid=iid, **ref.bound, **actor.bound, **bound
    )
    project_readable, all_readable, exists, readable, allowed, *found = rows[0] if rows else _NOT_FOUND
    if not project_readable:
        raise errors.not_found("Project")
    if not readable:
        # A missing request is answered like an unreadable one if all are unreadable: nothing can be counted.
        raise errors.not_found("Merge Request") if hide or (all_readable and not exists) else errors.forbidden()
    if not allowed:
        raise errors.forbidden()
    return read_row(shape, found)


_NOT_FOUND = (False, False, False, False, False)


@cache
def _found_to(to: Rule, shape: type[Row], joined: LiteralString, kind: Kind) -> LiteralString:
    known = known_of(kind)
    columns = shape.columns_assuming({**known, READ_MERGE_REQUEST: True})
    project_readable, all_readable = READ_PROJECT.assuming(known), READ_MERGE_REQUESTS.assuming(known)
    readable = READ_MERGE_REQUEST.assuming({READ_PROJECT: True}).assuming(known)
    allowed = to.assuming({READ_MERGE_REQUEST: True}).assuming(known)
    return f"""
        WITH {PROJECT_AT}
        SELECT {project_readable.for_row}, {all_readable.for_row}, mr.id IS NOT NULL, mr.id IS NOT NULL AND {readable.for_row},
            {allowed.for_row}, {columns}
        FROM p JOIN routes r ON r.project_id = p.id
        LEFT JOIN merge_requests mr ON mr.project_id = p.id AND mr.iid = :iid {joined}
    """


class MergeTarget(Protocol):
    """The branch into which a request is to be merged, and the actor's standing there: a row that has these columns."""

    @property
    def project_id(self) -> int: ...
    @property
    def target_branch(self) -> str: ...
    @property
    def archived(self) -> bool: ...
    @property
    def level(self) -> int: ...
    @property
    def triager(self) -> bool: ...


async def may_merge(tx: Tx, actor: Actor, request: MergeTarget, known: Sequence[Protection] | None = None) -> bool:
    """Whether the actor may merge into the target branch: as protections say, or else every developer.

    `known`: the protections of the project, if they are read already.
    """
    if actor.anonymous or request.archived:
        return False
    if known is None:
        known = await protections(tx, actor, request.project_id, request.level)
    return may_merge_under(known, request.target_branch, developer=request.triager)


class _MergeStanding(Row, alias="p"):
    archived: bool
    level: Annotated[int, "p.level"]
    triager: Annotated[bool, TRIAGE_MERGE_REQUEST]


async def mergeable_branches(tx: Tx, actor: Actor, branches: Collection[tuple[int, str]]) -> set[tuple[int, str]]:
    """Returns those pairs of a project and a branch into which the actor may merge."""
    found: set[tuple[int, str]] = set()
    for project_id in sorted({project_id for project_id, _ in branches}):
        standing = await tx.row(
            _MergeStanding,
            f"WITH {PROJECT_AT} SELECT {_MergeStanding.columns} FROM p",
            **Ref.of(project_id).bound,
            **actor.bound,
        )
        if standing is None or standing.archived:
            continue
        covering = await protections(tx, actor, project_id, standing.level)
        found |= {
            (id_, branch)
            for id_, branch in branches
            if id_ == project_id and may_merge_under(covering, branch, developer=standing.triager)
        }
    return found


async def may_triage(tx: Tx, actor: Actor, project_id: int) -> bool:
    """Whether the actor may label and assign requests of the project."""
    return await tx.value(
        f"SELECT {TRIAGE_MERGE_REQUEST.standalone} FROM projects p WHERE p.id = :id", id=project_id, **actor.bound
    )


async def may_offer(tx: Tx, actor: Actor, source_id: int | None) -> bool:
    """Whether the actor may let those who merge push to branches of the source: users who may push to it themselves."""
    return bool(
        source_id
        and await tx.value(
            f"SELECT {PUSH_CODE.standalone} FROM projects p WHERE p.id = :id", id=source_id, **actor.bound
        )
    )


async def find_merge_commit(tx: Tx, request_id: int) -> str | None:
    """The commit by which a request was merged; None if it is not merged, or its commits are those of its source."""
    return await tx.value(
        """SELECT coalesce(mr.merge_commit_sha, mr.squash_commit_sha) FROM merge_requests mr
           WHERE mr.id = :id AND mr.state = 'merged'""",
        id=request_id,
    )
