"""The pages of issues: the list, one issue, its forms."""

from contextlib import suppress
from typing import Any

from msgspec import structs

from mujina.instance.editions.rules import has_feature
from mujina.kernel import clock, errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.buttons import buttons, pressed
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, ShowFormAgain, form, view
from mujina.kernel.http.paging import FIRST_PAGE, Page
from mujina.kernel.http.params import Params, Ref
from mujina.kernel.permissions.actor import Actor
from mujina.planning.awards.reactions import read_reactions
from mujina.planning.awards.rules import Awardable
from mujina.planning.discussions.timeline import DISCUSSION_PARTS, read_timeline, text_place
from mujina.planning.issue_links import entities as links
from mujina.planning.issue_links.rules import related
from mujina.planning.issue_lists.entities import PARTS, read_project_list
from mujina.planning.issues import creating, filters, operations
from mujina.planning.issues.declarations.work_item import ISSUES
from mujina.planning.issues.moving import operations as moves
from mujina.planning.issues.moving.cloning import clone
from mujina.planning.issues.params import BulkEdit, CreateIssue, EditIssue, FilterIssues, IssueFields, TimeFields
from mujina.planning.issues.related_requests import read_related_requests
from mujina.planning.issues.rules import ADMIN_ISSUE, DELETE_ISSUE, UPDATE_ISSUE, find_issue, issues_enabled
from mujina.planning.issues.views.page_links import read_page_links
from mujina.planning.issues.views.page_view import read_issue
from mujina.planning.notes.params import ShownNote
from mujina.planning.subscriptions.operations import subscribe
from mujina.planning.time_tracking import operations as time_tracking
from mujina.planning.uploads.attaching import MAX_FORM_WITH_FILES, attach, staged_files
from mujina.planning.uploads.operations import StagedUpload
from mujina.planning.work_items import choices
from mujina.planning.work_items.choices import FilterTexts
from mujina.planning.work_items.description_templates import ISSUE_TEMPLATES, read_templates
from mujina.planning.work_items.task_lists import (
    TASKS_CHANGED,
    CheckTasks,
    completed_tasks,
    digest_of,
    fillable,
    with_completed,
)
from mujina.rendering import markdown
from mujina.rendering.html import Html
from mujina.rendering.markdown import MarkdownText
from mujina.workspaces.owners.rules import project_owner
from mujina.workspaces.projects.rules import CREATE_ISSUE, READ_CODE, TRIAGE_ISSUES, ProjectRow, find_project


class NewIssue(Params):
    """The template that the form starts with."""

    issuable_template: str = ""


@view("/{project}/issues", rights={"create": CREATE_ISSUE & issues_enabled, "triage": TRIAGE_ISSUES})
async def show_issues(request: PageRequest, project: ProjectRow, query: FilterIssues, page: Page) -> HtmlPage:
    _check_enabled(project)
    query = filters.named(query)
    async with request.listing(wide=query.filtered) as tx:
        listed, around = await read_project_list(tx, request.actor, project, query, page)
    context = {
        "listed": listed, "labels": around.labels, "choices": around.choices, "query": query, "texts": FilterTexts.of(request.tree),
        "here": f"{request.here}/issues", "wide": False, "scopes": (), "weights": has_feature("issue_weights"),
        "today": clock.today(),
    }  # fmt: skip
    return HtmlPage("planning/issues.html", context, parts=PARTS)


@form("/{project}/issues/bulk", to=TRIAGE_ISSUES, again="/{project}/issues")
async def edit_issues(request: PageRequest, project: ProjectRow, change: BulkEdit) -> Redirect:
    async with request.transaction() as tx:
        edit = EditIssue(**await choices.read_bulk(tx, project_owner(project), change))
        for iid in change.iids:
            issue = await find_issue(tx, request.actor, Ref.of(project.id), iid, to=UPDATE_ISSUE)
            await operations.edit(tx, request.actor, issue, edit)
            with suppress(errors.NotModified):
                if change.subscription:
                    subscribed = change.subscription == "subscribe"
                    await subscribe(tx, request.actor, "issue", issue.id, subscribed=subscribed)
    return Redirect(f"{request.here}/issues", flash=f"Issues edited: {len(change.iids)}.")


def _check_enabled(project: ProjectRow) -> None:
    """404 in a project without issues."""
    if not project.issues_enabled:
        raise errors.not_found("Issue")


@view("/{project}/issues/new", to=CREATE_ISSUE, rights={"triage": TRIAGE_ISSUES, "code": READ_CODE}, anonymous=False)
async def show_new_issue(request: PageRequest, project: ProjectRow, query: NewIssue) -> HtmlPage:
    _check_enabled(project)
    chosen = query.issuable_template
    readable = request.rights["code"]
    templates = await read_templates(request.services, project, ISSUE_TEMPLATES, chosen) if readable else None
    async with request.reading() as tx:
        context = {
            "issue": None,
            "templates": templates,
            "preview": await _preview(tx, request, project),
            "choices": await choices.read_choices(tx, request.actor, project_owner(project)),
            "triaged": request.rights["triage"],
        }
    return HtmlPage("planning/issue_form.html", {**context, "weights": has_feature("issue_weights")})


