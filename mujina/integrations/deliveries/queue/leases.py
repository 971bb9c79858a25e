"""The queues of hooks: one process at a time delivers what waits for a hook, under a lease."""

from collections.abc import Collection
from typing import Annotated, Final, Literal, LiteralString

import msgspec

from mujina.integrations.payloads.rules import STILL_WANTED
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs import wakeups


class LeasedQueue(Row, alias="q"):
    hook_id: int
    failures: int
    enqueued: int


class HookRequest(Row, alias="h"):
    """Where a hook is called, and with what: the payload `y`."""

    hook_id: Annotated[int, "h.id"]
    url: str
    token: str | None
    verify_tls: Annotated[bool, "h.enable_ssl_verification"]
    payload_id: Annotated[int, "y.id"]
    key: Annotated[str, "y.key"]
    event: Annotated[str, "y.event"]
    body: Annotated[str, "y.body"]
    visited: Annotated[str, "y.visited"]
    """Hooks whose deliveries led to the event."""
    service: Annotated[str | None, "s.slug"]
    """The service that is called instead of the URL."""
    service_properties: Annotated[str | None, "s.properties"]
    service_secrets: Annotated[str | None, "s.secrets"]


class QueuedDelivery(HookRequest):
    """A delivery that waits (`d`)."""

    id: Annotated[int, "d.id"]
    attempts: Annotated[int, "d.attempts"]
    wanted: Annotated[bool, f"(d.asked_for OR {STILL_WANTED})"]
    """Whether the hook may still get it."""


class Attempt(msgspec.Struct, frozen=True):
    """One attempt as the log shows it, without secrets."""

    hook_id: int
    payload_id: int
    url: str
    request_headers: str
    response_headers: str
    response_body: str
    response_status: str
    milliseconds: int
    error: str | None
    started_at: str

    @property
    def answered(self) -> bool:
        """Whether there was an HTTP response, whatever its status."""
        return self.error is None

    @property
    def successful(self) -> bool:
        return self.response_status.startswith("2")

    @property
    def failed(self) -> bool:
        """Whether it counts against the hook: no response, or a status from 400 on."""
        return not self.answered or self.response_status[:1] not in ("1", "2", "3")


class DeliveryOutcome(msgspec.Struct, frozen=True):
    """The outcome of a queued delivery: it leaves the queue, unless it is to be tried again."""

    delivery_id: int
    hook_id: int
    verdict: Literal["delivered", "retried", "dropped"]
    attempt: Attempt | None
    """None: the hook may no longer get it, and was not called."""
    failures: int
    """Consecutive failures of this hook."""
    disabled_until: str | None
    recovered: bool = False
    """Whether the hook had failed before."""
    failing: bool = False
    """Whether it had failed when its queue was leased, and has not recovered since: no failures then mean that it was resumed
    while it was called, and this failure is one of before."""


class QueueRelease(msgspec.Struct, frozen=True):
    """The end of a lease: the queue is ready again at that time, or once more comes."""

    hook_id: int
    enqueued: int
    """The number that the process has seen: if more has come since, the queue is ready at once."""
    ready_at: str | None
    failing: bool = False
    """As of the last outcome."""


async def next_ready(tx: Tx, besides: Collection[int]) -> str | None:
    """When the next queue is ready; None when none waits."""
    return await tx.value(
        """SELECT q.ready_at FROM hook_queues q WHERE q.ready_at IS NOT NULL AND q.hook_id NOT IN :besides
           ORDER BY q.ready_at LIMIT 1""",
        besides=list(besides),
    )


TAKE: Final = """
    UPDATE hook_queues SET leased_by = :runner, ready_at = :until WHERE hook_id IN (
        SELECT q.hook_id FROM hook_queues q
        WHERE q.ready_at <= :now AND q.hook_id NOT IN :besides AND q.failures <= :max_failures
        ORDER BY q.ready_at LIMIT :limit FOR UPDATE SKIP LOCKED)
    RETURNING hook_id, failures, enqueued
"""


async def take(
    tx: Tx, runner: str, until: str, besides: Collection[int], *, limit: int, max_failures: int
) -> list[LeasedQueue]:
    """Lease queues that are ready, those that have waited longest first."""
    return await tx.rows(
        LeasedQueue, TAKE,
        runner=runner, until=until, now=clock.now(), besides=list(besides), limit=limit, max_failures=max_failures,
    )  # fmt: skip


async def renew(tx: Tx, runner: str, until: str, hook_ids: Collection[int]) -> set[int]:
    """Extend these leases; the hooks whose lease the process still has. A removed hook has none."""
    return set(
        await tx.values(
            """UPDATE hook_queues SET ready_at = :until WHERE hook_id IN :ids AND leased_by = :runner
               RETURNING hook_id""",
            until=until,
            ids=list(hook_ids),
            runner=runner,
        )
    )


