"""The log of deliveries: kept for seven days."""

from datetime import timedelta
from typing import Annotated, Final, LiteralString

from mujina.integrations.deliveries.entities import AttemptLine
from mujina.kernel import clock
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx

KEPT: Final = timedelta(days=7)
LAPSED: Final = "The delivery expired after seven days."
_BATCH: Final = 1_000


async def sweep(tx: Tx) -> bool:
    """Delete a batch of what is too old; whether more may be left."""
    limit = {"before": clock.later(-KEPT), "limit": _BATCH}
    lapsed: list[int] = await tx.values(
        "SELECT d.id FROM hook_deliveries d WHERE d.created_at < :before ORDER BY d.id LIMIT :limit", **limit
    )
    await tx.run(
        """
        INSERT INTO hook_logs (hook_id, payload_id, url, request_headers, response_headers, response_body,
            response_status, milliseconds, error, created_at)
        SELECT d.hook_id, d.payload_id, '', '{}', '{}', '', 'internal error', 0, :error, :now
        FROM hook_deliveries d WHERE d.id IN :ids
        """,
        ids=lapsed,
        error=LAPSED,
        now=clock.now(),
    )
    await tx.run("DELETE FROM hook_deliveries WHERE id IN :ids", ids=lapsed)
    deleted = await tx.run(
        """DELETE FROM hook_logs WHERE id IN (
           SELECT w.id FROM hook_logs w WHERE w.created_at < :before ORDER BY w.created_at LIMIT :limit)""",
        **limit,
    )
    unused = await tx.run(
        """DELETE FROM hook_payloads WHERE id IN (
           SELECT y.id FROM hook_payloads y WHERE y.created_at < :before
           AND NOT EXISTS (SELECT 1 FROM hook_logs w WHERE w.payload_id = y.id)
           AND NOT EXISTS (SELECT 1 FROM hook_deliveries d WHERE d.payload_id = y.id)
           ORDER BY y.created_at LIMIT :limit)""",
        **limit,
    )
    return max(len(lapsed), deleted, unused) == _BATCH


class LoggedAttempt(AttemptLine):
    """An attempt as operators list it."""

    error: str | None


class WaitingQueue(Row, alias="q"):
    hook_id: int
    waiting: Annotated[int, "(SELECT count(*) FROM hook_deliveries d WHERE d.hook_id = q.hook_id)"]
    failures: int
    ready_at: str | None


_LOGGED: LiteralString = f"SELECT {LoggedAttempt.columns} FROM hook_logs w JOIN hook_payloads y ON y.id = w.payload_id"


async def written(tx: Tx, hook_id: int | None, limit: int) -> list[LoggedAttempt]:
    """The latest attempts, of all hooks or of one, newest first."""
    if hook_id is None:
        return await tx.rows(LoggedAttempt, f"{_LOGGED} ORDER BY w.id DESC LIMIT :limit", limit=limit)
    return await tx.rows(
        LoggedAttempt,
        f"{_LOGGED} WHERE w.hook_id = :hook_id ORDER BY w.id DESC LIMIT :limit",
        hook_id=hook_id,
        limit=limit,
    )


async def waiting(tx: Tx, hook_id: int | None) -> list[WaitingQueue]:
    """The hooks for which deliveries wait, of all hooks or of one."""
    return await tx.rows(
        WaitingQueue,
        f"""SELECT {WaitingQueue.columns} FROM hook_queues q WHERE q.ready_at IS NOT NULL
            AND q.hook_id = coalesce(CAST(:hook_id AS bigint), q.hook_id) ORDER BY q.hook_id""",
        hook_id=hook_id,
    )
