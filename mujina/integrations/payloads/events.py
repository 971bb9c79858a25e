"""An event on its way to hooks, and the payloads that are made of it."""

from typing import Annotated, Any, Final, Literal

import msgspec

from mujina.kernel.events import EventRow


class HookEventRow(EventRow):
    """An event with the snapshot of its subject (`c`)."""

    id: Annotated[int, "c.id"]
    event_id: Annotated[int, "e.id"]
    snapshot: Annotated[str, "c.snapshot"]
    visited: Annotated[str, "c.visited"]
    """Hooks whose deliveries led to it, as in the table."""

    @property
    def verb(self) -> str:
        return self.kind.partition(".")[2]

    def recorded_changes(self) -> dict[str, Any]:
        """The changes of each field: name → [old, new]."""
        return msgspec.json.decode(self.changes)


Audience = Literal["project", "instance"]
Body = dict[str, Any]

SYSTEM_EVENT: Final = "System Hook"


class Payload(msgspec.Struct, frozen=True):
    """The payload for one kind of hooks."""

    event: str
    """The header X-Gitlab-Event."""
    trigger: str
    """The name of the kind in the log."""
    flag: str | None
    """The flag that a hook needs, a key of `FLAGS`; None: every hook of the audience."""
    body: Body
    audience: Audience = "project"


_KINDS: Final[dict[str, tuple[str, str]]] = {
    "push_events": ("Push Hook", "push_hooks"),
    "tag_push_events": ("Tag Push Hook", "tag_push_hooks"),
    "issues_events": ("Issue Hook", "issue_hooks"),
    "confidential_issues_events": ("Confidential Issue Hook", "confidential_issue_hooks"),
    "note_events": ("Note Hook", "note_hooks"),
    "confidential_note_events": ("Confidential Note Hook", "confidential_note_hooks"),
    "merge_requests_events": ("Merge Request Hook", "merge_request_hooks"),
    "job_events": ("Job Hook", "job_hooks"),
    "pipeline_events": ("Pipeline Hook", "pipeline_hooks"),
    "wiki_page_events": ("Wiki Page Hook", "wiki_page_hooks"),
    "releases_events": ("Release Hook", "release_hooks"),
}


def for_project(flag: str, body: Body, *, condition: str | None = None) -> Payload:
    """A payload for the hooks of a project and of the groups above it; `condition` may ask for more than the flag."""
    event, trigger = _KINDS[flag]
    return Payload(event, trigger, condition or flag, body)


def for_instance(flag: str | None, body: Body) -> Payload:
    """A payload for system hooks: with a flag, or for all of them."""
    return Payload(SYSTEM_EVENT, "system_hooks", flag, body, "instance")
