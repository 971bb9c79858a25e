"""Who manages the variables of a project, a group or the instance, and the only way to find one."""

from typing import Any, Final, LiteralString

import msgspec

from mujina.ci.variables.params import VariableFilter
from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET, Ref, Unset
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import admin
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.members.access import group_master, master
from mujina.workspaces.owners.rules import OwnerKind, OwnerRule
from mujina.workspaces.projects.rules import find_project, jobs_enabled

ADMIN_VARIABLES = (master | admin) & jobs_enabled
ADMIN_GROUP_VARIABLES = group_master | admin
ADMIN_VARIABLES_OF: Final[OwnerRule] = {"project": ADMIN_VARIABLES, "group": ADMIN_GROUP_VARIABLES}

OF_OWNER: LiteralString = """v.project_id IS NOT DISTINCT FROM CAST(:project_id AS bigint)
    AND v.group_id IS NOT DISTINCT FROM CAST(:group_id AS bigint)"""


class VariableOwner(msgspec.Struct, frozen=True):
    """The project or group that variables belong to; those of the instance have neither."""

    project_id: int | None = None
    group_id: int | None = None

    @property
    def bound(self) -> dict[str, Any]:
        return {"project_id": self.project_id, "group_id": self.group_id}

    @property
    def noun(self) -> str:
        """What a variable is called that does not exist."""
        # Compat: one word for a variable of a group.
        return "Variable" if self.project_id else "GroupVariable" if self.group_id else "Instance Variable"


INSTANCE: Final = VariableOwner()


class VariableRow(Row, alias="v"):
    id: int
    project_id: int | None
    group_id: int | None
    key: str
    value: str
    """Encrypted."""
    variable_type: str
    environment_scope: str
    protected: bool
    masked: bool
    raw: bool
    description: str | None
    updated_at: str

    @property
    def owner(self) -> VariableOwner:
        return VariableOwner(self.project_id, self.group_id)


async def find_variable_owner(tx: Tx, actor: Actor, kind: OwnerKind, ref: Ref) -> VariableOwner:
    """The project or group, if the actor may manage its variables; 403 or 404 otherwise."""
    if kind == "group":
        return VariableOwner(group_id=(await find_group(tx, actor, ref, to=ADMIN_VARIABLES_OF[kind])).id)
    return VariableOwner(project_id=(await find_project(tx, actor, ref, to=ADMIN_VARIABLES_OF[kind])).id)


def variables_of(owner: VariableOwner) -> Selection:
    return Selection("ci_variables v", OF_OWNER, **owner.bound)


async def find_variable(
    tx: Tx, owner: VariableOwner, key: str, filter: VariableFilter | Unset = UNSET, *, lock: bool = False
) -> VariableRow:
    """The variable of this key and scope, or the oldest of this key; 404 if the owner has none."""
    selection = variables_of(owner).where("v.key = :key", key=key)
    if filter and filter.environment_scope is not UNSET:
        selection = selection.where("v.environment_scope = :scope", scope=filter.environment_scope)
    locking: LiteralString = "FOR UPDATE" if lock else ""
    found = await tx.row(
        VariableRow,
        f"SELECT {VariableRow.columns} {selection.text} ORDER BY v.id LIMIT 1 {locking}",
        **selection.bound,
    )
    return errors.or_not_found(found, owner.noun)
