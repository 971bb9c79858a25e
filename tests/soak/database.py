"""What the soak does to the database directly: queues as a receiver that was away leaves them, and pauses."""

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from tests.harness.databases import in_transaction

BATCH = 10_000


def enqueue(url: str, queued: int, *, first: int = 0, only: int = 0) -> None:
    """Enqueue deliveries, spread over all hooks, or for that of one project; each body has an id of its own."""
    for start in range(first, first + queued, BATCH):
        end = min(start + BATCH, first + queued)

        async def insert(tx: Tx, start: int = start, end: int = end) -> None:
            await tx.run(
                """
                WITH RECURSIVE numbers(n) AS (
                    SELECT CAST(:start AS bigint) UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < :end)
                INSERT INTO hook_payloads (key, event, trigger, flag, project_id, body, created_at)
                SELECT 'key-' || CAST(numbers.n AS text), 'Issue Hook', 'issue_hooks', 'issues_events', h.project_id,
                    '{"object_attributes":{"id":' || CAST(numbers.n + 1 AS text) || '},"padding":"' || :padding || '"}',
                    :now
                FROM numbers JOIN hooks h ON h.project_id = :only
                    OR (:only = 0 AND h.id = 1 + numbers.n % (SELECT count(*) FROM hooks)) ORDER BY numbers.n
                """,
                only=only, start=start, end=end, padding="x" * 1500, now=clock.now(),
            )  # fmt: skip

        in_transaction(url, insert)

    async def enqueue_all(tx: Tx) -> None:
        await tx.run(
            """
            INSERT INTO hook_deliveries (hook_id, payload_id, created_at)
            SELECT h.id, y.id, y.created_at FROM hook_payloads y JOIN hooks h ON h.project_id = y.project_id
            WHERE y.key LIKE 'key-%' ORDER BY y.id
            """
        )
        await tx.run(
            """
            INSERT INTO hook_queues (hook_id, ready_at, enqueued)
            SELECT h.id, :now, 1 FROM hooks h WHERE :only IN (0, h.project_id)
            ON CONFLICT (hook_id) DO UPDATE SET ready_at = excluded.ready_at
            """,
            only=only,
            now=clock.now(),
        )

    in_transaction(url, enqueue_all)


def waiting(url: str) -> int:
    """How many deliveries wait."""
    return in_transaction(url, lambda tx: tx.value("SELECT count(*) FROM hook_deliveries"))


def pause(url: str, healthy: int) -> None:
    """No hook but that of the healthy project is called; what waits for the others is dropped."""

    async def run(tx: Tx) -> None:
        others = "SELECT h.id FROM hooks h WHERE h.project_id <> :healthy"
        await tx.run(f"DELETE FROM hook_deliveries WHERE hook_id IN ({others})", healthy=healthy)
        await tx.run(
            f"UPDATE hook_queues SET ready_at = NULL, leased_by = NULL WHERE hook_id IN ({others})", healthy=healthy
        )

    in_transaction(url, run)


def resume(url: str) -> None:
    """Every hook is called again at its next event, whatever its receiver did before."""

    async def run(tx: Tx) -> None:
        await tx.run("UPDATE hook_queues SET failures = 0, disabled_until = NULL WHERE failures > 0")

    in_transaction(url, run)
