"""Creating, editing and deleting variables. Neither events nor logs contain their values."""

import re
from collections.abc import Mapping
from typing import Any, Final

from mujina.ci.language.keys.environments import BAD_NAME
from mujina.ci.variables.params import CreateInstanceVariable, CreateVariable, EditInstanceVariable, EditVariable
from mujina.ci.variables.rules import VariableRow
from mujina.kernel import clock
from mujina.kernel.db.errors import unique
from mujina.kernel.db.rows import changed_columns, insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import BLANK, INVALID, Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.secrets import UnreadableSecret, Vault
from mujina.workspaces.owners.rules import OwnerOrInstance

VALUE: Final = "ci_variable"
"""The purpose for which values are encrypted."""
MAX_LENGTH: Final = 255
MAX_VALUE_LENGTH: Final = 10_000
BAD_KEY: Final = "can contain only letters, digits and '_'."
BAD_SCOPE: Final = f"{BAD_NAME.removesuffix(', and spaces')}, '*', and spaces"
REDACTED: Final = "[REDACTED]"
_KEY = re.compile(r"[A-Za-z0-9_]+")
_SCOPE = re.compile(r"[A-Za-z0-9_/${}. *-]+")
_MASKABLE = re.compile(r"\S{8,}")
"""A shorter value would hide ordinary words of a trace, and a trace is searched for one line at a time."""


def readable_value(vault: Vault, stored: str) -> str | None:
    """The value; None if the key that encrypted it is lost."""
    try:
        return vault.decrypt(stored, VALUE)
    except UnreadableSecret:
        return None


async def create(
    tx: Tx, vault: Vault, actor: Actor, owner: OwnerOrInstance, change: CreateVariable | CreateInstanceVariable
) -> int:
    """A new variable; its key is unique for each owner and scope."""
    given = change.sent_fields()
    problems = Problems()
    check_key(problems, change.key)
    _check(problems, given)
    columns = {**given, "value": vault.encrypt(change.value, VALUE)}
    with unique("key"):
        variable_id: int = await insert_id(tx, "ci_variables", **columns, **owner.bound, **timestamps())
    changes = {"name": (None, change.key)} | {
        name: (None, value) for name, value in given.items() if name not in ("key", "value")
    }
    await _record(tx, "variable.created", actor, owner, variable_id, changes)
    return variable_id


async def edit(
    tx: Tx, vault: Vault, actor: Actor, variable: VariableRow, change: EditVariable | EditInstanceVariable
) -> None:
    """Apply the change to a variable found with `lock`. Its key stays."""
    given = {name: value for name, value in change.sent_fields().items() if name != "filter"}
    current = {"masked": variable.masked, "value": readable_value(vault, variable.value) or ""}
    _check(Problems(), current | given)
    changes = changed_columns(variable, {name: value for name, value in given.items() if name != "value"})
    if "value" in given:
        given["value"] = vault.encrypt(given["value"], VALUE)
        changes["value"] = (REDACTED, f"{REDACTED}, changed")
    with unique("key"):
        await update(tx, "ci_variables", {**given, "updated_at": clock.now()}, id=variable.id)
    await _record(tx, "variable.updated", actor, variable.owner, variable.id, changes)


async def remove(tx: Tx, actor: Actor, variable: VariableRow) -> None:
    await tx.run("DELETE FROM ci_variables WHERE id = :id", id=variable.id)
    await _record(tx, "variable.deleted", actor, variable.owner, variable.id, {"name": (variable.key, None)})


def check_key(problems: Problems, key: str) -> None:
    """Add what is wrong with the key of a variable."""
    if not key.strip():
        problems.add("key", BLANK)
    problems.limit("key", key, MAX_LENGTH)
    if not _KEY.fullmatch(key):
        problems.add("key", BAD_KEY)


def _check(problems: Problems, attributes: Mapping[str, Any]) -> None:
    """Refuse values that cannot be stored or masked, and scopes that no environment can match."""
    value: str = attributes["value"]
    problems.limit("value", value, MAX_VALUE_LENGTH)
    if attributes.get("masked") and not _MASKABLE.fullmatch(value):
        problems.add("value", INVALID)
    problems.limit("description", attributes.get("description"), MAX_LENGTH)
    check_scope(problems, attributes.get("environment_scope", "*"))
    problems.refuse()


def check_scope(problems: Problems, scope: str) -> None:
    """A scope is the name of an environment; `*` in it stands for any text."""
    problems.require("environment_scope", scope, MAX_LENGTH)
    if not _SCOPE.fullmatch(scope):
        problems.add("environment_scope", BAD_SCOPE)


async def _record(
    tx: Tx, kind: str, actor: Actor, owner: OwnerOrInstance, variable_id: int, changes: dict[str, Any]
) -> None:
    await record(tx, kind, actor, subject_id=variable_id, changes=changes, **owner.bound)
