"""Creating, editing and deleting badges."""

import re
from typing import Any, Final

from mujina.code.badges.params import CreateBadge, EditBadge
from mujina.code.badges.rules import BadgeRow
from mujina.kernel import clock
from mujina.kernel.db.rows import changed_columns, delete_row, insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.owners.rules import Owner

MAX_NAME_LENGTH: Final = 255
MAX_URL_LENGTH: Final = 2000
NOT_ALLOWED: Final = "is blocked: Only allowed schemes are http, https"
_ADDRESS: Final = re.compile(r"https?://[^\s/?#\\]\S*")
"""The scheme is written out, so that no placeholder can become another one."""


async def create(tx: Tx, actor: Actor, owner: Owner, change: CreateBadge) -> int:
    columns = _columns(change.sent_fields())
    badge_id: int = await insert_id(tx, "badges", **owner.ids, **columns, **timestamps())
    await _record(tx, "badge.created", actor, badge_id, owner, {name: (None, value) for name, value in columns.items()})
    return badge_id


async def edit(tx: Tx, actor: Actor, owner: Owner, badge: BadgeRow, change: EditBadge) -> None:
    columns = _columns(change.sent_fields())
    await update(tx, "badges", {**columns, "updated_at": clock.now()}, id=badge.id)
    await _record(tx, "badge.updated", actor, badge.id, owner, changed_columns(badge, columns))


async def remove(tx: Tx, actor: Actor, owner: Owner, badge: BadgeRow) -> None:
    await delete_row(tx, "badges", "Badge", id=badge.id)
    await _record(tx, "badge.deleted", actor, badge.id, owner, {"name": (badge.name, None)})


def check_urls(given: dict[str, Any]) -> None:
    """400 unless the addresses that are given lead to a web site."""
    problems = Problems()
    problems.limit("name", given.get("name"), MAX_NAME_LENGTH)
    for field in ("link_url", "image_url"):
        if field in given:
            problems.require(field, given[field], MAX_URL_LENGTH)
            if given[field] and not _ADDRESS.fullmatch(given[field]):
                problems.add(field, NOT_ALLOWED)
    problems.refuse()


def _columns(given: dict[str, Any]) -> dict[str, Any]:
    check_urls(given)
    return {**given, "name": given["name"] or None} if "name" in given else given


async def _record(tx: Tx, kind: str, actor: Actor, badge_id: int, owner: Owner, changes: dict[str, Any]) -> None:
    await record(tx, kind, actor, subject_id=badge_id, changes=changes, **owner.ids)
