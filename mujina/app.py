"""The composition root: the only file that imports every slice."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import Any

from mujina.accounts.credentials import routes as credentials
from mujina.accounts.credentials.rules import find_actor
from mujina.accounts.emails import routes as emails
from mujina.accounts.gpg_keys import routes as gpg_keys
from mujina.accounts.keys import routes as keys
from mujina.accounts.keys.rules import find_key
from mujina.accounts.oauth import routes as oauth
from mujina.accounts.users import routes as users
from mujina.activity.audit import routes as audit
from mujina.activity.events import routes as events
from mujina.activity.events.page_view import read_project_feed
from mujina.activity.search import routes as search
from mujina.adapters.storage import FileStorage
from mujina.administration.storage.operations import find_missing_problem, read_missing
from mujina.code.blame import routes as blame
from mujina.code.branches import routes as branches
from mujina.code.commit_statuses import routes as commit_statuses
from mujina.code.commits import routes as commits
from mujina.code.deploy_keys import routes as deploy_keys
from mujina.code.files import routes as files
from mujina.code.imports import routes as imports
from mujina.code.new_projects.operations import initialize
from mujina.code.protected_branches import routes as protected_branches
from mujina.code.push_rules import routes as push_rules
from mujina.code.pushes.followers import register_followers
from mujina.code.repositories import routes as repositories
from mujina.code.repositories.home_activity import register_activity
from mujina.code.signatures import routes as signatures
from mujina.code.snippets import routes as snippets
from mujina.code.tags import routes as tags
from mujina.code.wikis import routes as wikis
from mujina.git.lfs import Lfs, is_for_lfs
from mujina.git.smart_http import SmartHttp, is_for_git
from mujina.git.ssh import SshServer
from mujina.instance.application_settings import routes as application
from mujina.instance.broadcast_messages import routes as broadcast_messages
from mujina.instance.editions.rules import register_edition
from mujina.instance.features import routes as features
from mujina.instance.identity import routes as instance
from mujina.integrations.deliveries import routes as deliveries
from mujina.integrations.deliveries.jobs import Deliverer
from mujina.integrations.hooks import routes as hooks
from mujina.integrations.notifications.operations import register_mail
from mujina.integrations.sidekiq import routes as sidekiq
from mujina.integrations.sidekiq.gauges import read_gauges
from mujina.kernel.api import Api, straight
from mujina.kernel.build import VERSION
from mujina.kernel.db.transaction import Database, contention_key
from mujina.kernel.documents import DocumentWriter
from mujina.kernel.events import register_reactions
from mujina.kernel.http import Dispatcher
from mujina.kernel.jobs.inline import InlineJobs
from mujina.kernel.jobs.processes import BackgroundProcess
from mujina.kernel.jobs.runner import Runner
from mujina.kernel.metrics import Gauge, count_job
from mujina.kernel.noteables import register_noteables
from mujina.kernel.openapi import openapi_routes
from mujina.kernel.openapi_outline import register_operations
from mujina.kernel.passwords import Passwords
from mujina.kernel.readiness import register_checks, run_checks
from mujina.kernel.removals import register_cleanups
from mujina.kernel.request_checks import find_fault, refuse
from mujina.kernel.request_log import RequestLog
from mujina.kernel.routing import routes_of
from mujina.kernel.secrets import Vault, instance_key
from mujina.kernel.services import Services
from mujina.kernel.storage_errors import find_storage_problem
from mujina.migrations.state import find_trouble
from mujina.noteables import COMMANDS, NOTEABLES
from mujina.optional_routes import OPTIONAL_ROUTES
from mujina.pages import PAGES
from mujina.planning.awards import routes as awards
from mujina.planning.boards import routes as boards
from mujina.planning.commit_comments import routes as commit_comments
from mujina.planning.discussions import routes as discussions
from mujina.planning.epic_issues import routes as epic_issues
from mujina.planning.epics import routes as epics
from mujina.planning.issue_links import routes as issue_links
from mujina.planning.issue_statistics import routes as issue_statistics
from mujina.planning.issues import routes as issues
from mujina.planning.issues.related_requests import register_related_requests
from mujina.planning.labels import routes as labels
from mujina.planning.markdown import routes as markdown
from mujina.planning.milestones import routes as milestones
from mujina.planning.notes import routes as notes
from mujina.planning.quick_actions.plan import register_commands
from mujina.planning.todos import routes as todos
from mujina.planning.uploads import routes as uploads
from mujina.reactions import ANNOUNCERS, FOLLOWERS, REACTIONS, WATCHES
from mujina.reference_kinds import REFERENCE_KINDS
from mujina.removals import CLEANUPS
from mujina.rendering.references import register_reference_kinds
from mujina.replication.forwarding.operations import Forwarder
from mujina.replication.nodes import routes as nodes
from mujina.replication.nodes.identity import NodeIdentity, read_identity
from mujina.replication.registry import routes as registry
from mujina.replication.statuses import routes as statuses
from mujina.replication.sync.jobs import Synchronizer
from mujina.replication.sync.operations import Primary
from mujina.review.approvals import routes as approvals
from mujina.review.automatic_merges import routes as automatic_merges
from mujina.review.closing import routes as closing
from mujina.review.closing.related import COUNT_RELATED, read_related
from mujina.review.discussions import routes as merge_request_discussions
from mujina.review.draft_notes import routes as draft_notes
from mujina.review.merge_requests import routes as merge_requests
from mujina.review.merging import routes as merging
from mujina.review.participation import routes as participation
from mujina.review.pipelines import routes as merge_request_pipelines
from mujina.review.rebasing import routes as rebasing
from mujina.review.time_tracking import routes as merge_request_times
from mujina.review.versions import routes as versions
from mujina.settings import Settings
from mujina.tasks import TASKS
from mujina.web.forwarding import Forwarding, LogPositions
from mujina.web.health import Health
from mujina.web.nodes import PREFIX as NODES_PREFIX
from mujina.web.nodes import NodeEndpoints
from mujina.web.site import build_site
from mujina.web.uploads import Uploads
from mujina.workspaces.custom_attributes import routes as attributes
from mujina.workspaces.groups import routes as groups
from mujina.workspaces.invitations import routes as invitations
from mujina.workspaces.ldap_groups import routes as ldap_groups
from mujina.workspaces.members import routes as members
from mujina.workspaces.namespaces import routes as namespaces
from mujina.workspaces.notification_settings import routes as notification_settings
from mujina.workspaces.projects import routes as projects
from mujina.workspaces.projects.first_files import register_first_file
from mujina.workspaces.projects.vanishing import removed_meanwhile

register_noteables(NOTEABLES)
register_related_requests(read_related, COUNT_RELATED)
register_first_file(initialize)
register_activity(read_project_feed)
register_commands(COMMANDS)
register_reference_kinds(REFERENCE_KINDS)


def _find_database_problem(services: Services) -> Awaitable[str | None]:
    return find_trouble(services.database, read_only=services.registry is not None)


async def _find_file_problem(services: Services) -> str | None:
    settings = services.settings
    data = settings.data.absolute()
    # Each may be a disk of its own; those that nothing was stored in yet do not exist.
    folders = {data, settings.sqlite_file.parent if settings.sqlite_file else data}
    folders |= {folder for folder in (*(data / "repositories").glob("*"), data / "files") if folder.is_dir()}
    return await asyncio.to_thread(find_storage_problem, folders) or await find_missing_problem(services)


async def _read_gauges(services: Services) -> list[Gauge]:
    return [*await read_gauges(services.database), *await read_missing(services)]


register_checks({"database": _find_database_problem, "storage": _find_file_problem})

ROUTES = routes_of(
    [
        instance,
        application,
        users,
        keys,
        gpg_keys,
        emails,
        credentials,
        oauth,
        notification_settings,
        broadcast_messages,
        features,
        namespaces,
        groups,
        projects,
        imports,
        uploads,
        members,
        invitations,
        ldap_groups,
        attributes,
        issues,
        issue_statistics,
        labels,
        milestones,
        merge_requests,
        versions,
        merge_request_pipelines,
        merging,
        automatic_merges,
        approvals,
        participation,
        merge_request_discussions,
        draft_notes,
        merge_request_times,
        closing,
        rebasing,
        search,
        notes,
        awards,
        discussions,
        markdown,
        boards,
        issue_links,
        epics,
        epic_issues,
        todos,
        events,
        audit,
        snippets,
        wikis,
        deploy_keys,
        push_rules,
        hooks,
        deliveries,
        sidekiq,
        protected_branches,
        repositories,
        branches,
        tags,
        commits,
        signatures,
        commit_comments,
        commit_statuses,
        files,
        blame,
        nodes,
        statuses,
        registry,
    ]
)
register_operations(ROUTES)

Asgi = Callable[[dict[str, Any], Any, Any], Awaitable[None]]


def compose(settings: Settings) -> None:
    """After this, a change has all its consequences, as these settings demand: in a server, a job or a command."""
    register_reactions(REACTIONS, WATCHES)
    register_followers(FOLLOWERS, ANNOUNCERS)
    register_cleanups(CLEANUPS)
    register_edition(settings.edition)
    register_mail(enabled=settings.smtp_url is not None)


def build_services(settings: Settings, database: Database) -> Services:
    """What every entry point and job of this process shares."""
    compose(settings)
    vault = Vault(instance_key(settings.data, settings.instance_key))
    passwords = Passwords(kilobytes=settings.password_kilobytes, processes=settings.workers)
    return Services(settings, database, vault, passwords, FileStorage(settings))


def build(services: Services) -> Asgi:
    """All entry points as one ASGI application."""
    dispatcher = Dispatcher(services, find_actor, removed_meanwhile, OPTIONAL_ROUTES)
    api = Api(dispatcher, [*ROUTES, *openapi_routes(ROUTES, VERSION)])
    git, lfs = SmartHttp(services), Lfs(services)
    site = build_site(services, PAGES)

    async def for_people_and_git(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if is_for_lfs(scope["path"]):
            await lfs(scope, receive, send)
        elif is_for_git(scope["path"], scope["query_string"]):
            await git(scope, receive, send)
        else:
            await site(scope, receive, send)

    files = Uploads(for_people_and_git, services, find_actor)
    settings = services.settings
    nodes_endpoints = NodeEndpoints(services)
    others = Health(files, settings, partial(run_checks, services), VERSION, partial(_read_gauges, services))

    def dispatch(scope: dict[str, Any], receive: Any, send: Any) -> Awaitable[None]:
        path = scope["path"] = straight(scope)
        if (fault := find_fault(scope)) is not None:
            return refuse(fault, scope, send)
        contention_key.set(path)
        if path.startswith(NODES_PREFIX):
            return nodes_endpoints(scope, receive, send)
        return api(scope, receive, send) if path.startswith("/api/") else others(scope, receive, send)

    return RequestLog(_at_node(services, dispatch), services.settings, services.database)


def _at_node(services: Services, dispatch: Asgi) -> Asgi:
    """The application as the primary serves it, or as a secondary does."""
    identity = read_identity(services.settings.data) if services.registry is not None else None
    if services.registry is not None and identity is not None:
        return Forwarding(dispatch, services, services.registry, Forwarder(Primary(services, identity)))
    inline = services.settings.jobs == "inline"
    application = InlineJobs(dispatch, runner(services), deliverer(services)) if inline else dispatch
    return application if services.database.engine == "sqlite" else LogPositions(application, services)


def ssh_server(services: Services, listener: socket.socket) -> SshServer:
    """The SSH server for git."""
    return SshServer(services, listener, find_key)


def runner(services: Services) -> Runner:
    """The job runner of this process."""
    return Runner(services, TASKS, grace=_grace(services), count=count_job)


def synchronizer(services: Services, registry: Database, identity: NodeIdentity) -> Synchronizer:
    """The service of a secondary that copies what the primary has."""
    return Synchronizer(services, registry, identity)


def deliverer(services: Services) -> Deliverer:
    """The service of this process that calls hooks."""
    return Deliverer(services, grace=_grace(services))


def background(services: Services) -> BackgroundProcess:
    """Jobs and hooks, as one process runs them."""
    return BackgroundProcess(services.database, [runner(services), deliverer(services)])


def document_writer(services: Services) -> DocumentWriter:
    """The service of this process that stores the documents its readers compute."""
    return DocumentWriter(services.database)


def _grace(services: Services) -> timedelta:
    """A little less than the whole grace period: unfinished work is released before the process is killed."""
    return timedelta(seconds=services.settings.grace_seconds * 0.8)
