"""Effective access: read, never cached, and only here, for every entry point.

`PROJECT_LEVEL` and `GROUP_LEVEL` give the actor's level in the project `p` or the group `g`. The others start from the
actor's own rows: `GROUPS_REACHED` gives all groups with access, and with `PROJECTS_GRANTED` and one's own namespace all projects.
A randomized test compares them with an oracle.

A share takes one step: it gives access to the members of the invited group and of the groups above that, never to those
whom another share brings there. So groups that are shared with each other need no special care.
"""

from typing import LiteralString

from mujina.kernel.permissions.levels import DEVELOPER, GUEST, MASTER, OWNER, REPORTER
from mujina.kernel.permissions.rules import Condition

CAPPED_LEVEL: LiteralString = "CASE WHEN m.level < s.cap THEN m.level ELSE s.cap END"
"""The level that a member (`m`) has through a share (`s`)."""

UNLOCKED: LiteralString = """NOT EXISTS (
    SELECT 1 FROM groups lock WHERE lock.id = s.shared_group_id AND lock.share_with_group_lock)"""
"""The group that a share (`s`) is about does not lock sharing."""


def _shared_level(group_id: LiteralString, user: LiteralString) -> LiteralString:
    """The user's levels in this group through the groups that it, or a group above it, is shared with."""
    return f"""
            SELECT {CAPPED_LEVEL} AS level FROM group_tree above
            JOIN group_shares s ON s.shared_group_id = above.ancestor_id
            JOIN group_tree t ON t.group_id = s.group_id
            JOIN members m ON m.user_id = {user} AND m.source_kind = 'group' AND m.source_id = t.ancestor_id
            WHERE above.group_id = {group_id} AND s.expires_on > :today AND m.expires_on > :today AND {UNLOCKED}"""


def project_level(project: LiteralString, user: LiteralString = ":actor") -> LiteralString:
    """The user's level in this project, an alias of `projects`."""
    return f"""coalesce((
        SELECT max(a.level) FROM (
            SELECT m.level FROM members m WHERE m.user_id = {user}
            AND m.source_kind = 'project' AND m.source_id = {project}.id AND m.expires_on > :today
            UNION ALL
            SELECT m.level FROM group_tree t
            JOIN members m ON m.user_id = {user} AND m.source_kind = 'group' AND m.source_id = t.ancestor_id
            WHERE t.group_id = {project}.namespace_id AND m.expires_on > :today
            UNION ALL
            SELECT {CAPPED_LEVEL} FROM project_shares s
            JOIN group_tree t ON t.group_id = s.group_id
            JOIN members m ON m.user_id = {user} AND m.source_kind = 'group' AND m.source_id = t.ancestor_id
            WHERE s.project_id = {project}.id AND s.expires_on > :today AND m.expires_on > :today
            AND NOT EXISTS (
                SELECT 1 FROM groups lock WHERE lock.id = {project}.namespace_id AND lock.share_with_group_lock)
            UNION ALL {_shared_level(f"{project}.namespace_id", user)}
            UNION ALL
            SELECT 50 FROM namespaces o WHERE o.id = {project}.namespace_id AND o.owner_id = {user}
        ) a), 0)"""


PROJECT_LEVEL = project_level("p")


def groups_granted(user: LiteralString) -> LiteralString:
    """The groups with a membership of the user, and those that are shared with such a group or one below it."""
    # The last condition costs one look-up and spares an instance without such shares the walk through the user's trees.
    return f"""
        SELECT m.source_id AS group_id, m.level FROM members m
        WHERE m.user_id = {user} AND m.source_kind = 'group' AND m.expires_on > :today
        UNION ALL
        SELECT s.shared_group_id, {CAPPED_LEVEL} FROM members m
        JOIN group_tree t ON t.ancestor_id = m.source_id
        JOIN group_shares s ON s.group_id = t.group_id
        WHERE m.user_id = {user} AND m.source_kind = 'group' AND m.expires_on > :today AND s.expires_on > :today
        AND {UNLOCKED} AND EXISTS (SELECT 1 FROM group_shares)"""


GROUPS_GRANTED = groups_granted(":actor")

GROUPS_REACHED: LiteralString = f"""
    SELECT t.group_id, m.level FROM ({GROUPS_GRANTED}) m JOIN group_tree t ON t.ancestor_id = m.group_id"""

PROJECTS_GRANTED: LiteralString = f"""
    SELECT m.source_id AS project_id, m.level FROM members m
    WHERE m.user_id = :actor AND m.source_kind = 'project' AND m.expires_on > :today
    UNION ALL
    SELECT s.project_id, {CAPPED_LEVEL} FROM members m
    JOIN group_tree t ON t.ancestor_id = m.source_id
    JOIN project_shares s ON s.group_id = t.group_id
    JOIN projects q ON q.id = s.project_id
    WHERE m.user_id = :actor AND m.source_kind = 'group' AND m.expires_on > :today AND s.expires_on > :today
    AND NOT EXISTS (SELECT 1 FROM groups lock WHERE lock.id = q.namespace_id AND lock.share_with_group_lock)
    AND EXISTS (SELECT 1 FROM project_shares)"""  # spares the walk, as in groups_granted


def group_level(user: LiteralString) -> LiteralString:
    """The user's level in the group `g`."""
    return f"""coalesce((
        SELECT max(a.level) FROM (
            SELECT m.level FROM group_tree t
            JOIN members m ON m.user_id = {user} AND m.source_kind = 'group' AND m.source_id = t.ancestor_id
            WHERE t.group_id = g.id AND m.expires_on > :today
            UNION ALL {_shared_level("g.id", user)}
        ) a), 0)"""


