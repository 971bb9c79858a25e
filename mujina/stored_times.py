"""Every stored time that something waits for, in one table: `table`, `column`.

A time that was stored while the clock was far ahead would hold this back until the clock gets there, so a start that finds
such times sets them to the present (`kernel/clock_recovery.py`). Times that are only shown stay as they are.
"""

from typing import Final, LiteralString

from mujina.kernel.clock_recovery import StoredTime

WAITED_FOR: Final[tuple[StoredTime, ...]] = (
    # Not before: retries, pauses and leases.
    ("jobs", "ready_at"),
    ("jobs", "again_at"),
    ("hook_queues", "ready_at"),
    ("hook_queues", "disabled_until"),
    ("hook_builders", "leased_until"),
    ("replicated_repositories", "due_at"),
    ("replicated_files", "due_at"),
    ("forwarded_writes", "expires_at"),
    # Not until some time after: limits of rates, locks of accounts, periodic checks, signs of life.
    ("failed_logins", "failed_at"),
    ("invitations", "sent_at"),
    ("mail_links", "created_at"),
    ("housekeeping", "started_at"),
    ("identities", "checked_at"),
    ("identities", "blocked_at"),
    ("background_processes", "seen_at"),
    ("replication_statuses", "reported_at"),
    ("replicated_repositories", "verified_at"),
    ("replication_cursor", "contact_at"),
    ("replication_cursor", "followed_at"),
    ("replication_gaps", "seen_at"),
    # A hook gets the events that are newer than it.
    ("hooks", "created_at"),
)
"""`schedules` are not among them: each start bounds them by their intervals."""

LATEST: Final[LiteralString] = """
    SELECT max(t.at) FROM (
        SELECT (SELECT e.created_at FROM events e ORDER BY e.id DESC LIMIT 1) AS at
        UNION ALL SELECT max(b.seen_at) FROM background_processes b
        UNION ALL SELECT max(c.followed_at) FROM replication_cursor c) t
"""
"""When a process last recorded an event or a sign of life."""
