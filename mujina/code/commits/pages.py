"""Pages about commits: the history of a branch or file, and comparisons."""

from itertools import groupby
from urllib.parse import quote

from mujina.code.commits import operations
from mujina.code.commits.params import ComparePage, ListCommits
from mujina.code.commits.shown_changes import read_changes
from mujina.code.pipelines import entities as pipelines
from mujina.code.pipelines.rules import READ_PIPELINES
from mujina.code.repositories.browsing import authors_of, browse, offers_refs, ref_menu
from mujina.code.signatures.badges import read_badges
from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, view
from mujina.kernel.http.paging import Page
from mujina.kernel.urls import instance_address
from mujina.workspaces.projects.rules import READ_CODE, ProjectRow


@view("/{project}/commits/{tail:path}", to=READ_CODE, rights={"pipelines": READ_PIPELINES})
@offers_refs
async def list_commits(
    request: PageRequest, project: ProjectRow, tail: str, query: ListCommits, page: Page
) -> HtmlPage:
    location = await browse(request.services, project, tail)
    commits, total = await operations.history(
        location.found, location.path, query.since or "", query.until or "", **page.bound
    )
    async with request.reading() as tx:
        authors = await authors_of(tx, commits)
        shas = [commit.id for commit in commits]
        statuses = await pipelines.newest_statuses(tx, project.id, shas) if request.rights["pipelines"] else {}
    days = [(day, list(each)) for day, each in groupby(commits, key=lambda commit: commit.authored_at[:10])]
    context = {
        "location": location,
        "days": days,
        "paged": page.of(commits, total),
        "authors": authors,
        "statuses": statuses,
    }
    if request.tree.get("format") == "atom":
        return HtmlPage(
            "code/commits.atom",
            {**context, "commits": commits, "base": instance_address.get().base},
            content_type="application/atom+xml; charset=utf-8",
        )
    code = location.found.code
    signatures = await read_badges(request.services, code, project.id, shas)
    return HtmlPage("code/commits.html", {**context, "signatures": signatures, "refs": ref_menu(code)})


@view("/{project}/network/{tail:path}", to=READ_CODE)
async def show_network(request: PageRequest, tail: str) -> Redirect:
    return Redirect(f"{request.here}/commits/{quote(tail)}")


@view("/{project}/compare", to=READ_CODE)
async def choose_comparison(request: PageRequest, project: ProjectRow, query: ComparePage) -> HtmlPage | Redirect:
    root = f"{request.here}/compare"
    if query.from_ and query.to:
        return Redirect(f"{root}/{quote(query.from_)}...{quote(query.to)}")
    code = await operations.code_of(request.services, project)
    context = {"root": root, "from": project.default_branch or "", "to": "", "refs": ref_menu(code)}
    return HtmlPage("code/compare.html", {**context, "compared": None, "changes": None, "authors": {}, "same": False})


@view("/{project}/compare/{tail:path}", to=READ_CODE)
async def show_comparison(request: PageRequest, project: ProjectRow, tail: str) -> HtmlPage:
    before, dots, after = tail.partition("...")
    if not dots:
        raise errors.unknown_route()
    code = await operations.code_of(request.services, project)
    old, new = operations.find(code, before, "Branch or tag"), operations.find(code, after, "Branch or tag")
    base, compared = await operations.commits_between(old, new)
    async with request.reading() as tx:
        authors = await authors_of(tx, compared)
    changes = await read_changes(request, new, base)
    context = {"root": f"{request.here}/compare", "from": before, "to": after, "refs": ref_menu(code)}
    return HtmlPage(
        "code/compare.html",
        {**context, "compared": compared, "authors": authors, "changes": changes, "same": old.id == new.id},
    )
