"""Mentions of users, and cross references between issues, merge requests and epics."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated, LiteralString, TypeVar

import msgspec

from mujina.instance.editions.rules import has_feature
from mujina.kernel.db.rows import Row, insert_each
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import fold
from mujina.planning.epics.rules import READ_EPIC
from mujina.planning.issues.rules import READ_ISSUE
from mujina.planning.noteables.kinds import delete_in_project, noteable_kind
from mujina.planning.notes import operations as notes
from mujina.planning.notes.operations import NoteTarget
from mujina.planning.references.parsing import EpicReference, IssueReference, MergeRequestReference, References
from mujina.workspaces.groups.rules import READ_GROUP
from mujina.workspaces.members.lists.all_members import ALL_GROUP_MEMBERS, ALL_PROJECT_MEMBERS


class MentionSource(msgspec.Struct, frozen=True):
    """The text with the mention: an issue, a merge request, an epic, or a note on one."""

    kind: str
    id: int
    subject_kind: str
    subject_id: int
    project_id: int | None
    group_id: int | None
    path: str
    """The full path of the project or group."""
    iid: int
    noun: str
    """The name in sentences: `merge request`."""
    sign: str
    """The sign of references to it: `!`."""

    @property
    def home(self) -> str:
        """Where references without a whole path start: the project, or a place directly in the group."""
        return self.path if self.project_id is not None else f"{self.path}/"

    def reference(self, project_id: int) -> str:
        """How a text in this project refers to it."""
        return f"{'' if project_id == self.project_id else self.path}{self.sign}{self.iid}"

    @property
    def bound(self) -> dict[str, str | int]:
        return {"source_kind": self.kind, "source_id": self.id}


ALL = "all"
"""Mentions the team of the project or group."""

MAX_MENTIONED = 1_000
"""A mention of a group or of the team reaches at most this many users."""


async def users_by_name(tx: Tx, usernames: list[str]) -> dict[str, int]:
    """Folded username → id."""
    return dict(await tx.rows(tuple[str, int], _USERS, names=[fold(name) for name in usernames])) if usernames else {}


async def mentioned_users(tx: Tx, actor: Actor, source: MentionSource, names: list[str]) -> dict[str, set[int]]:
    """The ids of the users whom each name means: a user, the members of a readable group, or the team of the actor."""
    mentioned: dict[str, set[int]] = defaultdict(set)
    folded = {fold(name) for name in names}
    if not folded:
        return mentioned
    for name, user_id in await tx.rows(
        tuple[str, int], _MENTIONED_USERS, names=sorted(folded - {ALL}), max_users=MAX_MENTIONED, **actor.bound
    ):
        mentioned[name].add(user_id)
    if ALL in folded:
        team = await _team(tx, actor, source)
        # Only members of the team and administrators may mention all of it.
        mentioned[ALL] = set(team) - {actor.id} if actor.id in team or actor.admin else set()
    return mentioned


async def _team(tx: Tx, actor: Actor, source: MentionSource) -> list[int]:
    """The members of the project or group."""
    if source.project_id is None:
        return await tx.values(
            f"SELECT DISTINCT team.user_id FROM ({ALL_GROUP_MEMBERS}) team ORDER BY 1 LIMIT :max_users",
            group_id=source.group_id,
            max_users=MAX_MENTIONED,
            **actor.bound,
        )
    return await tx.values(
        f"SELECT DISTINCT team.user_id FROM ({ALL_PROJECT_MEMBERS}) team ORDER BY 1 LIMIT :max_users",
        project_id=source.project_id,
        max_users=MAX_MENTIONED,
        **actor.bound,
    )


_USERS: LiteralString = """
    SELECT u.username_folded, u.id FROM users u
    WHERE u.username_folded IN :names AND u.deleted_at IS NULL AND u.kind = 'person'"""

# A mention of a group leaves out the actor.
_MENTIONED_USERS: LiteralString = f"""
    {_USERS}
    UNION ALL
    SELECT * FROM (
        SELECT r.path_folded, m.user_id FROM routes r
        JOIN namespaces n ON n.id = r.namespace_id JOIN groups g ON g.id = n.id
        JOIN members m ON m.source_kind = 'group' AND m.source_id = g.id
        WHERE r.path_folded IN :names AND n.deleted_at IS NULL AND {READ_GROUP.for_scan}
        AND m.expires_on > :today AND m.user_id <> :actor ORDER BY m.user_id LIMIT :max_users) mentioned"""


async def remove_mentions(tx: Tx, source: MentionSource, *, but: list[int]) -> None:
    """The text now mentions only these users."""
    await tx.run(
        """DELETE FROM mentions WHERE source_kind = :source_kind AND source_id = :source_id
           AND user_id NOT IN :user_ids""",
        user_ids=but,
        **source.bound,
    )


async def add_mentions(tx: Tx, source: MentionSource, user_ids: list[int]) -> None:
    """The text mentions these users."""
    if not user_ids:
        return
    mentions = [
        {"user_id": id_, "subject_kind": source.subject_kind, "subject_id": source.subject_id, **source.bound}
        for id_ in user_ids
    ]
    await insert_each(tx, "mentions", mentions, "ON CONFLICT DO NOTHING")


async def delete_note_mentions(tx: Tx, event: Event) -> None:
    """Delete the mentions of a deleted note."""
    await tx.run("DELETE FROM mentions WHERE source_kind = 'note' AND source_id = :id", id=event.subject_id)


async def copy_mentions(tx: Tx, kind: str, to: dict[int, int], subject_id: int) -> None:
    """Copy the mentions of each of these texts (old id → new id) to its copy."""
    if to:
        await tx.run_each(
            """
            INSERT INTO mentions (source_kind, source_id, user_id, subject_kind, subject_id)
            SELECT mention.source_kind, :new, mention.user_id, mention.subject_kind, :subject_id FROM mentions mention
            WHERE mention.source_kind = :kind AND mention.source_id = :old
            """,
            [{"kind": kind, "old": old, "new": new, "subject_id": subject_id} for old, new in to.items()],
        )


async def delete_project_mentions(tx: Tx, project_id: int) -> None:
    """Delete the mentions on everything in a removed project."""
    await delete_in_project(tx, "mentions", project_id)


async def delete_all_mentions(tx: Tx, kind: str, ids: list[int]) -> None:
    """Delete the mentions on these."""
    await tx.run("DELETE FROM mentions WHERE subject_kind = :kind AND subject_id IN :ids", kind=kind, ids=ids)


async def cross_refer(tx: Tx, event: Event, source: MentionSource, references: References) -> None:
    """A system note on each referenced issue, merge request and epic that the actor may read, once for each source."""
    mentioning = NoteTarget(source.subject_kind, source.subject_id, source.project_id)
    for target in await referenced(tx, event.actor, source.home, references):
        if (target.kind, target.id) != (source.subject_kind, source.subject_id):
            body = f"mentioned in {source.noun} {source.reference(target.project_id or 0)}"
            await notes.add_cross_reference(tx, event, target, mentioning, body)


async def referenced(tx: Tx, actor: Actor, path: str, references: References) -> list[NoteTarget]:
    """The issues, merge requests and epics that a text at `path` refers to and the actor may read."""
    issues = await referenced_issues(tx, actor, path, references.issues)
    requests = await referenced_merge_requests(tx, actor, path, references.merge_requests)
    return [
        *(NoteTarget("issue", issue.id, issue.project_id) for issue in issues),
        *(NoteTarget("merge_request", request.id, request.project_id) for request in requests),
        *(NoteTarget("epic", epic_id, None) for epic_id in await referenced_epics(tx, actor, path, references.epics)),
    ]


class ReferencedIssue(Row, alias="i"):
    """An issue to which a text refers, with the path of its project (`r`)."""

    id: int
    project_id: int
    iid: int
    path: Annotated[str, "r.path"]
    path_folded: Annotated[str, "r.path_folded"]

    def reference(self, project_id: int) -> str:
        """Its name in texts of this project."""
        return f"#{self.iid}" if self.project_id == project_id else f"{self.path}#{self.iid}"


async def referenced_issues(tx: Tx, actor: Actor, path: str, references: list[IssueReference]) -> list[ReferencedIssue]:
    """The issues that a text in the project at `path` refers to and the actor may read, by project and id."""
    return await _found(tx, actor, path, references, ReferencedIssue, _REFERENCED_ISSUES)


class ReferencedMergeRequest(ReferencedIssue, alias="mr"):
    """A merge request to which a text refers, with the path of its project (`r`)."""


async def referenced_merge_requests(
    tx: Tx, actor: Actor, path: str, references: list[MergeRequestReference]
) -> list[ReferencedMergeRequest]:
    """Finds the referenced merge requests that the actor may read."""
    kind = noteable_kind(tx.product, "merge_request")
    if kind is None or not references:
        return []
    statement = f"""
        SELECT {ReferencedMergeRequest.columns} FROM routes r
        JOIN projects p ON p.id = r.project_id JOIN merge_requests mr ON mr.project_id = p.id
        WHERE r.path_folded IN :paths AND mr.iid IN :iids AND p.deleted_at IS NULL
        AND {kind.readable.for_scan} ORDER BY mr.project_id, mr.id"""
    return await _found(tx, actor, path, references, ReferencedMergeRequest, statement)


async def referenced_epics(tx: Tx, actor: Actor, path: str, references: list[EpicReference]) -> list[int]:
    """The ids of the epics that a text at `path` refers to and the actor may read."""
    if not has_feature("epics") or not references:
        return []
    keys = {(fold(reference.path or path.rpartition("/")[0]), reference.iid) for reference in references}
    rows = await tx.rows(
        tuple[int, str, int],
        f"""SELECT e.id, r.path_folded, e.iid FROM routes r JOIN groups g ON g.id = r.namespace_id
            JOIN epics e ON e.group_id = g.id
            WHERE r.path_folded IN :paths AND e.iid IN :iids AND {READ_EPIC.for_scan} ORDER BY e.id""",
        paths=sorted({path for path, _ in keys}),
        iids=sorted({iid for _, iid in keys}),
        **actor.bound,
    )
    return [epic_id for epic_id, path, iid in rows if (path, iid) in keys]


Found = TypeVar("Found", bound=ReferencedIssue)


async def _found(
    tx: Tx, actor: Actor, path: str, references: Sequence[IssueReference], shape: type[Found], statement: LiteralString
) -> list[Found]:
    keys = {(fold(full_path(path, reference)), reference.iid) for reference in references}
    if not keys:
        return []
    rows = await tx.rows(
        shape,
        statement,
        paths=sorted({path for path, _ in keys}),
        iids=sorted({iid for _, iid in keys}),
        **actor.bound,
    )
    return [row for row in rows if (row.path_folded, row.iid) in keys]


_REFERENCED_ISSUES: LiteralString = f"""
    SELECT {ReferencedIssue.columns} FROM routes r
    JOIN projects p ON p.id = r.project_id JOIN issues i ON i.project_id = p.id
    WHERE r.path_folded IN :paths AND i.iid IN :iids AND i.deleted_at IS NULL AND p.deleted_at IS NULL
    AND {READ_ISSUE.for_scan} ORDER BY i.project_id, i.id"""


def full_path(path: str, reference: IssueReference) -> str:
    """The full path of the referenced project, for a text in the project at `path`."""
    if reference.path is None:
        return path
    return f"{path.rpartition('/')[0]}/{reference.path}" if reference.sibling else reference.path
