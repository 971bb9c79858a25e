"""The page of a user: who they are, when they contributed, and what belongs to them."""

from collections.abc import Awaitable, Callable
from typing import Any

from mujina.accounts.statuses.rules import find_status
from mujina.accounts.users.entities import find_profile
from mujina.accounts.users.profile.preferences import find_public_profile
from mujina.activity.events.filters import of_user
from mujina.activity.events.page_view import entries, read_feed
from mujina.activity.events.params import ListEvents
from mujina.activity.profiles import filters
from mujina.activity.profiles.params import ShowDay
from mujina.code.snippets import entities as snippets
from mujina.code.snippets import filters as snippet_filters
from mujina.kernel import errors
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.feeds import FIRST, atom
from mujina.kernel.html.pages import HtmlPage, PageRequest, feed, view
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.groups import entities as groups
from mujina.workspaces.groups import filters as group_filters
from mujina.workspaces.groups.params import ListGroups
from mujina.workspaces.projects import filters as project_filters
from mujina.workspaces.projects.params import ListProjects
from mujina.workspaces.projects.views import cards
from mujina.workspaces.projects.views.cards import ProjectCard


@view("/{username}")
async def show_user(request: PageRequest, username: str, page: Page) -> HtmlPage:
    async def lines(tx: Tx, user_id: int) -> Any:
        return await read_feed(tx, of_user(request.actor, user_id, ListEvents()), page)

    return await _tab(request, username, "activity", lines)


@feed("/{username}.atom", anonymous=True)
async def show_user_feed(request: PageRequest, username: str) -> HtmlPage:
    async with request.reading() as tx:
        user = await find_profile(tx, request.actor, username)
        if user.state != "active":
            raise errors.not_found("User")
        lines = await read_feed(tx, of_user(request.actor, user.id, ListEvents()), FIRST)
    return atom(f"Activity of {user.name}", f"/{user.username}", entries(lines))


@view("/users/{username}/groups", anonymous=True)
async def show_user_groups(request: PageRequest, username: str, page: Page) -> HtmlPage:
    async def load_page(tx: Tx, user_id: int) -> Any:
        selection = filters.groups(request.actor, user_id)
        return await groups.load_page(tx, selection, group_filters.order(ListGroups()), page)

    return await _tab(request, username, "groups", load_page)


@view("/users/{username}/contributed", anonymous=True)
async def show_contributed_projects(request: PageRequest, username: str, page: Page) -> HtmlPage:
    async def load_page(tx: Tx, user_id: int) -> Any:
        return await _projects(tx, filters.contributed_projects(request.actor, user_id), page)

    return await _tab(request, username, "contributed", load_page)


@view("/users/{username}/projects", anonymous=True)
async def show_personal_projects(request: PageRequest, username: str, page: Page) -> HtmlPage:
    async def load_page(tx: Tx, user_id: int) -> Any:
        return await _projects(tx, project_filters.of_user(request.actor, ListProjects(), user_id), page)

    return await _tab(request, username, "projects", load_page)


@view("/users/{username}/snippets", anonymous=True)
async def show_user_snippets(request: PageRequest, username: str, page: Page) -> HtmlPage:
    async def load_page(tx: Tx, user_id: int) -> Any:
        return await snippets.load_page(tx, snippet_filters.of_user(request.actor, user_id), page)

    return await _tab(request, username, "snippets", load_page)


@view("/users/{username}/calendar", anonymous=True)
async def show_user_calendar(request: PageRequest, username: str, query: ShowDay, page: Page) -> HtmlPage:
    """The contributions of one day."""

    async def lines(tx: Tx, user_id: int) -> Any:
        return await read_feed(tx, filters.on_day(request.actor, user_id, query.date), page) if query.date else None

    return await _tab(request, username, "calendar", lines)


async def _projects(tx: Tx, selection: Selection, page: Page) -> Paged[ProjectCard]:
    order = project_filters.order(ListProjects(order_by="last_activity_at"))
    return await cards.load_page(tx, selection.collected("p"), order, page)


async def _tab(request: PageRequest, username: str, tab: str, read: Callable[[Tx, int], Awaitable[Any]]) -> HtmlPage:
    """The page with one of its lists; of a blocked user it shows the name only."""
    async with request.listing(wide=tab == "contributed") as tx:
        user = await find_profile(tx, request.actor, username)
        context: dict[str, Any] = {
            "user": user,
            "tab": tab,
            "days": [],
            "found": None,
            "public_email": "",
            "status": None,
        }
        if user.state == "active":
            shown = await find_public_profile(tx, user.id)
            reader = Actor(user.id) if shown.private_contributions else request.actor
            context |= {
                "status": await find_status(tx, user.id),
                "days": await filters.calendar(tx, reader, user.id),
                "found": await read(tx, user.id),
                "public_email": "" if request.actor.anonymous else shown.public_email,
            }
    return HtmlPage("activity/profile.html", context, fragments=("found",))
