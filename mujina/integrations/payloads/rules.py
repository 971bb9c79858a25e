"""Which hooks get a payload: one condition on the hook `h`, for the queue and again before each attempt."""

from typing import Any, Final, LiteralString

from mujina.code.protected_branches.rules import wildcard

FLAG_NAMES: Final[tuple[LiteralString, ...]] = (
    "push_events", "tag_push_events", "issues_events", "confidential_issues_events", "note_events",
    "confidential_note_events", "merge_requests_events", "job_events", "pipeline_events", "wiki_page_events",
    "repository_update_events", "releases_events",
)  # fmt: skip

PUSHES: Final = "push_events"

MADE_PUBLIC: Final[LiteralString] = "issues_events, made public"
"""An issue is no longer confidential: only hooks that were called for it before may see what it was."""
MADE_PUBLIC_FULL: Final[LiteralString] = "issues_events, made public, full"

FLAGS: Final[dict[LiteralString, LiteralString]] = {
    **{name: f"h.{name}" for name in FLAG_NAMES},
    MADE_PUBLIC: "h.issues_events AND NOT h.confidential_issues_events",
    MADE_PUBLIC_FULL: "h.issues_events AND h.confidential_issues_events",
}
"""The condition of each flag that a payload asks of a hook."""

_ABOVE: LiteralString = """t.ancestor_id FROM projects p JOIN group_tree t ON t.group_id = p.namespace_id
    WHERE p.deleted_at IS NULL AND p.id"""

OF_PROJECT: LiteralString = f"(h.project_id = :project_id OR h.group_id IN (SELECT {_ABOVE} = :project_id))"
"""The hooks of a project, and of the groups above it."""

OF_INSTANCE: LiteralString = "(h.project_id IS NULL AND h.group_id IS NULL)"

WATCHED_BY_PROJECT: LiteralString = f"EXISTS (SELECT 1 FROM hooks h WHERE {OF_PROJECT})"
"""Whether a hook of the project or of a group above it may get an event."""

WATCHED_BY_INSTANCE: LiteralString = f"EXISTS (SELECT 1 FROM hooks h WHERE {OF_INSTANCE})"
"""Whether there is a system hook."""

WATCHED: LiteralString = f"({WATCHED_BY_PROJECT} OR {WATCHED_BY_INSTANCE})"

_FLAG: LiteralString = " ".join(f"WHEN '{flag}' THEN {condition}" for flag, condition in FLAGS.items())

STILL_WANTED: LiteralString = f"""(CASE y.flag {_FLAG} ELSE TRUE END
    AND ({OF_INSTANCE} OR h.project_id = y.project_id OR h.group_id IN (SELECT {_ABOVE} = y.project_id)))"""
"""Whether the hook may still get the payload `y`: its flags, its group or the place of the project may have changed."""


def is_chosen(push: dict[str, Any], branch_filter: str) -> bool:
    """Whether a hook with this filter gets a push: without a filter, that of any branch."""
    branch = str(push["ref"]).removeprefix("refs/heads/")
    return not branch_filter or wildcard(branch_filter).fullmatch(branch) is not None
