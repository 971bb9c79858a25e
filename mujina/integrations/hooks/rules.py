"""Which hooks there are, and the only way to get one. Users who may administrate a project or group manage its hooks."""

from typing import Annotated, Literal, LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.kernel import clock, errors
from mujina.kernel.db.entities import Computed
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.groups.rules import ADMIN_GROUP, find_group
from mujina.workspaces.projects.rules import ADMIN_PROJECT, find_project

HookKind = Literal["project", "group", "system"]
MAX_FAILURES = 40
"""A hook that failed so often in a row is disabled until it is resumed."""

OF_OWNER: LiteralString = """h.project_id IS NOT DISTINCT FROM CAST(:project_id AS bigint)
    AND h.group_id IS NOT DISTINCT FROM CAST(:group_id AS bigint)"""


class HookOwner(msgspec.Struct, frozen=True):
    """The project or group that hooks belong to; system hooks belong to the instance."""

    kind: HookKind
    id: int | None = None

    @property
    def project_id(self) -> int | None:
        return self.id if self.kind == "project" else None

    @property
    def group_id(self) -> int | None:
        return self.id if self.kind == "group" else None

    @property
    def bound(self) -> dict[str, int | None]:
        return {"project_id": self.project_id, "group_id": self.group_id}


INSTANCE = HookOwner("system")
"""The owner of system hooks."""


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
    def owner(self) -> HookOwner:
        kind: HookKind = "project" if self.project_id else "group" if self.group_id else "system"
        return HookOwner(kind, self.project_id or self.group_id)

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


async def find_owner(tx: Tx, actor: Actor, kind: HookKind, ref: Ref) -> HookOwner:
    """The project or group, if the actor may administrate its hooks; 403 or 404 otherwise."""
    if kind == "group":
        return HookOwner(kind, (await find_group(tx, actor, ref, to=ADMIN_GROUP)).id)
    return HookOwner(kind, (await find_project(tx, actor, ref, to=ADMIN_PROJECT)).id)


async def hook_of(tx: Tx, owner: HookOwner, hook_id: int, *, lock: bool = False) -> HookRow | None:
    """The hook of this owner, if there is one."""
    if lock:
        await tx.value("SELECT h.id FROM hooks h WHERE h.id = :id FOR UPDATE", id=hook_id)
    return await tx.row(
        HookRow, f"SELECT {HookRow.columns} FROM {HOOKS} WHERE h.id = :id AND {OF_OWNER}", id=hook_id, **owner.bound
    )


async def find_hook(tx: Tx, owner: HookOwner, hook_id: int, *, lock: bool = False) -> HookRow:
    """The hook of this owner; 404 for any other."""
    hook = await hook_of(tx, owner, hook_id, lock=lock)
    return errors.or_not_found(hook, "System hook" if owner.kind == "system" else "Hook")
