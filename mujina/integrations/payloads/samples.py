"""Samples for test deliveries: the first thing of each kind that a hook may get. No sample is confidential."""

from typing import Any, Final, LiteralString, NamedTuple

import msgspec

from mujina.code.pushes.changes import BRANCHES, TAGS, ZERO
from mujina.integrations.hooks.params import ALIASES
from mujina.integrations.payloads.events import HookEventRow
from mujina.integrations.payloads.snapshots import SNAPSHOTS
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import MAX_INTEGER
from mujina.workspaces.owners.rules import OwnerOrInstance

_IN_PLACE: LiteralString = """p.deleted_at IS NULL AND (p.id = :project_id OR p.namespace_id IN (
    SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id))"""

MAX_SAMPLE_COMMITS: Final = 3
SYSTEM_SAMPLE: Final[dict[str, Any]] = {
    "event_name": "project_create",
    "name": "Ruby",
    "path": "ruby",
    "project_id": 1,
    "owner_name": "Someone",
    "owner_email": "example@gitlabhq.com",
}
"""The payload that a test of a system hook sends."""


class _Features(Row, alias="p"):
    """The features that a project may disable: no one reads rows of a disabled one."""

    issues_enabled: bool
    merge_requests_enabled: bool
    jobs_enabled: bool


class _Feature(NamedTuple):
    column: LiteralString
    missing: str
    """The advice if it is switched off."""

    @property
    def enabled(self) -> LiteralString:
        return f"p.{self.column}"


_ISSUES: Final = _Feature("issues_enabled", "Ensure issues are enabled in the project.")
_MERGE_REQUESTS: Final = _Feature("merge_requests_enabled", "Ensure merge requests are enabled in the project.")
_JOBS: Final = _Feature("jobs_enabled", "Ensure pipelines are enabled in the project.")


class SampleKind(NamedTuple):
    noun: str
    text: LiteralString
    """Finds the id of the subject and of its project, which has the feature switched on."""
    missing: str
    """The advice if there is no sample."""
    feature: _Feature | None = None


def _first_row(noun: str, table: LiteralString, missing: str, feature: _Feature | None = None) -> SampleKind:
    rows: LiteralString = f"{table} s JOIN projects p ON p.id = s.project_id"
    enabled: LiteralString = feature.enabled if feature else "TRUE"
    text: LiteralString = f"SELECT s.id, p.id FROM {rows} WHERE {_IN_PLACE} AND {enabled} ORDER BY s.id LIMIT 1"
    return SampleKind(noun, text, missing, feature)


_ISSUE = SampleKind(
    "issue",
    f"""SELECT i.id, p.id FROM issues i JOIN projects p ON p.id = i.project_id
        WHERE {_IN_PLACE} AND {_ISSUES.enabled} AND i.deleted_at IS NULL AND NOT i.confidential ORDER BY i.id LIMIT 1""",
    "Ensure the project has issues.",
    _ISSUES,
)
_NOTE = SampleKind(
    "note",
    f"""SELECT note.id, p.id FROM notes note JOIN projects p ON p.id = note.project_id
        LEFT JOIN issues i ON note.noteable_kind = 'issue' AND i.id = note.noteable_id
        WHERE {_IN_PLACE} AND NOT note.system AND CASE note.noteable_kind WHEN 'issue' THEN {_ISSUES.enabled}
            WHEN 'merge_request' THEN {_MERGE_REQUESTS.enabled} WHEN 'snippet' THEN p.snippets_enabled
            WHEN 'commit' THEN TRUE ELSE FALSE END
        AND (i.id IS NULL OR (NOT i.confidential AND i.deleted_at IS NULL)) ORDER BY note.id LIMIT 1""",
    "Ensure the project has notes.",
)
_PUSH = SampleKind(
    "repository",
    f"SELECT p.id, p.id FROM projects p WHERE {_IN_PLACE} AND p.default_branch IS NOT NULL ORDER BY p.id LIMIT 1",
    "Ensure the project has at least one commit.",
)

