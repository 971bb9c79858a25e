"""Which hooks there are, and the only way to get one. Users who may administrate a project or group manage its hooks."""

from typing import Annotated, LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.kernel import clock, errors
from mujina.kernel.db.entities import Computed
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.workspaces.owners.rules import OwnerOrInstance, belongs_to

MAX_FAILURES = 40
"""A hook that failed so often in a row is disabled until it is resumed."""


class SystemHook(msgspec.Struct, kw_only=True):
    id: int
    url: str
    created_at: str
    push_events: bool
    tag_push_events: bool
    merge_requests_events: bool
    repository_update_events: bool
    enable_ssl_verification: bool
    alert_status: Computed[str]
    disabled_until: Computed[str | None]


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


class HookRow(Row, alias="h", of=Hook):
    """A hook as operations and responses need it, with the state of its queue (`q`)."""

    id: int
    project_id: int | None
    group_id: int | None
    url: str
    """Encrypted, like the token."""
    token: str | None
    updated_at: str
    failures: Annotated[int, "coalesce(q.failures, 0)"]
    paused_until: Annotated[str | None, "q.disabled_until"]

    @property
    def owner(self) -> OwnerOrInstance:
        return OwnerOrInstance(self.project_id, self.group_id)

    @property
    def alert_status(self) -> str:
        if self.failures >= MAX_FAILURES:
            return "disabled"
        return "executable" if self.disabled_until is None else "temporarily_disabled"

    @property
    def disabled_until(self) -> str | None:
        """The end of the pause; None if there is none, or if it ends only when the hook is resumed."""
        paused = self.paused_until is not None and self.paused_until > clock.now()
        return self.paused_until if paused and self.failures < MAX_FAILURES else None


HOOKS: LiteralString = "hooks h LEFT JOIN hook_queues q ON q.hook_id = h.id"


MANAGED: LiteralString = f"{belongs_to('h')} AND h.service_id IS NULL"
"""Whether the hook is one of those that the owner manages; the hooks of services are not."""


async def hook_of(tx: Tx, owner: OwnerOrInstance, hook_id: int, *, lock: bool = False) -> HookRow | None:
    """The hook of this owner, if there is one."""
    if lock:
        await tx.value("SELECT h.id FROM hooks h WHERE h.id = :id FOR UPDATE", id=hook_id)
    return await tx.row(
        HookRow,
        f"SELECT {HookRow.columns} FROM {HOOKS} WHERE h.id = :id AND {MANAGED}",
        id=hook_id,
        **owner.bound,
    )


async def find_hook(tx: Tx, owner: OwnerOrInstance, hook_id: int, *, lock: bool = False) -> HookRow:
    """The hook of this owner; 404 for any other."""
    hook = await hook_of(tx, owner, hook_id, lock=lock)
    return errors.or_not_found(hook, "System hook" if owner.kind == "instance" else "Hook")


async def hook_of_service(tx: Tx, service_id: int) -> HookRow | None:
    """The hook by which the service is called; None if it is not called."""
    return await tx.row(
        HookRow, f"SELECT {HookRow.columns} FROM {HOOKS} WHERE h.service_id = :service_id", service_id=service_id
    )
