"""The home page of a project, its stars, and charts of its repository."""

from contextlib import suppress
from datetime import date, timedelta

from mujina.code.badges.entities import load_home, render_badges
from mujina.code.commits import operations as commits
from mujina.code.files.folders import read_folder
from mujina.code.pipelines import entities as pipelines
from mujina.code.pipelines.rules import READ_PIPELINES
from mujina.code.repositories.browsing import browse, browse_default, offers_refs, ref_menu
from mujina.code.repositories.home import language_shares, read_home
from mujina.code.repositories.home_activity import read_activity
from mujina.kernel import clock, errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.permissions.rules import signed_in
from mujina.workspaces.projects.figures import stars
from mujina.workspaces.projects.origins import imports
from mujina.workspaces.projects.rules import (
    ADMIN_PROJECT,
    FORK_PROJECT,
    OWN_PROJECT,
    PUSH_BRANCH,
    PUSH_CODE,
    READ_CODE,
    READ_PROJECT,
    ProjectRow,
    changing,
)

CHART_DAYS = 90


@view(
    "/{project}",
    rights={
        "code": READ_CODE,
        "push": PUSH_BRANCH,
        "create": PUSH_CODE,
        "fork": FORK_PROJECT,
        "admin": ADMIN_PROJECT,
        "own": OWN_PROJECT,
        "pipelines": READ_PIPELINES,
    },
)
async def show_project(request: PageRequest, project: ProjectRow, page: Page) -> HtmlPage:
    location = await browse_default(request.services, project) if request.rights["code"] else None
    active = request.session is not None and request.session.project_view == "activity"
    folder = pipeline = None
    async with request.reading() as tx:
        home = await read_home(request.services, tx, request.actor, project, location)
        feed = await read_activity(tx, request.actor, project, page) if active else None
        failed = home.project.import_status == "failed" and request.rights["admin"]
        failure = await imports.state_of(tx, project.id) if failed else None
        if location is not None and feed is None:
            folder = await read_folder(request.services, tx, request.actor, location, page, home.authors)
            pipeline = (
                await pipelines.newest(tx, project.id, location.found.id) if request.rights["pipelines"] else None
            )
        badges = await load_home(tx, request.actor, project) if home.has_badges else None
    refs = ref_menu(location.found.code) if location else None
    context = {
        "home": home, "row": project, "location": location, "folder": folder, "feed": feed, "refs": refs,
        "failure": failure, "pipeline": pipeline, "badges": await render_badges(request.services, *badges) if badges else [],
    }  # fmt: skip
    return HtmlPage("code/project.html", context, fragments=("star",))


@view("/{project}/starrers", anonymous=False)
async def show_starrers(request: PageRequest, project: ProjectRow, page: Page) -> HtmlPage:
    """Shows the users who starred the project."""
    async with request.reading() as tx:
        paged = await stars.given_to(tx, project.id, page)
    return HtmlPage("code/starrers.html", {"paged": paged})


@form("/{project}/star", to=READ_PROJECT & signed_in, again="/{project}")
async def star_project(request: PageRequest, project: ProjectRow) -> Redirect:
    with suppress(errors.ApiError):  # starred already
        async with changing(request, project, to=READ_PROJECT) as tx:
            await stars.star(tx, request.actor, project.id)
    return Redirect(request.here)


@form("/{project}/unstar", to=READ_PROJECT & signed_in, again="/{project}")
async def unstar_project(request: PageRequest, project: ProjectRow) -> Redirect:
    with suppress(errors.ApiError):  # not starred
        async with changing(request, project, to=READ_PROJECT) as tx:
            await stars.unstar(tx, request.actor, project.id)
    return Redirect(request.here)


@view("/{project}/graphs/{tail:path}", to=READ_CODE)
@offers_refs
async def show_graphs(request: PageRequest, project: ProjectRow, tail: str) -> HtmlPage:
    """`master`: who wrote how many commits; `master/charts`: languages, and commits for each day."""
    charts = tail.endswith("/charts")
    location = await browse(request.services, project, tail.removesuffix("/charts"))
    context = {"location": location, "refs": ref_menu(location.found.code)}
    if not charts:
        return HtmlPage(
            "code/contributors.html", {**context, "contributors": await commits.contributors(location.found)}
        )
    today = date.fromisoformat(clock.today())
    days = [(today - timedelta(days=n)).isoformat() for n in range(CHART_DAYS)][::-1]
    counts = await commits.per_day(location.found, days[0])
    context |= {"days": days, "counts": [counts.get(day, 0) for day in days], "shares": await language_shares(location)}
    return HtmlPage("code/charts.html", context)
