"""The projects whose issues a list may show, and how many issues of each the caller sees."""

from collections import Counter
from typing import Any, ClassVar, LiteralString

from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues.filters import LISTED_ISSUES
from mujina.planning.project_lists.nouns import ListedNoun
from mujina.planning.project_lists.projects import ListedProjects
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.owners.rules import READ_OWNER, Owner, OwnerKind, OwnerRule
from mujina.workspaces.projects.rules import ProjectRow, find_project


class ReadableProjects(ListedProjects, frozen=True):
    """Projects with issues; in those that are `partial`, the caller sees confidential issues that they wrote or are assigned to."""

    noun: ClassVar[ListedNoun[Any]] = LISTED_ISSUES

    async def count_by_label(self, tx: Tx, actor: Actor, label_ids: list[int]) -> dict[tuple[int, str], int]:
        """Label and state → how many issues the caller sees; it sums kept counts."""
        rows = await tx.rows(
            tuple[int, str, int],
            f"{_BY_LABEL} UNION ALL {_OWN_BY_LABEL}" if self.partial else _BY_LABEL,
            label_ids=label_ids,
            **self.counted,
            **actor.bound,
        )
        found = Counter[tuple[int, str]]()
        for label_id, state, n in rows:
            found[label_id, state] += n
        return found


_BY_LABEL: LiteralString = """
    SELECT c.label_id, c.state, CAST(sum(c.n) AS bigint) FROM issue_label_counts c
    WHERE c.label_id IN :label_ids AND c.project_id IN :project_ids AND (NOT c.confidential OR c.project_id IN :full)
    GROUP BY c.label_id, c.state"""
_OWN_BY_LABEL: LiteralString = f"""
    SELECT il.label_id, i.state, count(*) FROM ({LISTED_ISSUES.own("IN :partial")}) own
    JOIN issues i ON i.id = own.id JOIN issue_labels il ON il.issue_id = i.id
    WHERE il.label_id IN :label_ids GROUP BY il.label_id, i.state"""


def readable_in_project(project: ProjectRow) -> ReadableProjects:
    """One project, which the caller has found."""
    if not project.issues_enabled:
        return ReadableProjects([], [])
    return ReadableProjects([project.id], []) if project.triager else ReadableProjects([], [project.id])


async def readable_in(
    tx: Tx, actor: Actor, kind: OwnerKind, ref: Ref, *, to: OwnerRule = READ_OWNER
) -> tuple[Owner, ReadableProjects]:
    """The project or group, if the actor may do this with it, and its projects whose issues they may read."""
    if kind == "project":
        project = await find_project(tx, actor, ref, to=to[kind])
        return Owner(kind, project.id, project.namespace_id), readable_in_project(project)
    group = await find_group(tx, actor, ref, to=to[kind])
    return Owner(kind, group.id, group.id), await ReadableProjects.in_group(tx, actor, group.id, "all")
