"""What a secondary says is wrong with it; tests/replication/sync has a real one."""

from datetime import timedelta

from mujina.kernel import clock
from mujina.kernel.db.postgres.replication import Replica
from mujina.replication.registry.cursor import CursorRow
from mujina.replication.statuses.measuring import find_problem


def test_a_secondary_says_why_it_is_not_healthy():
    now, before = clock.now(), clock.later(-timedelta(seconds=61))
    spelled = clock.spelled(before)
    whole = Replica(in_recovery=True, receiving=True, caught_up=True, replayed_at=None)
    cursor = CursorRow(event_id=1, event_at=None, contact_at=now, followed_at=now)
    stalled = CursorRow(event_id=1, event_at=None, contact_at=before, followed_at=before)
    assert [
        find_problem(*case)
        for case in (
            (whole, cursor, None),
            (whole._replace(in_recovery=False), cursor, "full"),
            (whole, None, "full"),
            (whole, cursor, "read-only"),
            (whole, None, None),
            (whole._replace(receiving=False), stalled, None),
            (whole, stalled, None),
        )
    ] == [
        "",
        "The database of this node is not a replica: it no longer follows the primary.",
        "The storage of this node is full: nothing can be copied to it.",
        "The storage of this node is read-only: nothing can be copied to it.",
        "This node has not begun to copy yet.",
        f"The database of this node has received nothing from the primary since {spelled}.",
        f"This node has not applied the log of the primary since {spelled}.",
    ]
