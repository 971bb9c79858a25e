"""Checks of a group's name, path, parent and visibility."""

import unicodedata
from typing import Annotated, LiteralString

from mujina.accounts.paths import operations as paths
from mujina.accounts.paths.operations import MAX_LENGTH
from mujina.instance.application_settings.rules import check_visibility, read_settings
from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import BLANK, TAKEN, Problems
from mujina.kernel.http.params import UNSET
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import VISIBILITIES, Visibility, exceeds
from mujina.workspaces.groups.params import CreateGroup, EditGroup, GroupSettings
from mujina.workspaces.groups.rules import ADMIN_GROUP, GroupRow

MAX_ANCESTORS = 20
TOO_DEEP = "has too deep level of nesting"
NAME_RULE = "can contain only letters, digits, '_', '.', dash and space."
LOCKED_BY_PARENT = (
    'cannot be disabled when the parent group "Share with group lock" is enabled, '
    "except by the owner of the parent group"
)


async def check_new(tx: Tx, actor: Actor, parent: GroupRow | None, change: CreateGroup) -> Visibility:
    """The visibility of the new group; 400 with everything that is wrong with the request."""
    problems = Problems()
    settings = await read_settings(tx)
    default = settings.default_group_visibility
    visibility = change.visibility or (parent.visibility if parent and exceeds(default, parent.visibility) else default)
    check_visibility(problems, actor, settings, visibility)
    _check_settings(problems, change)
    _check_name(problems, change.name)
    await paths.check_path(tx, problems, "path", change.path, parent.full_path if parent else None)
    if parent is not None:
        _check_ceiling(problems, visibility, parent.visibility)
        if await tx.value("SELECT count(*) FROM group_tree t WHERE t.group_id = :id", id=parent.id) > MAX_ANCESTORS:
            problems.add("parent_id", TOO_DEEP)
    await check_group_name_taken(tx, problems, change.name, parent.id if parent else None)
    problems.refuse()
    return visibility


async def check_edit(tx: Tx, actor: Actor, group: GroupRow, name: str, path: str, change: EditGroup) -> None:
    """400 with everything that is wrong with the change."""
    problems = Problems()
    _check_settings(problems, change)
    if name != group.name:
        _check_name(problems, name)
        await check_group_name_taken(tx, problems, name, group.parent_id)
    if path != group.path:
        parent_path = group.full_path.rpartition("/")[0] or None
        await paths.check_path(tx, problems, "path", path, parent_path, instead_of=group.path)
    if change.visibility and change.visibility != group.visibility:
        check_visibility(problems, actor, await read_settings(tx), change.visibility)
    await _check_parent(tx, actor, problems, group, change)
    await _check_below(tx, problems, group, change.visibility or group.visibility)
    problems.refuse()


async def check_transfer(tx: Tx, group: GroupRow, parent: GroupRow | None) -> None:
    """400 with every reason why the group cannot be in this group, or at the top level."""
    problems = Problems()
    parent_id = parent.id if parent else None
    if parent_id == group.parent_id:
        raise errors.invalid({"parent_id": ["is where the group already is"]})
    if parent is not None:
        above, height, inside = await _place_in_tree(tx, group.id, parent.id)
        if inside:
            raise errors.invalid({"parent_id": ["is the group itself or a group below it"]})
        if above + height > MAX_ANCESTORS:
            problems.add("parent_id", TOO_DEEP)
        _check_ceiling(problems, group.visibility, parent.visibility)
    await paths.check_path(tx, problems, "path", group.path, parent.full_path if parent else None)
    await check_group_name_taken(tx, problems, group.name, parent_id)
    problems.refuse()


async def _place_in_tree(tx: Tx, group_id: int, parent_id: int) -> tuple[int, int, bool]:
    """How many groups would be above the group, how many levels are below it, and whether the parent is one of those."""
    [found] = await tx.rows(
        tuple[int, int, bool],
        """SELECT (SELECT count(*) FROM group_tree t WHERE t.group_id = :parent_id),
                  (SELECT max(t.depth) FROM group_tree t WHERE t.ancestor_id = :id),
                  EXISTS (SELECT 1 FROM group_tree t WHERE t.group_id = :parent_id AND t.ancestor_id = :id)""",
        id=group_id,
        parent_id=parent_id,
    )
    return found


