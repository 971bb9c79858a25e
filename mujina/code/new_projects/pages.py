"""The form of a new project."""

from urllib.parse import quote

from mujina.code.new_projects import operations
from mujina.code.new_projects.params import NewProjectFields, ShowNewProject
from mujina.instance.application_settings.choices import default_visibility, visibility_choices
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.workspaces.namespaces import entities as namespaces
from mujina.workspaces.projects.origins.first_files import write_first_file


@view("/projects/new")
async def show_new_project(request: PageRequest, query: ShowNewProject) -> HtmlPage:
    async with request.reading() as tx:
        settings = await read_settings(tx)
        homes = await namespaces.homes(tx, request.actor, query.namespace_id or 0)
    context = {
        "homes": [(home.id, f"/{home.full_path}/") for home in homes],
        "chosen": query.namespace_id or next((home.id for home in homes if home.kind == "user"), ""),
        "visibilities": visibility_choices(request.actor, settings),
        "visibility": default_visibility(request.actor, settings, settings.default_project_visibility),
        "imports": "git" in settings.import_sources,
        "tab": query.tab or "blank",
    }
    return HtmlPage("code/new_project.html", context)


@form("/projects", again="/projects/new")
async def create_project(request: PageRequest, fields: NewProjectFields) -> Redirect:
    project = await operations.create(request.services, request.actor, fields)
    written = True
    if fields.initialize_with_readme and not fields.imports:
        written = await write_first_file(request.services, request.actor, project.id)
    flash = "Project created." if written else "Project created, but its README could not be written."
    return Redirect(f"/{quote(project.full_path)}", flash=flash)
