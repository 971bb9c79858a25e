"""The pages of merge requests: lists, the overview of one, and the forms about it."""

from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from mujina.code.branches.offers import offered_branch
from mujina.code.commits.operations import code_of
from mujina.code.commits.shown_changes import read_changes
from mujina.code.repositories.browsing import authors_of, ref_menu
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.buttons import buttons, pressed
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import Ref
from mujina.planning.awards.reactions import read_reactions
from mujina.planning.awards.rules import Awardable
from mujina.planning.discussions.timeline import DISCUSSION_PARTS, read_timeline, text_place
from mujina.planning.issues.params import BulkEdit
from mujina.planning.issues.rules import issues_enabled
from mujina.planning.labels.entities import chips_in
from mujina.planning.notes.params import ShownNote
from mujina.planning.subscriptions.operations import subscribe
from mujina.planning.work_items import choices
from mujina.planning.work_items.choices import FilterTexts
from mujina.planning.work_items.task_lists import TASKS_CHANGED, CheckTasks, digest_of, fillable, with_completed
from mujina.review.discussions.lines import show_lines
from mujina.review.merge_requests import creating, operations
from mujina.review.merge_requests.branches.proposals import BranchFields, RelatedProject, propose, read_family, texts_of
from mujina.review.merge_requests.declarations.noteable import noteable_of
from mujina.review.merge_requests.drafts import with_draft
from mujina.review.merge_requests.filters import ReviewedProjects
from mujina.review.merge_requests.params import (
    CreateMergeRequest,
    EditMergeRequest,
    FilterMergeRequests,
    MergeRequestFields,
    Scope,
)
from mujina.review.merge_requests.rules import (
    CREATE_MERGE_REQUEST,
    DELETE_MERGE_REQUEST,
    READ_MERGE_REQUESTS,
    RECEIVE_MERGE_REQUEST,
    TRIAGE_MERGE_REQUEST,
    UPDATE_MERGE_REQUEST,
    find_merge_request,
    may_triage,
    merge_requests_enabled,
)
from mujina.review.merge_requests.views.commit_comments import read_commented, show_commented
from mujina.review.merge_requests.views.listing import PARTS, read_list
from mujina.review.merge_requests.views.page_view import find_for_page, read_for_page
from mujina.review.merging.panel import read_branches, read_panel
from mujina.review.suggestions.page_view import show_suggestions
from mujina.review.versions import operations as versions
from mujina.workspaces.groups.rules import GroupRow
from mujina.workspaces.owners.rules import Owner, project_owner
from mujina.workspaces.projects.rules import CREATE_ISSUE, PUSH_CODE, READ_CODE, ProjectRow, archived, find_project

_EDIT_MANY = TRIAGE_MERGE_REQUEST & READ_MERGE_REQUESTS & ~archived
_LIST_RIGHTS = {"create": CREATE_MERGE_REQUEST, "enabled": merge_requests_enabled, "triage": _EDIT_MANY}


@view("/{project}/merge_requests", to=READ_CODE, rights=_LIST_RIGHTS)
async def show_merge_requests(
    request: PageRequest, project: ProjectRow, query: FilterMergeRequests, page: Page
) -> HtmlPage:
    if not request.rights["enabled"]:
        raise errors.unknown_route()
    async with request.listing(wide=query.filtered) as tx:
        listed = await read_list(tx, request.actor, ReviewedProjects([project.id], []), query, page)
        offered = await choices.read_choices(tx, request.actor, project_owner(project))
    return _list(
        request, query, listed=listed, choices=offered, here=f"{request.here}/merge_requests", wide=False, scopes=()
    )  # fmt: skip


def _list(request: PageRequest, query: FilterMergeRequests, **context: Any) -> HtmlPage:
    context |= {"query": query, "texts": FilterTexts.of(request.tree)}
    return HtmlPage("review/merge_requests.html", context, parts=PARTS)


