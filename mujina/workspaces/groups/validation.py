"""What a group may be called, where it may stand and how visible it may be."""

import unicodedata
from typing import LiteralString

import msgspec

from mujina.accounts.paths import operations as paths
from mujina.accounts.paths.operations import MAX_LENGTH
from mujina.instance.application_settings.rules import check_visibility, read_settings
from mujina.kernel import errors
from mujina.kernel.access import OWNER, VISIBILITIES, Visibility, exceeds
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import BLANK, TAKEN, Problems
from mujina.kernel.params import UNSET
from mujina.workspaces.groups.params import CreateGroup, EditGroup, GroupSettings
from mujina.workspaces.groups.rules import GroupRow
from mujina.workspaces.members.access import GROUP_LEVEL

MOST_ANCESTORS = 20
NAME_RULE = "can contain only letters, digits, '_', '.', dash and space."
LOCKED_ABOVE = (
    'cannot be disabled when the parent group "Share with group lock" is enabled, '
    "except by the owner of the parent group"
)


async def check_new(tx: Tx, actor: Actor, parent: GroupRow | None, change: CreateGroup) -> Visibility:
    """How visible the new group will be; refused with everything that is wrong with it if it may not be."""
    problems = Problems()
    settings = await read_settings(tx)
    if change.visibility:
        check_visibility(problems, actor, settings, change.visibility)
    usual = settings.default_group_visibility
    visibility = change.visibility or (parent.visibility if parent and exceeds(usual, parent.visibility) else usual)
    _check_settings(problems, change)
    _check_name(problems, change.name)
    await paths.check_path(tx, problems, "path", change.path, parent.full_path if parent else None)
    if parent is not None:
        _check_ceiling(problems, visibility, parent.visibility)
        await _check_depth(tx, problems, parent)
    await _check_name_free(tx, problems, change.name, parent.id if parent else None)
    problems.refuse()
    return visibility


async def check_edit(tx: Tx, actor: Actor, group: GroupRow, name: str, path: str, change: EditGroup) -> None:
    """Refuse a change to what a group may not be, with everything that is wrong with it."""
    problems = Problems()
    _check_settings(problems, change)
    if name != group.name:
        _check_name(problems, name)
        await _check_name_free(tx, problems, name, group.parent_id)
    if path != group.path:
        above = group.full_path.rpartition("/")[0] or None
        await paths.check_path(tx, problems, "path", path, above, instead_of=group.path)
    if change.visibility and change.visibility != group.visibility:
        check_visibility(problems, actor, await read_settings(tx), change.visibility)
    await _check_above(tx, actor, problems, group, change)
    await _check_below(tx, problems, group, change.visibility or group.visibility)
    problems.refuse()


def check_limit(actor: Actor, change: GroupSettings) -> None:
    """Only administrators say how long a group's jobs may run."""
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


async def _check_name_free(tx: Tx, problems: Problems, name: str, parent_id: int | None) -> None:
    """Two groups beside each other differ in name."""
    twin = await tx.value(
        f"SELECT 1 FROM namespaces n WHERE n.name = :name AND n.deleted_at IS NULL AND {_BESIDE[parent_id is None]}",
        name=name,
        parent_id=parent_id,
    )
    if twin:
        problems.add("name", TAKEN)


_BESIDE: dict[bool, LiteralString] = {
    True: "n.parent_id IS NULL AND n.kind = 'group'",
    False: "n.parent_id = :parent_id",
}


async def _check_depth(tx: Tx, problems: Problems, parent: GroupRow) -> None:
    ancestors = await tx.value("SELECT count(*) FROM group_tree t WHERE t.group_id = :id", id=parent.id)
    if ancestors > MOST_ANCESTORS:
        problems.add("parent_id", "has too deep level of nesting")


def _check_ceiling(problems: Problems, visibility: Visibility, ceiling: Visibility) -> None:
    if exceeds(visibility, ceiling):
        problems.add(
            "visibility_level", f"{visibility} is not allowed since the parent group has a {ceiling} visibility."
        )


class _Above(msgspec.Struct, array_like=True, frozen=True):
    visibility: Visibility
    share_with_group_lock: bool
    level: int


async def _check_above(tx: Tx, actor: Actor, problems: Problems, group: GroupRow, change: EditGroup) -> None:
    """What the parent allows: no more visibility than its own, and its lock on sharing."""
    unlocking = group.share_with_group_lock and change.share_with_group_lock is False
    if group.parent_id is None or not (unlocking or change.visibility):
        return
    above = await tx.row(
        _Above,
        f"SELECT g.visibility, g.share_with_group_lock, {GROUP_LEVEL} FROM groups g WHERE g.id = :parent_id",
        parent_id=group.parent_id,
        **actor.bound,
    )
    assert above is not None
    _check_ceiling(problems, change.visibility or group.visibility, above.visibility)
    if unlocking and above.share_with_group_lock and not (actor.admin or above.level >= OWNER):
        problems.add("share_with_group_lock", LOCKED_ABOVE)


async def _check_below(tx: Tx, problems: Problems, group: GroupRow, visibility: Visibility) -> None:
    """Nothing inside may be more visible than the group."""
    if not exceeds(group.visibility, visibility):
        return
    more = list(VISIBILITIES[VISIBILITIES.index(visibility) + 1 :])
    for sort, text in _HIGHER.items():
        if await tx.value(text, id=group.id, more=more):
            problems.add("visibility_level", f"{visibility} is not allowed since {sort} with higher visibility.")


_HIGHER: dict[str, LiteralString] = {
    "this group contains projects":
        "SELECT 1 FROM projects p WHERE p.namespace_id = :id AND p.visibility IN :more AND p.deleted_at IS NULL LIMIT 1",
    "there are sub-groups":
        """SELECT 1 FROM namespaces n JOIN groups g ON g.id = n.id
           WHERE n.parent_id = :id AND g.visibility IN :more AND n.deleted_at IS NULL LIMIT 1""",
}  # fmt: skip
