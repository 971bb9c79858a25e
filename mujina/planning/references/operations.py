"""Who is spoken of where, and what is mentioned in what."""

from collections import defaultdict
from typing import LiteralString

import msgspec

from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.text import fold
from mujina.planning.issues.rules import READ_ISSUE
from mujina.planning.notes import operations as notes
from mujina.planning.notes.operations import Place
from mujina.planning.references.reading import IssueReference
from mujina.workspaces.groups.rules import READ_GROUP
from mujina.workspaces.members.all_members import ALL_PROJECT_MEMBERS


class MentionSource(msgspec.Struct, frozen=True):
    """The text that speaks: an issue's own, or a note on it."""

    kind: str
    id: int
    subject_kind: str
    subject_id: int
    project_id: int
    path: str
    """The full path of the project."""
    iid: int

    @property
    def bound(self) -> dict[str, str | int]:
        return {"holder_kind": self.kind, "holder_id": self.id}


EVERYBODY = "all"
"""Names the team of the project."""

MOST_PEOPLE = 1_000
"""So many are called by the name of a group or of all; more would be no call any more."""


async def people(tx: Tx, usernames: list[str]) -> dict[str, int]:
    """The people by these names: folded username → id."""
    return dict(await tx.rows(tuple[str, int], _PEOPLE, names=[fold(name) for name in usernames])) if usernames else {}


async def called_by(tx: Tx, actor: Actor, project_id: int, names: list[str]) -> dict[str, set[int]]:
    """Whom each of these names calls: a person, the members of a group the actor may see, or the team they belong to."""
    called: dict[str, set[int]] = defaultdict(set)
    folded = {fold(name) for name in names}
    if not folded:
        return called
    for name, user_id in await tx.rows(
        tuple[str, int], _CALLED, names=sorted(folded - {EVERYBODY}), most=MOST_PEOPLE, **actor.bound
    ):
        called[name].add(user_id)
    if EVERYBODY in folded:
        team: list[int] = await tx.values(
            f"SELECT DISTINCT team.user_id FROM ({ALL_PROJECT_MEMBERS}) team ORDER BY 1 LIMIT :most",
            project_id=project_id, most=MOST_PEOPLE, **actor.bound,
        )  # fmt: skip
        # Whoever passes by does not wake a team they do not belong to.
        called[EVERYBODY] = set(team) - {actor.id} if actor.id in team or actor.admin else set()
    return called


_PEOPLE: LiteralString = """
    SELECT u.username_folded, u.id FROM users u
    WHERE u.username_folded IN :names AND u.deleted_at IS NULL AND u.kind = 'person'"""

# Who calls a group they belong to means the others.
_CALLED: LiteralString = f"""
    {_PEOPLE}
    UNION ALL
    SELECT * FROM (
        SELECT r.path_folded, m.user_id FROM routes r
        JOIN namespaces n ON n.id = r.namespace_id JOIN groups g ON g.id = n.id
        JOIN members m ON m.source_kind = 'group' AND m.source_id = g.id
        WHERE r.path_folded IN :names AND n.deleted_at IS NULL AND {READ_GROUP.many}
        AND m.expires_on > :today AND m.user_id <> :actor ORDER BY m.user_id LIMIT :most) called"""


async def put_mentions(tx: Tx, holder: MentionSource, user_ids: list[int]) -> None:
    """Exactly these people are mentioned by this text."""
    await tx.run(
        """DELETE FROM mentions WHERE holder_kind = :holder_kind AND holder_id = :holder_id
           AND user_id NOT IN :user_ids""",
        user_ids=user_ids,
        **holder.bound,
    )
    await tx.run_each(
        """
        INSERT INTO mentions (holder_kind, holder_id, user_id, subject_kind, subject_id)
        VALUES (:holder_kind, :holder_id, :user_id, :subject_kind, :subject_id)
        ON CONFLICT DO NOTHING
        """,
        [
            {"user_id": id_, "subject_kind": holder.subject_kind, "subject_id": holder.subject_id, **holder.bound}
            for id_ in user_ids
        ],
    )


async def forget_mentions(tx: Tx, event: Event) -> None:
    """Whom only a deleted note mentioned takes part no more."""
    await tx.run("DELETE FROM mentions WHERE holder_kind = 'note' AND holder_id = :id", id=event.subject_id)


async def copy_mentions(tx: Tx, kind: str, to: dict[int, int], subject_id: int) -> None:
    """Whom each of these texts (old id → new id) mentions, its copy about the subject mentions too."""
    if to:
        await tx.run_each(
            """
            INSERT INTO mentions (holder_kind, holder_id, user_id, subject_kind, subject_id)
            SELECT mention.holder_kind, :new, mention.user_id, mention.subject_kind, :subject_id FROM mentions mention
            WHERE mention.holder_kind = :kind AND mention.holder_id = :old
            """,
            [{"kind": kind, "old": old, "new": new, "subject_id": subject_id} for old, new in to.items()],
        )


async def forget_project(tx: Tx, project_id: int) -> None:
    """Nobody takes part in what is erased."""
    await tx.run(
        """DELETE FROM mentions WHERE subject_kind = 'issue'
           AND subject_id IN (SELECT i.id FROM issues i WHERE i.project_id = :id)""",
        id=project_id,
    )


async def cross_refer(tx: Tx, event: Event, holder: MentionSource, references: list[IssueReference]) -> None:
    """Each issue that is mentioned, and that the author may read, says once where."""
    for issue_id, project_id in await mentioned(tx, event.actor, holder.path, references):
        if issue_id != holder.subject_id:
            where = f"#{holder.iid}" if project_id == holder.project_id else f"{holder.path}#{holder.iid}"
            there, here = Place("issue", issue_id, project_id), Place("issue", holder.subject_id, holder.project_id)
            await notes.add_cross_reference(tx, event, there, here, f"mentioned in issue {where}")


async def mentioned(tx: Tx, actor: Actor, here: str, references: list[IssueReference]) -> list[tuple[int, int]]:
    """The issues that a text in the project at `here` refers to and the actor may read: ids, and their projects'."""
    wanted = {(fold(full_path(here, reference)), reference.iid) for reference in references}
    if not wanted:
        return []
    found = await tx.rows(
        tuple[int, int, str, int],
        _MENTIONED,
        paths=sorted({path for path, _ in wanted}),
        iids=sorted({iid for _, iid in wanted}),
        **actor.bound,
    )
    return [(issue_id, project_id) for issue_id, project_id, path, iid in found if (path, iid) in wanted]


_MENTIONED: LiteralString = f"""
    SELECT i.id, i.project_id, r.path_folded, i.iid FROM routes r
    JOIN projects p ON p.id = r.project_id JOIN issues i ON i.project_id = p.id
    WHERE r.path_folded IN :paths AND i.iid IN :iids AND i.deleted_at IS NULL AND p.deleted_at IS NULL
    AND {READ_ISSUE.many} ORDER BY i.id"""


def full_path(here: str, reference: IssueReference) -> str:
    """The full path of the project that a text in the project at `here` refers to."""
    if reference.path is None:
        return here
    return f"{here.rpartition('/')[0]}/{reference.path}" if reference.beside else reference.path
