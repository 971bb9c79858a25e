"""Creating, editing and removing hooks."""

import re
from typing import Any

from mujina.adapters.outbound.client import Outbound
from mujina.adapters.outbound.url import OutboundTarget
from mujina.integrations.hooks.params import HookChange
from mujina.integrations.hooks.rules import HookRow, hook_of_service
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import INVALID, Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.secrets import UnreadableSecret, Vault
from mujina.kernel.services import Services
from mujina.workspaces.owners.rules import OwnerOrInstance

MAX_LENGTH = 2000
MAX_LENGTHS = {"name": 255, "description": 2048, "push_events_branch_filter": 2000, "custom_webhook_template": 4096}
REDACTED = "[REDACTED]"
URL, TOKEN = "hook_url", "hook_token"
"""The purposes for which they are encrypted."""
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def check(services: Services, owner: OwnerOrInstance, change: HookChange) -> None:
    """Refuse a token that no header can carry, and a URL that the guard would not call, by its spelling or address."""
    problems = Problems()
    if change.token and _CONTROL.search(change.token):
        problems.add("token", INVALID)
    problems.limit("token", change.token or None, MAX_LENGTH)
    for name, text in change.texts().items():
        problems.limit(name, text, MAX_LENGTHS[name])
    problems.refuse()
    url = change.url.strip()
    if url and len(url) <= MAX_LENGTH and Outbound(services.settings.outbound_allow).rejection(url) is None:
        return
    if owner.kind == "instance":
        raise errors.invalid({"url": ["must be a valid URL"]})
    raise errors.unprocessable("Invalid url given")


def readable_url(vault: Vault, stored: str) -> str:
    """The URL of a hook; empty if the key that encrypted it is lost. Then an edit has to give it again."""
    try:
        return vault.decrypt(stored, URL)
    except UnreadableSecret:
        return ""


async def create(tx: Tx, services: Services, actor: Actor, owner: OwnerOrInstance, change: HookChange) -> int:
    """A new hook. The id; it gets the events that follow."""
    # Compat: a hook of a project is called for pushes unless the request says otherwise, a system hook is not.
    flag = "repository_update_events" if owner.kind == "instance" else "push_events"
    columns = {flag: True, **change.columns()}
    hook_id: int = await insert_id(tx, "hooks", url="", **timestamps(), **owner.bound)
    await update(tx, "hooks", columns | _secrets(services, change), id=hook_id)
    changes = {name: (None, value) for name, value in columns.items()}
    await _record(tx, "hook.created", actor, owner, hook_id, changes)
    return hook_id


async def edit(tx: Tx, services: Services, actor: Actor, hook: HookRow, change: HookChange) -> None:
    """Apply the change to a hook found with `lock`; what waits for it goes to the new URL.

    A URL on another server clears a token that is not given again: who edits the hook may not know it.
    """
    columns, secrets = change.columns(), _secrets(services, change)
    before, after = readable_url(services.vault, hook.url), change.url.strip()
    if hook.token and (not before or OutboundTarget.parse(before).origin != OutboundTarget.parse(after).origin):
        secrets.setdefault("token", None)
    await update(tx, "hooks", {**columns, **secrets, "updated_at": clock.now()}, id=hook.id)
    changes = {name: (old, value) for name, value in columns.items() if (old := getattr(hook, name)) != value}
    if after != before:
        changes["url"] = (REDACTED, f"{REDACTED}, changed")
    if "token" in secrets:
        changes["token"] = (hook.token and REDACTED, secrets["token"] and f"{REDACTED}, changed")
    await _record(tx, "hook.updated", actor, hook.owner, hook.id, changes)


async def remove(tx: Tx, actor: Actor, hook: HookRow) -> bool:
    """The hook gets nothing more, not even what waits for it; False if it was removed a moment ago."""
    if not await tx.run("DELETE FROM hooks WHERE id = :id", id=hook.id):
        return False
    await _record(tx, "hook.deleted", actor, hook.owner, hook.id, {})
    return True


async def remove_of_projects(tx: Tx, project_ids: list[int]) -> None:
    """The hooks of deleted projects go with them."""
    await tx.run("DELETE FROM hooks WHERE project_id IN :project_ids", project_ids=project_ids)


async def follow_service(tx: Tx, vault: Vault, project_id: int, service_id: int, flags: dict[str, bool] | None) -> None:
    """A service that is called has a hook with its flags and without an address; with None it is called no more."""
    if flags is None:
        await tx.run("DELETE FROM hooks WHERE service_id = :id", id=service_id)
        return
    hook = await hook_of_service(tx, service_id)
    hook_id = hook and hook.id
    if hook_id is None:
        hook_id = await insert_id(
            tx, "hooks", project_id=project_id, service_id=service_id, url=vault.encrypt("", URL), **timestamps()
        )
    await update(tx, "hooks", {**flags, "updated_at": clock.now()}, id=hook_id)


def _secrets(services: Services, change: HookChange) -> dict[str, str | None]:
    """URL and token as they are stored. The event does not contain them."""
    secrets: dict[str, str | None] = {"url": services.vault.encrypt(change.url.strip(), URL)}
    if isinstance(change.token, str):
        secrets["token"] = services.vault.encrypt(change.token, TOKEN) if change.token.strip() else None
    return secrets


async def _record(
    tx: Tx, kind: str, actor: Actor, owner: OwnerOrInstance, hook_id: int, changes: dict[str, tuple[Any, Any]]
) -> None:
    await record(tx, kind, actor, subject_id=hook_id, changes=changes, **owner.bound)
