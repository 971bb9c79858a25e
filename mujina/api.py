"""The API: its routes, in the order of their document, as one ASGI application."""

from typing import Final

from mujina.accounts.credentials.authentication import find_actor
from mujina.kernel.build import VERSION
from mujina.kernel.http.api import Api
from mujina.kernel.http.applications import Application
from mujina.kernel.http.dispatcher import Dispatcher
from mujina.kernel.http.routing import Route, routes_of
from mujina.kernel.openapi.document import openapi_routes
from mujina.kernel.product import Product
from mujina.kernel.services import Services
from mujina.workspaces.projects.removing.deleted_meanwhile import removed_meanwhile

DOCUMENTED_ORDER: Final = [
    "instance.identity",
    "instance.application_settings",
    "accounts.users",
    "accounts.keys",
    "accounts.gpg_keys",
    "accounts.emails",
    "accounts.credentials",
    "accounts.oauth",
    "workspaces.notification_settings",
    "instance.broadcast_messages",
    "instance.features",
    "workspaces.namespaces",
    "workspaces.groups",
    "workspaces.projects",
    "code.imports",
    "planning.uploads",
    "workspaces.members",
    "workspaces.invitations",
    "workspaces.ldap_groups",
    "workspaces.custom_attributes",
    "planning.issues",
    "planning.issue_statistics",
    "planning.labels",
    "planning.milestones",
    "review.merge_requests",
    "review.versions",
    "review.pipelines",
    "review.merging",
    "review.automatic_merges",
    "review.approvals",
    "review.participation",
    "review.discussions",
    "review.draft_notes",
    "review.time_tracking",
    "review.closing",
    "review.rebasing",
    "activity.search",
    "planning.notes",
    "planning.awards",
    "planning.discussions",
    "planning.markdown",
    "planning.boards",
    "planning.issue_links",
    "planning.epics",
    "planning.epic_issues",
    "planning.todos",
    "activity.events",
    "activity.audit",
    "code.snippets",
    "code.wikis",
    "code.deploy_keys",
    "code.push_rules",
    "integrations.hooks",
    "integrations.deliveries",
    "integrations.sidekiq",
    "code.protected_branches",
    "code.repositories",
    "code.branches",
    "code.tags",
    "code.commits",
    "code.signatures",
    "planning.commit_comments",
    "code.commit_statuses",
    "code.files",
    "code.blame",
    "replication.nodes",
    "replication.statuses",
    "replication.registry",
]
"""The order of the slices in the OpenAPI document; those that are not here come after these."""


def build(services: Services) -> Application:
    """Everything below `/api/`."""
    routes = api_routes(services.product)
    described = openapi_routes(routes, VERSION, services.product)
    return Api(Dispatcher(services, find_actor, removed_meanwhile), [*routes, *described])


def api_routes(product: Product) -> list[Route]:
    """Every route of the API, as the OpenAPI document lists them."""
    order = {f"mujina.{name}.routes": position for position, name in enumerate(DOCUMENTED_ORDER)}
    return sorted(routes_of(product), key=lambda route: order.get(route.handler.__module__, len(order)))
