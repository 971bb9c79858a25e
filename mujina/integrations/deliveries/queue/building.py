"""Building turns captured events into deliveries: payloads are built outside the transaction that enqueues them.

One process builds at a time, so a hook gets events in the order in which they were committed. When it dies, its lease
ends soon, and another process goes on; nothing is built twice, because an event is deleted with the insert of its
deliveries.
"""

import uuid
from collections import Counter
from datetime import timedelta
from typing import Final, LiteralString, NamedTuple

import msgspec

from mujina.integrations.payloads.events import HookEventRow, Payload
from mujina.integrations.payloads.operations import PayloadBuilder
from mujina.integrations.payloads.rules import FLAGS, OF_INSTANCE, OF_PROJECT, PUSHES, is_chosen
from mujina.kernel import clock
from mujina.kernel.db.rows import Row, insert, insert_each, insert_id
from mujina.kernel.db.transaction import Tx
from mujina.kernel.monitoring.logs import log
from mujina.kernel.services import Services

BATCH: Final = 50
LEASE: Final = timedelta(seconds=1.5)
MAX_ATTEMPTS: Final = 5
"""An event whose payloads cannot be built is dropped then, with a line in the log: the events behind it go on."""

_encode = msgspec.json.Encoder().encode


class BuiltEvent(msgspec.Struct, frozen=True):
    event: HookEventRow
    payloads: list[Payload] | None
    """None: building them failed."""


class BuiltBatch(NamedTuple):
    built: int
    """How many events."""
    leading: bool
    """Whether this process is the one that builds."""


async def build_batch(services: Services) -> BuiltBatch:
    """Turn the oldest captured events into deliveries, unless another process builds."""
    async with services.database.reading() as tx:
        if await tx.value(
            "SELECT 1 FROM hook_builders b WHERE b.leased_by <> :runner AND b.leased_until > :now",
            runner=services.name,
            now=clock.now(),
        ):
            return BuiltBatch(0, leading=False)
        events = await tx.rows(
            HookEventRow,
            f"""SELECT {HookEventRow.columns} FROM hook_events c JOIN events e ON e.id = c.event_id
                ORDER BY c.id LIMIT :limit""",
            limit=BATCH,
        )
    if not events:
        return BuiltBatch(0, leading=True)
    builder = PayloadBuilder(services)
    await builder.prefetch(events)
    built = [await _build(builder, event) for event in events]
    async with services.database.transaction() as tx:
        if not await _lease(tx, services.name):
            return BuiltBatch(0, leading=False)
        await _enqueue_batch(tx, built)
    return BuiltBatch(len(built), leading=True)


async def _lease(tx: Tx, runner: str) -> bool:
    """Whether this process is the one that builds, until another one finds that it has stopped."""
    taken = await tx.run(
        """
        INSERT INTO hook_builders (id, leased_by, leased_until) VALUES (1, :runner, :until)
        ON CONFLICT (id) DO UPDATE SET leased_by = excluded.leased_by, leased_until = excluded.leased_until
        WHERE hook_builders.leased_by = excluded.leased_by OR hook_builders.leased_until <= :now
        """,
        runner=runner,
        now=clock.now(),
        until=clock.later(LEASE),
    )
    return taken > 0


async def _build(builder: PayloadBuilder, event: HookEventRow) -> BuiltEvent:
    try:
        return BuiltEvent(event, await builder.build(event))
    except Exception as error:  # noqa: BLE001 - one event that cannot be built does not hold up the others
        log.warning("payload could not be built", event_id=event.event_id, kind=event.kind, exc_info=error)
        return BuiltEvent(event, None)


async def _enqueue_batch(tx: Tx, built: list[BuiltEvent]) -> None:
    """Delete the events and enqueue their payloads for each hook, in few statements and in the order of the events."""
    failed = [each.event.id for each in built if each.payloads is None]
    if failed:
        await tx.run("UPDATE hook_events SET attempts = attempts + 1 WHERE id IN :ids", ids=failed)
    ours: set[int] = set(
        await tx.values(
            "DELETE FROM hook_events WHERE id IN :ids OR (id IN :failed AND attempts >= :most) RETURNING id",
            ids=[each.event.id for each in built if each.payloads is not None],
            failed=failed,
            most=MAX_ATTEMPTS,
        )
    )
    receivers, deliveries = Receivers(tx), list[Delivery]()
    for each in built:
        for payload in each.payloads or () if each.event.id in ours else ():
            if hook_ids := await receivers.of(each.event, payload):
                key = str(uuid.uuid4())
                deliveries.append(Delivery(key, each.event.project_id, payload, hook_ids, each.event.visited))
    if deliveries:
        await _store(tx, deliveries)


