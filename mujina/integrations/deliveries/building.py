"""From captured events to deliveries: the payloads are built outside a transaction, and enqueued in one, in order.

One process builds at a time, so a hook gets events in the order in which they were committed. When it dies, its lease
ends soon, and another process goes on; nothing is built twice, because an event is deleted with the insert of its
deliveries.
"""

import uuid
from datetime import timedelta
from typing import Final, LiteralString

import msgspec

from mujina.integrations.payloads.events import HookEventRow, Payload
from mujina.integrations.payloads.operations import PayloadBuilder
from mujina.integrations.payloads.rules import FLAGS, OF_INSTANCE, OF_PROJECT, PUSHES, is_chosen
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.logs import log
from mujina.kernel.services import Services

BATCH: Final = 50
LEASE: Final = timedelta(seconds=2)
MAX_ATTEMPTS: Final = 5
"""An event whose payloads cannot be built is dropped then, with a line in the log: the events behind it go on."""

_encode = msgspec.json.Encoder().encode


class BuiltEvent(msgspec.Struct, frozen=True):
    event: HookEventRow
    payloads: list[Payload] | None
    """None: building them failed."""


async def build_batch(services: Services, runner: str) -> int:
    """Turn the oldest captured events into deliveries; how many events. 0 if there are none, or another process builds."""
    async with services.database.reading() as tx:
        if not await _may_build(tx, runner):
            return 0
        events = await tx.rows(
            HookEventRow,
            f"""SELECT {HookEventRow.columns} FROM hook_events c JOIN events e ON e.id = c.event_id
                ORDER BY c.id LIMIT :limit""",
            limit=BATCH,
        )
    if not events:
        return 0
    builder = PayloadBuilder(services)
    built = [await _build(builder, event) for event in events]
    async with services.database.transaction() as tx:
        if not await _lease(tx, runner):
            return 0
        for each in built:
            await _enqueue(tx, each)
    return len(built)


async def _may_build(tx: Tx, runner: str) -> bool:
    other = await tx.value(
        "SELECT 1 FROM hook_builders b WHERE b.leased_by <> :runner AND b.leased_until > :now",
        runner=runner, now=clock.now(),
    )  # fmt: skip
    return other is None


async def _lease(tx: Tx, runner: str) -> bool:
    """Whether this process is the one that builds, until another one finds that it has stopped."""
    taken = await tx.run(
        """
        INSERT INTO hook_builders (id, leased_by, leased_until) VALUES (1, :runner, :until)
        ON CONFLICT (id) DO UPDATE SET leased_by = excluded.leased_by, leased_until = excluded.leased_until
        WHERE hook_builders.leased_by = excluded.leased_by OR hook_builders.leased_until <= :now
        """,
        runner=runner, now=clock.now(), until=clock.later(LEASE),
    )  # fmt: skip
    return taken > 0


async def _build(builder: PayloadBuilder, event: HookEventRow) -> BuiltEvent:
    try:
        return BuiltEvent(event, await builder.build(event))
    except Exception as error:  # noqa: BLE001 - one event that cannot be built does not hold up the others
        log.warning("payload could not be built", event_id=event.event_id, kind=event.kind, exc_info=error)
        return BuiltEvent(event, None)


async def _enqueue(tx: Tx, built: BuiltEvent) -> None:
    event = built.event
    if built.payloads is None and await tx.run(
        "UPDATE hook_events SET attempts = attempts + 1 WHERE id = :id AND attempts + 1 < :most",
        id=event.id, most=MAX_ATTEMPTS,
    ):  # fmt: skip
        return
    if not await tx.run("DELETE FROM hook_events WHERE id = :id", id=event.id):
        return  # another process was faster
    for payload in built.payloads or ():
        receivers = await tx.rows(
            tuple[int, str],
            RECEIVERS[payload.audience, payload.flag], project_id=event.project_id or 0, created_at=event.created_at,
        )  # fmt: skip
        if hook_ids := [id for id, filter_ in receivers if payload.flag != PUSHES or is_chosen(payload.body, filter_)]:
            await enqueue(tx, hook_ids, await store_payload(tx, event.project_id, payload))


def _receivers(audience: LiteralString, condition: LiteralString) -> LiteralString:
    return f"SELECT h.id, h.push_events_branch_filter FROM hooks h WHERE {audience} AND {condition} AND h.created_at <= :created_at ORDER BY h.id FOR KEY SHARE OF h"


RECEIVERS: Final[dict[tuple[str, str | None], LiteralString]] = {
    ("instance", None): _receivers(OF_INSTANCE, "TRUE"),
    **{("instance", flag): _receivers(OF_INSTANCE, condition) for flag, condition in FLAGS.items()},
    **{("project", flag): _receivers(OF_PROJECT, condition) for flag, condition in FLAGS.items()},
}
"""The hooks that get a payload: a hook that was created after the event does not."""


async def store_payload(tx: Tx, project_id: int | None, payload: Payload) -> int:
    """The id of the stored payload."""
    return await tx.value(
        """
        INSERT INTO hook_payloads (key, event, trigger, flag, project_id, body, created_at)
        VALUES (:key, :event, :trigger, :flag, :project_id, :body, :now) RETURNING id
        """,
        key=str(uuid.uuid4()), event=payload.event, trigger=payload.trigger, flag=payload.flag, project_id=project_id,
        body=_encode(payload.body).decode(), now=clock.now(),
    )  # fmt: skip


async def enqueue(tx: Tx, hook_ids: list[int], payload_id: int) -> None:
    """The payload waits in the queue of each hook; a hook with an empty queue is ready at once."""
    now = clock.now()
    await tx.run_each(
        """
        INSERT INTO hook_queues (hook_id, ready_at, enqueued) VALUES (:hook_id, :now, 1)
        ON CONFLICT (hook_id) DO UPDATE SET
            enqueued = hook_queues.enqueued + 1, ready_at = coalesce(hook_queues.ready_at, excluded.ready_at)
        """,
        [{"hook_id": hook_id, "now": now} for hook_id in hook_ids],
    )
    await tx.run_each(
        "INSERT INTO hook_deliveries (hook_id, payload_id, created_at) VALUES (:hook_id, :payload_id, :now)",
        [{"hook_id": hook_id, "payload_id": payload_id, "now": now} for hook_id in hook_ids],
    )
