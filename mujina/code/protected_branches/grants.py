"""The grants of a request: levels, users and groups, each checked before anything is written."""

from mujina.code.protected_branches.operations import MASTERS, Grant, GrantChange
from mujina.kernel import clock, errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.forms import Tree
from mujina.kernel.http.params import BadValue, Unset, read_boolean, read_integer
from mujina.kernel.permissions.levels import DEVELOPER, MASTER, NOBODY
from mujina.workspaces.members.access import PROJECT_LEVEL

LEVELS = (NOBODY, DEVELOPER, MASTER)


async def read_grants(
    tx: Tx, project_id: int, name: str, level: int | Unset, allowed: list[Tree] | Unset
) -> tuple[Grant, ...]:
    """The requested grants, masters if there are none; 400 if a user or group has no access to the project."""
    levels = [] if isinstance(level, Unset) else [Grant(level=level)]
    entries = [] if isinstance(allowed, Unset) else allowed
    grants = [await _grant(tx, project_id, name, entry) for entry in entries]
    return tuple(dict.fromkeys(levels + grants)) or MASTERS


async def read_grant_changes(
    tx: Tx, project_id: int, branch_id: int, verb: str, entries: list[Tree] | Unset
) -> GrantChange:
    """What the entries add and remove; 400 if one names a grant of another branch or verb."""
    name = f"allowed_to_{verb}"
    given = [] if isinstance(entries, Unset) else entries
    removed = [_read_id(name, entry) for entry in given if entry.get("id") not in (None, "")]
    known = await tx.values(
        "SELECT a.id FROM protected_branch_grants a WHERE a.branch_id = :id AND a.verb = :verb", id=branch_id, verb=verb
    )
    if not set(removed) <= set(known):
        raise errors.unacceptable(f"{name} is invalid")
    kept = [entry for entry in given if not _is_destroyed(name, entry)]
    return GrantChange(verb, [await _grant(tx, project_id, name, entry) for entry in kept], removed)


def _read_id(name: str, entry: Tree) -> int:
    try:
        return read_integer(entry["id"])
    except BadValue:
        raise errors.unacceptable(f"{name} is invalid") from None


def _is_destroyed(name: str, entry: Tree) -> bool:
    try:
        return "_destroy" in entry and read_boolean(entry["_destroy"])
    except BadValue:
        raise errors.unacceptable(f"{name} is invalid") from None


async def delete_user_grants(tx: Tx, user_id: int) -> None:
    """No protected branch lets a user who is removed through."""
    await tx.run("DELETE FROM protected_branch_grants WHERE user_id = :user_id", user_id=user_id)


async def _grant(tx: Tx, project_id: int, name: str, entry: Tree) -> Grant:
    try:
        ids = {
            key: read_integer(entry[key])
            for key in ("access_level", "user_id", "group_id")
            if entry.get(key) not in (None, "")
        }
    except BadValue:
        raise errors.unacceptable(f"{name} is invalid") from None
    if len(ids) != 1 or ids.get("access_level", MASTER) not in LEVELS:
        raise errors.unacceptable(f"{name} is invalid")
    grant = Grant(ids.get("access_level"), ids.get("user_id"), ids.get("group_id"))
    if grant.user_id is not None and not await _has_access(tx, project_id, grant.user_id):
        raise errors.invalid({name: ["user is not a member of the project"]})
    if grant.group_id is not None and not await _is_invited(tx, project_id, grant.group_id):
        raise errors.invalid({name: ["group has no access to the project"]})
    return grant


async def _has_access(tx: Tx, project_id: int, user_id: int) -> bool:
    level = await tx.value(
        f"SELECT {PROJECT_LEVEL} FROM projects p WHERE p.id = :project_id AND :actor IN (SELECT u.id FROM users u)",
        project_id=project_id,
        actor=user_id,
        today=clock.today(),
    )
    return (level or 0) > NOBODY


async def _is_invited(tx: Tx, project_id: int, group_id: int) -> bool:
    """Whether the project, or a group above it, is shared with the group, or the project is inside it."""
    return bool(
        await tx.value(
            """
            SELECT 1 FROM project_shares s
            WHERE s.project_id = :project_id AND s.group_id = :group_id AND s.expires_on > :today
            UNION ALL
            SELECT 1 FROM projects p JOIN group_tree t ON t.group_id = p.namespace_id
            WHERE p.id = :project_id AND t.ancestor_id = :group_id
            UNION ALL
            SELECT 1 FROM projects p JOIN group_tree t ON t.group_id = p.namespace_id
            JOIN group_shares s ON s.shared_group_id = t.ancestor_id
            WHERE p.id = :project_id AND s.group_id = :group_id AND s.expires_on > :today
            """,
            project_id=project_id,
            group_id=group_id,
            today=clock.today(),
        )
    )
