"""Protecting and unprotecting branches."""

from collections.abc import Sequence
from typing import Any

import msgspec

from mujina.code.protected_branches.rules import ProtectedBranchRow
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import delete_row, insert_each, insert_id, overwriting, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import DEVELOPER, MASTER

MAX_LENGTH = 255


class Grant(msgspec.Struct, frozen=True):
    """Permission to push or merge, for a level, a user or a group."""

    level: int | None = None
    user_id: int | None = None
    group_id: int | None = None

    @property
    def grantee(self) -> str:
        """`level 40`, `user 7` or `group 7`."""
        if self.level is not None:
            return f"level {self.level}"
        return f"group {self.group_id}" if self.user_id is None else f"user {self.user_id}"


MASTERS = (Grant(level=MASTER),)
DEVELOPERS = (Grant(level=DEVELOPER),)


async def protect(
    tx: Tx,
    actor: Actor,
    project_id: int,
    name: str,
    *,
    push: Sequence[Grant],
    merge: Sequence[Grant] = MASTERS,
    allow_force_push: bool = False,
    owners: bool = False,
) -> int:
    """From the next push on only the grantees may push; 409 if the name is protected already.

    `owners`: merge requests into the branch need the approval of code owners.
    """
    problems = Problems()
    problems.require("name", name, MAX_LENGTH)
    problems.refuse()
    branch_id = await insert_id(
        tx, "protected_branches", "ON CONFLICT (project_id, name) DO NOTHING", project_id=project_id, name=name,
        allow_force_push=allow_force_push, code_owner_approval_required=owners, **timestamps(),
    )  # fmt: skip
    if branch_id is None:
        raise errors.conflict(f"Protected branch '{name}' already exists")
    await _insert_grants(tx, branch_id, _verbs(push, merge))
    changes = {"name": (None, name), **_differences([], _verbs(push, merge))}
    if allow_force_push:
        changes["allow_force_push"] = (None, True)
    if owners:
        changes["code_owner_approval_required"] = (None, True)
    await record(tx, "protected_branch.created", actor, subject_id=branch_id, project_id=project_id, changes=changes)
    return branch_id


class GrantChange(msgspec.Struct, frozen=True):
    """Grants of one verb that a request adds, and the ids of those that it removes."""

    verb: str
    added: Sequence[Grant] = ()
    removed: Sequence[int] = ()


async def edit(
    tx: Tx,
    actor: Actor,
    project_id: int,
    branch: ProtectedBranchRow,
    *,
    allow_force_push: bool,
    owners: bool,
    grants: Sequence[GrantChange],
) -> None:
    """From the next push on the changed grants apply; a grant that is added twice stands once."""
    before = await _grants(tx, branch.id)
    removed = [id_ for change in grants for id_ in change.removed]
    await tx.run("DELETE FROM protected_branch_grants WHERE branch_id = :id AND id IN :ids", id=branch.id, ids=removed)
    kept = await _grants(tx, branch.id)
    added = [(each.verb, grant) for each in grants for grant in each.added if (each.verb, grant) not in kept]
    await _insert_grants(tx, branch.id, list(dict.fromkeys(added)))
    changes = _differences(before, [*kept, *added])
    if allow_force_push != branch.allow_force_push:
        changes["allow_force_push"] = (branch.allow_force_push, allow_force_push)
    if owners != branch.code_owner_approval_required:
        changes["code_owner_approval_required"] = (branch.code_owner_approval_required, owners)
    if changes:
        flags = {"allow_force_push": allow_force_push, "code_owner_approval_required": owners}
        columns = {**flags, "updated_at": clock.now()}
        await update(tx, "protected_branches", columns, id=branch.id)
        await record(
            tx, "protected_branch.updated", actor, subject_id=branch.id, project_id=project_id, changes=changes
        )


async def set_protection(
    tx: Tx, actor: Actor, project_id: int, name: str, *, push: Sequence[Grant], merge: Sequence[Grant]
) -> None:
    """The branch is protected with exactly these grants, whether it was protected before or not."""
    before = await _find(tx, project_id, name)
    branch_id: int = await insert_id(
        tx, "protected_branches", overwriting("project_id, name", "updated_at"), project_id=project_id, name=name,
        **timestamps(),
    )  # fmt: skip
    former = await _grants(tx, branch_id)
    await tx.run("DELETE FROM protected_branch_grants WHERE branch_id = :id", id=branch_id)
    await _insert_grants(tx, branch_id, _verbs(push, merge))
    changes = _differences(former, _verbs(push, merge))
    await record(
        tx, f"protected_branch.{'updated' if before else 'created'}", actor, subject_id=branch_id, project_id=project_id,
        changes=changes if before else {"name": (None, name), **changes},
    )  # fmt: skip


async def protect_if_unprotected(
    tx: Tx, actor: Actor, project_id: int, name: str, *, push: Sequence[Grant] = MASTERS
) -> None:
    """Protect the branch with these grants; a protection that exists stays as it is."""
    if await _find(tx, project_id, name) is None:
        await protect(tx, actor, project_id, name, push=push)


async def unprotect(tx: Tx, actor: Actor, project_id: int, branch_id: int, name: str) -> None:
    """From the next push on, all who may push to the project may push to the branch."""
    await delete_row(tx, "protected_branches", "Protected Branch", id=branch_id)
    await record(
        tx, "protected_branch.deleted", actor, subject_id=branch_id, project_id=project_id,
        changes={"name": (name, None)},
    )  # fmt: skip


async def unprotect_named(tx: Tx, actor: Actor, project_id: int, name: str) -> None:
    """Remove the protection of exactly this name, if there is one."""
    branch_id = await _find(tx, project_id, name)
    if branch_id is not None:
        await unprotect(tx, actor, project_id, branch_id, name)


async def _find(tx: Tx, project_id: int, name: str) -> int | None:
    """The protection of exactly this name."""
    return await tx.value(
        "SELECT b.id FROM protected_branches b WHERE b.project_id = :project_id AND b.name = :name",
        project_id=project_id,
        name=name,
    )


async def _grants(tx: Tx, branch_id: int) -> list[tuple[str, Grant]]:
    found = await tx.rows(
        tuple[str, int | None, int | None, int | None],
        "SELECT a.verb, a.level, a.user_id, a.group_id FROM protected_branch_grants a WHERE a.branch_id = :id",
        id=branch_id,
    )
    return [(verb, Grant(*grantee)) for verb, *grantee in found]


async def _insert_grants(tx: Tx, branch_id: int, grants: Sequence[tuple[str, Grant]]) -> None:
    rows = [{"branch_id": branch_id, "verb": verb, **msgspec.structs.asdict(grant)} for verb, grant in grants]
    await insert_each(tx, "protected_branch_grants", rows)


def _verbs(push: Sequence[Grant], merge: Sequence[Grant]) -> list[tuple[str, Grant]]:
    return [(verb, grant) for verb, grants in (("push", push), ("merge", merge)) for grant in grants]


def _differences(before: list[tuple[str, Grant]], after: list[tuple[str, Grant]]) -> dict[str, Any]:
    """The changes of the permissions to push and merge, as the event records them."""
    sides = {verb: (_grantees(before, verb), _grantees(after, verb)) for verb in ("push", "merge")}
    return {f"{verb}_access_levels": (old or None, new) for verb, (old, new) in sides.items() if old != new}


def _grantees(grants: list[tuple[str, Grant]], verb: str) -> list[str]:
    return sorted(grant.grantee for other, grant in grants if other == verb)
