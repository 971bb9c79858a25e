"""The fields of newer API versions of namespaces and groups."""

from typing import Final

from mujina.kernel.http.requests.newer_fields import JsonObject
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.kernel.urls import web

GROUP_DEFAULTS: Final[JsonObject] = {
    "project_creation_level": "maintainer",
    "subgroup_creation_level": "owner",
    "default_branch": None,
    "emails_disabled": False,
    "require_two_factor_authentication": False,
}


async def add_group_fields(services: Services, _: Actor, groups: list[JsonObject]) -> None:
    """When they were created; settings that a user has set stay as they were set."""
    async with services.database.reading() as tx:
        rows = await tx.rows(
            tuple[int, str],
            "SELECT n.id, n.created_at FROM namespaces n WHERE n.id IN :ids",
            ids=[group["id"] for group in groups],
        )
    created = dict(rows)
    for group in groups:
        group["created_at"] = created.get(group["id"])
        for name, value in GROUP_DEFAULTS.items():
            group.setdefault(name, value)


async def add_namespace_fields(services: Services, _: Actor, namespaces: list[JsonObject]) -> None:
    """The page and the picture of the user or group."""
    async with services.database.reading() as tx:
        rows = await tx.rows(
            tuple[int, int, str | None],
            """SELECT n.id, coalesce(n.owner_id, n.id), coalesce(u.avatar, g.avatar) FROM namespaces n
               LEFT JOIN users u ON u.id = n.owner_id LEFT JOIN groups g ON g.id = n.id WHERE n.id IN :ids""",
            ids=[namespace["id"] for namespace in namespaces],
        )
    pictures = {id_: (owner_id, avatar) for id_, owner_id, avatar in rows}
    for namespace in namespaces:
        kind, (owner_id, avatar) = namespace["kind"], pictures.get(namespace["id"], (0, None))
        namespace["web_url"] = web(f"/{'groups/' if kind == 'group' else ''}{namespace['full_path']}")
        namespace["avatar_url"] = web(f"/uploads/-/system/{kind}/avatar/{owner_id}/{avatar}") if avatar else None