@form("/{project}/merge_requests/bulk", to=_EDIT_MANY, again="/{project}/merge_requests")
async def edit_merge_requests(request: PageRequest, project: ProjectRow, change: BulkEdit) -> Redirect:
    """Edit all of them, or none."""
    actor, ref = request.actor, Ref.of(project.id)
    async with request.reading() as tx:
        edit = EditMergeRequest(
            **await choices.read_bulk(tx, project_owner(project), change, assignable=READ_MERGE_REQUESTS)
        )
        rows = [await find_merge_request(tx, actor, ref, iid, to=UPDATE_MERGE_REQUEST) for iid in change.iids]
    prepared = [await operations.prepare_edit(request.services, row, edit) for row in rows]
    async with request.transaction() as tx:
        for row, version in zip(rows, prepared, strict=True):
            found = await find_merge_request(tx, actor, ref, row.iid, to=UPDATE_MERGE_REQUEST)
            await operations.edit(tx, actor, found, edit, version)
            with suppress(errors.NotModified):
                if change.subscription:
                    await subscribe(tx, actor, "merge_request", found.id, subscribed=change.subscription == "subscribe")
    for row, version in zip(rows, prepared, strict=True):
        if version is not None:
            await versions.publish_head(request.services, operations.repository_of(row), row.iid, version.head_sha)
    return Redirect(f"{request.here}/merge_requests", flash=f"Merge requests edited: {len(rows)}.")


@view("/groups/{group}/-/merge_requests")
async def show_group_merge_requests(
    request: PageRequest, group: GroupRow, query: FilterMergeRequests, page: Page
) -> HtmlPage:
    async with request.listing(wide=query.filtered) as tx:
        projects = await ReviewedProjects.in_group(tx, request.actor, group.id, "all")
        listed = await read_list(tx, request.actor, projects, query, page)
        offered = await choices.read_choices(tx, request.actor, Owner("group", group.id, group.id))
    here = f"{request.here}/merge_requests"
    return _list(request, query, listed=listed, choices=offered, here=here, wide=True, scopes=())


class FilterOwnMergeRequests(FilterMergeRequests):
    """Across all projects, the default is the requests that the reader is assigned to."""

    scope: Scope = "assigned-to-me"


_SCOPES = (("assigned-to-me", "Assigned to you"), ("created-by-me", "Created by you"), ("reviews-for-me", "To review"))


@view("/dashboard/merge_requests")
async def show_own_merge_requests(request: PageRequest, query: FilterOwnMergeRequests, page: Page) -> HtmlPage:
    async with request.listing(wide=query.filtered) as tx:
        projects = await ReviewedProjects.everywhere(tx, request.actor, "all")
        listed = await read_list(tx, request.actor, projects, query, page)
    here = "/dashboard/merge_requests"
    return _list(request, query, listed=listed, choices=choices.NONE, here=here, wide=True, scopes=_SCOPES)


@view("/{project}/merge_requests/new", to=CREATE_MERGE_REQUEST, anonymous=False)
async def show_new_merge_request(request: PageRequest, project: ProjectRow) -> HtmlPage | Redirect:
    fields = request.read_form(BranchFields, "merge_request")
    async with request.reading() as tx:
        family = await read_family(tx, request.actor, project.id)
    context: dict[str, Any] = {
        "sources": [(each.id, each.full_path) for each in family if each.source],
        "targets": [(each.id, each.full_path) for each in family if each.target],
        "fields": fields,
        "project": project,
    }
    source = next((each for each in family if each.source and each.id == fields.source_project_id), None)
    if source is not None and source.id != project.id:
        query = urlencode({f"merge_request[{name}]": value for name, value in fields.sent_fields().items() if value})
        return Redirect(f"/{source.full_path}/merge_requests/new?{query}")
    context |= await _chosen_branches(request, project, family, fields)
    if not fields.source_branch or request.tree.get("change_branches"):
        return HtmlPage("review/new_merge_request.html", context)
    return HtmlPage("review/merge_request_form.html", {**context, **await _proposed(request, project, context)})


async def _chosen_branches(
    request: PageRequest, project: ProjectRow, family: list[RelatedProject], fields: BranchFields
) -> dict[str, Any]:
    """The target that is chosen or offered first, and the names of branches that the form suggests."""
    targets = [each for each in family if each.target]
    wanted = next((each for each in targets if each.id == fields.target_project_id), None)
    chosen = wanted or next((each for each in targets if each.upstream), targets[0] if targets else None)
    if chosen is None:
        raise errors.forbidden()
    async with request.reading() as tx:
        target = await find_project(tx, request.actor, Ref.of(chosen.id), to=RECEIVE_MERGE_REQUEST)
    menus = [ref_menu(await code_of(request.services, each)).branches for each in (project, target)]
    branch = fields.target_branch or target.default_branch or ""
    return {"target": target, "target_branch": branch, "source_branches": menus[0], "target_branches": menus[1]}


