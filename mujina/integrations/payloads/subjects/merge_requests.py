"""Payloads about merge requests."""

from typing import Annotated, Any, LiteralString

import msgspec

from mujina.integrations.payloads import objects
from mujina.integrations.payloads.events import HookEventRow, Payload, for_instance, for_project
from mujina.integrations.payloads.history import ChangeHistory, history_of
from mujina.integrations.payloads.objects import Facts, Object, ProjectFacts, difference
from mujina.integrations.payloads.subjects.issues import differs, label_and_assignee_changes, read_ids
from mujina.kernel.db.rows import Row
from mujina.kernel.permissions.levels import exceeds
from mujina.planning.time_tracking.durations import format_duration


class MergeRequestSnapshot(Row, alias="mr"):
    """A merge request as it was when something happened to it."""

    id: int
    iid: int
    project_id: int
    source_project_id: int | None
    author_id: int
    title: str
    description: str | None
    source_branch: str
    target_branch: str
    state: str
    draft: bool
    merge_status: str
    milestone_id: int | None
    merge_user_id: int | None
    merge_commit_sha: str | None
    merge_error: str | None
    merge_when_pipeline_succeeds: bool
    force_remove_source_branch: bool
    time_estimate: int
    total_time_spent: int
    created_at: str
    updated_at: str
    head_sha: Annotated[
        str | None,
        """(SELECT v.head_sha FROM merge_request_versions v WHERE v.merge_request_id = mr.id ORDER BY v.id DESC LIMIT 1)""",
    ]
    head_pipeline_id: Annotated[
        int | None,
        """(SELECT max(pl.id) FROM pipelines pl WHERE pl.project_id = mr.source_project_id
            AND pl.ref = mr.source_branch AND NOT pl.tag AND pl.sha = (
            SELECT v.head_sha FROM merge_request_versions v WHERE v.merge_request_id = mr.id ORDER BY v.id DESC LIMIT 1))""",
    ]
    assignees: Annotated[
        str | None,
        """(SELECT CAST(json_agg(a.user_id ORDER BY a.user_id) AS text) FROM merge_request_assignees a
            WHERE a.merge_request_id = mr.id)""",
    ]
    """Ids, as JSON."""
    labels: Annotated[
        str | None,
        """(SELECT CAST(json_agg(ml.label_id ORDER BY ml.label_id) AS text) FROM merge_request_labels ml
            WHERE ml.merge_request_id = mr.id)""",
    ]
    """Ids, as JSON."""


MERGE_REQUESTS: LiteralString = "merge_requests mr"

ACTIONS = {
    "created": "open", "updated": "update", "closed": "close", "reopened": "reopen", "merged": "merge",
    "pushed": "update", "approved": "approved", "unapproved": "unapproved",
}  # fmt: skip
_COLUMNS = (
    "title", "description", "state", "target_branch", "milestone_id", "time_estimate", "total_time_spent",
    "merge_status", "merge_error", "merge_commit_sha", "last_edited_by_id",
)  # fmt: skip


async def build_merge_request(facts: Facts, event: HookEventRow) -> list[Payload]:
    """The payloads of a change. A change of the state and of something else is sent as two."""
    request = msgspec.json.decode(event.snapshot, type=MergeRequestSnapshot, strict=False)
    project = await facts.project(request.project_id)
    if project is None:
        return []
    past = await history_of(facts.database, event, "merge_request", request.id)
    recorded, action = event.recorded_changes(), ACTIONS.get(event.verb)
    if action in ("approved", "unapproved") and not _decides(*recorded["approvals_left"]):
        return []
    changes = await _changes(facts, request, recorded, past)
    parts: list[tuple[str | None, Object]] = [(action, changes)]
    if action in ("close", "reopen"):
        common = {name: changes[name] for name in ("state", "updated_at", "updated_by_id") if name in changes}
        parts = [(action, common)]
        if rest := changes.keys() - common.keys():
            kept = rest | common.keys() - {"state"}
            parts.append(("update", {name: each for name, each in changes.items() if name in kept}))
    elif action == "open":
        parts = [(action, {name: changes[name] for name in ("labels", "assignee") if name in changes})]
    base = await _base(facts, event, request, project, past)
    old = recorded.get("sha", (None, None))[0] if event.verb == "pushed" else None
    return [payload for act, differences in parts for payload in _payloads(base, act, differences, old)]


def _decides(left_before: int, left_after: int) -> bool:
    """Whether an approval was the last that was missing, or the first that is missing again."""
    return (left_before == 0) != (left_after == 0)


