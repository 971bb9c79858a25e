"""Payloads about issues."""

from typing import Annotated, Any, LiteralString

import msgspec

from mujina.instance.editions.rules import counted_assignees
from mujina.integrations.payloads import objects
from mujina.integrations.payloads.events import HookEventRow, Payload, for_project
from mujina.integrations.payloads.history import ChangeHistory, history_of
from mujina.integrations.payloads.objects import Facts, Object, ProjectFacts, difference
from mujina.integrations.payloads.rules import MADE_PUBLIC, MADE_PUBLIC_FULL
from mujina.kernel.db.rows import Row
from mujina.planning.time_tracking.durations import format_duration


class IssueSnapshot(Row, alias="i"):
    """An issue as it was when something happened to it."""

    id: int
    iid: int
    project_id: int
    author_id: int
    title: str
    description: str | None
    state: str
    confidential: bool
    milestone_id: int | None
    moved_to_id: int | None
    created_at: str
    updated_at: str
    closed_at: str | None
    due_on: str | None
    time_estimate: int
    total_time_spent: int
    assignees: Annotated[
        str | None,
        """(SELECT CAST(json_agg(a.user_id ORDER BY a.user_id) AS text) FROM issue_assignees a
            WHERE a.issue_id = i.id)""",
    ]
    """Ids, as JSON."""
    labels: Annotated[
        str | None,
        """(SELECT CAST(json_agg(il.label_id ORDER BY il.label_id) AS text) FROM issue_labels il
            WHERE il.issue_id = i.id)""",
    ]
    """Ids, as JSON."""

    @property
    def assignee_ids(self) -> list[int]:
        return counted_assignees(read_ids(self.assignees))

    @property
    def label_ids(self) -> list[int]:
        return read_ids(self.labels)


ISSUES: LiteralString = "issues i"

ACTIONS = {"created": "open", "updated": "update", "closed": "close", "reopened": "reopen"}
_COLUMNS = (
    "title",
    "description",
    "confidential",
    "milestone_id",
    "moved_to_id",
    "time_estimate",
    "total_time_spent",
    "last_edited_by_id",
)
_TIMES = ("created_at", "updated_at", "last_edited_at")
_WITH_STATE = ("updated_at", "updated_by_id", "moved_to_id")
"""The fields that change together with the state."""


def read_ids(text: str | None) -> list[int]:
    return msgspec.json.decode(text, type=list[int]) if text else []


async def build_issue(facts: Facts, event: HookEventRow) -> list[Payload]:
    """The payloads about a change of an issue. A change of the state and of something else is sent as two."""
    issue = msgspec.json.decode(event.snapshot, type=IssueSnapshot, strict=False)
    project = await facts.project(issue.project_id)
    if project is None:
        return []
    past = await history_of(facts.database, event, "issue", issue.id)
    recorded = event.recorded_changes()
    changes = await _changes(facts, issue, recorded, past)
    action = ACTIONS.get(event.verb)
    parts: list[tuple[str | None, Object]] = [(action, changes)]
    if action in ("close", "reopen"):
        states = ("opened", "closed") if action == "close" else ("closed", "opened")
        before, after = recorded.get("closed_at", (None, issue.closed_at))
        state = {
            "state": difference(*states),
            "closed_at": difference(objects.time_or_none(before), objects.time_or_none(after)),
        }
        common = {name: changes[name] for name in _WITH_STATE if name in changes}
        parts = [(action, {**state, **common})]
        if changes.keys() - common.keys() - {"state", "closed_at"}:
            parts.append(("update", {name: each for name, each in changes.items() if name not in state}))
    elif action == "open":
        parts = [(action, {name: changes[name] for name in ("labels", "assignees") if name in changes})]
    base = await _base(facts, event, issue, project, past)
    return [payload for act, differences in parts for payload in _payloads(issue, base, act, differences)]


