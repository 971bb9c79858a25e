"""Everything that this chapter adds to the product."""

from typing import Final

from mujina.git.requests import COMMANDS_ELSEWHERE, GIT_CREDENTIALS, GitCredential
from mujina.kernel.db.clock_recovery import LAST_SIGNS, WAITED_FOR
from mujina.kernel.deferred_imports import function
from mujina.kernel.events import CAPTURES, Capture
from mujina.kernel.http.applications import APPLICATIONS, MIDDLEWARE
from mujina.kernel.monitoring.readiness import HEALTH_LINES
from mujina.kernel.product import Chapter
from mujina.kernel.services import SECONDARIES
from mujina.replication.forwarding.application import at_node
from mujina.replication.git.credentials import authorize_node, is_signed_by_node
from mujina.replication.git.operations import answer_at_primary
from mujina.replication.log.operations import LOGGED, log_event, log_removed_files
from mujina.replication.log.rules import HAS_SECONDARIES
from mujina.replication.nodes.endpoints import PREFIX, NodeEndpoints
from mujina.replication.sync.tasks import find_node
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
    SECONDARIES.of(find_node),
    MIDDLEWARE.of(at_node),
    APPLICATIONS.of((PREFIX, NodeEndpoints)),
    GIT_CREDENTIALS.of(GitCredential(is_signed_by_node, authorize_node)),
    COMMANDS_ELSEWHERE.of(answer_at_primary),
    HEALTH_LINES.of(function("mujina.replication.statuses.health", "read_health")),
)
