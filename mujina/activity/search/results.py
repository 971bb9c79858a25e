"""The results of a search in the instance, a group or a project, for the API and the page."""

from mujina.accounts.users import entities as user_entities
from mujina.accounts.users import filters as user_filters
from mujina.accounts.users.entities import UserRef
from mujina.accounts.users.params import ListUsers
from mujina.activity.search import filters, operations
from mujina.activity.search.entities import FoundBlob, shown_blob
from mujina.activity.search.params import Search, SearchEverything, SearchGroup, SearchProject
from mujina.code.commits.entities import Commit, shown_commit
from mujina.code.commits.operations import code_of
from mujina.code.snippets import entities as snippet_entities
from mujina.code.snippets.entities import Snippet
from mujina.code.wikis.operations import wiki_of
from mujina.kernel.db.documents import Entity, decoded
from mujina.kernel.db.sql.selection import Selection, ascending, descending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import UNSET
from mujina.kernel.http.requests.newer_fields import has_newer_fields
from mujina.kernel.lists.pages import load_matches
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.planning.epics import entities as epic_entities
from mujina.planning.epics.entities import Epic
from mujina.planning.issues.filters import ReadableProjects, readable_in_project
from mujina.planning.issues.params import QueryIssues
from mujina.planning.issues.views.issue import Issue
from mujina.planning.milestones import entities as milestone_entities
from mujina.planning.milestones.entities import OwnMilestone
from mujina.planning.notes import entities as note_entities
from mujina.planning.notes.entities import Note
from mujina.planning.work_items.lists.plans import search_page, select
from mujina.review.merge_requests.filters import ReviewedProjects
from mujina.review.merge_requests.params import ListMergeRequests
from mujina.review.merge_requests.views.merge_request import MergeRequest
from mujina.workspaces.members.lists.all_members import users_of
from mujina.workspaces.owners.rules import Owner, project_owner
from mujina.workspaces.projects import entities as project_entities
from mujina.workspaces.projects.rules import ProjectRow
from mujina.workspaces.projects.views.basics import SimpleProject

OLDEST_ISSUES = ascending("i.created_at", "i.id")
OLDEST_REQUESTS = ascending("mr.created_at", "mr.id")
CHANGED_REQUESTS = ascending("mr.updated_at", "mr.id")

PlanningResult = Paged[Issue] | Paged[MergeRequest] | Paged[Note] | Paged[OwnMilestone] | Paged[UserRef]
GroupResult = Paged[SimpleProject] | Paged[Epic] | PlanningResult
InstanceResult = Paged[Snippet] | GroupResult
RepositoryResult = Paged[FoundBlob] | Paged[Commit]


async def in_instance(tx: Tx, services: Services, actor: Actor, query: SearchEverything, page: Page) -> InstanceResult:
    """Searches everything that the actor may see."""
    match query.scope:
        case "projects":
            return await _projects(tx, services, actor, query, page)
        case "snippet_titles" | "snippet_blobs":
            snippets = filters.snippets_titled if query.scope == "snippet_titles" else filters.snippets_with_text
            return await snippet_entities.load_page(tx, snippets(actor, query.search), page)
        case "issues":
            return await _issues(tx, actor, query, await ReadableProjects.everywhere(tx, actor, "all"), page)
        case "notes":
            return await _notes(
                tx, actor, query, await ReadableProjects.everywhere(tx, actor, "all"),
                await ReviewedProjects.everywhere(tx, actor, "all"), page,
            )  # fmt: skip
        case "epics":
            return await _epics(tx, filters.epics(actor, query.search), page)
        case "users":
            wanted = ListUsers(search=query.search, humans=True)
            found = user_filters.listed_users(actor, wanted)
            return await user_entities.refs_of(tx, found, user_filters.order(actor, wanted), page)
        case "merge_requests":
            return await _merge_requests(tx, actor, query, await ReviewedProjects.everywhere(tx, actor, "all"), page)
        case _:
            return await _milestones(tx, filters.milestones(actor, query.search), page)


async def in_group(
    tx: Tx, services: Services, actor: Actor, group_id: int, query: SearchGroup, page: Page
) -> GroupResult:
    """Searches a group that the actor may read, and those below it."""
    match query.scope:
        case "projects":
            return await _projects(tx, services, actor, query, page, group_id)
        case "issues":
            return await _issues(tx, actor, query, await ReadableProjects.in_group(tx, actor, group_id, "all"), page)
        case "notes":
            projects = await ReadableProjects.in_group(tx, actor, group_id, "all")
            reviewed = await ReviewedProjects.in_group(tx, actor, group_id, "all")
            return await _notes(tx, actor, query, projects, reviewed, page)
        case "epics":
            return await _epics(tx, filters.epics(actor, query.search, group_id=group_id), page)
        case "users":
            return await _members(tx, Owner("group", group_id, group_id), query, page)
        case "merge_requests":
            return await _merge_requests(
                tx, actor, query, await ReviewedProjects.in_group(tx, actor, group_id, "all"), page
            )
        case _:
            return await _milestones(tx, filters.milestones(actor, query.search, group_id=group_id), page)


