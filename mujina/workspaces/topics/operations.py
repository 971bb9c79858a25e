"""Creating, editing, deleting and merging topics. A change of a name changes `tag_list` of the projects that have it."""

from typing import Any, Final

from mujina.kernel import clock, errors
from mujina.kernel.db.errors import unique
from mujina.kernel.db.rows import changed_columns, delete_row, insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import folded_columns
from mujina.workspaces.projects.settings import MAX_TAG_LENGTH, replace_topic
from mujina.workspaces.topics.params import CreateTopic, EditTopic
from mujina.workspaces.topics.rules import TopicRow

MAX_DESCRIPTION: Final = 1024


async def create(tx: Tx, actor: Actor, change: CreateTopic) -> int:
    columns = _columns({"title": change.name, "description": None, **change.sent_fields()})
    with unique("name"):
        topic_id: int = await insert_id(tx, "topics", **columns, curated=True, **timestamps())
    await record(tx, "topic.created", actor, subject_id=topic_id, changes={"name": (None, columns["name"])})
    return topic_id


async def edit(tx: Tx, actor: Actor, topic: TopicRow, change: EditTopic) -> None:
    columns = _columns(change.sent_fields())
    with unique("name"):
        await update(tx, "topics", {**columns, "curated": True, "updated_at": clock.now()}, id=topic.id)
    if columns.get("name", topic.name) != topic.name:
        await _rename_in_projects(tx, topic, columns["name"])
    await record(tx, "topic.updated", actor, subject_id=topic.id, changes=changed_columns(topic, columns))


async def remove(tx: Tx, actor: Actor, topic: TopicRow) -> None:
    """Delete the topic; projects do not have it any more."""
    await _rename_in_projects(tx, topic, None)
    await _delete(tx, actor, topic)


async def merge(tx: Tx, actor: Actor, source: TopicRow, target: TopicRow) -> None:
    """The projects of the source have the target instead; the source is deleted."""
    if source.id == target.id:
        raise errors.bad_request("The source topic and the target topic are identical.")
    await _rename_in_projects(tx, source, target.name)
    await _delete(tx, actor, source)


async def _delete(tx: Tx, actor: Actor, topic: TopicRow) -> None:
    await delete_row(tx, "topics", "Topic", id=topic.id)
    await record(tx, "topic.deleted", actor, subject_id=topic.id, changes={"name": (topic.name, None)})


async def _rename_in_projects(tx: Tx, topic: TopicRow, name: str | None) -> None:
    ids = await tx.values(
        "SELECT pt.project_id FROM project_topics pt WHERE pt.topic_id = :id ORDER BY pt.project_id", id=topic.id
    )
    for project_id in ids:
        await replace_topic(tx, project_id, topic.name, name)


def _columns(given: dict[str, Any]) -> dict[str, Any]:
    """The columns that the request gives, without the avatar; 400 for what cannot be stored."""
    given.pop("avatar", None)
    problems = Problems()
    for field in ("name", "title"):
        if field in given:
            given[field] = " ".join(given[field].split())
            problems.require(field, given[field], MAX_TAG_LENGTH)
    problems.limit("description", given.get("description"), MAX_DESCRIPTION)
    problems.refuse()
    return {**given, **folded_columns(given, "name")}