async def _proposed(request: PageRequest, project: ProjectRow, context: dict[str, Any]) -> dict[str, Any]:
    """The second step: what would be merged, and what the form starts with."""
    target, branch = context["target"], context["fields"].source_branch
    proposal = await propose(request.services, project, branch, target, context["target_branch"])
    changes = None if proposal.head is None else await read_changes(request, proposal.head, proposal.base)
    async with request.reading() as tx:
        triager = await may_triage(tx, request.actor, target.id)
        return {
            "proposal": proposal, "changes": changes, "authors": await authors_of(tx, proposal.commits),
            "start": await texts_of(tx, request.actor, target, branch, proposal.commits), "triager": triager,
            "choices": await choices.read_choices(tx, request.actor, project_owner(target)), "shown": None,
        }  # fmt: skip


@form("/{project}/merge_requests", to=CREATE_MERGE_REQUEST, again="/{project}/merge_requests/new")
async def create_merge_request(request: PageRequest, project: ProjectRow) -> Redirect:
    fields = request.read_form(MergeRequestFields, "merge_request")
    async with request.reading() as tx:
        change = await _new_request(tx, request, project, fields)
    ref = Ref.of(project.id)
    target, iid = await creating.create(request.services, request.actor, ref, change)
    return Redirect(f"/{target.full_path}/merge_requests/{iid}")


async def _new_request(
    tx: Tx, request: PageRequest, project: ProjectRow, fields: MergeRequestFields
) -> CreateMergeRequest:
    """The form as the API has it; people and milestones are those of the target."""
    target_id = fields.target_project_id or project.id
    target = await find_project(tx, request.actor, Ref.of(target_id), to=RECEIVE_MERGE_REQUEST)
    values: dict[str, Any] = await choices.read_fields(
        tx, project_owner(target), fields, assignable=READ_MERGE_REQUESTS
    )
    title = with_draft(values.pop("title", ""), draft=values.pop("draft", False) is True)
    branches = {name: values.pop(name, "") or "" for name in ("source_branch", "target_branch")}
    values |= {**branches, "title": title, "target_project_id": target.id}
    return CreateMergeRequest(**values)


_RIGHTS = {"follow_up": CREATE_ISSUE & issues_enabled, "push": PUSH_CODE}


@view("/{project}/merge_requests/{iid:int}", rights=_RIGHTS)
async def show_merge_request(request: PageRequest, project: ProjectRow, iid: int, query: ShownNote) -> HtmlPage:
    found = await find_for_page(request.services, request.actor, project.id, iid)
    branches = await read_branches(request.services, found)
    shas = await read_commented(request.services, found.row)
    code = await code_of(request.services, project)
    async with request.reading() as tx:
        shown = await read_for_page(tx, request.actor, found, merging=True)
        panel = await read_panel(tx, request.actor, shown, branches)
        noteable, place = noteable_of(found.row, found.row.note_sources), text_place(project.full_path)
        timeline = await read_timeline(
            request.services, tx, request.actor, noteable, place, note=query.note or 0,
            opening=shown.request.description or "", draft=request.draft("body"), roles=True, participants=True,
        )  # fmt: skip
        positions = await show_lines(tx, timeline.threads)
        appliable = await show_suggestions(tx, request.actor, found.row, timeline.threads)
        context: dict[str, Any] = {
            "shown": shown, "panel": panel, "timeline": timeline, "appliable": appliable,
            "boxes": fillable(timeline.opening, shown.request.description or "") if shown.row.editable else None,
            "reactions": await read_reactions(tx, request.actor, Awardable.of(noteable), awarded=found.row.awarded),
            "commented": await show_commented(request.services, tx, request.actor, found.row, shas),
            # Who approves participates, by the note about it.
            "approvers": [person for person in timeline.participants if person.id in panel.progress.approved_by],
            "labels": await chips_in(tx, [project.id], [str(label) for label in shown.request.labels]),
        }  # fmt: skip
        if request.rights["push"] and shown.request.state == "merged":
            context["offered"] = await offered_branch(tx, request.actor, project, code, shown.request.target_branch)
    await positions.read(request.services, found.row)
    context["tab"] = "overview"
    parts = {name: (*blocks, "merge", "task_form") for name, blocks in DISCUSSION_PARTS.items()}
    return HtmlPage("review/merge_request.html", context, fragments=("awards", "facts"), parts=parts)


