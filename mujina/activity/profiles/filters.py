"""The lists on the page of a user: only rows that the reader may see."""

from datetime import date, timedelta

from mujina.activity.events import filters as event_filters
from mujina.activity.events.params import ListEvents
from mujina.kernel import clock
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.groups import filters as group_filters
from mujina.workspaces.groups.params import ListGroups
from mujina.workspaces.projects import filters as project_filters

WEEKS = 53


def first_day() -> date:
    """The Monday on which the calendar starts; it ends today."""
    today = date.fromisoformat(clock.today())
    return today - timedelta(days=today.weekday(), weeks=WEEKS - 1)


async def calendar(tx: Tx, actor: Actor, user_id: int) -> list[tuple[str, int]]:
    """Each day of the last 53 weeks with the number of the user's contributions that the actor may see."""
    start, today = first_day(), date.fromisoformat(clock.today())
    feed = _since(actor, user_id)
    counts = await feed.counts.per_day(tx, feed.events)
    days = [(start + timedelta(days=n)).isoformat() for n in range((today - start).days + 1)]
    return [(day, counts.get(day, 0)) for day in days]


def on_day(actor: Actor, user_id: int, day: str) -> event_filters.Feed:
    """The user's contributions of this day that the actor may see."""
    that = date.fromisoformat(day)
    query = ListEvents(after=_neighbor(that, -1), before=_neighbor(that, 1))
    return event_filters.of_user(actor, user_id, query)


def _neighbor(day: date, step: int) -> str:
    """The day before or after; the first and the last of the calendar have no other."""
    try:
        return (day + timedelta(days=step)).isoformat()
    except OverflowError:
        return day.isoformat()


def _since(actor: Actor, user_id: int) -> event_filters.CountedFeed:
    before = (first_day() - timedelta(days=1)).isoformat()
    return event_filters.of_user(actor, user_id, ListEvents(after=before))


def groups(actor: Actor, user_id: int) -> Selection:
    """The groups of which the user is a direct member."""
    return group_filters.groups(actor, ListGroups(all_available=True)).where(
        """g.id IN (SELECT m.source_id FROM members m
            WHERE m.user_id = :member_id AND m.source_kind = 'group' AND m.expires_on > :since)""",
        member_id=user_id,
        since=clock.today(),
    )


def contributed_projects(actor: Actor, user_id: int) -> Selection:
    """The projects to which the user contributed something in the last year that the actor may see."""
    return project_filters.readable(actor).among("p.id", "event.project_id", _since(actor, user_id).events)