def _payloads(base: dict[str, Any], action: str | None, changes: Object, oldrev: str | None) -> list[Payload]:
    extra = ({"action": action} if action else {}) | ({"oldrev": oldrev} if oldrev else {})
    body = {**base, "object_attributes": base["object_attributes"] | extra, "changes": changes}
    return [for_project("merge_requests_events", body), for_instance("merge_requests_events", body)]


async def _base(
    facts: Facts, event: HookEventRow, request: MergeRequestSnapshot, project: ProjectFacts, past: ChangeHistory
) -> dict[str, Any]:
    assignees = [objects.user(each) for each in await facts.users(read_ids(request.assignees))]
    body: dict[str, Any] = {
        "object_kind": "merge_request",
        "user": objects.user(await facts.user(event.actor_id or request.author_id)),
        "project": objects.project(project),
        "object_attributes": await merge_request_attributes(facts, request, project, past),
        "labels": [objects.label(each) for each in await facts.labels(read_ids(request.labels))],
        "repository": objects.repository(project),
    }
    return {**body, "assignee": assignees[0]} if assignees else body


async def merge_request_attributes(
    facts: Facts, request: MergeRequestSnapshot, project: ProjectFacts, past: ChangeHistory
) -> Object:
    """The request itself, without the action."""
    assignee_ids = read_ids(request.assignees)
    forced = {"force_remove_source_branch": "1"} if request.force_remove_source_branch else {}
    return {
        "id": request.id,
        "iid": request.iid,
        "author_id": request.author_id,
        "source_project_id": request.source_project_id,
        "target_project_id": request.project_id,
        "title": request.title,
        "description": request.description,
        "source_branch": request.source_branch,
        "target_branch": request.target_branch,
        "state": request.state,
        "merge_status": request.merge_status,
        "assignee_id": assignee_ids[0] if assignee_ids else None,
        "milestone_id": request.milestone_id,
        "merge_user_id": request.merge_user_id,
        "head_pipeline_id": request.head_pipeline_id,
        **past.columns(),
        "last_edited_at": objects.time_or_none(past.last_edited_at),
        "merge_commit_sha": request.merge_commit_sha,
        "merge_error": request.merge_error,
        "merge_params": forced,
        "merge_when_pipeline_succeeds": request.merge_when_pipeline_succeeds,
        "work_in_progress": request.draft,
        "created_at": objects.time(request.created_at),
        "updated_at": objects.time(request.updated_at),
        "time_estimate": request.time_estimate,
        "total_time_spent": request.total_time_spent,
        "human_time_estimate": format_duration(request.time_estimate),
        "human_total_time_spent": format_duration(request.total_time_spent),
        "url": f"{project.web_url}/merge_requests/{request.iid}",
        "source": await _source(facts, request, project),
        "target": objects.project(project),
        "last_commit": await facts.commit(project, request.head_sha),
    }


async def _source(facts: Facts, request: MergeRequestSnapshot, project: ProjectFacts) -> Object | None:
    """The source project; None if it is gone, or is a fork that not every reader of the target can see."""
    source = await facts.project(request.source_project_id) if request.source_project_id else None
    if source is None:
        return None
    hidden = source.visibility == "private" or exceeds(project.visibility, source.visibility)
    return None if hidden and source.id != project.id else objects.project(source)


async def _changes(
    facts: Facts, request: MergeRequestSnapshot, recorded: dict[str, Any], past: ChangeHistory
) -> Object:
    """True differences, under the names that receivers know."""
    recorded = {**recorded, **past.edit_changes()}
    found: Object = {name: difference(*recorded[name]) for name in _COLUMNS if differs(recorded, name)}
    for name in ("updated_at", "last_edited_at"):
        if name in recorded:
            found[name] = difference(*map(objects.time_or_none, recorded[name]))
    if "updated_at" in recorded and past.updated_by_id != past.former_updated_by_id:
        found["updated_by_id"] = difference(past.former_updated_by_id, past.updated_by_id)
    sets = await label_and_assignee_changes(facts, request.project_id, recorded)
    if "labels" in sets:
        found["labels"] = sets["labels"]
    ids = [next(iter(side), None) for side in recorded.get("assignee_ids", ())]
    if len(set(ids)) > 1:  # the first one: others may come and go behind it
        found["assignee_id"] = difference(*ids)
        found["assignee"] = difference(*(next(iter(sets["assignees"][side]), None) for side in ("previous", "current")))
    return found
