"""Pages about tags and their release notes."""

from collections.abc import Sequence
from urllib.parse import quote

from mujina.code.branches import operations as branches
from mujina.code.commits import operations as commits
from mujina.code.commits.operations import Repository
from mujina.code.pushes.repository_lock import with_repository_lock
from mujina.code.signatures.badges import SignatureBadge, read_badges
from mujina.code.tags import operations, releases
from mujina.code.tags.operations import TagInfo
from mujina.code.tags.params import CreateTag, DescribeRelease, ListTags
from mujina.code.tags.rules import DELETE_TAG
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.urls import instance_address
from mujina.rendering import markdown
from mujina.rendering.html import Html
from mujina.rendering.markdown import MarkdownText
from mujina.rendering.markdown_pieces import TextPlace
from mujina.workspaces.projects.rules import PUSH_CODE, READ_CODE, ProjectRow


@view("/{project}/tags", to=READ_CODE, rights={"push": PUSH_CODE})
async def list_tags(request: PageRequest, project: ProjectRow, query: ListTags, page: Page) -> HtmlPage:
    code = await commits.code_of(request.services, project)
    paged = page.cut(await operations.list_tags(code, query))
    context = {"root": request.here, "tags": paged.items, "paged": paged}
    notes = await _notes(request, project, paged.items)
    signatures = await _signatures(request, project, code, paged.items)
    return HtmlPage("code/tags.html", {**context, "notes": notes, "signatures": signatures})


@view("/{project}/tags/new", to=PUSH_CODE)
async def new_tag(request: PageRequest, project: ProjectRow) -> HtmlPage:
    code = await commits.code_of(request.services, project)
    context = {"root": request.here, "default": project.default_branch or ""}
    return HtmlPage("code/new_tag.html", {**context, "names": branches.names(code)[:50]})


@form("/{project}/tags", to=PUSH_CODE, again="/{project}/tags/new")
@with_repository_lock
async def create_tag(request: PageRequest, project: ProjectRow, change: CreateTag) -> Redirect:
    code = await commits.code_of(request.services, project)
    name, message = change.tag_name.strip(), (change.message or "").strip()
    await operations.create(request.services, request.actor, project.id, code, name, change.ref, message)
    if change.release_description and change.release_description.strip():
        async with request.transaction() as tx:
            await releases.describe(tx, request.actor, project.id, name, change.release_description)
    return Redirect(f"{request.here}/tags/{quote(name)}", flash=f"Tag {name} was created.")


@view("/{project}/tags/{name:path}", to=READ_CODE, rights={"push": PUSH_CODE, "delete": DELETE_TAG})
async def show_tag(request: PageRequest, project: ProjectRow, name: str) -> HtmlPage:
    code = await commits.code_of(request.services, project)
    tag = operations.find(code, name)
    signature = (await _signatures(request, project, code, [tag])).get(tag.target)
    context = {"root": request.here, "tag": tag, "signature": signature}
    return HtmlPage("code/tag.html", {**context, "notes": (await _notes(request, project, [tag])).get(name)})


@view("/{project}/tags/{name:path}/release/edit", to=PUSH_CODE)
async def edit_release(request: PageRequest, project: ProjectRow, name: str) -> HtmlPage:
    tag = operations.find(await commits.code_of(request.services, project), name)
    async with request.reading() as tx:
        described = await releases.descriptions(tx, project.id, [name])
    context = {"root": request.here, "tag": tag}
    return HtmlPage("code/edit_release.html", {**context, "description": described.get(name, "")})


@form("/{project}/tags/{name:path}/release", to=PUSH_CODE, again="/{project}/tags/{name:path}/release/edit")
async def save_release(request: PageRequest, project: ProjectRow, name: str, change: DescribeRelease) -> Redirect:
    releases.check_description(change.description)
    operations.find(await commits.code_of(request.services, project), name)
    async with request.transaction() as tx:
        await releases.describe(tx, request.actor, project.id, name, change.description)
    return Redirect(f"{request.here}/tags/{quote(name)}")


@form("/{project}/tags/{name:path}/delete", to=DELETE_TAG, again="/{project}/tags")
@with_repository_lock
async def delete_tag(request: PageRequest, project: ProjectRow, name: str) -> Redirect:
    target = operations.find_target(await commits.code_of(request.services, project), name)
    await operations.remove(request.services, request.actor, project.id, name, target)
    return Redirect(f"{request.here}/tags", flash=f"Tag {name} was deleted.")


async def _signatures(
    request: PageRequest, project: ProjectRow, code: Repository, tags: Sequence[TagInfo]
) -> dict[str, SignatureBadge]:
    """The badges of the annotated tags among these, by the ids of their objects."""
    ids = [tag.target for tag in tags if tag.message is not None]
    return await read_badges(request.services, code, project.id, ids, "tag")


async def _notes(request: PageRequest, project: ProjectRow, tags: Sequence[TagInfo]) -> dict[str, Html]:
    """The release notes of these tags, rendered: two statements."""
    async with request.reading() as tx:
        described = await releases.descriptions(tx, project.id, [tag.name for tag in tags])
        place = TextPlace(base=instance_address.get().base, project=project.full_path, below=2, anchors=False)
        texts = [MarkdownText(text, place) for text in described.values()]
        shown = await markdown.show(request.services, tx, request.actor, texts)
    return dict(zip(described, shown, strict=True))
