"""Who manages the variables of a project, a group or the instance, and the only way to find one."""

from typing import Final, LiteralString

from mujina.ci.variables.params import VariableFilter
from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET, Unset
from mujina.kernel.permissions.rules import admin
from mujina.workspaces.members.access import group_master, master
from mujina.workspaces.owners.rules import OwnerOrInstance, OwnerRule, belongs_to
from mujina.workspaces.projects.rules import jobs_enabled

ADMIN_VARIABLES = (master | admin) & jobs_enabled
ADMIN_GROUP_VARIABLES = group_master | admin
ADMIN_VARIABLES_OF: Final[OwnerRule] = {"project": ADMIN_VARIABLES, "group": ADMIN_GROUP_VARIABLES}

# Compat: one word for a variable of a group.
_NOUNS: Final = {"project": "Variable", "group": "GroupVariable", "instance": "Instance Variable"}


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
    def owner(self) -> OwnerOrInstance:
        return OwnerOrInstance(self.project_id, self.group_id)


def variables_of(owner: OwnerOrInstance) -> Selection:
    return Selection("ci_variables v", belongs_to("v"), **owner.bound)


async def find_variable(
    tx: Tx, owner: OwnerOrInstance, key: str, filter: VariableFilter | Unset = UNSET, *, lock: bool = False
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
    return errors.or_not_found(found, _NOUNS[owner.kind])