SAMPLES: Final[dict[str, SampleKind]] = {
    "push_events": _PUSH,
    "tag_push_events": _PUSH,
    "issues_events": _ISSUE,
    "confidential_issues_events": _ISSUE,
    "note_events": _NOTE,
    "confidential_note_events": _NOTE,
    "merge_requests_events": _first_row(
        "merge_request", "merge_requests", "Ensure the project has merge requests.", _MERGE_REQUESTS
    ),
    "job_events": _first_row("commit_status", "commit_statuses", "Ensure the project has CI jobs.", _JOBS),
    "pipeline_events": _first_row("pipeline", "pipelines", "Ensure the project has CI pipelines.", _JOBS),
    "wiki_page_events": SampleKind(
        "wiki_page",
        f"""SELECT e.id, p.id FROM events e JOIN projects p ON p.id = e.project_id
            WHERE {_IN_PLACE} AND p.wiki_enabled AND e.kind IN ('wiki_page.created', 'wiki_page.updated')
            ORDER BY e.id DESC LIMIT 1""",
        "Ensure the wiki is enabled and has pages.",
    ),
    "releases_events": _first_row("release", "releases", "Ensure the project has releases."),
}
"""The samples by the flag that a hook must have."""

NO_PROJECT: Final = "Ensure the group has a project with commits."


class PushSample(NamedTuple):
    """The newest commits of the default branch."""

    tip: str
    since: str | None
    commits: int


def find_flag(trigger: str) -> str:
    """The flag that a client names; 400 for any other word."""
    flag = ALIASES.get(trigger, trigger)
    if flag not in SAMPLES:
        raise errors.unacceptable("trigger does not have a valid value")
    return flag


async def missing_text(tx: Tx, owner: OwnerOrInstance, flag: str) -> str:
    """The advice for getting a sample."""
    kind = SAMPLES[flag]
    if kind.feature is not None and owner.project_id is not None:
        features = await tx.row(
            _Features, f"SELECT {_Features.columns} FROM projects p WHERE p.id = :id", id=owner.project_id
        )
        if features is not None and not getattr(features, kind.feature.column):
            return kind.feature.missing
    return NO_PROJECT if owner.kind == "group" and kind is _PUSH else kind.missing


async def find_sample(tx: Tx, owner: OwnerOrInstance, actor_id: int, flag: str) -> HookEventRow | None:
    """An event about the first subject of the kind, as it is now."""
    kind = SAMPLES[flag]
    found = await tx.row(tuple[int, int], kind.text, project_id=owner.project_id or 0, group_id=owner.group_id or 0)
    if found is None:
        return None
    subject_id, project_id = found
    verb, changes = f"{kind.noun}.tested", "{}"
    if kind.noun == "wiki_page":
        [(verb, changes)] = await tx.rows(
            tuple[str, str], "SELECT e.kind, e.changes FROM events e WHERE e.id = :id", id=subject_id
        )
        subject_id = project_id
    snapshot = await tx.value(f"SELECT {SNAPSHOTS[kind.noun].text}", subject_id=subject_id)
    return HookEventRow(
        id=0, event_id=MAX_INTEGER, kind=verb, actor_id=actor_id, project_id=project_id,
        group_id=None, subject_id=subject_id, changes=changes, created_at=clock.now(), snapshot=snapshot, visited="",
    )  # fmt: skip


def push_sample(event: HookEventRow, flag: str, branch: str, sample: PushSample) -> HookEventRow:
    """The event of a push, or of a new tag, with these commits."""
    tagged = flag == "tag_push_events"
    changes = {
        "ref": f"{TAGS}{branch}" if tagged else f"{BRANCHES}{branch}",
        "sha": (ZERO if tagged or sample.since is None else sample.since, sample.tip),
        "commit_count": sample.commits,
        "since": sample.since,
    }
    return HookEventRow(
        id=event.id, event_id=event.event_id, kind=event.kind, actor_id=event.actor_id, project_id=event.project_id,
        group_id=event.group_id, subject_id=event.subject_id, changes=msgspec.json.encode(changes).decode(),
        created_at=event.created_at, snapshot=event.snapshot, visited=event.visited,
    )  # fmt: skip
