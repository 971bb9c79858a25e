"""The representations of a project inside other things: its names and addresses, and a few public fields."""

from typing import Annotated, LiteralString

import msgspec

from mujina.accounts.paths.names import TITLE
from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.urls import ssh, web
from mujina.workspaces.projects.rules import READ_PROJECT

ForksCount = Annotated[
    int, "(SELECT count(*) FROM projects fork WHERE fork.forked_from_id = p.id AND fork.deleted_at IS NULL)"
]


class SimpleProject(msgspec.Struct):
    """A project by its names and addresses."""

    id: int
    web_url: Computed[str]
    http_url_to_repo: Computed[str]
    ssh_url_to_repo: Computed[str]
    name: str
    name_with_namespace: Computed[str]
    path: str
    path_with_namespace: Computed[str]


class BasicProject(SimpleProject):
    """A project as it appears inside other things."""

    description: str | None
    default_branch: str | None
    tag_list: list[str]
    avatar_url: Computed[str | None]
    star_count: int
    forks_count: ForksCount
    created_at: str
    last_activity_at: str


class SimpleProjectView(Row, alias="p"):
    """The columns from which a project is shown by its names and addresses."""

    id: int
    name: str
    path: str
    full_path: Annotated[str, "r.path"]
    namespace_full_name: Annotated[str, TITLE]


class BasicProjectView(SimpleProjectView, of=BasicProject):
    """The columns from which a `BasicProject` is made."""

    tag_list: str
    avatar: str | None


SOURCE: LiteralString = """
    projects p JOIN routes r ON r.project_id = p.id JOIN namespaces n ON n.id = p.namespace_id"""


def to_simple(row: SimpleProjectView) -> SimpleProject:
    return to_entity(SimpleProject, row, **addresses(row))


async def basic_projects(tx: Tx, actor: Actor, ids: list[int]) -> dict[int, BasicProject]:
    """The projects that this caller may read, by id."""
    rows = await tx.rows(
        BasicProjectView,
        f"""SELECT {BasicProjectView.columns} FROM {SOURCE}
            WHERE p.id IN :ids AND p.deleted_at IS NULL AND {READ_PROJECT.for_scan}""",
        ids=ids,
        **actor.bound,
    )
    return {
        row.id: to_entity(
            BasicProject,
            row,
            **addresses(row),
            tag_list=read_tags(row.tag_list),
            avatar_url=avatar_url(row.id, row.avatar),
        )
        for row in rows
    }


def avatar_url(project_id: int, avatar: str | None) -> str | None:
    """The URL of the image, if there is one."""
    return web(f"/uploads/-/system/project/avatar/{project_id}/{avatar}") if avatar else None


def addresses(row: SimpleProjectView) -> dict[str, str]:
    """The URLs of a project, and its full name and path."""
    page = web(f"/{row.full_path}")
    return {
        "web_url": page,
        "http_url_to_repo": f"{page}.git",
        "ssh_url_to_repo": ssh(row.full_path),
        "name_with_namespace": f"{row.namespace_full_name} / {row.name}",
        "path_with_namespace": row.full_path,
    }


def read_tags(lines: str) -> list[str]:
    """The tags as the table stores them: one to a line."""
    return lines.split("\n") if lines else []
