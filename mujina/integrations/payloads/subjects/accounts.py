"""Payloads of system hooks about users, their keys and their memberships."""

from typing import Annotated, LiteralString

import msgspec

from mujina.integrations.payloads.events import HookEventRow, Payload, for_instance
from mujina.integrations.payloads.objects import Facts, Object, ProjectFacts, UserFacts, iso_time
from mujina.kernel.db.rows import Row
from mujina.kernel.permissions.levels import GUEST, ROLES


class KeySnapshot(Row, alias="k"):
    id: int
    key: str
    created_at: str
    updated_at: str
    username: Annotated[str | None, "u.username"]
    """None for a deploy key."""


KEYS: LiteralString = "ssh_keys k LEFT JOIN users u ON u.id = k.user_id"
USERS: LiteralString = "users u"


async def build_user(_: Facts, event: HookEventRow) -> list[Payload]:
    """The payload of system hooks about a user; an edit announces only a new username."""
    row = msgspec.json.decode(event.snapshot, type=UserFacts, strict=False)
    recorded = event.recorded_changes()
    names = {"created": "user_create", "deleted": "user_destroy", "sign_in_refused": "user_failed_login"}
    if event.verb == "updated" and "username" not in recorded:
        return []
    deleted = {name: recorded[name][0] for name in ("username", "name", "email") if event.verb == "deleted"}
    body: Object = {
        "event_name": names.get(event.verb, "user_rename"),
        "created_at": iso_time(row.created_at),
        "updated_at": iso_time(row.updated_at),
        "name": deleted.get("name", row.name),
        "email": deleted.get("email", row.email),
        "user_id": row.id,
        "username": deleted.get("username", row.username),
    }
    if event.verb == "updated":
        body["old_username"] = recorded["username"][0]
    if event.verb == "sign_in_refused":
        body["state"] = row.state
    return [for_instance(None, body)]


async def build_key(_: Facts, event: HookEventRow) -> list[Payload]:
    row = msgspec.json.decode(event.snapshot, type=KeySnapshot, strict=False)
    verb = "create" if event.verb == "added" else "destroy"
    noun = "deploykey" if row.username is None else "ldapkey" if "from_directory" in event.recorded_changes() else "key"
    body: Object = {
        "event_name": f"{noun}_{verb}",
        "created_at": iso_time(row.created_at),
        "updated_at": iso_time(row.updated_at),
        "key": row.key,
        "id": row.id,
    }
    return [for_instance(None, body if row.username is None else {**body, "username": row.username})]


async def build_member(facts: Facts, event: HookEventRow) -> list[Payload]:
    """The payload of system hooks when a user joins or leaves a project or a group; new levels are not sent."""
    person = msgspec.json.decode(event.snapshot, type=UserFacts, strict=False)
    old, new = event.recorded_changes().get("access_level", (None, None))
    verb, preposition = ("add", "to") if event.verb == "added" else ("remove", "from")
    level = new or old or GUEST
    if event.project_id is not None:
        row = await facts.project(event.project_id)
        if row is None:
            return []
        name = f"user_{verb}_{preposition}_team"
        return [for_instance(None, member_of_project(name, row, person, level, event.created_at))]
    async with facts.database.reading() as tx:
        group = await tx.row(
            tuple[str, str], "SELECT n.name, n.path FROM namespaces n WHERE n.id = :id", id=event.group_id or 0
        )
    if group is None:
        return []
    name = f"user_{verb}_{preposition}_group"
    return [for_instance(None, member_of_group(name, event.group_id or 0, *group, person, level, event.created_at))]


def member_of_project(name: str, row: ProjectFacts, person: UserFacts, level: int, at: str) -> Object:
    return {
        "event_name": name,
        "created_at": iso_time(at),
        "updated_at": iso_time(at),
        "project_name": row.name,
        "project_path": row.path,
        "project_path_with_namespace": row.full_path,
        "project_id": row.id,
        **_person(person),
        "access_level": ROLES[level],
        "project_access": ROLES[level],
        "project_visibility": row.visibility,
    }


def member_of_group(name: str, group_id: int, title: str, path: str, person: UserFacts, level: int, at: str) -> Object:
    return {
        "event_name": name,
        "created_at": iso_time(at),
        "updated_at": iso_time(at),
        "group_name": title,
        "group_path": path,
        "group_id": group_id,
        **_person(person),
        "group_access": ROLES[level],
    }


def _person(person: UserFacts) -> Object:
    return {
        "user_username": person.username,
        "user_name": person.name,
        "user_email": person.email,
        "user_id": person.id,
    }
