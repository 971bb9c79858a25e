"""The home page of a project."""

from mujina.kernel.pages import HtmlPage, PageRequest, view
from mujina.workspaces.projects.basics import basic_projects
from mujina.workspaces.projects.rules import READ_CODE, ProjectRow


@view("/{project}", rights={"code": READ_CODE})
async def show_project(request: PageRequest, project: ProjectRow) -> HtmlPage:
    async with request.reading() as tx:
        basic = (await basic_projects(tx, request.actor, [project.id]))[project.id]
    return HtmlPage("workspaces/project.html", {"project": basic, "row": project})
