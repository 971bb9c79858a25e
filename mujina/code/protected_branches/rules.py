"""What protects a branch, whom it lets through, and the only way to get a protection."""

import re
from functools import cached_property
from typing import LiteralString

import msgspec

from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.workspaces.members.access import GROUPS_REACHED


class Protection(msgspec.Struct, array_like=True, frozen=True, dict=True):
    """A protected name or pattern, and what the actor may do there all the same."""

    id: int
    name: str
    may_push: bool
    may_merge: bool
    developers_can_push: bool
    developers_can_merge: bool

    def covers(self, branch: str) -> bool:
        """Whether the branch is meant: by its name, or because it fits the pattern."""
        return self._pattern.fullmatch(branch) is not None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # Parts between stars are found from left to right: no pattern of a user makes the match slow.
        first, *rest = [re.escape(part) for part in re.sub(r"\*+", "*", self.name).split("*")]
        return re.compile(
            first + "".join(f"(?>.*?{part})" for part in rest[:-1]) + "".join(f".*{p}" for p in rest[-1:])
        )


def _granted(verb: LiteralString) -> LiteralString:
    return f"""EXISTS (SELECT 1 FROM protected_branch_grants a WHERE a.branch_id = b.id AND a.verb = '{verb}' AND (
        (a.level > 0 AND (:level >= a.level OR CAST(:actor_admin AS boolean))) OR a.user_id = :actor
        OR a.group_id IN (SELECT reached.group_id FROM ({GROUPS_REACHED}) reached)))"""


def _to_developers(verb: LiteralString) -> LiteralString:
    return f"""EXISTS (SELECT 1 FROM protected_branch_grants a
        WHERE a.branch_id = b.id AND a.verb = '{verb}' AND a.level = 30)"""


PROTECTIONS: LiteralString = f"""
    SELECT b.id, b.name, {_granted("push")}, {_granted("merge")}, {_to_developers("push")}, {_to_developers("merge")}
    FROM protected_branches b WHERE b.project_id = :project_id ORDER BY b.name"""


async def protections(tx: Tx, actor: Actor, project_id: int, level: int) -> list[Protection]:
    """Everything that is protected in a project, as it stands for an actor of this level there."""
    bound = {name: value for name, value in actor.bound.items() if name != "actor_external"}
    return await tx.rows(Protection, PROTECTIONS, project_id=project_id, level=level, **bound)


def protected_in(project_id: int) -> Selection:
    """The protections of a project."""
    return Selection("protected_branches b", "b.project_id = :project_id", project_id=project_id)


class ProtectedBranchRow(msgspec.Struct, array_like=True, frozen=True):
    """What operations need to know of a protection they act on."""

    id: int
    updated_at: str


async def find_protected_branch(tx: Tx, project_id: int, name: str) -> ProtectedBranchRow:
    """The protection of exactly this name or pattern; 404 if there is none."""
    chosen = protected_in(project_id)
    chosen.only("b.name = :name", name=name)
    found = await tx.row(ProtectedBranchRow, f"SELECT b.id, b.updated_at {chosen.text}", **chosen.bound)
    if found is None:
        raise errors.not_found("Protected Branch")
    return found
