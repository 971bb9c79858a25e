"""Payloads of system hooks about projects and groups."""

from typing import Annotated, Any, LiteralString

import msgspec

from mujina.integrations.payloads.events import HookEventRow, Payload, for_instance
from mujina.integrations.payloads.objects import Facts, Object, ProjectFacts, iso_time
from mujina.integrations.payloads.subjects.accounts import member_of_group, member_of_project
from mujina.kernel.db.rows import Row
from mujina.kernel.permissions.levels import MASTER, OWNER


class ProjectSnapshot(ProjectFacts):
    """A project as it was when something happened to it; its path is gone if it was removed."""

    owner_id: Annotated[int | None, "o.id"]


class GroupSnapshot(Row, alias="n"):
    id: int
    name: str
    path: str
    full_path: Annotated[str, "coalesce(r.path, '')"]
    created_at: str
    updated_at: str


GROUPS: LiteralString = "namespaces n LEFT JOIN routes r ON r.namespace_id = n.id"


async def build_project(facts: Facts, event: HookEventRow) -> list[Payload]:
    """The payload of system hooks about a project; a personal project also has its owner as master."""
    row = msgspec.json.decode(event.snapshot, type=ProjectSnapshot, strict=False)
    recorded = event.recorded_changes()
    if event.verb == "updated" and all(before == after for before, after in recorded.values()):
        return []  # an edit that changes nothing
    old, new = recorded.get("path_with_namespace", (row.full_path, row.full_path))
    path = new or old or row.full_path
    match event.verb:
        case "created":
            name = "project_create"
        case "deleted":
            name = "project_destroy"
        case "transferred":
            name = "project_transfer"
        case _:
            name = "project_rename" if old != new else "project_update"
    body: Object = {
        "event_name": name,
        "created_at": iso_time(row.created_at),
        "updated_at": iso_time(row.updated_at),
        "name": row.name,
        "path": row.path,
        "path_with_namespace": path,
        "project_id": row.id,
        "owner_name": row.owner_name or row.namespace_name,
        "owner_email": row.owner_email or "",
        "project_visibility": row.visibility,
    }
    if name in ("project_rename", "project_transfer"):
        body["old_path_with_namespace"] = old
    payloads = [for_instance(None, body)]
    if name == "project_create" and row.owner_id is not None:
        owner = await facts.user(row.owner_id)
        payloads.append(for_instance(None, member_of_project("user_add_to_team", row, owner, MASTER, row.created_at)))
    return payloads


async def build_group(facts: Facts, event: HookEventRow) -> list[Payload]:
    """The payload of system hooks about a group, whose creator owns it. An edit announces only a new path."""
    row = msgspec.json.decode(event.snapshot, type=GroupSnapshot, strict=False)
    recorded: dict[str, Any] = event.recorded_changes()
    body: Object = {
        "created_at": iso_time(row.created_at),
        "updated_at": iso_time(row.updated_at),
        "name": row.name,
        "path": row.path,
        "full_path": recorded.get("full_path", (None, None))[0] or row.full_path,
        "group_id": row.id,
        "owner_name": None,
        "owner_email": None,
    }
    if event.verb == "created":
        payloads = [for_instance(None, {"event_name": "group_create", **body})]
        if event.actor_id is not None:
            owner = await facts.user(event.actor_id)
            added = member_of_group("user_add_to_group", row.id, row.name, row.path, owner, OWNER, row.created_at)
            payloads.append(for_instance(None, added))
        return payloads
    if event.verb == "deleted":
        return [for_instance(None, {"event_name": "group_destroy", **body})]
    if event.verb == "transferred":
        moved = {"full_path": row.full_path, "old_path": row.path, "old_full_path": recorded["full_path"][0]}
        return [for_instance(None, {"event_name": "group_rename", **body, **moved})]
    if "path" not in recorded:
        return []
    old_path = recorded["path"][0]
    above = row.full_path.rpartition("/")[0]
    renamed = {"old_path": old_path, "old_full_path": f"{above}/{old_path}" if above else old_path}
    return [for_instance(None, {"event_name": "group_rename", **body, **renamed})]
