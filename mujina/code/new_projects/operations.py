"""Creates a project with its first file, or from another repository."""

from mujina.code.editor import operations as editor
from mujina.code.editor.params import SaveFile
from mujina.code.new_projects.params import NewProjectFields
from mujina.code.pushes.changes import INITIAL_BRANCH
from mujina.kernel import errors
from mujina.kernel.errors import BLANK
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.workspaces.projects import operations as projects
from mujina.workspaces.projects.origins import imports
from mujina.workspaces.projects.rules import ProjectRow, find_project

README = "README.md"


async def create(services: Services, actor: Actor, fields: NewProjectFields) -> ProjectRow:
    """The new project. An import starts when the project is stored."""
    change = fields.project
    if fields.imports and not change.import_url:
        raise errors.invalid({"import_url": [BLANK]})
    projects.check_import(services, change)
    async with services.database.transaction() as tx:
        project_id = await projects.create(tx, services.vault, actor, change)
        await imports.schedule(tx, services.vault, actor, project_id, change)
        return await find_project(tx, actor, Ref.of(project_id))


async def initialize(services: Services, actor: Actor, project_id: int, branch: str) -> None:
    """The first commit of a project that the API creates, unless its rules reject it."""
    async with services.database.reading() as tx:
        project = await find_project(tx, actor, Ref.of(project_id))
    await _write(services, actor, project, f"# {project.name}\n", "Initial commit", branch or INITIAL_BRANCH)


async def write_readme(services: Services, actor: Actor, project: ProjectRow, description: str) -> bool:
    """The first commit: a README with the name and the description. False if the push was rejected."""
    content = f"# {project.name}\n" + (f"\n{description}\n" if description else "")
    return await _write(services, actor, project, content, f"Add {README}", INITIAL_BRANCH)


async def _write(
    services: Services, actor: Actor, project: ProjectRow, content: str, message: str, branch: str
) -> bool:
    file = SaveFile(file_path=README, content=content, commit_message=message, branch=branch)
    try:
        await editor.save(services, actor, project, "create", branch, "", file)
    except errors.ApiError:
        return False
    return True
