"""Where addresses of newer versions, and short ones, lead: clients and people carry them."""

import re

from mujina.accounts.users.rules import find_user
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import Container
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.web.urls.addresses import Addresses
from mujina.workspaces.projects.rules import find_project

_MOVED: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"/-/(snippets/.+)"), r"/\1"),
    (re.compile(r"/-/user_settings/profile"), "/profile"),
    (re.compile(r"/-/(?:profile|user_settings)/ssh_keys"), "/profile/keys"),
    (re.compile(r"/-/(?:profile|user_settings)/active_sessions"), "/profile/sessions"),
    (re.compile(r"/-/(?:profile|user_settings)/authentication_log"), "/profile/audit_log"),
    (re.compile(r"/-/(?:profile|user_settings)(/.*)?"), r"/profile\1"),
    (re.compile(r"/(?:-/)?snippets"), "/explore/snippets"),
    (re.compile(r"/dashboard/(?:home|projects/member)"), "/dashboard"),
    (re.compile(r"/public(?:/projects)?"), "/explore"),
    (re.compile(r"/(?:u|users)/([^/]+)"), r"/\1"),
)
_JOBS = re.compile(r"^(?:/jobs|(?:/-)?/builds)(?=$|/)")
"""The older names of the pages of jobs."""
_PROJECT = re.compile(r"/projects/([0-9]{1,18})")
_USER = re.compile(r"/-/u/([0-9]{1,18})")


def newer_rest(addresses: Addresses, container: Container, rest: str, *, below_groups: bool) -> str | None:
    """The path where an address of a project or group leads that no page has; None: nowhere."""
    if container.kind == "project":
        if rest == ".git":
            return container.path
        if (of_jobs := _JOBS.sub("/-/jobs", rest)) != rest and addresses.match("project", of_jobs):
            return f"{container.path}{of_jobs}"
        current = re.sub(r"^/work_items/", "/issues/", rest.removeprefix("/-"))
        return f"{container.path}{current}" if rest.startswith("/-/") and addresses.match("project", current) else None
    current = rest if rest.startswith("/-/") else f"/-{rest}"
    known = addresses.match("group", current) is not None and (below_groups or rest.startswith("/-/"))
    return f"/groups{container.path}{current}" if known else None


async def newer_path(tx: Tx, actor: Actor, path: str) -> str | None:
    """The path where an address of the instance leads that no page has; None: nowhere."""
    for pattern, target in _MOVED:
        if match := pattern.fullmatch(path):
            return match.expand(target).rstrip("/")
    if match := _PROJECT.fullmatch(path):
        return f"/{(await find_project(tx, actor, Ref.of(int(match[1])))).full_path}"
    if match := _USER.fullmatch(path):
        if actor.anonymous:
            raise errors.not_found("User")
        return f"/{(await find_user(tx, int(match[1]))).username}"
    return None
