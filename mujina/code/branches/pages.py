"""Pages about branches."""

from datetime import timedelta
from urllib.parse import quote

from mujina.code.branches import operations
from mujina.code.branches.entities import shown_branch
from mujina.code.branches.params import CreateBranch, ListBranchesPage
from mujina.code.commits import operations as commits
from mujina.code.protected_branches.rules import protections
from mujina.code.pushes.collaboration import collaboration_branches
from mujina.code.pushes.repository_lock import under_repository_lock
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
        protected, offered = await protections(tx, request.actor, project.id, project.level), frozenset[str]()
        if not (project.pushable or project.archived or request.actor.anonymous):
            offered = await collaboration_branches(tx, request.actor, project.id)
    branches = [shown_branch(branch, project, protected, offered) for branch in paged.items]
    context = {
        "branches": branches,
        "divergences": await operations.divergences(code, list(paged.items)),
        "paged": paged,
    }
    counts = {"active": len(active), "stale": len(stale), "all": len(active) + len(stale)}
    return HtmlPage(
        "code/branches.html",
        {**context, "root": quote(f"/{project.full_path}"), "counts": counts, "state": query.state},
    )


@view("/{project}/branches/new", to=PUSH_CODE)
async def new_branch(request: PageRequest, project: ProjectRow) -> HtmlPage:
    code = await commits.code_of(request.services, project)
    context = {"root": quote(f"/{project.full_path}"), "default": project.default_branch or ""}
    return HtmlPage("code/new_branch.html", {**context, "names": operations.names(code)[:50]})


@form("/{project}/branches", to=PUSH_CODE, again="/{project}/branches/new")
async def create_branch(request: PageRequest, project: ProjectRow, change: CreateBranch) -> Redirect:
    async with request.reading() as tx:
        initial = await operations.initial_branch(tx, project)
    name, ref = change.branch.strip(), change.ref
    await under_repository_lock(
        str(project.id),
        lambda: operations.create(request.services, request.actor, project, name, ref, initial),
    )
    return Redirect(f"/{quote(project.full_path)}/tree/{quote(name)}", flash=f"Branch {name} was created.")


@form("/{project}/branches/{name:path}/delete", to=PUSH_CODE, again="/{project}/branches")
async def delete_branch(request: PageRequest, project: ProjectRow, name: str) -> Redirect:
    code = await commits.code_of(request.services, project)

    async def remove() -> None:
        branch = await operations.find(code, name)
        await operations.remove(request.services, request.actor, project.id, [branch])

    await under_repository_lock(str(project.id), remove)
    return Redirect(f"/{quote(project.full_path)}/branches", flash=f"Branch {name} was deleted.")