class Delivery(NamedTuple):
    """A payload on its way to hooks."""

    key: str
    project_id: int | None
    payload: Payload
    hook_ids: list[int]
    visited: str


async def _store(tx: Tx, deliveries: list[Delivery]) -> None:
    now = clock.now()
    payloads = [_payload_row(each.key, each.project_id, each.payload, now, each.visited) for each in deliveries]
    await insert_each(tx, "hook_payloads", payloads)
    numbers = Counter(hook_id for each in deliveries for hook_id in each.hook_ids)
    await tx.run_each(
        _ENQUEUE, [{"hook_id": hook_id, "number": numbers[hook_id], "now": now} for hook_id in sorted(numbers)]
    )
    await tx.run_each(
        """INSERT INTO hook_deliveries (hook_id, payload_id, created_at)
           SELECT CAST(:hook_id AS bigint), y.id, :now FROM hook_payloads y WHERE y.key = :key""",
        [{"hook_id": hook_id, "key": each.key, "now": now} for each in deliveries for hook_id in each.hook_ids],
    )


class Receivers:
    """Which hooks get a payload; those of a project are read once for a batch of events."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._known: dict[tuple[str, str | None, int], list[ReceivingHook]] = {}

    async def of(self, event: HookEventRow, payload: Payload) -> list[int]:
        """A hook that was created after the event does not get it, nor one whose delivery led to it."""
        key = payload.audience, payload.flag, event.project_id or 0
        if key not in self._known:
            self._known[key] = await self._tx.rows(ReceivingHook, RECEIVERS[key[:2]], project_id=key[2])
        visited = event.visited.split("-")
        return [
            hook.id
            for hook in self._known[key]
            if hook.created_at <= event.created_at
            and str(hook.id) not in visited
            and (payload.flag != PUSHES or is_chosen(payload.body, hook.push_events_branch_filter))
        ]


class ReceivingHook(Row, alias="h"):
    id: int
    created_at: str
    push_events_branch_filter: str


def _receivers(audience: LiteralString, condition: LiteralString) -> LiteralString:
    return f"""SELECT {ReceivingHook.columns} FROM hooks h WHERE {audience} AND {condition}
        ORDER BY h.id FOR KEY SHARE OF h"""


RECEIVERS: Final[dict[tuple[str, str | None], LiteralString]] = {
    ("instance", None): _receivers(OF_INSTANCE, "TRUE"),
    **{("instance", flag): _receivers(OF_INSTANCE, condition) for flag, condition in FLAGS.items()},
    **{("project", flag): _receivers(OF_PROJECT, condition) for flag, condition in FLAGS.items()},
}
"""The hooks that want a payload."""

_ENQUEUE: LiteralString = """
    INSERT INTO hook_queues (hook_id, ready_at, enqueued) VALUES (:hook_id, :now, :number)
    ON CONFLICT (hook_id) DO UPDATE SET
        enqueued = hook_queues.enqueued + excluded.enqueued,
        ready_at = coalesce(hook_queues.ready_at, excluded.ready_at)
"""
"""A hook with an empty queue is ready at once."""


def _payload_row(
    key: str, project_id: int | None, payload: Payload, now: str, visited: str = ""
) -> dict[str, str | int | None]:
    return {
        "key": key, "event": payload.event, "trigger": payload.trigger, "flag": payload.flag, "project_id": project_id,
        "body": _encode(payload.body).decode(), "visited": visited, "created_at": now,
    }  # fmt: skip


async def store_payload(tx: Tx, project_id: int | None, payload: Payload) -> int:
    """The id of the stored payload."""
    return await insert_id(tx, "hook_payloads", **_payload_row(str(uuid.uuid4()), project_id, payload, clock.now()))


async def enqueue_again(tx: Tx, hook_id: int, payload_id: int) -> None:
    """The payload waits once more in the queue of the hook, which gets it whatever its flags are."""
    now = clock.now()
    await tx.run(_ENQUEUE, hook_id=hook_id, number=1, now=now)
    await insert(tx, "hook_deliveries", hook_id=hook_id, payload_id=payload_id, asked_for=True, created_at=now)
