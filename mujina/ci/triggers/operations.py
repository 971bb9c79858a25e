"""Creating, editing, taking over and deleting triggers."""

from typing import Any, Final

from mujina.ci.triggers.params import CreateTrigger, EditTrigger
from mujina.ci.triggers.rules import TriggerRow
from mujina.kernel import clock, secrets
from mujina.kernel.db.rows import changed_columns, delete_row, insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.secrets import UnreadableSecret, Vault

TOKEN: Final = "trigger_token"  # noqa: S105 - the purpose for which tokens are encrypted
SHOWN_CHARACTERS: Final = 4
"""The beginning of the token of another user's trigger: enough to tell two apart."""
MAX_LENGTH: Final = 255


async def create(tx: Tx, vault: Vault, actor: Actor, project_id: int, change: CreateTrigger) -> int:
    """A new trigger, owned by the actor: its pipelines run with the rights that its owner has then."""
    _check(change.description)
    token = secrets.new_token()
    trigger_id: int = await insert_id(
        tx, "pipeline_triggers", project_id=project_id, owner_id=actor.id or None, description=change.description,
        token=vault.encrypt(token, TOKEN), token_digest=secrets.digest(token), **timestamps(),
    )  # fmt: skip
    await record(
        tx,
        "trigger.created",
        actor,
        subject_id=trigger_id,
        project_id=project_id,
        changes={"title": (None, change.description)},
    )
    return trigger_id


async def edit(tx: Tx, actor: Actor, trigger: TriggerRow, change: EditTrigger) -> None:
    columns = change.sent_fields()
    _check(columns.get("description", trigger.description))
    await _update(tx, actor, trigger, columns)


async def take_ownership(tx: Tx, actor: Actor, trigger: TriggerRow) -> None:
    """From now on, pipelines of the trigger run with the rights of the actor."""
    await _update(tx, actor, trigger, {"owner_id": actor.id})


async def remove(tx: Tx, actor: Actor, trigger: TriggerRow) -> None:
    await delete_row(tx, "pipeline_triggers", "Trigger", id=trigger.id)
    changes = {"title": (trigger.description, None)}
    await record(tx, "trigger.deleted", actor, subject_id=trigger.id, project_id=trigger.project_id, changes=changes)


def shown_token(vault: Vault, actor: Actor, trigger: TriggerRow) -> str:
    """The token: whole for its owner, the beginning for others; empty if the key that encrypted it is lost."""
    try:
        token = vault.decrypt(trigger.token, TOKEN)
    except UnreadableSecret:
        return ""
    return token if trigger.owner_id == actor.id else token[:SHOWN_CHARACTERS]


def _check(description: str) -> None:
    problems = Problems()
    problems.require("description", description, MAX_LENGTH)
    problems.refuse()


async def _update(tx: Tx, actor: Actor, trigger: TriggerRow, columns: dict[str, Any]) -> None:
    await update(tx, "pipeline_triggers", {**columns, "updated_at": clock.now()}, id=trigger.id)
    changes = changed_columns(trigger, columns)
    await record(tx, "trigger.updated", actor, subject_id=trigger.id, project_id=trigger.project_id, changes=changes)
