"""Answers of Redmine's REST API."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from mujina.moving.sources.records import Id, Iid, Instant, SmallId


class NamedThing(msgspec.Struct, frozen=True):
    """A reference to something: a person, a tracker, a category, a status."""

    id: Id
    name: Annotated[str, Meta(max_length=255)] = ""


class IssueStatus(NamedThing, frozen=True):
    is_closed: bool = False


class RedmineProject(msgspec.Struct, frozen=True):
    id: Id
    name: str
    identifier: Annotated[str, Meta(min_length=1, max_length=255)]
    created_on: Instant
    description: str | None = None
    status: int = 1
    """1: active, 5: closed, 9: archived."""
    is_public: bool = False
    updated_on: Instant | None = None
    parent: NamedThing | None = None
    trackers: list[NamedThing] = []
    issue_categories: list[NamedThing] = []


class ProjectAnswer(msgspec.Struct, frozen=True):
    project: RedmineProject


class RedmineUser(msgspec.Struct, frozen=True):
    """A user; only administrators are told the login and the address of everybody."""

    id: Id
    login: Annotated[str, Meta(max_length=255)] = ""
    firstname: Annotated[str, Meta(max_length=100)] = ""
    lastname: Annotated[str, Meta(max_length=100)] = ""
    mail: str | None = None


class UserAnswer(msgspec.Struct, frozen=True):
    user: RedmineUser


class RedmineVersion(msgspec.Struct, frozen=True):
    id: Iid
    name: Annotated[str, Meta(min_length=1)]
    project: NamedThing
    created_on: Instant
    updated_on: Instant
    status: str = "open"
    description: str | None = None
    due_date: date | None = None


class RedmineAttachment(msgspec.Struct, frozen=True):
    id: Id
    filename: Annotated[str, Meta(min_length=1, max_length=255)]


class RedmineRelation(msgspec.Struct, frozen=True):
    issue_id: Id
    issue_to_id: Id


class RedmineIssue(msgspec.Struct, frozen=True):
    id: Iid
    subject: str
    status: IssueStatus
    created_on: Instant
    updated_on: Instant
    tracker: NamedThing | None = None
    category: NamedThing | None = None
    author: NamedThing | None = None
    assigned_to: NamedThing | None = None
    fixed_version: NamedThing | None = None
    description: str | None = None
    due_date: date | None = None
    is_private: bool = False
    estimated_hours: Annotated[float, Meta(ge=0, le=1e9)] | None = None
    closed_on: Instant | None = None
    attachments: list[RedmineAttachment] = []
    relations: list[RedmineRelation] = []


class JournalDetail(msgspec.Struct, frozen=True):
    """One change: `attr` of a field of the issue, or `cf`, `attachment`, `relation`, `child`."""

    property: str
    name: str = ""
    old_value: Any = None
    new_value: Any = None


class Journal(msgspec.Struct, frozen=True):
    id: SmallId
    created_on: Instant
    user: NamedThing | None = None
    notes: str | None = None
    private_notes: bool = False
    updated_on: Instant | None = None
    details: list[JournalDetail] = []


class JournalsOfIssue(msgspec.Struct, frozen=True):
    journals: list[Journal] = []


class JournalAnswer(msgspec.Struct, frozen=True):
    issue: JournalsOfIssue


def describe_change(detail: JournalDetail, statuses: Mapping[str, str]) -> str:
    """The change as a system note says it; names of other things than statuses are not told by the source."""
    if detail.property == "attachment":
        return f"attached {detail.new_value}" if detail.new_value else f"removed the file {detail.old_value}"
    if detail.property != "attr":
        return f"changed {'a custom field' if detail.property == 'cf' else 'relations'}"
    name = detail.name.removesuffix("_id").replace("_", " ")
    if detail.name != "status_id" and (detail.name.endswith("_id") or detail.name == "description"):
        return f"changed {name}"
    old, new = (statuses.get(str(value), str(value or "none")) for value in (detail.old_value, detail.new_value))
    return f"changed {name} from {old[:255]} to {new[:255]}"
