"""The composition root: the only file that knows every slice."""

import socket
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import Any

from mujina.adapters.storage import Storage
from mujina.domains.application import routes as application
from mujina.domains.attributes import routes as attributes
from mujina.domains.awards import routes as awards
from mujina.domains.boards import routes as boards
from mujina.domains.branches import routes as branches
from mujina.domains.broadcast_messages import routes as broadcast_messages
from mujina.domains.commit_comments import routes as commit_comments
from mujina.domains.commit_statuses import routes as commit_statuses
from mujina.domains.commits import routes as commits
from mujina.domains.credentials import pages as token_pages
from mujina.domains.credentials import routes as credentials
from mujina.domains.credentials.rules import find_actor
from mujina.domains.deploy_keys import routes as deploy_keys
from mujina.domains.discussions import routes as discussions
from mujina.domains.emails import pages as email_pages
from mujina.domains.emails import routes as emails
from mujina.domains.events import routes as events
from mujina.domains.features import routes as features
from mujina.domains.files import routes as files
from mujina.domains.gpg_keys import routes as gpg_keys
from mujina.domains.groups import jobs as group_jobs
from mujina.domains.groups import routes as groups
from mujina.domains.imports import jobs as import_jobs
from mujina.domains.imports import routes as imports
from mujina.domains.instance import routes as instance
from mujina.domains.issue_links import routes as issue_links
from mujina.domains.issues import routes as issues
from mujina.domains.keys import pages as key_pages
from mujina.domains.keys import routes as keys
from mujina.domains.keys.rules import find_key
from mujina.domains.labels import routes as labels
from mujina.domains.lfs import jobs as lfs_jobs
from mujina.domains.mail_links import jobs as mail_link_jobs
from mujina.domains.mail_links import pages as mail_link_pages
from mujina.domains.mails import jobs as mail_jobs
from mujina.domains.members import jobs as member_jobs
from mujina.domains.members import routes as members
from mujina.domains.milestones import routes as milestones
from mujina.domains.namespaces import routes as namespaces
from mujina.domains.notes import routes as notes
from mujina.domains.notification_settings import routes as notification_settings
from mujina.domains.oauth import endpoints as oauth_endpoints
from mujina.domains.oauth import jobs as oauth_jobs
from mujina.domains.oauth import openid_endpoints
from mujina.domains.oauth import pages as oauth_pages
from mujina.domains.oauth import routes as oauth
from mujina.domains.projects import jobs as project_jobs
from mujina.domains.projects import routes as projects
from mujina.domains.protected_branches import routes as protected_branches
from mujina.domains.push_rules import routes as push_rules
from mujina.domains.reactions import REACTIONS
from mujina.domains.references import jobs as reference_jobs
from mujina.domains.repositories import jobs as repository_jobs
from mujina.domains.repositories import routes as repositories
from mujina.domains.search import routes as search
from mujina.domains.sessions import jobs as session_jobs
from mujina.domains.sessions import pages as session_pages
from mujina.domains.snippets import routes as snippets
from mujina.domains.tags import routes as tags
from mujina.domains.todos import routes as todos
from mujina.domains.two_factor import pages as two_factor_pages
from mujina.domains.uploads import routes as uploads
from mujina.domains.users import jobs as user_jobs
from mujina.domains.users import pages as user_pages
from mujina.domains.users import routes as users
from mujina.domains.wikis import routes as wikis
from mujina.git.lfs import Lfs, is_for_lfs
from mujina.git.smart_http import SmartHttp, is_for_git
from mujina.git.ssh import SshServer
from mujina.kernel.api import Api, straight
from mujina.kernel.build import VERSION
from mujina.kernel.db.transaction import Database
from mujina.kernel.events import react_by
from mujina.kernel.house import House
from mujina.kernel.http import Door
from mujina.kernel.jobs.inline import InlineJobs
from mujina.kernel.jobs.runner import Runner
from mujina.kernel.metrics import count_job
from mujina.kernel.openapi import openapi_routes
from mujina.kernel.pages import pages_of
from mujina.kernel.passwords import Passwords
from mujina.kernel.routing import routes_of
from mujina.kernel.secrets import Vault, instance_key
from mujina.migrations.state import find_trouble
from mujina.settings import Settings
from mujina.web.health import Health
from mujina.web.site import build_site
from mujina.web.uploads import Uploads

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
        attributes,
        issues,
        labels,
        milestones,
        search,
        notes,
        awards,
        discussions,
        boards,
        issue_links,
        todos,
        events,
        snippets,
        wikis,
        deploy_keys,
        push_rules,
        protected_branches,
        repositories,
        branches,
        tags,
        commits,
        commit_comments,
        commit_statuses,
        files,
    ]
)
PAGES = pages_of(
    [
        session_pages,
        mail_link_pages,
        user_pages,
        email_pages,
        key_pages,
        token_pages,
        two_factor_pages,
        oauth_pages,
        oauth_endpoints,
        openid_endpoints,
    ]
)
TASKS = [
    group_jobs.remove_group,
    mail_jobs.deliver_mails,
    mail_link_jobs.request_reset,
    mail_link_jobs.request_confirmation,
    mail_link_jobs.sweep_links,
    import_jobs.import_project,
    import_jobs.refresh_mirrors,
    lfs_jobs.sweep_large_files,
    member_jobs.forget_expired,
    oauth_jobs.sweep_oauth,
    project_jobs.copy_project,
    project_jobs.remove_project,
    reference_jobs.read_push,
    repository_jobs.keep_house,
    repository_jobs.mend_push,
    repository_jobs.measure_repository,
    session_jobs.sweep_sessions,
    user_jobs.remove_user,
    user_jobs.erase_user,
]

Asgi = Callable[[dict[str, Any], Any, Any], Awaitable[None]]


def furnish(settings: Settings, database: Database) -> House:
    """What every door and job of this process shares."""
    react_by(REACTIONS)
    vault = Vault(instance_key(settings.data, settings.instance_key))
    passwords = Passwords(kilobytes=settings.password_kilobytes, processes=settings.workers)
    return House(settings, database, vault, passwords, Storage(settings))


def build(house: House) -> Asgi:
    """The doors of the house as one ASGI application."""
    api = Api(Door(house, find_actor), [*ROUTES, *openapi_routes(ROUTES, VERSION)])
    git, lfs = SmartHttp(house), Lfs(house)
    site = build_site(house, PAGES)

    async def for_people_and_git(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if is_for_lfs(scope["path"]):
            await lfs(scope, receive, send)
        elif is_for_git(scope["path"], scope["query_string"]):
            await git(scope, receive, send)
        else:
            await site(scope, receive, send)

    files = Uploads(for_people_and_git, house, find_actor)
    others = Health(files, house.settings, partial(find_trouble, house.database), VERSION)

    def doors(scope: dict[str, Any], receive: Any, send: Any) -> Awaitable[None]:
        path = scope["path"] = straight(scope)
        return api(scope, receive, send) if path.startswith("/api/") else others(scope, receive, send)

    return InlineJobs(doors, runner(house)) if house.settings.jobs == "inline" else doors


def ssh_server(house: House, listener: socket.socket) -> SshServer:
    """The door of git over SSH."""
    return SshServer(house, listener, find_key)


def runner(house: House) -> Runner:
    """What runs the jobs of the house."""
    # A little less than the whole grace: what does not end in time is given back before the process is cut off.
    grace = timedelta(seconds=house.settings.grace_seconds * 0.8)
    return Runner(house, TASKS, grace=grace, count=count_job)
