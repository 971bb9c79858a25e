"""Variables as responses show them to those who may manage them."""

import msgspec

from mujina.ci.variables.operations import readable_value
from mujina.ci.variables.rules import VariableRow, variables_of
from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.sql.selection import ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.secrets import Vault
from mujina.workspaces.owners.rules import INSTANCE, OwnerOrInstance


class InstanceVariable(msgspec.Struct, kw_only=True):
    # Compat: `variable_type`, `masked`, `raw` and `description` are younger than the specification; today's clients use them.
    variable_type: str
    key: str
    value: Computed[str | None]
    protected: bool
    masked: bool
    raw: bool
    description: str | None


class CiVariable(InstanceVariable, kw_only=True):
    """A variable of a project or a group."""

    environment_scope: str


def to_variable(vault: Vault, row: VariableRow) -> CiVariable:
    return to_entity(CiVariable, row, value=readable_value(vault, row.value))


def to_instance_variable(vault: Vault, row: VariableRow) -> InstanceVariable:
    return to_entity(InstanceVariable, row, value=readable_value(vault, row.value))


async def load_page(tx: Tx, vault: Vault, owner: OwnerOrInstance, page: Page) -> Paged[CiVariable]:
    """One page of the variables of a project or group, oldest first."""
    return (await _rows(tx, owner, page)).map(lambda row: to_variable(vault, row))


async def load_instance_page(tx: Tx, vault: Vault, page: Page) -> Paged[InstanceVariable]:
    return (await _rows(tx, INSTANCE, page)).map(lambda row: to_instance_variable(vault, row))


async def _rows(tx: Tx, owner: OwnerOrInstance, page: Page) -> Paged[VariableRow]:
    return await load_rows(tx, VariableRow, variables_of(owner), ascending("v.id"), page)
