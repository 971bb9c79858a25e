"""The pages of milestones of projects and groups: the list, one milestone, its forms."""

from mujina.instance.editions.rules import has_feature
from mujina.kernel import clock
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.planning.discussions.timeline import text_place
from mujina.planning.milestones import operations
from mujina.planning.milestones.burn_down import read_burn_down
from mujina.planning.milestones.page_view import (
    issues_of,
    read_assignees,
    read_labels_used,
    read_milestones,
    read_stages,
)
from mujina.planning.milestones.params import CreateMilestone, EditMilestone, FilterMilestones, MilestoneChart
from mujina.planning.milestones.rules import ADMIN_MILESTONES, find_milestone_at
from mujina.planning.work_items.page_scopes import checked_scope, scope_of
from mujina.rendering import markdown
from mujina.rendering.markdown import MarkdownText

_ALL, _ONE = "/{owner}/milestones", "/{owner}/milestones/{iid:int}"


@view(_ALL, rights={"manage": ADMIN_MILESTONES})
async def show_milestones(request: PageRequest, query: FilterMilestones, page: Page) -> HtmlPage:
    scope = scope_of(request)
    async with request.reading() as tx:
        projects = await scope.projects(tx, request.actor)
        found = await read_milestones(tx, request.actor, scope.owner, projects, query, page)
    context = {"found": found, "query": query, "here": request.here, "today": clock.today()}
    return HtmlPage("planning/milestones.html", context, parts={"milestones": ("milestones", "states")})


@view(f"{_ALL}/new", to=ADMIN_MILESTONES, anonymous=False)
async def show_new_milestone(request: PageRequest) -> HtmlPage:
    return HtmlPage("planning/milestone_form.html", {"milestone": None, "here": request.here})


@form(_ALL, to=ADMIN_MILESTONES, again=f"{_ALL}/new")
async def create_milestone(request: PageRequest) -> Redirect:
    change = request.read_form(CreateMilestone, "milestone")
    async with request.transaction() as tx:
        scope = await checked_scope(tx, request, ADMIN_MILESTONES)
        iid = await operations.iid_of(tx, await operations.create(tx, request.actor, scope.owner, change))
    return Redirect(f"{request.here}/milestones/{iid}")


@view(_ONE, rights={"manage": ADMIN_MILESTONES})
async def show_milestone(request: PageRequest, iid: int, query: MilestoneChart) -> HtmlPage:
    scope, by_weight = scope_of(request), query.by == "weight" and has_feature("issue_weights")
    async with request.reading() as tx:
        milestone = await find_milestone_at(tx, scope.owner, iid)
        issues = issues_of(milestone, request.actor, await scope.projects(tx, request.actor))
        text = MarkdownText(milestone.description or "", text_place(scope.row.full_path, group=scope.of_group))
        [description] = await markdown.show(request.services, tx, request.actor, [text])
        context = {
            "milestone": milestone, "description": description, "stages": await read_stages(tx, issues),
            "burn_down": await read_burn_down(tx, milestone, issues, by_weight=by_weight), "by_weight": by_weight,
            "labels": await read_labels_used(tx, issues), "people": await read_assignees(tx, issues),
        }  # fmt: skip
    shared = {"here": request.here, "today": clock.today(), "weights": has_feature("issue_weights")}
    return HtmlPage("planning/milestone.html", context | shared)


@view(f"{_ONE}/edit", to=ADMIN_MILESTONES, anonymous=False)
async def show_edit_milestone(request: PageRequest, iid: int) -> HtmlPage:
    scope = scope_of(request)
    async with request.reading() as tx:
        milestone = await find_milestone_at(tx, scope.owner, iid)
    return HtmlPage("planning/milestone_form.html", {"milestone": milestone, "here": request.here})


@form(_ONE, to=ADMIN_MILESTONES, again=f"{_ONE}/edit")
async def edit_milestone(request: PageRequest, iid: int) -> Redirect:
    return await _edit(request, iid, request.read_form(EditMilestone, "milestone"), "Changes saved.")


@form(f"{_ONE}/close", to=ADMIN_MILESTONES, again=_ONE)
async def close_milestone(request: PageRequest, iid: int) -> Redirect:
    return await _edit(request, iid, EditMilestone(state_event="close"))


@form(f"{_ONE}/reopen", to=ADMIN_MILESTONES, again=_ONE)
async def reopen_milestone(request: PageRequest, iid: int) -> Redirect:
    return await _edit(request, iid, EditMilestone(state_event="activate"))


@form(f"{_ONE}/delete", to=ADMIN_MILESTONES, again=_ONE)
async def delete_milestone(request: PageRequest, iid: int) -> Redirect:
    async with request.transaction() as tx:
        scope = await checked_scope(tx, request, ADMIN_MILESTONES)
        milestone = await find_milestone_at(tx, scope.owner, iid, lock=True)
        await operations.remove(tx, request.actor, scope.owner, milestone)
    return Redirect(f"{request.here}/milestones", flash="Milestone deleted.")


async def _edit(request: PageRequest, iid: int, change: EditMilestone, flash: str = "") -> Redirect:
    async with request.transaction() as tx:
        scope = await checked_scope(tx, request, ADMIN_MILESTONES)
        milestone = await find_milestone_at(tx, scope.owner, iid, lock=True)
        await operations.edit(tx, request.actor, scope.owner, milestone, change)
    return Redirect(f"{request.here}/milestones/{iid}", flash=flash)
