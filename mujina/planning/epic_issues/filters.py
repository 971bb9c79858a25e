"""The issues of an epic that a caller may read."""

from typing import Annotated, LiteralString

from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Facts, admin
from mujina.planning.issues.rules import READ_ISSUE, issues_enabled
from mujina.workspaces.members.access import reporter
from mujina.workspaces.projects.rules import READ_PROJECT


class _EpicProject(Row):
    """A readable project (`p`) with the number of its issues in the epic (`c`)."""

    id: Annotated[int, "p.id"]
    n: Annotated[int, "c.n"]
    full: Annotated[bool, (reporter | admin).standalone]
    """Whether the caller sees every issue of it."""


# An epic has issues of a few projects: access is computed for each of those, not collected for all projects.
_PROJECTS: LiteralString = f"""
    SELECT {_EpicProject.columns}
    FROM (SELECT ei.project_id, count(*) AS n FROM epic_issues ei WHERE ei.epic_id = :epic_id GROUP BY ei.project_id) c
    JOIN projects p ON p.id = c.project_id
    WHERE p.deleted_at IS NULL AND p.issues_enabled AND {READ_PROJECT.standalone}"""


async def readable_issues(tx: Tx, actor: Actor, epic_id: int) -> Selection:
    """The links `ei` of the epic to issues that the actor may read.

    Only issues of projects where the actor is below reporter are read: any of them may be confidential.
    """
    projects = await tx.rows(_EpicProject, _PROJECTS, epic_id=epic_id, **actor.bound)
    full = [project.id for project in projects if project.full]
    partial = [project.id for project in projects if not project.full]
    total = sum(project.n for project in projects if project.full)
    if partial:
        only_partial = _selection(actor, epic_id, partial, f"ei.project_id IN :project_ids AND {_READABLE}")
        total += await only_partial.total(tx)
        selection = _selection(actor, epic_id, full + partial, f"(ei.project_id IN :full OR {_READABLE})")
        return selection.bind(full=full).where("ei.project_id IN :project_ids").counted(total)
    return _selection(actor, epic_id, full, "ei.project_id IN :project_ids").counted(total)


def _selection(actor: Actor, epic_id: int, project_ids: list[int], condition: LiteralString) -> Selection:
    return Selection(
        "epic_issues ei",
        f"ei.epic_id = :epic_id AND {condition}",
        epic_id=epic_id,
        project_ids=project_ids,
        **actor.bound,
    )


_BELOW_REPORTER: Facts = {READ_PROJECT: True, issues_enabled: True, reporter: False, admin: False}
_READABLE: LiteralString = f"""coalesce((
    SELECT {READ_ISSUE.assuming(_BELOW_REPORTER).for_row} FROM issues i WHERE i.id = ei.issue_id), FALSE)"""