async def visibility_limit(tx: Tx, group: GroupRow) -> Visibility | None:
    """The visibility of the parent, which the group may not exceed; None at the top level."""
    return await tx.value("SELECT g.visibility FROM groups g WHERE g.id = :id", id=group.parent_id)


def check_limit(actor: Actor, change: GroupSettings) -> None:
    """403 unless the actor may limit the minutes of runners: only administrators may."""
    if change.shared_runners_minutes_limit is not UNSET and not actor.admin:
        raise errors.forbidden()


def _check_settings(problems: Problems, change: GroupSettings) -> None:
    problems.limit("description", change.description or None, MAX_LENGTH)
    if (change.shared_runners_minutes_limit or 0) < 0:
        problems.add("shared_runners_minutes_limit", "must be greater than or equal to 0")


def _check_name(problems: Problems, name: str) -> None:
    if not name.strip():
        problems.add("name", BLANK)
        return
    problems.limit("name", name, MAX_LENGTH)
    if not all(character in "_. " or _fits(unicodedata.category(character)) for character in name):
        problems.add("name", NAME_RULE)


def _fits(category: str) -> bool:
    """Letters with their marks, digits, dashes."""
    return category[0] in "LM" or category in ("Nd", "Pd")


async def check_group_name_taken(tx: Tx, problems: Problems, name: str, parent_id: int | None) -> None:
    """Two groups with the same parent differ in name."""
    taken = await tx.value(
        f"SELECT 1 FROM namespaces n WHERE n.name = :name AND n.deleted_at IS NULL AND {_SIBLINGS[parent_id is None]}",
        name=name,
        parent_id=parent_id,
    )
    if taken:
        problems.add("name", TAKEN)


_SIBLINGS: dict[bool, LiteralString] = {
    True: "n.parent_id IS NULL AND n.kind = 'group'",
    False: "n.parent_id = :parent_id",
}


def _check_ceiling(problems: Problems, visibility: Visibility, ceiling: Visibility) -> None:
    if exceeds(visibility, ceiling):
        problems.add(
            "visibility_level", f"{visibility} is not allowed since the parent group has a {ceiling} visibility."
        )


class _Parent(Row, alias="g"):
    visibility: Visibility
    share_with_group_lock: bool
    owned: Annotated[bool, ADMIN_GROUP.standalone]


async def _check_parent(tx: Tx, actor: Actor, problems: Problems, group: GroupRow, change: EditGroup) -> None:
    """The group is no more visible than its parent, and only an owner of the parent lifts its lock on sharing."""
    unlocking = group.share_with_group_lock and change.share_with_group_lock is False
    if group.parent_id is None or not (unlocking or change.visibility):
        return
    [parent] = await tx.rows(
        _Parent,
        f"SELECT {_Parent.columns} FROM groups g WHERE g.id = :parent_id",
        parent_id=group.parent_id,
        **actor.bound,
    )
    _check_ceiling(problems, change.visibility or group.visibility, parent.visibility)
    if unlocking and parent.share_with_group_lock and not parent.owned:
        problems.add("share_with_group_lock", LOCKED_BY_PARENT)


async def _check_below(tx: Tx, problems: Problems, group: GroupRow, visibility: Visibility) -> None:
    """Checks that no child is more visible than the group."""
    if not exceeds(group.visibility, visibility):
        return
    more = list(VISIBILITIES[VISIBILITIES.index(visibility) + 1 :])
    for reason, text in _HIGHER.items():
        if await tx.value(text, id=group.id, more=more):
            problems.add("visibility_level", f"{visibility} is not allowed since {reason} with higher visibility.")


_HIGHER: dict[str, LiteralString] = {
    "this group contains projects":
        "SELECT 1 FROM projects p WHERE p.namespace_id = :id AND p.visibility IN :more AND p.deleted_at IS NULL LIMIT 1",
    "there are sub-groups":
        """SELECT 1 FROM namespaces n JOIN groups g ON g.id = n.id
           WHERE n.parent_id = :id AND g.visibility IN :more AND n.deleted_at IS NULL LIMIT 1""",
}  # fmt: skip
