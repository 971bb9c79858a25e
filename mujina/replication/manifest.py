"""Everything that this chapter adds to the product."""

from typing import Final

from mujina.kernel.db.clock_recovery import LAST_SIGNS, WAITED_FOR
from mujina.kernel.events import CAPTURES, Capture
from mujina.kernel.product import Chapter
from mujina.replication.log.operations import LOGGED, log_event, log_removed_files
from mujina.replication.log.rules import HAS_SECONDARIES
from mujina.workspaces.projects.removing.with_owner import PROJECT_ROWS

CHAPTER: Final = Chapter(
    "mujina.replication",
    CAPTURES.of(dict.fromkeys(LOGGED, Capture(HAS_SECONDARIES, log_event))),
    LAST_SIGNS.of("SELECT max(c.followed_at) FROM replication_cursor c"),
    WAITED_FOR.of(
        ("replicated_repositories", "due_at"),
        ("replicated_repositories", "verified_at"),
        ("replicated_files", "due_at"),
        ("forwarded_writes", "expires_at"),
        ("replication_statuses", "reported_at"),
        ("replication_cursor", "contact_at"),
        ("replication_cursor", "followed_at"),
        ("replication_gaps", "seen_at"),
    ),
    PROJECT_ROWS.of(log_removed_files),
)