_NEXT: LiteralString = f"""
    SELECT {QueuedDelivery.columns} FROM hook_deliveries d JOIN hooks h ON h.id = d.hook_id
    JOIN hook_payloads y ON y.id = d.payload_id LEFT JOIN services s ON s.id = h.service_id
    WHERE d.hook_id = :hook_id AND d.id > :after ORDER BY d.id LIMIT :limit"""


async def next_deliveries(tx: Tx, hook_id: int, after: int, limit: int) -> list[QueuedDelivery]:
    """The deliveries that are next in the queue, with the hook as it is now."""
    return await tx.rows(QueuedDelivery, _NEXT, hook_id=hook_id, after=after, limit=limit)


async def find_request(tx: Tx, hook_id: int, payload_id: int) -> HookRequest | None:
    """The data for calling the hook, as it is now, with a stored payload."""
    return await tx.row(
        HookRequest,
        f"""SELECT {HookRequest.columns} FROM hooks h JOIN hook_payloads y ON y.id = :payload_id
            LEFT JOIN services s ON s.id = h.service_id WHERE h.id = :hook_id""",
        hook_id=hook_id,
        payload_id=payload_id,
    )


async def find_payload(tx: Tx, hook_id: int, log_id: int) -> int:
    """The payload of a logged delivery of this hook; 404 for any other."""
    found = await tx.value(
        "SELECT w.payload_id FROM hook_logs w WHERE w.id = :id AND w.hook_id = :hook_id", id=log_id, hook_id=hook_id
    )
    return errors.or_not_found(found, "Event")


async def record_outcomes(tx: Tx, outcomes: Collection[DeliveryOutcome]) -> None:
    """Log the attempts, and take from the queues what is done."""
    await log_attempts(tx, [outcome.attempt for outcome in outcomes if outcome.attempt is not None])
    if done := [outcome.delivery_id for outcome in outcomes if outcome.verdict != "retried"]:
        await tx.run("DELETE FROM hook_deliveries WHERE id IN :ids", ids=done)
    if again := [outcome.delivery_id for outcome in outcomes if outcome.verdict == "retried"]:
        await tx.run("UPDATE hook_deliveries SET attempts = attempts + 1 WHERE id IN :ids", ids=again)
    latest = {outcome.hook_id: outcome for outcome in outcomes if outcome.failures or outcome.recovered}
    if not latest:
        return
    await tx.run_each(
        """UPDATE hook_queues SET failures = :failures, disabled_until = :until WHERE hook_id = :hook_id
           AND (failures <> :failures OR disabled_until IS DISTINCT FROM CAST(:until AS text))
           AND (failures > 0 OR NOT CAST(:failing AS boolean))""",
        [
            {
                "hook_id": hook_id,
                "failures": outcome.failures,
                "until": outcome.disabled_until,
                "failing": outcome.failing,
            }
            for hook_id, outcome in sorted(latest.items())
        ],
    )


async def log_attempts(tx: Tx, attempts: Collection[Attempt]) -> None:
    """Hooks that were removed meanwhile have no log."""
    if not attempts:
        return
    await tx.run_each(
        """
        INSERT INTO hook_logs (hook_id, payload_id, url, request_headers, response_headers, response_body,
            response_status, milliseconds, error, created_at)
        SELECT h.id, CAST(:payload_id AS bigint), :url, :request_headers, :response_headers, :response_body,
            :response_status, CAST(:milliseconds AS bigint), CAST(:error AS text), :started_at
        FROM hooks h WHERE h.id = :hook_id
        """,
        [msgspec.structs.asdict(attempt) for attempt in attempts],
    )


async def release(tx: Tx, runner: str, releases: Collection[QueueRelease]) -> None:
    """End leases; a queue that got more than the process has seen is ready at once, unless it is to wait.

    One that was resumed while its hook was called is ready at once.
    """
    if not releases:
        return
    await tx.run_each(
        """
        UPDATE hook_queues SET leased_by = NULL, ready_at = CASE
            WHEN CAST(:ready_at AS text) IS NOT NULL AND CAST(:failing AS boolean) AND failures = 0 THEN :now
            WHEN CAST(:ready_at AS text) IS NOT NULL THEN :ready_at WHEN enqueued <> :enqueued THEN :now END
        WHERE hook_id = :hook_id AND leased_by = :runner
        """,
        [
            {**msgspec.structs.asdict(each), "now": clock.now(), "runner": runner}
            for each in sorted(releases, key=lambda each: each.hook_id)
        ],
    )


async def resume(tx: Tx, hook_id: int) -> None:
    """The hook is called again, at once if something waits for it."""
    await tx.run(
        """UPDATE hook_queues SET failures = 0, disabled_until = NULL,
           ready_at = CASE WHEN leased_by IS NULL AND ready_at IS NOT NULL THEN :now ELSE ready_at END
           WHERE hook_id = :hook_id""",
        hook_id=hook_id,
        now=clock.now(),
    )
    tx.after_commit(wakeups.notify_deliverers)