async def _preview(tx: Tx, request: PageRequest, project: ProjectRow) -> Html | None:
    """The description as others would see it, if the form asks for that."""
    text = request.draft("issue[description]")
    if text is None:
        return None
    [html] = await markdown.show(
        request.services, tx, request.actor, [MarkdownText(text, text_place(project.full_path))]
    )
    return html


@form("/{project}/issues", to=CREATE_ISSUE, again="/{project}/issues/new", max_body=MAX_FORM_WITH_FILES)
async def create_issue(request: PageRequest, project: ProjectRow) -> Redirect | ShowFormAgain:
    _check_enabled(project)
    if request.tree.get("preview"):
        return ShowFormAgain()
    fields = request.read_form(IssueFields, "issue")
    async with staged_files(request) as files, request.transaction() as tx:
        found = await find_project(tx, request.actor, Ref.of(project.id), to=CREATE_ISSUE)
        fields = await _with_files(tx, request, project, fields, files)
        values: dict[str, Any] = {"title": "", **await choices.read_fields(tx, project_owner(project), fields)}
        change = CreateIssue(**values)
        issue = await creating.create(tx, request.actor, found, change, request.origin)
    return Redirect(f"{request.here}/issues/{issue.row.iid}")


@view("/{project}/issues/{iid:int}")
async def show_issue(request: PageRequest, project: ProjectRow, iid: int, query: ShownNote) -> HtmlPage:
    actor, ref, place = request.actor, Ref.of(project.id), text_place(project.full_path)
    async with request.reading() as tx:
        shown = await read_issue(tx, actor, ref, iid)
        issue, noteable = shown.issue, shown.noteable
        text = issue.description or ""
        timeline = await read_timeline(
            request.services, tx, actor, noteable, place, note=query.note or 0, opening=text,
            draft=request.draft("body"), roles=True, participants=True,
        )  # fmt: skip
        boxes = fillable(timeline.opening, text) if shown.updatable else None
        context = {
            "shown": shown, "issue": issue, "boxes": boxes, "noteable": noteable, "timeline": timeline,
            "reactions": await read_reactions(tx, actor, Awardable.of(noteable), awarded=shown.awarded),
            "related": (await links.load_page(tx, related(actor, issue.id), FIRST_PAGE)).items if shown.linked else [],
            "labels": shown.labels, "today": clock.today(),
            "requests": await read_related_requests(tx, actor, issue),
            "page_links": await read_page_links(tx, actor, issue) if shown.leads else {},
            "tasks": completed_tasks(text),
        }  # fmt: skip
    parts = {name: (*blocks, "task_count", "task_form") for name, blocks in DISCUSSION_PARTS.items()}
    return HtmlPage("planning/issue.html", context, fragments=("awards", "facts"), parts=parts)


@view("/{project}/issues/{iid:int}/edit", anonymous=False)
async def show_edit_issue(request: PageRequest, project: ProjectRow, iid: int) -> HtmlPage:
    async with request.reading() as tx:
        await find_issue(tx, request.actor, Ref.of(project.id), iid, to=UPDATE_ISSUE)
        shown = await read_issue(tx, request.actor, Ref.of(project.id), iid)
        context = {
            "issue": shown.issue,
            "triaged": shown.triaged,
            "templates": None,
            "preview": await _preview(tx, request, project),
            "choices": await choices.read_choices(tx, request.actor, project_owner(project)),
        }
    return HtmlPage("planning/issue_form.html", {**context, "weights": has_feature("issue_weights")})


async def _with_files(
    tx: Tx, request: PageRequest, project: ProjectRow, fields: IssueFields, files: list[StagedUpload]
) -> IssueFields:
    """The fields with links to the files at the end of the description."""
    if not files:
        return fields
    text = await attach(tx, request.actor, project.id, fields.description or "", files)
    return structs.replace(fields, description=text)


@form("/{project}/issues/{iid:int}", again="/{project}/issues/{iid:int}/edit", max_body=MAX_FORM_WITH_FILES)
async def edit_issue(request: PageRequest, project: ProjectRow, iid: int) -> Redirect | ShowFormAgain:
    if request.tree.get("preview"):
        return ShowFormAgain()
    fields = request.read_form(IssueFields, "issue")
    async with staged_files(request) as files, request.transaction() as tx:
        issue = await find_issue(tx, request.actor, Ref.of(project.id), iid, to=UPDATE_ISSUE)
        fields = await _with_files(tx, request, project, fields, files)
        change = EditIssue(**await choices.read_fields(tx, project_owner(project), fields))
        await operations.edit(tx, request.actor, issue, change)
    return Redirect(f"{request.here}/issues/{iid}", flash="Changes saved.")


