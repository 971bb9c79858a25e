"""Topics of projects."""

from mujina.accounts.users.profile.avatars import staged_avatar
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.routing import delete, get, post, put
from mujina.workspaces.topics import avatars, entities, operations
from mujina.workspaces.topics.entities import Topic, to_topic
from mujina.workspaces.topics.params import CreateTopic, EditTopic, ListTopics, MergeTopics
from mujina.workspaces.topics.rules import find_topic


@get("/topics", anonymous=True)
async def list_topics(call: Call, query: ListTopics, page: Page) -> Paged[Topic]:
    async with call.listing(wide=query.search) as tx:
        return await entities.load_page(tx, call.actor, query, page)


@get("/topics/:topic_id", anonymous=True)
async def show_topic(call: Call, topic_id: int) -> Topic:
    async with call.reading() as tx:
        return to_topic(await find_topic(tx, call.actor, topic_id))


@post("/topics", admin=True)
async def create_topic(call: Call, change: CreateTopic) -> Topic:
    async with staged_avatar(call.services.files, change.avatar, "topic") as avatar, call.transaction() as tx:
        topic_id = await operations.create(tx, call.actor, change)
        await avatars.put(tx, topic_id, avatar)
        return to_topic(await find_topic(tx, call.actor, topic_id))


@post("/topics/merge", admin=True)
async def merge_topics(call: Call, change: MergeTopics) -> Topic:
    """Give the projects of one topic another one, and delete the first."""
    async with staged_avatar(call.services.files, None) as avatar, call.transaction() as tx:
        source = await find_topic(tx, call.actor, change.source_topic_id)
        target = await find_topic(tx, call.actor, change.target_topic_id)
        await avatars.put(tx, source.id, avatar)
        await operations.merge(tx, call.actor, source, target)
        return to_topic(await find_topic(tx, call.actor, target.id))


@put("/topics/:topic_id", admin=True)
async def edit_topic(call: Call, topic_id: int, change: EditTopic) -> Topic:
    async with staged_avatar(call.services.files, change.avatar, "topic") as avatar, call.transaction() as tx:
        await operations.edit(tx, call.actor, await find_topic(tx, call.actor, topic_id), change)
        await avatars.put(tx, topic_id, avatar)
        return to_topic(await find_topic(tx, call.actor, topic_id))


@delete("/topics/:topic_id", admin=True)
async def delete_topic(call: Call, topic_id: int) -> None:
    async with staged_avatar(call.services.files, None) as avatar, call.transaction() as tx:
        topic = await find_topic(tx, call.actor, topic_id)
        call.unless_modified(topic.updated_at)
        await avatars.put(tx, topic_id, avatar)
        await operations.remove(tx, call.actor, topic)
