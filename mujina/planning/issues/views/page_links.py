"""Where the page of an issue leads: its epic, the issue that it was moved to, the milestone of a group."""

from typing import LiteralString

import msgspec

from mujina.instance.editions.rules import has_feature
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.planning.epics.rules import READ_EPIC
from mujina.planning.issues.rules import READ_ISSUE
from mujina.planning.issues.views.issue import Issue
from mujina.workspaces.groups.rules import READ_GROUP


class PageLink(msgspec.Struct, array_like=True, frozen=True):
    kind: str
    path: str
    iid: int
    title: str

    @property
    def address(self) -> str:
        if self.kind == "moved":
            return f"/{self.path}/issues/{self.iid}"
        return f"/groups/{self.path}/-/{'epics' if self.kind == 'epic' else 'milestones'}/{self.iid}"


_LINKS: LiteralString = f"""
    SELECT 'epic', r.path, e.iid, e.title FROM epic_issues ei JOIN epics e ON e.id = ei.epic_id
    JOIN groups g ON g.id = e.group_id JOIN routes r ON r.namespace_id = g.id
    WHERE ei.issue_id = :id AND {READ_EPIC.for_scan}
    UNION ALL
    SELECT 'moved', r.path, i.iid, i.title FROM issues before JOIN issues i ON i.id = before.moved_to_id
    JOIN projects p ON p.id = i.project_id JOIN routes r ON r.project_id = p.id
    WHERE before.id = :id AND i.deleted_at IS NULL AND p.deleted_at IS NULL AND {READ_ISSUE.for_scan}
    UNION ALL
    SELECT 'milestone', r.path, ms.iid, ms.title FROM issues i JOIN milestones ms ON ms.id = i.milestone_id
    JOIN groups g ON g.id = ms.group_id JOIN routes r ON r.namespace_id = g.id
    WHERE i.id = :id AND {READ_GROUP.for_scan}"""


async def read_page_links(tx: Tx, actor: Actor, issue: Issue) -> dict[str, PageLink]:
    """The objects that exist and that the actor may read, by kind."""
    rows = await tx.rows(PageLink, _LINKS, id=issue.id, **actor.bound)
    return {row.kind: row for row in rows if row.kind != "epic" or has_feature("epics")}
