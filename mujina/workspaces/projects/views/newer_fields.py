"""The fields of newer API versions of a project."""

from typing import Final

from mujina.kernel.clock import NEVER
from mujina.kernel.http.requests.newer_fields import JsonObject
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.workspaces.namespaces.newer_fields import add_namespace_fields
from mujina.workspaces.projects.params import ACCESS_LEVELS

ALWAYS_ENABLED: Final = (
    "repository_access_level", "forking_access_level", "releases_access_level", "package_registry_access_level",
)  # fmt: skip
"""The levels of features that no project can switch off."""
DEFAULTS: Final[JsonObject] = {
    "squash_option": "default_off",
    "remove_source_branch_after_merge": False,
    "packages_enabled": True,
    "emails_disabled": False,
    "autoclose_referenced_issues": True,
    "marked_for_deletion_on": None,
    "import_url": None,  # no answer shows it: it may contain a password
    **dict.fromkeys(ALWAYS_ENABLED, "enabled"),
}


async def add_project_fields(services: Services, actor: Actor, projects: list[JsonObject]) -> None:
    """The levels of its features, its origin, the page and picture of its namespace, and the paths and ends of its shares.

    Settings that a user has set stay as they were set.
    """
    ids = [project["id"] for project in projects]
    shared = [project["id"] for project in projects if project["shared_with_groups"]]
    async with services.database.reading() as tx:
        imported = await tx.values(
            "SELECT p.id FROM projects p WHERE p.id IN :ids AND p.import_url IS NOT NULL", ids=ids
        )
        shares = {
            (project_id, group_id): (path, expires_on)
            for project_id, group_id, path, expires_on in await tx.rows(
                tuple[int, int, str, str],
                """SELECT s.project_id, s.group_id, r.path, s.expires_on FROM project_shares s
                   JOIN routes r ON r.namespace_id = s.group_id WHERE s.project_id IN :shared""",
                shared=shared,
            )
        }
    await add_namespace_fields(services, actor, [project["namespace"] for project in projects])
    for project in projects:
        levels = {name: "enabled" if project[setting] else "disabled" for name, setting in ACCESS_LEVELS.items()}
        import_type = "git" if project["id"] in imported else None
        for name, value in {**DEFAULTS, **levels, "import_type": import_type}.items():
            project.setdefault(name, value)
        for share in project["shared_with_groups"]:
            path, expires_on = shares.get((project["id"], share["group_id"]), ("", NEVER))
            share |= {"group_full_path": path, "expires_at": None if expires_on == NEVER else expires_on}
