"""Tags of a project's repository, and their releases."""

from mujina.code.commits import operations as commits
from mujina.code.protected_tags.rules import tag_protections
from mujina.code.pushes.repository_lock import with_repository_lock
from mujina.code.tags import operations, releases
from mujina.code.tags.entities import Tag, TagRelease, to_tag
from mujina.code.tags.params import CreateTag, DescribeRelease, ListTags
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, delete, get, post, put
from mujina.workspaces.projects.rules import PUSH_CODE, ProjectRow


@get("/projects/:id/repository/tags", anonymous=True)
async def list_tags(call: Call, id: Ref, query: ListTags, page: Page) -> Paged[Tag]:
    project, code = await commits.find_code(call.services, call.actor, id)
    wanted = page.cut(await operations.list_tags(code, query))
    return wanted.with_items(await _to_entities(call, project, list(wanted.items)))


@get("/projects/:id/repository/tags/:tag_name", anonymous=True)
async def show_tag(call: Call, id: Ref, tag_name: Segment) -> Tag:
    project, code = await commits.find_code(call.services, call.actor, id)
    return (await _to_entities(call, project, [operations.find(code, tag_name)]))[0]


@post("/projects/:id/repository/tags")
@with_repository_lock
async def create_tag(call: Call, id: Ref, change: CreateTag) -> Tag:
    project, code = await commits.find_code(call.services, call.actor, id, to=PUSH_CODE)
    name = change.tag_name
    await operations.create(call.services, call.actor, project.id, code, name, change.ref, change.message or "")
    if change.release_description:
        async with call.transaction() as tx:
            await releases.describe(tx, call.actor, project.id, name, change.release_description)
    return (await _to_entities(call, project, [operations.find(code, name)]))[0]


@delete("/projects/:id/repository/tags/:tag_name")
@with_repository_lock
async def delete_tag(call: Call, id: Ref, tag_name: Segment) -> None:
    project, code = await commits.find_code(call.services, call.actor, id, to=PUSH_CODE)
    target = operations.find_target(code, tag_name)
    if operations.exists(code, tag_name):  # a tag of a tree or a file has no age
        call.unless_modified(commits.written_at(operations.find(code, tag_name).commit))
    await operations.remove(call.services, call.actor, project.id, tag_name, target)


@post("/projects/:id/repository/tags/:tag_name/release")
async def create_release(call: Call, id: Ref, tag_name: Segment, change: DescribeRelease) -> TagRelease:
    return await _describe(call, id, tag_name, change, new=True)


@put("/projects/:id/repository/tags/:tag_name/release")
async def edit_release(call: Call, id: Ref, tag_name: Segment, change: DescribeRelease) -> TagRelease:
    return await _describe(call, id, tag_name, change, new=False)


async def _describe(call: Call, id: Ref, tag_name: str, change: DescribeRelease, *, new: bool) -> TagRelease:
    releases.check_description(change.description)
    project, code = await commits.find_code(call.services, call.actor, id, to=PUSH_CODE)
    operations.find(code, tag_name)
    async with call.transaction() as tx:
        store = releases.create_release if new else releases.edit_release
        await store(tx, call.actor, project.id, tag_name, change.description)
    return TagRelease(tag_name, change.description)


async def _to_entities(call: Call, project: ProjectRow, tags: list[operations.TagInfo]) -> list[Tag]:
    async with call.reading() as tx:
        descriptions = await releases.descriptions(tx, project.id, [tag.name for tag in tags])
        protections = await tag_protections(tx, call.actor, project.id, project.level)
    return [
        to_tag(
            tag,
            project.full_path,
            descriptions.get(tag.name),
            protected=any(protection.covers(tag.name) for protection in protections),
        )
        for tag in tags
    ]
