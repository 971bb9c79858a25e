"""Where the search field of every page leads without a search: pages that the actor may see, by what is typed."""

from typing import Final, LiteralString

from mujina.accounts.users.filters import listed_users
from mujina.accounts.users.params import ListUsers
from mujina.activity.completion.entities import Completion, completions
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import Container
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import fold
from mujina.kernel.urls import quoted
from mujina.planning.work_items.page_scopes import container_owner
from mujina.web.frame.navigation import ENTRIES, TITLES, Area
from mujina.workspaces.groups import filters as groups
from mujina.workspaces.groups.params import ListGroups
from mujina.workspaces.projects import filters as projects

MOST_OF_KIND: Final = 4
MIN_LENGTH: Final = 2
"""Shorter words would match almost everything."""


async def destinations(tx: Tx, actor: Actor, container: Container | None, search: str) -> list[Completion]:
    """Issues of the project by number, then projects, groups, people and pages of settings: at most four of each."""
    found: list[Completion] = []
    number = search.removeprefix("#")
    if container is not None and number.isdecimal():
        issues = await completions(tx, actor, container_owner(container), "#", number)
        found += [each.at(f"{container.path}/issues/{number}") for each in issues if each.text == f"#{number}"]
    if len(search) < MIN_LENGTH:
        return found
    found += await _projects(tx, actor, search)
    if not actor.anonymous:
        found += await _groups(tx, actor, search)
        found += await people(tx, actor, search)
        found += _settings(actor, search)
    return found


async def _projects(tx: Tx, actor: Actor, search: str) -> list[Completion]:
    selection = projects.among_all(projects.readable(actor), tx.engine, search).where("NOT p.archived")
    return await _named(tx, selection, "project", "p.id", "p.name", "p.last_activity_at DESC, p.id DESC")


async def _groups(tx: Tx, actor: Actor, search: str) -> list[Completion]:
    return await _named(
        tx,
        groups.groups(actor, ListGroups(search=search, all_available=True)),
        "namespace",
        "n.id",
        "n.name",
        "n.name_folded",
    )


async def people(tx: Tx, actor: Actor, search: str) -> list[Completion]:
    """Active users by their names; anonymous visitors get none."""
    if actor.anonymous:
        return []
    selection = listed_users(actor, ListUsers(search=search, active=True))
    rows = await tx.rows(
        tuple[str, str],
        f"SELECT u.username, u.name {selection.text} ORDER BY u.username_folded LIMIT :limit",
        **selection.bound,
        limit=MOST_OF_KIND,
    )
    return [Completion(f"@{username}", name, quoted(f"/{username}")) for username, name in rows]


async def _named(
    tx: Tx, selection: Selection, kind: LiteralString, id: LiteralString, name: LiteralString, order: LiteralString
) -> list[Completion]:
    rows = await tx.rows(
        tuple[str, str],
        f"""SELECT (SELECT r.path FROM routes r WHERE r.{kind}_id = {id}), {name} {selection.text}
            ORDER BY {order} LIMIT :limit""",
        **selection.bound,
        limit=MOST_OF_KIND,
    )
    return [Completion(path, name, quoted(f"/{path}")) for path, name in rows]


def _settings(actor: Actor, search: str) -> list[Completion]:
    areas: tuple[Area, ...] = ("account", "administration") if actor.admin else ("account",)
    words = fold(search)
    return [
        Completion(entry.label, TITLES[area], entry.path)
        for area in areas
        for entry in ENTRIES[area]
        if entry.offered() and words in fold(f"{entry.label} {TITLES[area]}")
    ][:MOST_OF_KIND]
