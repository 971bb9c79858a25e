"""The notification settings of a user as their page shows them."""

from typing import LiteralString

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.sql.selection import ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page
from mujina.kernel.lists.pages import PagePlan
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.groups.rules import READ_GROUP
from mujina.workspaces.projects.rules import READ_PROJECT


class NotificationSource(msgspec.Struct, array_like=True, frozen=True):
    """A group or project with the level that the user chose for it."""

    kind: str
    id: int
    name: str
    path: str
    level: str


def _own(kind: LiteralString) -> LiteralString:
    return f"""
        SELECT m.source_id FROM members m WHERE m.user_id = :actor AND m.source_kind = '{kind}' AND m.expires_on > :today
        UNION SELECT s.source_id FROM notification_settings s WHERE s.user_id = :actor AND s.source_kind = '{kind}'"""


async def sources(tx: Tx, actor: Actor, page: Page) -> tuple[list[NotificationSource], bool]:
    """One page of the groups and projects of which the user is a member, or for which they chose a level, as far as
    they may read them still; and whether there are more.
    """
    sources: LiteralString = f"""
        SELECT found.*, coalesce((SELECT s.level FROM notification_settings s
            WHERE s.user_id = :actor AND s.source_kind = found.kind AND s.source_id = found.id), 'global') AS level
        FROM (
            SELECT 'group' AS kind, g.id, n.full_name AS name, r.path
            FROM groups g JOIN namespaces n ON n.id = g.id JOIN routes r ON r.namespace_id = g.id
            WHERE g.id IN ({_own("group")}) AND n.deleted_at IS NULL AND {READ_GROUP.for_scan}
            UNION ALL
            SELECT 'project', p.id, p.name, r.path
            FROM projects p JOIN routes r ON r.project_id = p.id
            WHERE p.id IN ({_own("project")}) AND p.deleted_at IS NULL AND {READ_PROJECT.for_scan}
        ) found"""
    plan = PagePlan(ascending("kind", "path"), page.size + 1, page.start)
    text = plan.text(tx.engine, sources)
    found = await tx.rows(NotificationSource, text, **plan.bound, **{**actor.bound, "today": clock.today()})
    return found[: page.size], len(found) > page.size
