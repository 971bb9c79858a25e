"""Creates a project with its first file, or from another repository."""

from mujina.code.branches.operations import initial_branch
from mujina.code.editor import operations as editor
from mujina.code.editor.params import SaveFile
from mujina.code.new_projects.params import NewProjectFields
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


async def initialize(services: Services, actor: Actor, project_id: int) -> bool:
    """The first commit: a README with the name and the description. False if there is a commit, or the actor may make none."""
    try:
        return await _initialize(services, actor, project_id)
    except errors.ApiError as error:
        if error.status >= 500:
            raise
        return False


async def _initialize(services: Services, actor: Actor, project_id: int) -> bool:
    async with services.database.reading() as tx:
        project = await find_project(tx, actor, Ref.of(project_id))
        branch = await initial_branch(tx, project)
        description = await tx.value("SELECT p.description FROM projects p WHERE p.id = :id", id=project_id)
    if branch is None:
        return False
    content = f"# {project.name}\n" + (f"\n{description}\n" if description else "")
    file = SaveFile(file_path=README, content=content, commit_message="Initial commit", branch=branch)
    await editor.save(services, actor, project, "create", branch, "", file)
    return True
