"""Protections of branches, who may push and merge all the same, and the only way to get a protection."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, LiteralString

from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.members.access import GROUPS_REACHED

GRANTED: LiteralString = f"""((a.level > 0 AND (:level >= a.level OR CAST(:actor_admin AS boolean)))
        OR a.user_id = :actor OR a.group_id IN (SELECT reached.group_id FROM ({GROUPS_REACHED}) reached))"""
"""Whether the grant `a` lets the actor through."""


def _granted(verb: LiteralString) -> LiteralString:
    return f"""EXISTS (SELECT 1 FROM protected_branch_grants a
        WHERE a.branch_id = b.id AND a.verb = '{verb}' AND {GRANTED})"""


def _granted_to_developers(verb: LiteralString) -> LiteralString:
    return f"""EXISTS (SELECT 1 FROM protected_branch_grants a
        WHERE a.branch_id = b.id AND a.verb = '{verb}' AND a.level = 30)"""


class ProtectedName(Row, alias="b", dict=True):
    """A protected name or pattern of branches or tags."""

    id: int
    name: str

    def covers(self, name: str) -> bool:
        """Whether the branch or tag matches the name or pattern."""
        return self._pattern.fullmatch(name) is not None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return wildcard(self.name)


class Protection(ProtectedName):
    """A protected name or pattern of branches, and the actor's rights there."""

    may_push: Annotated[bool, _granted("push")]
    may_merge: Annotated[bool, _granted("merge")]
    developers_can_push: Annotated[bool, _granted_to_developers("push")]
    developers_can_merge: Annotated[bool, _granted_to_developers("merge")]
    allow_force_push: bool


def wildcard(name: str) -> re.Pattern[str]:
    """The pattern of a name in which `*` stands for any text."""
    # Parts between stars match from left to right without backtracking: no user's pattern makes the match slow.
    first, *rest = [re.escape(part) for part in re.sub(r"\*+", "*", name).split("*")]
    return re.compile(first + "".join(f"(?>.*?{part})" for part in rest[:-1]) + "".join(f".*{p}" for p in rest[-1:]))


PROTECTIONS: LiteralString = (
    f"SELECT {Protection.columns} FROM protected_branches b WHERE b.project_id = :project_id ORDER BY b.name"
)


async def protections(tx: Tx, actor: Actor, project_id: int, level: int) -> list[Protection]:
    """The protections of a project, for an actor of this level."""
    bound = {name: value for name, value in actor.bound.items() if name != "actor_external"}
    return await tx.rows(Protection, PROTECTIONS, project_id=project_id, level=level, **bound)


async def may_merge_into(tx: Tx, actor: Actor, project_id: int, level: int, branch: str, *, developer: bool) -> bool:
    """Whether an actor of this level may merge into the branch: as protections say, or else every developer."""
    return may_merge_under(await protections(tx, actor, project_id, level), branch, developer=developer)


def may_merge_under(known: Sequence[Protection], branch: str, *, developer: bool) -> bool:
    """Decides with the protections of the project as they are for the actor."""
    if covering := [each for each in known if each.covers(branch)]:
        return any(protection.may_push or protection.may_merge for protection in covering)
    return developer


def may_push_under(known: Sequence[Protection], branch: str, *, merging: bool = False) -> bool:
    """Whether the protections of the project let the actor push to the branch; `merging`: or merge into it."""
    covering = [each for each in known if each.covers(branch)]
    return not covering or any(each.may_push or (merging and each.may_merge) for each in covering)


def protected_in(project_id: int) -> Selection:
    """The protections of a project."""
    return Selection("protected_branches b", "b.project_id = :project_id", project_id=project_id)


class ProtectedBranchRow(Row, alias="b"):
    """The columns of a protection that operations need."""

    id: int
    name: str
    allow_force_push: bool
    code_owner_approval_required: bool
    updated_at: str


async def find_protected_branch(tx: Tx, project_id: int, name: str) -> ProtectedBranchRow:
    """The protection of exactly this name or pattern; 404 if there is none."""
    selection = protected_in(project_id).where("b.name = :name", name=name)
    return await find_row(tx, ProtectedBranchRow, selection, "Protected Branch")


async def demands_owners(tx: Tx, project_id: int, branch: str) -> bool:
    """Whether a protection of the branch asks for the approval of code owners."""
    names: list[str] = await tx.values(
        "SELECT b.name FROM protected_branches b WHERE b.project_id = :id AND b.code_owner_approval_required",
        id=project_id,
    )
    return any(wildcard(name).fullmatch(branch) for name in names)
