"""Saving, removing and testing services."""

from typing import Any, Final

import msgspec

from mujina.adapters.outbound.client import Outbound
from mujina.adapters.outbound.guard import OutboundForbidden
from mujina.adapters.outbound.url import OutboundTarget
from mujina.integrations.hooks.operations import follow_service
from mujina.integrations.services.kinds import CATALOG, EVENTS, KnownService
from mujina.integrations.services.params import SaveService
from mujina.integrations.services.rules import ServiceRow, find_service
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import insert, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.secrets import UnreadableSecret, Vault
from mujina.kernel.services import Services

PURPOSE: Final = "service"
MAX_LENGTH: Final = 4_000
_encode = msgspec.json.Encoder(order="sorted").encode


class SavedService(msgspec.Struct, frozen=True):
    """A service as it is to be stored."""

    active: bool
    properties: dict[str, Any]
    secrets: dict[str, str]
    events: list[str]


def read_secrets(vault: Vault, row: ServiceRow) -> dict[str, str]:
    """The secret fields of a service; empty if the key that encrypted them is lost. Then an edit has to give them again."""
    try:
        return msgspec.json.decode(vault.decrypt(row.secrets, PURPOSE))
    except UnreadableSecret:
        return {}


async def save(tx: Tx, services: Services, actor: Actor, project_id: int, slug: str, change: SaveService) -> None:
    """Store the service, which is called for the events that follow if this instance acts upon it."""
    created = await insert(
        tx, "services", "ON CONFLICT DO NOTHING", project_id=project_id, slug=slug, active=False, properties="{}",
        secrets=services.vault.encrypt("{}", PURPOSE), events=_encode(default_events(CATALOG[slug])).decode(),
        **timestamps(),
    )  # fmt: skip
    row = await find_service(tx, project_id, slug, lock=True)
    saved = _merge(services, row, change)
    columns = {
        "active": saved.active,
        "properties": _encode(saved.properties).decode(),
        "secrets": services.vault.encrypt(_encode(saved.secrets).decode(), PURPOSE),
        "events": _encode(saved.events).decode(),
        "updated_at": clock.now(),
    }
    await update(tx, "services", columns, id=row.id)
    called = saved.active and saved.events and CATALOG[slug].acts
    flags = {name: name in saved.events for name in EVENTS} if called else None
    await follow_service(tx, services.vault, project_id, row.id, flags)
    kind = "service.created" if created else "service.updated"
    await record(tx, kind, actor, subject_id=row.id, project_id=project_id, changes=_changes(row, saved))


def _merge(services: Services, row: ServiceRow, change: SaveService) -> SavedService:
    """The service after the change; 400 if a field is missing or wrong.

    An address on another server clears the secrets that are not given again: who edits the service may not know them.
    """
    service, given, stored = CATALOG[row.slug], change.sent_fields(), row.read_properties()
    plain = {field.name for field in service.fields if field.kind != "secret"}
    secret = {field.name for field in service.fields if field.kind == "secret"}
    properties = _filled({**stored, **{name: given[name] for name in plain & given.keys()}})
    kept = {} if _moved(service, stored, properties) else read_secrets(services.vault, row)
    secrets = _filled({**kept, **{name: given[name] for name in secret & given.keys()}})
    _check(services, service, {**properties, **secrets})
    before = row.read_events()
    events = [name for name in service.events if given.get(name, name in before)]
    # Compat: a service that is saved is active unless the request says otherwise.
    return SavedService(bool(given.get("active", True)), properties, secrets, events)


def _changes(row: ServiceRow, saved: SavedService) -> dict[str, tuple[Any, Any]]:
    """What the event tells: no value of a secret."""
    old = {**row.read_properties(), "active": row.active}
    new = {**saved.properties, "active": saved.active}
    names = sorted(old.keys() | new.keys())
    changes = {name: (old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)}
    return {"name": (row.slug, row.slug), **changes}


async def remove(tx: Tx, actor: Actor, row: ServiceRow) -> None:
    """The service is called no more, and its fields are gone."""
    await tx.run("DELETE FROM services WHERE id = :id", id=row.id)
    await record(
        tx, "service.deleted", actor, subject_id=row.id, project_id=row.project_id, changes={"name": (row.slug, None)}
    )


def _filled(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None and value != ""}


def default_events(service: KnownService) -> list[str]:
    """Confidential things are sent only if someone asks for it."""
    return [name for name in service.events if not name.startswith("confidential_")]


def _moved(service: KnownService, before: dict[str, Any], after: dict[str, Any]) -> bool:
    addresses = [field.name for field in service.fields if field.kind == "url"]
    return any(name in before and _origin(before[name]) != _origin(after.get(name, "")) for name in addresses)


def _origin(address: str) -> tuple[str, str, int] | None:
    try:
        return OutboundTarget.parse(address).origin
    except OutboundForbidden:
        return None


def _check(services: Services, service: KnownService, values: dict[str, Any]) -> None:
    absent = [field.name for field in service.fields if field.required and field.name not in values]
    if absent:
        raise errors.missing(*absent)
    problems, outbound = Problems(), Outbound(services.settings.outbound_allow)
    for field in service.fields:
        value = values.get(field.name)
        if isinstance(value, str):
            problems.limit(field.name, value, MAX_LENGTH)
            if (field.kind == "url" or field.name == "webhook") and outbound.rejection(value) is not None:
                problems.add(field.name, "is not an address that services may call")
            if field.kind == "link" and _origin(value) is None:
                problems.add(field.name, "must be a valid URL")
    problems.refuse()
