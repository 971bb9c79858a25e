"""Everything that this chapter adds to the product."""

from collections.abc import Mapping
from typing import Final

from mujina.integrations.hooks.operations import remove_of_projects as remove_hooks
from mujina.integrations.notifications.notices import MAILED
from mujina.integrations.notifications.operations import notify
from mujina.integrations.payloads.rules import WATCHED, WATCHED_BY_INSTANCE, WATCHED_BY_PROJECT
from mujina.integrations.services.reference_kind import TRACKER_REFERENCES
from mujina.integrations.sidekiq.gauges import read_gauges
from mujina.kernel.db.clock_recovery import WAITED_FOR
from mujina.kernel.deferred_imports import function
from mujina.kernel.events import CAPTURES, REACTIONS, Capture
from mujina.kernel.jobs.processes import BACKGROUND_SERVICES
from mujina.kernel.monitoring.readiness import GAUGES
from mujina.kernel.product import Chapter
from mujina.rendering.references import REFERENCE_KINDS
from mujina.workspaces.projects.removing.with_owner import HIDDEN_PROJECTS

_OF_PROJECTS: Final[tuple[str, ...]] = (
    "issue.created", "issue.updated", "issue.closed", "issue.reopened", "note.created", "wiki_page.created",
    "wiki_page.updated", "wiki_page.deleted", "pipeline.created", "pipeline.updated", "commit_status.created",
    "commit_status.updated", "job.created", "job.updated", "release.created",
    "release.updated", "release.deleted",
)  # fmt: skip
_OF_BOTH: Final[tuple[str, ...]] = (
    "repository.pushed", "merge_request.created", "merge_request.updated", "merge_request.closed",
    "merge_request.reopened", "merge_request.merged", "merge_request.pushed", "merge_request.approved",
    "merge_request.unapproved",
)  # fmt: skip
_OF_INSTANCE: Final[tuple[str, ...]] = (
    "project.created", "project.updated", "project.transferred", "project.archived",
    "project.unarchived", "project.deleted", "group.created", "group.updated", "group.transferred", "group.deleted", "user.created",
    "user.updated", "user.sign_in_refused", "user.deleted", "key.added", "key.removed", "member.added", "member.removed",
    "member.expired",
)  # fmt: skip

_capture: Final = function("mujina.integrations.deliveries.queue.capture", "capture")
_CAPTURES: Final[Mapping[str, Capture]] = {
    **dict.fromkeys(_OF_PROJECTS, Capture(WATCHED_BY_PROJECT, _capture)),
    **dict.fromkeys(_OF_BOTH, Capture(WATCHED, _capture)),
    **dict.fromkeys(_OF_INSTANCE, Capture(WATCHED_BY_INSTANCE, _capture)),
    "merge_request.merged": Capture(WATCHED, _capture, last=True),  # after the events of the issues that it closes
    "note.created": Capture(WATCHED_BY_PROJECT, _capture, last=True),  # after the events of what its commands change
}
"""The condition for hooks: there is a hook of the project or of a group above it, a system hook, or either."""

CHAPTER: Final = Chapter(
    "mujina.integrations",
    CAPTURES.of(_CAPTURES),
    REACTIONS.of({kind: [notify] for kind in MAILED}),
    BACKGROUND_SERVICES.of(function("mujina.integrations.deliveries.tasks", "Deliverer")),
    GAUGES.of(read_gauges),
    WAITED_FOR.of(
        ("hook_queues", "ready_at"),
        ("hook_queues", "disabled_until"),
        ("hook_builders", "leased_until"),
        ("hooks", "created_at"),  # a hook gets the events that are newer than it
    ),
    HIDDEN_PROJECTS.of(remove_hooks),
    REFERENCE_KINDS.of(*TRACKER_REFERENCES),
)