@view("/{project}/merge_requests/{iid:int}/edit", anonymous=False)
async def show_edit_merge_request(request: PageRequest, project: ProjectRow, iid: int) -> HtmlPage:
    found = await find_for_page(request.services, request.actor, project.id, iid)
    async with request.reading() as tx:
        await find_merge_request(tx, request.actor, Ref.of(project.id), iid, to=UPDATE_MERGE_REQUEST, hide=True)
        context = {
            "shown": await read_for_page(tx, request.actor, found),
            "choices": await choices.read_choices(tx, request.actor, project_owner(project)),
            "triager": found.row.triager,
        }
    return HtmlPage("review/merge_request_form.html", context)


@form("/{project}/merge_requests/{iid:int}", again="/{project}/merge_requests/{iid:int}/edit")
async def edit_merge_request(request: PageRequest, project: ProjectRow, iid: int) -> Redirect:
    fields = request.read_form(MergeRequestFields, "merge_request")
    async with request.reading() as tx:
        values = await choices.read_fields(tx, project_owner(project), fields, assignable=READ_MERGE_REQUESTS)
    for name in ("source_branch", "target_project_id"):
        values.pop(name, None)
    draft = values.pop("draft", None)
    if draft is not None and "title" in values:
        values["title"] = with_draft(values["title"], draft=draft)
    return await _edit(request, project, iid, EditMergeRequest(**values), "Changes saved.")


@form("/{project}/merge_requests/{iid:int}/tasks", again="/{project}/merge_requests/{iid:int}")
async def check_merge_request_tasks(
    request: PageRequest, project: ProjectRow, iid: int, change: CheckTasks
) -> Redirect:
    """Complete the tasks that are checked, unless the description has changed meanwhile."""
    here = f"{request.here}/merge_requests/{iid}"
    async with request.transaction() as tx:
        row = await find_merge_request(tx, request.actor, Ref.of(project.id), iid, to=UPDATE_MERGE_REQUEST, hide=True)
        text = (await operations.lock(tx, row.id)).description or ""
        if digest_of(text) != change.digest:
            return Redirect(here, flash=TASKS_CHANGED, whole=True)
        text = with_completed(text, change.tasks or ())
        await operations.edit(tx, request.actor, row, EditMergeRequest(description=text), None)
    return Redirect(here, flash="Tasks saved.")


async def _edit(
    request: PageRequest, project: ProjectRow, iid: int, change: EditMergeRequest, flash: str = ""
) -> Redirect:
    """Edit the request as the API does."""
    actor, ref = request.actor, Ref.of(project.id)
    async with request.reading() as tx:
        row = await find_merge_request(tx, actor, ref, iid, to=UPDATE_MERGE_REQUEST, hide=True)
    version = await operations.prepare_edit(request.services, row, change)
    async with request.transaction() as tx:
        row = await find_merge_request(tx, actor, ref, iid, to=UPDATE_MERGE_REQUEST, hide=True)
        await operations.edit(tx, actor, row, change, version)
    if version is not None:
        await versions.publish_head(request.services, operations.repository_of(row), row.iid, version.head_sha)
    return Redirect(f"{request.here}/merge_requests/{iid}", flash=flash)


_BUTTONS: dict[str, dict[str, Any]] = {
    "close": {"state_event": "close"},
    "reopen": {"state_event": "reopen"},
    "lock": {"discussion_locked": True},
    "unlock": {"discussion_locked": False},
}


@buttons("/{project}/merge_requests/{iid:int}", *_BUTTONS)
async def change_merge_request(request: PageRequest, project: ProjectRow, iid: int) -> Redirect:
    return await _edit(request, project, iid, EditMergeRequest(**_BUTTONS[pressed(request)]))


@buttons("/{project}/merge_requests/{iid:int}", "ready", "draft")
async def mark_merge_request(request: PageRequest, project: ProjectRow, iid: int) -> Redirect:
    found = await find_for_page(request.services, request.actor, project.id, iid)
    async with request.reading() as tx:
        title = (await read_for_page(tx, request.actor, found)).request.title
    change = EditMergeRequest(title=with_draft(title, draft=pressed(request) == "draft"))
    return await _edit(request, project, iid, change)


@form("/{project}/merge_requests/{iid:int}/delete", again="/{project}/merge_requests/{iid:int}")
async def delete_merge_request(request: PageRequest, project: ProjectRow, iid: int) -> Redirect:
    async with request.transaction() as tx:
        row = await find_merge_request(tx, request.actor, Ref.of(project.id), iid, to=DELETE_MERGE_REQUEST, hide=True)
        await operations.remove(tx, request.actor, row)
    return Redirect(f"{request.here}/merge_requests", flash="Merge request deleted.")
