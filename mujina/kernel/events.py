"""Events, recorded in the transaction of the change; their consequences are listed, not called.

    await record(tx, "issue.updated", actor, subject_id=issue.id, project_id=p.id, changes={"title": (old, new)})

Operations record; the manifest of each chapter lists what it does about events.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from typing import Any, Final, LiteralString, NamedTuple

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.product import ExtensionPoint, Product

Changes = Mapping[str, Any]
"""The changes of each field: `{"title": (old, new)}`; for a deleted thing, the facts that its consequences need."""


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
    """The user who caused the event, for consequences that may only reach what they may see."""
    project_active_at: str | None = None
    """When the project was last active before this, where the operation knows."""
    context: Any = None
    """The facts that the operation knows of the surroundings: for an event about a note, its noteable."""


class EventRow(Row, alias="e"):
    """An event as it was recorded."""

    kind: str
    actor_id: int | None
    project_id: int | None
    group_id: int | None
    subject_id: int
    changes: str
    created_at: str


Reaction = Callable[[Tx, Event], Awaitable[None]]
"""A consequence inside the transaction of the change: it may write rows and enqueue jobs, and does nothing else."""


class When(msgspec.Struct, frozen=True):
    """A consequence that has an effect only if a condition holds.

    The condition is SQL about `:project_id`, `:actor_id`, `:noun` and `:subject_id`. The statement that stores the event
    evaluates it, so an event that nothing waits for costs no further statement.
    """

    condition: LiteralString
    reaction: Reaction
    changes: tuple[str, ...] = ()
    """The fields of the changes that the condition reads, each bound by its name."""


Reactions = Mapping[str, Sequence[Reaction | When]]
"""Event kind → consequences, in their order."""

REACTIONS: Final = ExtensionPoint[Reactions]("what follows from events")


class Capture(NamedTuple):
    """A consequence for readers outside: it comes before all reactions, or after them. The condition is that of a `When`."""

    condition: LiteralString
    reaction: Reaction
    last: bool = False
    """Whether it follows after the reactions and what they record, instead of before them."""


CAPTURES: Final = ExtensionPoint[Mapping[str, Capture]]("what is captured of events, by their kind")

visited_hooks: ContextVar[tuple[int, ...]] = ContextVar("visited_hooks", default=())
"""The ids of the hooks whose deliveries led to this request: they do not get its events, or they would loop."""


class EnqueueJob(msgspec.Struct, frozen=True):
    """The consequence that a task runs for the subject, soon after the commit."""

    task: str

    async def __call__(self, tx: Tx, event: Event) -> None:
        await enqueue(tx, self.task, event.subject_id, owner_id=event.actor_id)


class _Following(NamedTuple):
    """The consequences of the events of one kind."""

    insert: LiteralString
    """Stores the event; its id, and whether each condition holds."""
    names: tuple[str, ...]
    """The fields of the changes that the conditions read."""
    reactions: tuple[tuple[Reaction, int], ...]
    """Each with the column that decides whether it runs: a condition, or the id, which is always true."""
    last: tuple[tuple[Reaction, int], ...]
    """The reactions that come after everything else that the event leads to."""


class Consequences:
    """The consequences of each kind of event, in the order of the chapters: composed when the first one is recorded."""

    def __init__(self, product: Product) -> None:
        self._reactions = product.all(REACTIONS)
        self._captures = product.all(CAPTURES)
        self._known: dict[str, _Following] = {}

    @property
    def kinds(self) -> set[str]:
        """The kinds of events that have consequences."""
        return {kind for table in (*self._reactions, *self._captures) for kind in table}

    def captures(self, kind: str) -> list[Capture]:
        """The captures before the reactions or after them."""
        return [captures[kind] for captures in self._captures if kind in captures]

    def reactions(self, kind: str) -> list[Reaction | When]:
        """The reactions, in their order."""
        return [reaction for reactions in self._reactions for reaction in reactions.get(kind, ())]

    def of(self, kind: str) -> _Following:
        known = self._known.get(kind)
        if known is None:
            known = self._known[kind] = self._following(kind)
        return known

    def _following(self, kind: str) -> _Following:
        captures = self.captures(kind)
        first, last = (
            [When(each.condition, each.reaction) for each in captures if each.last is last] for last in (False, True)
        )
        conditions: list[LiteralString] = []
        names: list[str] = []
        reactions: list[tuple[Reaction, int]] = []
        for reaction in (*first, *self.reactions(kind), *last):
            if isinstance(reaction, When):
                conditions.append(reaction.condition)
                names += reaction.changes
                reactions.append((reaction.reaction, len(conditions)))
            else:
                reactions.append((reaction, 0))
        end = len(reactions) - len(last)
        insert = ", ".join([_INSERT, *conditions])
        return _Following(insert, tuple(names), tuple(reactions[:end]), tuple(reactions[end:]))


consequences_of = cache(Consequences)
"""The consequences in a product."""


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
    context: Any = None,
    follow: Callable[[], Awaitable[None]] | None = None,
) -> int:
    """Store the event with the change, or not at all, and run its reactions. Its id.

    Feeds show it as done by `author_id`, by default the actor. `follow`: what else this event leads to, after its reactions.
    """
    changes = changes or {}
    following = consequences_of(tx.product).of(kind)
    actor_id, noun, now = actor.id or None, kind.partition(".")[0], clock.now()
    [stored] = await tx.rows(
        tuple[Any, ...], following.insert,
        kind=kind, actor_id=actor_id, author_id=author_id or actor_id, project_id=project_id, group_id=group_id,
        noun=noun, subject_id=subject_id, changes=_encode(changes).decode(), confidential=confidential, now=now,
        **{name: changes[name] for name in following.names},
    )  # fmt: skip
    event = Event(
        id=stored[0], kind=kind, actor_id=actor_id, project_id=project_id, group_id=group_id, subject_kind=noun,
        subject_id=subject_id, changes=changes, confidential=confidential, created_at=now, actor=actor,
        project_active_at=project_active_at, context=context,
    )  # fmt: skip
    await _react(tx, event, following.reactions, stored)
    if follow is not None:
        await follow()
    await _react(tx, event, following.last, stored)
    return event.id


async def _react(tx: Tx, event: Event, reactions: Sequence[tuple[Reaction, int]], stored: tuple[Any, ...]) -> None:
    for reaction, condition in reactions:
        if stored[condition]:
            await reaction(tx, event)


_encode = msgspec.json.Encoder().encode
