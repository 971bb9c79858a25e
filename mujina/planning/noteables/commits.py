"""Commits as something that people comment on: they are no rows, but their first comment makes one."""

from typing import Final

from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Rule
from mujina.planning.noteables.kinds import Noteable, Purpose
from mujina.workspaces.projects.rules import COMMENT_ON_CODE, READ_CODE, ProjectRow, find_project

RIGHTS: Final[dict[Purpose, Rule]] = {"read": READ_CODE, "comment": COMMENT_ON_CODE}


async def find_commented(tx: Tx, actor: Actor, ref: Ref, sha: str, to: Purpose) -> Noteable:
    """The commit with this whole id, if the actor may read the code or comment on it."""
    project = await find_project(tx, actor, ref, to=RIGHTS[to])
    return noteable_of(project, await read_id(tx, project.id, sha))


async def read_id(tx: Tx, project_id: int, sha: str) -> int:
    """The id of the commit as a noteable; until its first comment 0, which is that of no noteable."""
    sql = "SELECT max(c.id) FROM commented_commits c WHERE c.project_id = :project_id AND c.sha = :sha"
    return await tx.value(sql, project_id=project_id, sha=sha) or 0


def noteable_of(project: ProjectRow, commit_id: int) -> Noteable:
    """A commit of the project, which was found for the actor."""
    return Noteable(
        kind="commit", type="Commit", id=commit_id, iid=None, project_id=project.id, path=project.full_path,
        author_id=None, dated=project.owned, moderated=project.managed, project_active_at=project.last_activity_at,
    )  # fmt: skip
