"""All members of a project or group, direct, inherited or shared: who has access, at which level and until when."""

from typing import LiteralString

from mujina.kernel import clock
from mujina.kernel.db.sql.selection import Selection
from mujina.workspaces.members.access import CAPPED_LEVEL, UNLOCKED
from mujina.workspaces.owners.rules import Owner

_SHARED: LiteralString = f"""m.user_id, {CAPPED_LEVEL},
               CASE WHEN m.expires_on < s.expires_on THEN m.expires_on ELSE s.expires_on END,
               s.created_at, m.created_by_id, 'shared', s.group_id"""
"""The columns of a grant to a member (`m`) of a group that a share (`s`) invites."""


def project_grants(
    project: LiteralString = ":project_id", direct: LiteralString = "TRUE", of_groups: LiteralString = "TRUE"
) -> LiteralString:
    """The inverse of `access.PROJECT_LEVEL`: the users of a project, with where each grant is from.

    `direct`, `of_groups`: conditions for the members (`m`) of the project itself, and for those of groups (`t.ancestor_id`).
    """
    # CROSS JOIN: SQLite keeps to that order. The other one would start with every member of every group.
    return f"""
        SELECT m.user_id, m.level, m.expires_on, m.created_at, m.created_by_id, 'direct' AS source, 0 AS group_id
        FROM members m
        WHERE m.source_kind = 'project' AND m.source_id = {project} AND {direct} AND m.expires_on > :today
        UNION ALL
        SELECT m.user_id, m.level, m.expires_on, m.created_at, m.created_by_id, 'inherited', m.source_id FROM projects q
        JOIN group_tree t ON t.group_id = q.namespace_id
        CROSS JOIN members m
        WHERE q.id = {project} AND m.source_kind = 'group' AND m.source_id = t.ancestor_id AND {of_groups}
        AND m.expires_on > :today
        UNION ALL
        SELECT {_SHARED} FROM project_shares s
        JOIN projects q ON q.id = s.project_id
        JOIN group_tree t ON t.group_id = s.group_id
        CROSS JOIN members m
        WHERE s.project_id = {project} AND s.expires_on > :today
        AND m.source_kind = 'group' AND m.source_id = t.ancestor_id AND {of_groups} AND m.expires_on > :today
        AND NOT EXISTS (SELECT 1 FROM groups lock WHERE lock.id = q.namespace_id AND lock.share_with_group_lock)
        UNION ALL
        SELECT {_SHARED} FROM projects q
        JOIN group_tree above ON above.group_id = q.namespace_id
        {_of_invited(of_groups)} AND q.id = {project}
        UNION ALL
        SELECT o.owner_id, 50, '9999-12-31', q.created_at, NULL, 'owner', 0 FROM projects q
        JOIN namespaces o ON o.id = q.namespace_id
        WHERE q.id = {project} AND o.owner_id IS NOT NULL"""


def group_grants(of_groups: LiteralString = "TRUE") -> LiteralString:
    """The users of the group `:group_id`, with where each grant is from."""
    return f"""
        SELECT m.user_id, m.level, m.expires_on, m.created_at, m.created_by_id,
               CASE WHEN t.depth = 0 THEN 'direct' ELSE 'inherited' END AS source, m.source_id AS group_id
        FROM group_tree t CROSS JOIN members m
        WHERE t.group_id = :group_id AND m.source_kind = 'group' AND m.source_id = t.ancestor_id AND {of_groups}
        AND m.expires_on > :today
        UNION ALL
        SELECT {_SHARED} FROM group_tree above
        {_of_invited(of_groups)} AND above.group_id = :group_id"""


def _of_invited(of_groups: LiteralString) -> LiteralString:
    """The members of the groups that one of the groups `above` is shared with, and of those above them."""
    return f"""JOIN group_shares s ON s.shared_group_id = above.ancestor_id
        JOIN group_tree t ON t.group_id = s.group_id
        CROSS JOIN members m
        WHERE s.expires_on > :today AND m.source_kind = 'group' AND m.source_id = t.ancestor_id AND {of_groups}
        AND m.expires_on > :today AND {UNLOCKED}"""


NO_DEPLOY_BOT: LiteralString = "NOT EXISTS (SELECT 1 FROM deploy_tokens d WHERE d.user_id = u.id)"
"""The user (`u`) is not the bot of a deploy token, which is a member only so that the token has access."""
ALL_PROJECT_MEMBERS = project_grants()
ALL_GROUP_MEMBERS = group_grants()


def users_of(owner: Owner, search: str = "") -> Selection:
    """All users with access to the project or group."""
    grants = ALL_PROJECT_MEMBERS if owner.kind == "project" else ALL_GROUP_MEMBERS
    selection = Selection(
        "users u",
        f"u.deleted_at IS NULL AND {NO_DEPLOY_BOT} AND u.id IN (SELECT members.user_id FROM ({grants}) members)",
        today=clock.today(),
        **owner.ids,
    )
    return selection.matching(search, "u.name_folded", "u.username_folded") if search else selection
