"""How many deliveries wait, for operators."""

from typing import Final

from mujina.integrations.hooks.rules import MAX_FAILURES
from mujina.kernel import clock
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx

HOOKS: Final = "hooks"
"""The name of the queue of all deliveries."""


class DeliveryFigures(Row):
    due: int
    """Deliveries that could be made now, and events whose payloads are not built yet."""
    oldest: str | None
    """The time since which the oldest of them waits."""
    waiting: int
    """All deliveries, with those that wait for a later attempt."""
    paused: int
    """Hooks that are paused after failures."""
    disabled: int
    """Hooks that are called no more until they are resumed."""


async def delivery_figures(tx: Tx) -> DeliveryFigures:
    found = await tx.row(
        DeliveryFigures,
        """
        SELECT
            (SELECT count(*) FROM hook_deliveries d JOIN hook_queues q ON q.hook_id = d.hook_id
                WHERE q.leased_by IS NOT NULL OR q.ready_at <= :now) + (SELECT count(*) FROM hook_events),
            (SELECT min(due.since) FROM (
                SELECT min(d.created_at) AS since FROM hook_deliveries d JOIN hook_queues q ON q.hook_id = d.hook_id
                    WHERE q.leased_by IS NOT NULL OR q.ready_at <= :now
                UNION ALL SELECT min(e.created_at) FROM events e
                    WHERE e.id = (SELECT c.event_id FROM hook_events c ORDER BY c.id LIMIT 1)) due),
            (SELECT count(*) FROM hook_deliveries),
            (SELECT count(*) FROM hook_queues q WHERE q.disabled_until > :now AND q.failures < :most),
            (SELECT count(*) FROM hook_queues q WHERE q.failures >= :most)
        """,
        now=clock.now(),
        most=MAX_FAILURES,
    )
    assert found is not None
    return found


class HourOfDeliveries(Row):
    """The attempts that were made in one hour."""

    hour: str
    """Its start: `2018-01-22T14`."""
    delivered: int
    failed: int


async def deliveries_by_hour(tx: Tx, since: str) -> list[HourOfDeliveries]:
    """The attempts since then; hours without any are left out."""
    return await tx.rows(
        HourOfDeliveries,
        """
        SELECT substr(w.created_at, 1, 13),
            CAST(sum(CASE WHEN w.response_status LIKE '2%' THEN 1 ELSE 0 END) AS bigint),
            CAST(sum(CASE WHEN w.response_status LIKE '2%' THEN 0 ELSE 1 END) AS bigint)
        FROM hook_logs w WHERE w.created_at >= :since
        GROUP BY substr(w.created_at, 1, 13)
        """,
        since=since,
    )
