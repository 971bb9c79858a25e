"""Threads on the changes of a merge request: starting and resolving them, and an issue for the unresolved ones."""

from secrets import token_hex

from mujina.kernel import errors
from mujina.kernel.html.pages import PageRequest, Redirect, form
from mujina.kernel.http.params import Ref
from mujina.planning.discussions.entities import find_discussion
from mujina.planning.discussions.follow_ups import with_description
from mujina.planning.discussions.params import CreateDiscussion
from mujina.planning.issues import creating
from mujina.planning.issues.operations import MAX_TITLE_LENGTH
from mujina.planning.issues.params import CreateIssue
from mujina.planning.issues.rules import issues_enabled
from mujina.planning.notes.new_notes import to_note
from mujina.planning.notes.params import CreateNote
from mujina.planning.notes.writing import write
from mujina.planning.quick_actions.operations import finish, prepare
from mujina.review.discussions import operations
from mujina.review.merge_requests import entities
from mujina.review.merge_requests.declarations.noteable import noteable_of
from mujina.review.merge_requests.rules import COMMENT_ON_MERGE_REQUEST, RESOLVE_DISCUSSIONS, find_merge_request
from mujina.review.suggestions import operations as suggestions
from mujina.review.suggestions.blocks import read_blocks
from mujina.workspaces.projects.rules import CREATE_ISSUE, ProjectRow, find_project


@form("/{project}/merge_requests/{iid:int}/discussions", again="/{project}/merge_requests/{iid:int}/diffs")
async def start_thread(request: PageRequest, project: ProjectRow, iid: int, change: CreateDiscussion) -> Redirect:
    """Start a thread on a line of the diff; its quick actions are carried out."""
    if not change.body.strip():
        raise errors.invalid({"body": [errors.BLANK]})
    actor, ref = request.actor, Ref.of(project.id)
    placed = await operations.place(request.services, actor, ref, iid, change.position)
    prepared = await prepare(request.services, actor, "merge_request", ref, iid, change.body)
    async with request.transaction() as tx:
        row = await find_merge_request(tx, actor, ref, iid, to=COMMENT_ON_MERGE_REQUEST, hide=True)
        new_id, note = token_hex(20), CreateNote(body=change.body)
        written = await write(tx, actor, noteable_of(row), note, prepared, discussion_id=new_id, individual=False)
        if written.note_id is not None:
            await operations.put_position(tx, row.id, new_id, placed)
    if written.note_id is not None and placed is not None and read_blocks(change.body):
        await suggestions.read_note(request.services, written.note_id)
    if written.plan is not None and written.outcome is not None:
        await finish(request.services, written.plan, written.outcome)
    kept = request.link(line=None)
    page = f"{request.here}/merge_requests/{iid}/diffs{kept if kept.startswith('?') else ''}"
    return to_note(request, page, written.note_id, whole=written.plan is not None)


_DISCUSSION = "/{project}/merge_requests/{iid:int}/discussions/{discussion_id}"


@form(f"{_DISCUSSION}/resolve", again="/{project}/merge_requests/{iid:int}")
async def resolve_thread(request: PageRequest, project: ProjectRow, iid: int, discussion_id: str) -> Redirect:
    return await _resolve(request, project, iid, discussion_id, resolved=True)


@form(f"{_DISCUSSION}/unresolve", again="/{project}/merge_requests/{iid:int}")
async def unresolve_thread(request: PageRequest, project: ProjectRow, iid: int, discussion_id: str) -> Redirect:
    return await _resolve(request, project, iid, discussion_id, resolved=False)


async def _resolve(
    request: PageRequest, project: ProjectRow, iid: int, discussion_id: str, *, resolved: bool
) -> Redirect:
    async with request.transaction() as tx:
        row = await find_merge_request(tx, request.actor, Ref.of(project.id), iid, to=RESOLVE_DISCUSSIONS, hide=True)
        discussion = await find_discussion(tx, request.actor, noteable_of(row), discussion_id)
        note_ids = [note.id for note in discussion.notes if note.resolvable is True]
        if not note_ids:
            raise errors.bad_request("Discussion is not resolvable")
        await operations.resolve(tx, request.actor, row, note_ids, resolved=resolved)
    return Redirect(request.target(f"{request.here}/merge_requests/{iid}") + f"#note_{note_ids[0]}")


@form(
    "/{project}/merge_requests/{iid:int}/follow_up",
    to=CREATE_ISSUE & issues_enabled,
    again="/{project}/merge_requests/{iid:int}",
)
async def create_follow_up(request: PageRequest, project: ProjectRow, iid: int) -> Redirect:
    """Create an issue that lists the open threads, which are resolved by it."""
    actor, ref = request.actor, Ref.of(project.id)
    async with request.transaction() as tx:
        row = await find_merge_request(tx, actor, ref, iid, to=RESOLVE_DISCUSSIONS, hide=True)
        title = (await entities.load_one(tx, actor, row.id, can_merge=False)).title
        change = CreateIssue(
            title=f'Follow-up from "{title[: MAX_TITLE_LENGTH - 20]}"', merge_request_to_resolve_discussions_of=iid
        )
        change = await with_description(tx, actor, project.id, change)
        found = await find_project(tx, actor, ref, to=CREATE_ISSUE)
        issue = await creating.create(tx, actor, found, change, request.origin)
    return Redirect(f"{request.here}/issues/{issue.row.iid}")
