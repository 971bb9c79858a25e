"""Triggers as responses show them."""

from typing import LiteralString

import msgspec

from mujina.accounts.users.entities import RefRow, UserRef
from mujina.ci.triggers.operations import shown_token
from mujina.ci.triggers.rules import TriggerRow, triggers_of
from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.rows import find_row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_joined
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.secrets import Vault


class Trigger(msgspec.Struct, kw_only=True):
    id: int
    token: Computed[str]
    description: str
    created_at: str
    updated_at: str
    last_used: str | None
    owner: UserRef | None


class TriggerView(TriggerRow):
    """A trigger with its owner (`u`)."""

    owner: RefRow | None


_FROM: LiteralString = "pipeline_triggers tr LEFT JOIN users u ON u.id = tr.owner_id AND u.deleted_at IS NULL"


async def load_page(tx: Tx, vault: Vault, actor: Actor, project_id: int, page: Page) -> Paged[Trigger]:
    """One page of the triggers of a project, oldest first."""
    rows = await load_joined(tx, TriggerView, _FROM, "tr.id", triggers_of(project_id), ascending("tr.id"), page)
    return rows.map(lambda row: _to_entity(vault, actor, row))


async def load_one(tx: Tx, vault: Vault, actor: Actor, trigger_id: int) -> Trigger:
    """One trigger; 404 if it was deleted since it was found."""
    selection = Selection(_FROM, "tr.id = :id", id=trigger_id)
    return _to_entity(vault, actor, await find_row(tx, TriggerView, selection, "Trigger"))


def _to_entity(vault: Vault, actor: Actor, row: TriggerView) -> Trigger:
    return to_entity(Trigger, row, token=shown_token(vault, actor, row), owner=row.owner and row.owner.shown())
