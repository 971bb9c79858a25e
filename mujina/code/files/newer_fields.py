"""The address of the file that describes a project."""

from mujina.code.commits.operations import code_of, find
from mujina.code.files.operations import tree
from mujina.code.files.views import readme_in
from mujina.kernel import errors
from mujina.kernel.http.params import Ref
from mujina.kernel.http.requests.newer_fields import JsonObject
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.kernel.urls import web
from mujina.workspaces.projects.rules import READ_CODE, find_project

MAX_ENTRIES = 1_000
"""Entries of the top folder among which the file is sought."""


async def add_readme_url(services: Services, actor: Actor, projects: list[JsonObject]) -> None:
    """Adds `readme_url` to a single project; null if there is no such file, or the actor may not read code.

    Several projects have none: each takes a look into its repository.
    """
    if len(projects) == 1:
        projects[0]["readme_url"] = await _readme_url(services, actor, projects[0])


async def _readme_url(services: Services, actor: Actor, shown: JsonObject) -> str | None:
    branch = shown["default_branch"]
    if branch is None:
        return None
    try:
        async with services.database.reading() as tx:
            project = await find_project(tx, actor, Ref.of(shown["id"]), to=READ_CODE)
        found = find(await code_of(services, project), branch)
        entries, _ = await tree(found, "", recursive=False, offset=0, limit=MAX_ENTRIES)
    except errors.ApiError:
        return None
    readme = readme_in(entries)
    return readme and web(f"/{project.full_path}/blob/{branch}/{readme.path}")