async def in_project(tx: Tx, actor: Actor, project: ProjectRow, query: SearchProject, page: Page) -> PlanningResult:
    """Searches the plans of a project that the actor may read."""
    if query.scope == "issues":
        return await _issues(tx, actor, query, readable_in_project(project), page)
    if query.scope == "users":
        return await _members(tx, project_owner(project), query, page)
    if query.scope in ("notes", "merge_requests"):
        reviewed = await ReviewedProjects.in_project(tx, actor, project.id)
        if query.scope == "notes":
            return await _notes(tx, actor, query, readable_in_project(project), reviewed, page)
        return await _merge_requests(tx, actor, query, reviewed, page)
    return await _milestones(tx, filters.milestones(actor, query.search, project_id=project.id), page)


async def in_repository(services: Services, project: ProjectRow, query: SearchProject, page: Page) -> RepositoryResult:
    """Matches in the code or the wiki, or commits, of a project whose code or wiki the actor may read."""
    wiki, ref = query.scope == "wiki_blobs", query.ref or None
    code = await wiki_of(services, project) if wiki else await code_of(services, project)
    if query.scope == "commits":
        commits, total = await operations.matching_commits(code, query.search, ref, **page.bound)
        return page.of([shown_commit(commit, project.full_path, project.id) for commit in commits], total)
    found = page.cut(await operations.passages(code, query.search, ref))
    return found.map(lambda passage: shown_blob(passage, ref or code.default_branch or "", project.id))


async def _projects(
    tx: Tx, services: Services, actor: Actor, query: Search, page: Page, group_id: int | None = None
) -> Paged[SimpleProject]:
    selection = filters.projects(actor, query.search, group_id)
    return await project_entities.load_page(
        tx, services.vault, actor, selection, descending("p.id"), page, simple=False, statistics=False
    )


async def _notes(
    tx: Tx, actor: Actor, query: Search, projects: ReadableProjects, reviewed: ReviewedProjects, page: Page
) -> Paged[Note]:
    """Comments on issues and merge requests by their text."""
    notes = await filters.notes(tx, actor, projects, reviewed, query.search)
    return await note_entities.found(tx, notes, page)


async def _issues(tx: Tx, actor: Actor, query: Search, projects: ReadableProjects, page: Page) -> Paged[Issue]:
    """Issues by title or description, or by an iid written as `#12`."""
    if query.state == "merged":  # only merge requests are
        return page.of([], 0)
    wanted = QueryIssues(search=query.search, state=query.state, confidential=query.confidential)
    order = OLDEST_ISSUES.directed(query.sort)
    if (iid := filters.number(query.search)) is not None:
        issues = select(projects, actor, wanted).where("i.iid = :iid", iid=iid)
        found = await load_matches(projects.noun.documents, tx, issues, order, page)
    else:
        found = await search_page(tx, actor, projects, wanted, page, order)
    return _of_kind(tx, found, Issue)


async def _members(tx: Tx, owner: Owner, query: Search, page: Page) -> Paged[UserRef]:
    """Users with access to the project or group by name or username."""
    order = ascending("u.name_folded", "u.id")
    return await user_entities.refs_of(tx, users_of(owner, query.search), order, page)


async def _epics(tx: Tx, selection: Selection, page: Page) -> Paged[Epic]:
    return await epic_entities.load_page(tx, selection, descending("e.id"), page)


async def _merge_requests(
    tx: Tx, actor: Actor, query: Search, projects: ReviewedProjects, page: Page
) -> Paged[MergeRequest]:
    """Merge requests by title or description, or by an iid at the end of the words; by default the last changed ones first."""
    wanted = ListMergeRequests(search=query.search, state=query.state)
    order = (CHANGED_REQUESTS if query.order_by is UNSET else OLDEST_REQUESTS).directed(query.sort)
    if (iid := filters.request_number(query.search)) is not None:
        selection = select(projects, actor, wanted).where("mr.iid = :iid", iid=iid)
        found = await load_matches(projects.noun.documents, tx, selection, order, page)
    else:
        found = await search_page(tx, actor, projects, wanted, page, order)
    return _of_kind(tx, found, MergeRequest)


def _of_kind(tx: Tx, found: Paged[Entity], kind: type[Entity]) -> Paged[Entity]:
    """The page; in newer API versions its items have the type by which they get their own fields, and no others."""
    return found.with_items(decoded(found.items, kind)) if has_newer_fields(tx.settings) else found


async def _milestones(tx: Tx, selection: Selection, page: Page) -> Paged[OwnMilestone]:
    return await milestone_entities.load_page(tx, selection, page)
