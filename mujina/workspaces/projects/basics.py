"""A project by its names and addresses, and the little more that everybody who sees it may know."""

from typing import LiteralString

import msgspec

from mujina.accounts.paths.names import TITLE
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.entities import shown
from mujina.kernel.urls import ssh, web
from mujina.workspaces.projects.rules import READ_PROJECT


class SimpleProject(msgspec.Struct):
    """A project by its names and addresses."""

    id: int
    web_url: str
    http_url_to_repo: str
    ssh_url_to_repo: str
    name: str
    name_with_namespace: str
    path: str
    path_with_namespace: str


class BasicProject(SimpleProject):
    """What is shown of a project beside another thing."""

    description: str | None
    default_branch: str | None
    tag_list: list[str]
    avatar_url: str | None
    star_count: int
    forks_count: int
    created_at: str
    last_activity_at: str


FORKS_COUNT: LiteralString = """(
    SELECT count(*) FROM projects fork WHERE fork.forked_from_id = p.id AND fork.deleted_at IS NULL)"""


async def simple_ones(tx: Tx, ids: list[int]) -> list[SimpleProject]:
    """Names and addresses, in the order of the ids."""
    rows = await tx.rows(
        _NamesRow,
        f"""SELECT p.id, p.name, p.path, r.path, {TITLE} FROM projects p
           JOIN routes r ON r.project_id = p.id JOIN namespaces n ON n.id = p.namespace_id WHERE p.id IN :ids""",
        ids=ids,
    )
    simple = {row.id: shown(SimpleProject, row, **addresses(row.full_path, row.namespace, row.name)) for row in rows}
    return [simple[id_] for id_ in ids if id_ in simple]


class _NamesRow(msgspec.Struct, array_like=True, frozen=True):
    id: int
    name: str
    path: str
    full_path: str
    namespace: str


class _BasicRow(_NamesRow, array_like=True, frozen=True):
    description: str | None
    default_branch: str | None
    tag_list: str
    avatar: str | None
    star_count: int
    forks_count: int
    created_at: str
    last_activity_at: str


async def basic_ones(tx: Tx, actor: Actor, ids: list[int]) -> dict[int, BasicProject]:
    """By id, those that this caller may read."""
    rows = await tx.rows(
        _BasicRow,
        f"""SELECT p.id, p.name, p.path, r.path, {TITLE}, p.description, p.default_branch, p.tag_list, p.avatar,
                p.star_count, {FORKS_COUNT}, p.created_at, p.last_activity_at
            FROM projects p JOIN routes r ON r.project_id = p.id JOIN namespaces n ON n.id = p.namespace_id
            WHERE p.id IN :ids AND p.deleted_at IS NULL AND {READ_PROJECT.many}""",
        ids=ids,
        **actor.bound,
    )
    return {row.id: _basic(row) for row in rows}


def _basic(row: _BasicRow) -> BasicProject:
    return shown(
        BasicProject,
        row,
        **addresses(row.full_path, row.namespace, row.name),
        tag_list=row.tag_list.split("\n") if row.tag_list else [],
        avatar_url=avatar_url(row.id, row.avatar),
    )


def avatar_url(project_id: int, avatar: str | None) -> str | None:
    """Where its image is, if it has one."""
    return web(f"/uploads/-/system/project/avatar/{project_id}/{avatar}") if avatar else None


def addresses(full_path: str, namespace: str, name: str) -> dict[str, str]:
    """Where it is found, and what it is called in full."""
    page = web(f"/{full_path}")
    return {
        "web_url": page,
        "http_url_to_repo": f"{page}.git",
        "ssh_url_to_repo": ssh(full_path),
        "name_with_namespace": f"{namespace} / {name}",
        "path_with_namespace": full_path,
    }