async def _base(
    facts: Facts, event: HookEventRow, issue: IssueSnapshot, project: ProjectFacts, past: ChangeHistory
) -> dict[str, Any]:
    assignees = [objects.user(each) for each in await facts.users(issue.assignee_ids)]
    body: dict[str, Any] = {
        "object_kind": "issue",
        "user": objects.user(await facts.user(event.actor_id or issue.author_id)),
        "project": objects.project(project),
        "object_attributes": issue_attributes(issue, project, past),
        "labels": [objects.label(each) for each in await facts.labels(issue.label_ids)],
        "repository": objects.repository(project),
    }
    if assignees:
        body |= {"assignees": assignees, "assignee": assignees[0]}
    return body


def _payloads(issue: IssueSnapshot, base: dict[str, Any], action: str | None, changes: Object) -> list[Payload]:
    attributes = base["object_attributes"] | ({"action": action} if action else {})
    body = {**base, "object_attributes": attributes, "changes": changes}
    if issue.confidential:
        return [for_project("confidential_issues_events", body)]
    if "confidential" not in changes or action == "open":
        return [for_project("issues_events", body)]
    # The former title and description were confidential.
    public = {**body, "changes": {"confidential": changes["confidential"]}}
    return [
        for_project("issues_events", body, condition=MADE_PUBLIC_FULL),
        for_project("issues_events", public, condition=MADE_PUBLIC),
    ]


def issue_attributes(issue: IssueSnapshot, project: ProjectFacts, past: ChangeHistory) -> Object:
    """The issue itself, without the action."""
    assignee_ids = issue.assignee_ids
    return {
        "id": issue.id,
        "iid": issue.iid,
        "project_id": issue.project_id,
        "author_id": issue.author_id,
        "title": issue.title,
        "description": issue.description,
        "state": issue.state,
        "confidential": issue.confidential,
        "assignee_ids": assignee_ids,
        "assignee_id": assignee_ids[0] if assignee_ids else None,
        "milestone_id": issue.milestone_id,
        "moved_to_id": issue.moved_to_id,
        "created_at": objects.time(issue.created_at),
        "updated_at": objects.time(issue.updated_at),
        "closed_at": objects.time_or_none(issue.closed_at),
        **past.columns(),
        "last_edited_at": objects.time_or_none(past.last_edited_at),
        "due_date": issue.due_on,
        "relative_position": None,
        "time_estimate": issue.time_estimate,
        "total_time_spent": issue.total_time_spent,
        "human_time_estimate": format_duration(issue.time_estimate),
        "human_total_time_spent": format_duration(issue.total_time_spent),
        "url": f"{project.web_url}/issues/{issue.iid}",
    }


async def _changes(facts: Facts, issue: IssueSnapshot, recorded: dict[str, Any], past: ChangeHistory) -> Object:
    """True differences, under the names that receivers know."""
    recorded = {**recorded, **past.edit_changes()}
    found: Object = {name: difference(*recorded[name]) for name in _COLUMNS if differs(recorded, name)}
    found |= {name: difference(*map(objects.time_or_none, recorded[name])) for name in _TIMES if name in recorded}
    if "due_on" in recorded:
        found["due_date"] = difference(*recorded["due_on"])
    if past.updated_by_id != past.former_updated_by_id and "updated_at" in recorded:
        found["updated_by_id"] = difference(past.former_updated_by_id, past.updated_by_id)
    return found | await label_and_assignee_changes(facts, issue.project_id, recorded)


def differs(recorded: dict[str, Any], name: str) -> bool:
    """Whether the event changed this field: it may also record values that stayed."""
    return name in recorded and recorded[name][0] != recorded[name][1]


async def label_and_assignee_changes(facts: Facts, project_id: int, recorded: dict[str, Any]) -> Object:
    """The sets before and after, as lists of labels and of users."""
    found: Object = {}
    if "labels" in recorded:
        sides = [await facts.labels_titled(project_id, titles) for titles in recorded["labels"]]
        found["labels"] = difference(*([objects.label(each) for each in side] for side in sides))
    if "assignee_ids" in recorded:
        people = [await facts.users(ids) for ids in recorded["assignee_ids"]]
        found["assignees"] = difference(*([objects.user(each) for each in side] for side in people))
    return found