GROUP_LEVEL = group_level(":actor")


def groups_above(user: LiteralString) -> LiteralString:
    """The groups above those that are granted to the user, or above a project to which they have access.

    They are visible, without a level there.
    """
    return f"""
        SELECT t.ancestor_id FROM ({groups_granted(user)}) m JOIN group_tree t ON t.group_id = m.group_id
        UNION ALL
        SELECT t.ancestor_id FROM members m
        JOIN projects q ON q.id = m.source_id
        JOIN group_tree t ON t.group_id = q.namespace_id
        WHERE m.user_id = {user} AND m.source_kind = 'project' AND m.expires_on > :today AND q.deleted_at IS NULL
        UNION ALL
        SELECT t.ancestor_id FROM members m
        JOIN group_tree invited ON invited.ancestor_id = m.source_id
        JOIN project_shares s ON s.group_id = invited.group_id
        JOIN projects q ON q.id = s.project_id
        JOIN group_tree t ON t.group_id = q.namespace_id
        WHERE m.user_id = {user} AND m.source_kind = 'group' AND m.expires_on > :today AND s.expires_on > :today
        AND q.deleted_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM groups lock WHERE lock.id = q.namespace_id AND lock.share_with_group_lock)"""


GROUPS_ABOVE = groups_above(":actor")


def project_at_least(name: str, level: LiteralString) -> Condition:
    """The actor's level in `p` is at least this; look-ups of one project carry it as the column `level`.

    A scan tests the namespace first: there are fewer namespaces than projects, and the counts of projects know it.
    """
    return Condition(
        name,
        f"(p.level >= {level})",
        for_scan=f"({_in_reach(level)} OR {_granted(level)})",
        standalone=lambda who: f"({who.level or project_level('p', who.id)} >= {level})",
    )


def _in_reach(level: LiteralString) -> LiteralString:
    # The level is compared before the two are united: SQLite takes half as many steps for each group.
    return f"""p.namespace_id IN (
        SELECT reached.group_id FROM ({GROUPS_REACHED}) reached WHERE reached.level >= {level}
        UNION ALL
        SELECT o.id FROM namespaces o WHERE o.owner_id = :actor)"""


def _granted(level: LiteralString) -> LiteralString:
    return f"p.id IN (SELECT a.project_id FROM ({PROJECTS_GRANTED}) a WHERE a.level >= {level})"


def group_at_least(name: str, level: LiteralString) -> Condition:
    """The actor's level in `g` is at least this; look-ups of one group carry it as the column `level`."""
    return Condition(
        name,
        f"(g.level >= {level})",
        for_scan=f"(g.id IN (SELECT a.group_id FROM ({GROUPS_REACHED}) a WHERE a.level >= {level}))",
        standalone=lambda who: f"({group_level(who.id)} >= {level})",
    )


guest = project_at_least("guest", "10")
reporter = project_at_least("reporter", "20")
developer = project_at_least("developer", "30")
master = project_at_least("master", "40")
owner = project_at_least("owner", "50")

guest_in_reach = Condition("guest_in_reach", f"({_in_reach('10')})")
"""`guest` through the namespace: what the counts of projects know."""
guest_granted = Condition("guest_granted", f"({_granted('10')})")
"""`guest` through a grant for this very project."""

group_guest = group_at_least("group_guest", "10")
group_reporter = group_at_least("group_reporter", "20")
group_developer = group_at_least("group_developer", "30")
group_master = group_at_least("group_master", "40")
group_owner = group_at_least("group_owner", "50")
group_guest_each = Condition("group_guest_each", f"({GROUP_LEVEL} >= 10)")
"""`group_guest` for lists that read few groups out of many: tested for each, instead of collecting all groups."""
above_membership = Condition("above_membership", lambda who: f"(g.id IN ({groups_above(who.id)}))")

LEVEL_RULES = {GUEST: guest, REPORTER: reporter, DEVELOPER: developer, MASTER: master, OWNER: owner}
GROUP_LEVEL_RULES = {
    GUEST: group_guest,
    REPORTER: group_reporter,
    DEVELOPER: group_developer,
    MASTER: group_master,
    OWNER: group_owner,
}

TOPMOST_GRANTS: LiteralString = f"""
    SELECT DISTINCT m.group_id FROM ({GROUPS_GRANTED}) m WHERE NOT EXISTS (
        SELECT 1 FROM group_tree up WHERE up.group_id = m.group_id AND up.depth > 0
        AND up.ancestor_id IN (SELECT higher.group_id FROM ({GROUPS_GRANTED}) higher))"""
"""The groups that are granted to the actor, and below no other one that is."""

# Whole trees below the topmost grants, then the groups above a grant that are in none of these trees.
GROUPS_BELONGED_TO: LiteralString = f"""
    SELECT (
        SELECT count(*) FROM ({TOPMOST_GRANTS}) m JOIN group_tree t ON t.ancestor_id = m.group_id
    ) + (
        SELECT count(DISTINCT above.ancestor_id) FROM ({GROUPS_ABOVE}) above WHERE NOT EXISTS (
            SELECT 1 FROM group_tree t WHERE t.group_id = above.ancestor_id
            AND t.ancestor_id IN (SELECT m.group_id FROM ({GROUPS_GRANTED}) m)))"""
"""How many groups are `group_guest | above_membership`, without collecting them."""
