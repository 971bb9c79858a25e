"""How far the import of a project is, and what it brought."""

from mujina.kernel.html.pages import HtmlPage, PageRequest, view
from mujina.moving.reports.operations import find_report
from mujina.workspaces.projects.origins import imports
from mujina.workspaces.projects.rules import ADMIN_PROJECT, OWN_PROJECT, ProjectRow


@view("/{project}/import", to=ADMIN_PROJECT, rights={"own": OWN_PROJECT}, anonymous=False)
async def show_import(request: PageRequest, project: ProjectRow) -> HtmlPage:
    async with request.reading() as tx:
        context = {"state": await imports.state_of(tx, project.id), "report": await find_report(tx, project.id)}
    return HtmlPage("moving/import.html", {**context, "project": project})