@form("/{project}/issues/{iid:int}/tasks", again="/{project}/issues/{iid:int}")
async def check_issue_tasks(request: PageRequest, project: ProjectRow, iid: int, change: CheckTasks) -> Redirect:
    """Complete the tasks that are checked, unless the description has changed meanwhile."""
    here = f"{request.here}/issues/{iid}"
    async with request.transaction() as tx:
        issue = await find_issue(tx, request.actor, Ref.of(project.id), iid, to=UPDATE_ISSUE)
        text = (await operations.lock(tx, issue.id)).description or ""
        if digest_of(text) != change.digest:
            return Redirect(here, flash=TASKS_CHANGED, whole=True)
        text = with_completed(text, change.tasks or ())
        await operations.edit(tx, request.actor, issue, EditIssue(description=text))
    return Redirect(here, flash="Tasks saved.")


_BUTTONS: dict[str, dict[str, Any]] = {
    "close": {"state_event": "close"}, "reopen": {"state_event": "reopen"},
    "lock": {"discussion_locked": True}, "unlock": {"discussion_locked": False},
    "hide": {"confidential": True}, "unhide": {"confidential": False},
}  # fmt: skip


@buttons("/{project}/issues/{iid:int}", *_BUTTONS)
async def change_issue(request: PageRequest, project: ProjectRow, iid: int) -> Redirect:
    async with request.transaction() as tx:
        issue = await find_issue(tx, request.actor, Ref.of(project.id), iid, to=UPDATE_ISSUE)
        await operations.edit(tx, request.actor, issue, EditIssue(**_BUTTONS[pressed(request)]))
    return Redirect(f"{request.here}/issues/{iid}")


@form("/{project}/issues/{iid:int}/delete", again="/{project}/issues/{iid:int}")
async def delete_issue(request: PageRequest, project: ProjectRow, iid: int) -> Redirect:
    async with request.transaction() as tx:
        issue = await find_issue(tx, request.actor, Ref.of(project.id), iid, to=DELETE_ISSUE)
        await operations.remove(tx, request.actor, issue)
    return Redirect(f"{request.here}/issues", flash="Issue deleted.")


@form("/{project}/issues/{iid:int}/time", again="/{project}/issues/{iid:int}")
async def track_issue_time(request: PageRequest, project: ProjectRow, iid: int, change: TimeFields) -> Redirect:
    estimate = time_tracking.parse_estimate(change.estimate) if change.estimate else None
    spent = time_tracking.parse_spent(change.spent) if change.spent else None
    async with request.transaction() as tx:
        issue = await find_issue(tx, request.actor, Ref.of(project.id), iid, to=UPDATE_ISSUE)
        if estimate is not None:
            await time_tracking.estimate(tx, request.actor, ISSUES, issue, estimate)
        if spent is not None:
            await time_tracking.spend(tx, request.actor, ISSUES, issue, spent)
    return Redirect(f"{request.here}/issues/{iid}", flash="Time saved.")


class Move(Params):
    to_project: str


class Clone(Move):
    with_notes: bool = False


@view("/{project}/issues/{iid:int}/move", anonymous=False)
async def show_move_issue(request: PageRequest, project: ProjectRow, iid: int) -> HtmlPage:
    return await _show_copy_form(request, project, iid, "move")


@view("/{project}/issues/{iid:int}/clone", anonymous=False)
async def show_clone_issue(request: PageRequest, project: ProjectRow, iid: int) -> HtmlPage:
    return await _show_copy_form(request, project, iid, "clone")


async def _show_copy_form(request: PageRequest, project: ProjectRow, iid: int, verb: str) -> HtmlPage:
    async with request.reading() as tx:
        await find_issue(tx, request.actor, Ref.of(project.id), iid, to=ADMIN_ISSUE)
        shown = await read_issue(tx, request.actor, Ref.of(project.id), iid)
    return HtmlPage("planning/issue_move.html", {"issue": shown.issue, "verb": verb})


async def _typed_project(tx: Tx, actor: Actor, change: Move) -> ProjectRow:
    """The project whose path someone typed; the complaint is the same for a missing and a hidden one."""
    try:
        return await find_project(tx, actor, Ref(change.to_project.strip().strip("/")))
    except errors.NotFound:
        raise errors.invalid({"to_project": ["does not exist"]}) from None


@form("/{project}/issues/{iid:int}/move")
async def move_issue(request: PageRequest, project: ProjectRow, iid: int, change: Move) -> Redirect:
    async with request.transaction() as tx:
        issue = await find_issue(tx, request.actor, Ref.of(project.id), iid)
        target = await _typed_project(tx, request.actor, change)
        moved = await operations.iid_of(tx, await moves.move(tx, request.actor, issue, target))
    return Redirect(f"/{target.full_path}/issues/{moved}", flash="Issue moved.")


@form("/{project}/issues/{iid:int}/clone")
async def clone_issue(request: PageRequest, project: ProjectRow, iid: int, change: Clone) -> Redirect:
    async with request.transaction() as tx:
        issue = await find_issue(tx, request.actor, Ref.of(project.id), iid)
        target = await _typed_project(tx, request.actor, change)
        copy_id = await clone(tx, request.actor, issue, target, request.origin, notes=change.with_notes)
        copy = await operations.iid_of(tx, copy_id)
    return Redirect(f"/{target.full_path}/issues/{copy}", flash="Issue cloned.")
