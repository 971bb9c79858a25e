"""Tags of a project's repository, and their releases."""

from mujina.code.commits import operations as commits
from mujina.code.pushes.changes import TAGS, ZERO, Change
from mujina.code.pushes.operations import move_refs
from mujina.code.pushes.ref_checks import check_names
from mujina.code.pushes.repository_lock import with_repository_lock
from mujina.code.tags import operations
from mujina.code.tags.entities import Release, Tag, shown_tag
from mujina.code.tags.params import CreateTag, DescribeRelease, ListTags
from mujina.kernel import errors
from mujina.kernel.http import Call, Json
from mujina.kernel.paging import Page
from mujina.kernel.params import Ref
from mujina.kernel.routing import Segment, delete, get, post, put
from mujina.workspaces.projects.rules import PUSH_CODE, READ_CODE, find_project


@get("/projects/:id/repository/tags", anonymous=True)
async def list_tags(call: Call, id: Ref, query: ListTags, page: Page) -> Json:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_CODE)
    tags = await operations.tags_of(await commits.code_of(call.services, project))
    chosen = [tag for tag in tags if (query.search or "").casefold() in tag.name.casefold()]
    chosen.sort(key=operations.BY[query.order_by], reverse=query.sort == "desc")
    wanted = page.cut(chosen)
    return page.of(await _shown(call, project.id, list(wanted.items)), wanted.total)


@get("/projects/:id/repository/tags/:tag_name", anonymous=True)
async def show_tag(call: Call, id: Ref, tag_name: Segment) -> Json:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_CODE)
    tag = operations.find(await commits.code_of(call.services, project), tag_name)
    return (await _shown(call, project.id, [tag]))[0]


@post("/projects/:id/repository/tags")
@with_repository_lock
async def create_tag(call: Call, id: Ref, change: CreateTag) -> Json:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=PUSH_CODE)
    code = await commits.code_of(call.services, project)
    if not commits.exists(code, change.ref):
        raise errors.bad_request(f"Target {change.ref} is invalid")
    target = commits.find(code, change.ref)
    made = Change(TAGS + change.tag_name, ZERO, target.id)
    if operations.exists(code, change.tag_name):
        raise errors.bad_request(f"Tag {change.tag_name} already exists")
    if check_names([made]) or not commits.fits(code, made):
        raise errors.bad_request("Tag name invalid")
    if change.message:
        async with call.reading() as tx:
            _, tagger = await commits.signers(tx, call.actor)
        made = Change(made.ref, ZERO, await operations.write(code, change.tag_name, target, change.message, tagger))
    await move_refs(call.services, call.actor, project.id, [made])
    if change.release_description:
        async with call.transaction() as tx:
            await operations.describe(tx, project.id, change.tag_name, change.release_description)
    return (await _shown(call, project.id, [operations.find(code, change.tag_name)]))[0]


@delete("/projects/:id/repository/tags/:tag_name")
@with_repository_lock
async def delete_tag(call: Call, id: Ref, tag_name: Segment) -> Json:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=PUSH_CODE)
    tag = operations.find(await commits.code_of(call.services, project), tag_name)
    call.unless_modified(commits.written_at(tag.commit))
    await move_refs(call.services, call.actor, project.id, [Change(TAGS + tag_name, tag.target, ZERO)])
    async with call.transaction() as tx:
        await operations.forget(tx, project.id, tag_name)


@post("/projects/:id/repository/tags/:tag_name/release")
async def create_release(call: Call, id: Ref, tag_name: Segment, change: DescribeRelease) -> Json:
    return await _describe(call, id, tag_name, change, new=True)


@put("/projects/:id/repository/tags/:tag_name/release")
async def edit_release(call: Call, id: Ref, tag_name: Segment, change: DescribeRelease) -> Json:
    return await _describe(call, id, tag_name, change, new=False)


async def _describe(call: Call, id: Ref, tag_name: str, change: DescribeRelease, *, new: bool) -> Release:
    if not change.description.strip():
        raise errors.invalid({"description": [errors.BLANK]})
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=PUSH_CODE)
    operations.find(await commits.code_of(call.services, project), tag_name)
    async with call.transaction() as tx:
        described = await operations.descriptions(tx, project.id, [tag_name])
        if new and described:
            raise errors.conflict("Release already exists")
        if not new and not described:
            raise errors.not_found("Release")
        await operations.describe(tx, project.id, tag_name, change.description)
    return Release(tag_name, change.description)


async def _shown(call: Call, project_id: int, tags: list[operations.TagInfo]) -> list[Tag]:
    async with call.reading() as tx:
        described = await operations.descriptions(tx, project_id, [tag.name for tag in tags])
    return [shown_tag(tag, described.get(tag.name)) for tag in tags]
