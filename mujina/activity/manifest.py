"""Everything that this chapter adds to the product."""

from typing import Final

from mujina.activity.audit.kinds import AUDITED
from mujina.activity.audit.operations import write_audit_events
from mujina.activity.events.kinds import KINDS
from mujina.code.repositories.home_activity import HOME_ACTIVITY
from mujina.kernel.deferred_imports import function
from mujina.kernel.events import REACTIONS
from mujina.kernel.product import Chapter
from mujina.workspaces.projects.operations import update_last_activity

_IN_FEEDS: Final = KINDS.keys() - {"project.created"}
"""A new project is active by itself."""

CHAPTER: Final = Chapter(
    "mujina.activity",
    REACTIONS.of(
        {kind: [update_last_activity] for kind in _IN_FEEDS}, {kind: [write_audit_events] for kind in AUDITED}
    ),
    HOME_ACTIVITY.of(function("mujina.activity.events.page_view", "read_project_feed")),
)
