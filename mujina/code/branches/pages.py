"""Pages about branches."""

from datetime import timedelta
from urllib.parse import quote

from mujina.code.branches import operations
from mujina.code.branches.entities import shown_branches
from mujina.code.branches.params import CreateBranch, ListBranchesPage
from mujina.code.commits import operations as commits
from mujina.code.pushes.repository_lock import with_repository_lock
from mujina.kernel import clock
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.workspaces.projects.rules import PUSH_CODE, READ_CODE, ProjectRow

ACTIVE = timedelta(days=90)


@view("/{project}/branches", to=READ_CODE, rights={"push": PUSH_CODE})
async def list_branches(request: PageRequest, project: ProjectRow, query: ListBranchesPage, page: Page) -> HtmlPage:
    code = await commits.code_of(request.services, project)
    active, stale = await operations.by_age(code, query.search or "", clock.later(-ACTIVE))
    chosen = {"active": active, "stale": stale, "all": [*active, *stale]}[query.state]
    paged = page.cut(chosen)
    async with request.reading() as tx:
        branches = await shown_branches(tx, request.actor, project, paged.items)
    context = {
        "branches": branches,
        "divergences": await operations.divergences(code, list(paged.items)),
        "paged": paged,
    }
    counts = {"active": len(active), "stale": len(stale), "all": len(active) + len(stale)}
    return HtmlPage(
        "code/branches.html",
        {**context, "root": request.here, "counts": counts, "state": query.state},
    )


@view("/{project}/branches/new", to=PUSH_CODE)
async def new_branch(request: PageRequest, project: ProjectRow) -> HtmlPage:
    code = await commits.code_of(request.services, project)
    context = {"root": request.here, "default": project.default_branch or ""}
    return HtmlPage("code/new_branch.html", {**context, "names": operations.names(code)[:50]})


@form("/{project}/branches", to=PUSH_CODE, again="/{project}/branches/new")
@with_repository_lock
async def create_branch(request: PageRequest, project: ProjectRow, change: CreateBranch) -> Redirect:
    async with request.reading() as tx:
        initial = await operations.initial_branch(tx, project)
    name = change.branch.strip()
    await operations.create(request.services, request.actor, project, name, change.ref, initial)
    return Redirect(f"{request.here}/tree/{quote(name)}", flash=f"Branch {name} was created.")


@form("/{project}/branches/{name:path}/delete", to=PUSH_CODE, again="/{project}/branches")
@with_repository_lock
async def delete_branch(request: PageRequest, project: ProjectRow, name: str) -> Redirect:
    branch = await operations.find(await commits.code_of(request.services, project), name)
    await operations.remove(request.services, request.actor, project.id, [branch])
    return Redirect(f"{request.here}/branches", flash=f"Branch {name} was deleted.")
