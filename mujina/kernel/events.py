"""Events, recorded in the transaction of the change; their consequences are listed in one table, not called.

    await record(tx, "issue.updated", actor, subject_id=issue.id, project_id=p.id, changes={"title": (old, new)})

Operations record; `reactions.py` is the table.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, LiteralString, NamedTuple

import msgspec

from mujina.kernel import clock
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.jobs.queue import enqueue, run_delayed
from mujina.kernel.logs import log

Changes = Mapping[str, Any]
"""What became of each field: `{"title": (old, new)}`; of a deleted thing, what its consequences still need to know."""


class Event(msgspec.Struct, frozen=True):
    """One thing that happened, as its consequences see it."""

    id: int
    kind: str
    """`noun.past_tense`."""
    actor_id: int | None
    """None: the instance itself."""
    project_id: int | None
    group_id: int | None
    subject_kind: str
    subject_id: int
    changes: Changes
    confidential: bool
    created_at: str
    actor: Actor
    """Who did it, for consequences that may only reach what they may see."""
    project_active_at: str | None = None
    """When the project was last active before this, where the operation knows."""


Reaction = Callable[[Tx, Event], Awaitable[None]]
"""A consequence inside the transaction of the change: it may write rows and enqueue jobs, and does nothing else."""

Reactions = Mapping[str, Sequence[Reaction]]
"""Event kind → consequences, in their order."""


class Watch(NamedTuple):
    """A consequence that an event has only if a condition holds.

    The condition is SQL about `:project_id`. The statement that stores the event evaluates it, so an event that nothing
    waits for costs no further statement.
    """

    condition: LiteralString
    reaction: Reaction
    last: bool = False
    """Whether it follows after the reactions and what they record, instead of before them."""


Watches = Mapping[str, Sequence[Watch]]
"""Event kind → what follows, before all reactions or after them."""

visited_hooks: ContextVar[tuple[int, ...]] = ContextVar("visited_hooks", default=())
"""The ids of the hooks whose deliveries led to this request: they do not get its events, or they would loop."""


@dataclass(frozen=True, slots=True)
class Later:
    """The consequence that a task runs for the subject, soon after the commit."""

    task: str

    async def __call__(self, tx: Tx, event: Event) -> None:
        await enqueue(tx, self.task, event.subject_id, owner_id=event.actor_id)


MAX_CLOCK_LAG = 86_400
"""Seconds: an event further ahead than this was recorded with a wrong clock."""


async def catch_up_clock(database: Database) -> None:
    """Let no event be recorded before the newest one, though the clock was set back while no process ran.

    If it was set back by more than `MAX_CLOCK_LAG`, the earlier times are wrong: then no job waits for them.
    """
    async with database.reading() as tx:
        newest: str | None = await tx.value("SELECT created_at FROM events ORDER BY id DESC LIMIT 1")
    if newest is None or (ahead := clock.seconds_until(newest)) <= 0:
        return
    if ahead > MAX_CLOCK_LAG:
        log.warning("the newest event is in the future: is the clock right?", event_at=newest)
        async with database.transaction() as tx:
            await run_delayed(tx)
    else:
        clock.catch_up(newest)


_reactions: Reactions | None = None
_watches: Watches = {}


def register_reactions(reactions: Reactions, watches: Watches | None = None) -> None:
    """Register the reactions of the product; the composition root calls this once."""
    global _reactions, _watches
    _reactions, _watches = reactions, watches or {}


_INSERT: LiteralString = """
    INSERT INTO events
        (kind, actor_id, author_id, project_id, group_id, subject_kind, subject_id, changes, confidential, created_at)
    VALUES
        (:kind, :actor_id, :author_id, :project_id, :group_id, :noun, :subject_id, :changes, :confidential, :now)
    RETURNING id"""


async def record(
    tx: Tx,
    kind: str,
    actor: Actor,
    *,
    subject_id: int,
    project_id: int | None = None,
    group_id: int | None = None,
    changes: Changes | None = None,
    confidential: bool = False,
    author_id: int | None = None,
    project_active_at: str | None = None,
) -> int:
    """Store the event with the change, or not at all, and run its reactions. Its id.

    Feeds show it as done by `author_id`, by default the actor.
    """
    if _reactions is None:
        raise RuntimeError("events have no reactions: call register_reactions(…) first")
    actor_id, noun, now = actor.id or None, kind.partition(".")[0], clock.now()
    watches = _watches.get(kind, ())
    [(id, *watched)] = await tx.rows(
        tuple[Any, ...], ", ".join([_INSERT, *(watch.condition for watch in watches)]),
        kind=kind, actor_id=actor_id, author_id=author_id or actor_id, project_id=project_id, group_id=group_id,
        noun=noun, subject_id=subject_id, changes=msgspec.json.encode(changes or {}).decode(),
        confidential=confidential, now=now,
    )  # fmt: skip
    event = Event(
        id, kind, actor_id, project_id, group_id, noun, subject_id, changes or {}, confidential, now, actor,
        project_active_at,
    )  # fmt: skip
    holding = [watch for watch, holds in zip(watches, watched, strict=True) if holds]
    before, after = ([watch.reaction for watch in holding if watch.last is last] for last in (False, True))
    for reaction in (*before, *_reactions.get(kind, ()), *after):
        await reaction(tx, event)
    return id
