"""What belongs to a user, and what waits for them."""

from mujina.accounts.users.rules import find_user, find_user_by_ref
from mujina.activity.profiles import entities, filters
from mujina.activity.profiles.entities import AssociationsCount, UserCounts
from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Digits, get
from mujina.kernel.permissions.scopes import READ_USER
from mujina.workspaces.projects import entities as projects
from mujina.workspaces.projects import filters as project_filters
from mujina.workspaces.projects.entities import Project
from mujina.workspaces.projects.params import ListContributedProjects, ListProjects
from mujina.workspaces.projects.views.basics import SimpleProject


@get("/users/:user_id/contributed_projects", anonymous=True)
async def list_contributed_projects(
    call: Call, user_id: Ref, query: ListContributedProjects, page: Page
) -> Paged[Project | SimpleProject]:
    """List the projects to which a user has contributed in the last year."""
    async with call.searching() as tx:
        user = await find_user_by_ref(tx, user_id)
        selection = filters.contributed_projects(call.actor, user.id).collected("p")
        order = project_filters.order(ListProjects(order_by=query.order_by, sort=query.sort))
        return await projects.load_page(
            tx, call.services.vault, call.actor, selection, order, page, simple=query.simple is True, encoded=True
        )


@get("/users/:id/associations_count")
async def show_associations_count(call: Call, id: Digits) -> AssociationsCount:
    """Count what a user has: yourself, or anyone for administrators."""
    async with call.reading() as tx:
        user = await find_user(tx, id)
        if user.id != call.actor.id and not call.actor.admin:
            raise errors.forbidden()
        return await entities.associations_count(tx, user.id)


@get("/user_counts", scopes=READ_USER)
async def show_user_counts(call: Call) -> UserCounts:
    """Count what waits for you."""
    async with call.reading() as tx:
        return await entities.user_counts(tx, call.actor)
