"""Who sees a topic, and the only way to find one."""

from typing import Annotated, Final, LiteralString

from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Condition, admin
from mujina.workspaces.projects.rules import READ_PROJECT

curated = Condition("curated", "tp.curated")
of_readable_project = Condition(
    "of_readable_project",
    f"""EXISTS (SELECT 1 FROM project_topics pt JOIN projects p ON p.id = pt.project_id
        WHERE pt.topic_id = tp.id AND p.deleted_at IS NULL AND {READ_PROJECT.for_scan})""",
)
READ_TOPIC = curated | of_readable_project | admin
"""The name of a topic that only private projects have is known to their members alone."""

# Compat: the total of a topic counts public projects, for everyone: another number would tell of private ones.
TOTAL: Final[LiteralString] = """CAST(coalesce((SELECT sum(tc.n) FROM topic_counts tc
    WHERE tc.topic_id = tp.id AND tc.visibility = 'public'), 0) AS bigint)"""
"""From kept counts, so that it costs the same for every topic."""


class TopicRow(Row, alias="tp"):
    id: int
    name: str
    title: str
    description: str | None
    avatar: str | None
    total_projects_count: Annotated[int, TOTAL]
    updated_at: str


def readable_topics(actor: Actor) -> Selection:
    return Selection("topics tp", READ_TOPIC.for_scan, **actor.bound)


async def find_topic(tx: Tx, actor: Actor, topic_id: int) -> TopicRow:
    """The topic, if the actor may see it; 404 otherwise."""
    return errors.or_not_found(await _one(tx, readable_topics(actor).where("tp.id = :id", id=topic_id)), "Topic")


async def find_named(tx: Tx, actor: Actor, name: str) -> TopicRow | None:
    """The topic of this name, if the actor may see it."""
    return await _one(tx, readable_topics(actor).where("tp.name = :name", name=name))


async def _one(tx: Tx, selection: Selection) -> TopicRow | None:
    return await tx.row(TopicRow, f"SELECT {TopicRow.columns} {selection.text}", **selection.bound)
