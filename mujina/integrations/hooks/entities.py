"""Hooks as responses show them: never with the token."""

from typing import Annotated

import msgspec
from msgspec import UNSET

from mujina.integrations.hooks.operations import readable_url
from mujina.integrations.hooks.rules import HOOKS, MANAGED, MAX_FAILURES, Hook, HookRow, SystemHook, find_hook
from mujina.kernel import clock
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.secrets import Vault
from mujina.workspaces.owners.rules import OwnerOrInstance


def to_hook(vault: Vault, row: HookRow) -> Hook:
    """A hook of a project or a group, just found."""
    return to_entity(
        Hook,
        row,
        url=readable_url(vault, row.url),
        alert_status=row.alert_status,
        disabled_until=row.disabled_until,
        project_id=UNSET if row.project_id is None else row.project_id,
        group_id=UNSET if row.group_id is None else row.group_id,
    )


def to_system_hook(vault: Vault, row: HookRow) -> SystemHook:
    url = readable_url(vault, row.url)
    return to_entity(SystemHook, row, url=url, alert_status=row.alert_status, disabled_until=row.disabled_until)


async def created(tx: Tx, vault: Vault, owner: OwnerOrInstance, hook_id: int) -> Hook:
    """The hook as it is now."""
    return to_hook(vault, await find_hook(tx, owner, hook_id))


async def load_page(tx: Tx, vault: Vault, owner: OwnerOrInstance, page: Page) -> Paged[Hook]:
    """One page of the hooks of a project or group, oldest first."""
    return (await _hooks(tx, owner, page)).map(lambda row: to_hook(vault, row))


async def load_system_page(tx: Tx, vault: Vault, owner: OwnerOrInstance, page: Page) -> Paged[SystemHook]:
    return (await _hooks(tx, owner, page)).map(lambda row: to_system_hook(vault, row))


async def _hooks(tx: Tx, owner: OwnerOrInstance, page: Page) -> Paged[HookRow]:
    return await load_rows(tx, HookRow, Selection(HOOKS, MANAGED, **owner.bound), ascending("h.id"), page)


class StoppedHook(msgspec.Struct, frozen=True):
    """A hook of a project or group that is not called after failures."""

    id: int
    address: str
    """The page of the hook."""
    owner: str
    url: str
    failures: int


class _StoppedRow(Row, alias="h"):
    id: int
    project_id: int | None
    owner: Annotated[str, "r.path"]
    url: str
    failures: Annotated[int, "q.failures"]


async def stopped(tx: Tx, vault: Vault) -> list[StoppedHook]:
    """The hooks of all projects and groups that are paused, or that wait to be resumed."""
    rows = await tx.rows(
        _StoppedRow,
        f"""SELECT {_StoppedRow.columns} FROM hook_queues q JOIN hooks h ON h.id = q.hook_id
            JOIN routes r ON r.project_id = h.project_id OR r.namespace_id = h.group_id
            WHERE (q.failures >= :most OR q.disabled_until > :now) AND h.service_id IS NULL ORDER BY h.id LIMIT 50""",
        most=MAX_FAILURES,
        now=clock.now(),
    )
    return [
        StoppedHook(
            row.id, f"/{row.owner}/hooks/{row.id}/edit" if row.project_id else f"/groups/{row.owner}/-/hooks/{row.id}/edit",
            row.owner, readable_url(vault, row.url), row.failures,
        )
        for row in rows
    ]  # fmt: skip
