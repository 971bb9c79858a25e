"""Hooks as responses show them: never with the token."""

import msgspec
from msgspec import UNSET, UnsetType

from mujina.integrations.hooks.operations import URL
from mujina.integrations.hooks.rules import HOOKS, OF_OWNER, HookOwner, HookRow, find_hook
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.entities import shown
from mujina.kernel.paging import Page, Paged
from mujina.kernel.secrets import Vault


class SystemHook(msgspec.Struct, kw_only=True):
    id: int
    url: str
    created_at: str
    push_events: bool
    tag_push_events: bool
    merge_requests_events: bool
    repository_update_events: bool
    enable_ssl_verification: bool
    alert_status: str
    disabled_until: str | None


class Hook(SystemHook, kw_only=True):
    """A hook of a project or a group: it has the id of one of the two."""

    project_id: int | UnsetType = UNSET
    group_id: int | UnsetType = UNSET
    issues_events: bool
    confidential_issues_events: bool
    note_events: bool
    confidential_note_events: bool
    pipeline_events: bool
    wiki_page_events: bool
    job_events: bool
    releases_events: bool
    deployment_events: bool
    name: str | None
    description: str | None
    push_events_branch_filter: str
    custom_webhook_template: str | None
    url_variables: tuple[()] = ()


def single(vault: Vault, row: HookRow) -> Hook:
    """A hook of a project or a group, just found."""
    return shown(
        Hook,
        row,
        url=vault.decrypt(row.url, URL),
        alert_status=row.alert_status,
        disabled_until=row.disabled_until,
        project_id=UNSET if row.project_id is None else row.project_id,
        group_id=UNSET if row.group_id is None else row.group_id,
    )


def single_system(vault: Vault, row: HookRow) -> SystemHook:
    url = vault.decrypt(row.url, URL)
    return shown(SystemHook, row, url=url, alert_status=row.alert_status, disabled_until=row.disabled_until)


async def created(tx: Tx, vault: Vault, owner: HookOwner, hook_id: int) -> Hook:
    """The hook as it is now."""
    return single(vault, await find_hook(tx, owner, hook_id))


async def listed(tx: Tx, vault: Vault, owner: HookOwner, page: Page) -> Paged[Hook]:
    """One page of the hooks of a project or group, oldest first."""
    rows, total = await _rows(tx, owner, page)
    return page.of([single(vault, row) for row in rows], total)


async def listed_system(tx: Tx, vault: Vault, owner: HookOwner, page: Page) -> Paged[SystemHook]:
    rows, total = await _rows(tx, owner, page)
    return page.of([single_system(vault, row) for row in rows], total)


async def _rows(tx: Tx, owner: HookOwner, page: Page) -> tuple[list[HookRow], int]:
    chosen = Selection(HOOKS, OF_OWNER, **owner.bound)
    rows = await tx.rows(
        HookRow,
        f"SELECT {HookRow.columns} {chosen.text} ORDER BY h.id LIMIT :limit OFFSET :offset",
        **chosen.bound,
        **page.bound,
    )
    return rows, await chosen.total(tx)
