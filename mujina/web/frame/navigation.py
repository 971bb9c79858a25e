"""The entries of the navigation: each appears once its page exists, to those whom its rule allows."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Literal

import msgspec

from mujina.code.pipelines.rules import READ_JOBS
from mujina.code.snippets.rules import LIST_PROJECT_SNIPPETS
from mujina.instance.editions.rules import has_feature
from mujina.kernel.html.pages import Container, PageRequest, PageRoute
from mujina.kernel.permissions.rules import Rule, signed_in
from mujina.planning.issues.rules import issues_enabled
from mujina.review.merge_requests.rules import CREATE_MERGE_REQUEST, READ_MERGE_REQUESTS
from mujina.workspaces.groups.rules import ADMIN_GROUP
from mujina.workspaces.projects.rules import ADMIN_PROJECT, READ_CODE, READ_PROJECT, READ_WIKI

Area = Literal["project", "group", "account", "administration", "dashboard", "explore"]


class NavigationEntry(msgspec.Struct, frozen=True):
    """A link of the navigation to the page at `path`."""

    section: str
    """The heading that it stands under; empty for the first ones."""
    label: str
    icon: str
    path: str
    """The path as the page declares it. `{ref}` stands for the default branch: without one, the entry is left out."""
    rule: Rule | Literal["of its page"] | None = None
    """The rule of those who see it, for a later chapter that of its page; None: everyone who sees the navigation."""
    count: str = ""
    """The name of the number that it shows."""
    also: tuple[str, ...] = ()
    """The start of other paths that belong to it."""
    offered: Callable[[], bool] = lambda: True
    """Whether the edition has it."""


class Link(msgspec.Struct, frozen=True):
    """An entry as a page shows it."""

    section: str
    label: str
    icon: str
    address: str
    current: bool
    count: int | None


class Section(msgspec.Struct, frozen=True):
    """A heading of the navigation and its links."""

    title: str
    links: tuple[Link, ...]


_READ_ISSUES = READ_PROJECT & issues_enabled
ENTRIES: dict[Area, list[NavigationEntry]] = {
    "project": [
        NavigationEntry("", "Overview", "house", "/{project}"),
        NavigationEntry("", "Activity", "activity", "/{project}/activity"),
        NavigationEntry(
            "Code", "Files", "folder", "/{project}/tree/{ref}", READ_CODE,
            also=("/{project}/blob/", "/{project}/blame/", "/{project}/edit/{", "/{project}/new/", "/{project}/find_file/"),
        ),
        NavigationEntry(
            "Code", "Commits", "git-commit-horizontal", "/{project}/commits/{ref}", READ_CODE,
            also=("/{project}/commit/",),
        ),
        NavigationEntry("Code", "Branches", "git-branch", "/{project}/branches", READ_CODE),
        NavigationEntry("Code", "Tags", "tag", "/{project}/tags", READ_CODE),
        NavigationEntry("Code", "Releases", "rocket", "/{project}/-/releases"),
        NavigationEntry("Code", "Feature flags", "flag", "/{project}/-/feature_flags", "of its page"),
        NavigationEntry("Code", "Packages", "box", "/{project}/-/packages", "of its page"),
        NavigationEntry("Code", "Contributors", "users", "/{project}/graphs/{ref}", READ_CODE),
        NavigationEntry("Code", "Compare", "git-compare-arrows", "/{project}/compare", READ_CODE),
        NavigationEntry("Plan", "Issues", "circle-dot", "/{project}/issues", _READ_ISSUES, count="issues"),
        NavigationEntry("Plan", "Boards", "square-kanban", "/{project}/boards", _READ_ISSUES),
        NavigationEntry("Plan", "Milestones", "milestone", "/{project}/milestones"),
        NavigationEntry("Plan", "Labels", "tags", "/{project}/labels"),
        NavigationEntry(
            "Review", "Merge requests", "git-pull-request", "/{project}/merge_requests", READ_MERGE_REQUESTS,
            count="merge_requests",
        ),
        NavigationEntry("Build", "Pipelines", "rocket", "/{project}/pipelines", READ_JOBS),
        NavigationEntry("Build", "Jobs", "list-checks", "/{project}/-/jobs", READ_JOBS),
        NavigationEntry("Build", "Schedules", "calendar", "/{project}/pipeline_schedules", "of its page"),
        NavigationEntry("Build", "Environments", "globe", "/{project}/environments", "of its page"),
        NavigationEntry("Build", "CI file", "file-text", "/{project}/-/ci/editor", "of its page"),
        NavigationEntry("More", "Wiki", "book-open", "/{project}/wikis", READ_WIKI),
        NavigationEntry("More", "External wiki", "external-link", "/{project}/external_wiki", "of its page"),
        NavigationEntry("More", "Snippets", "scissors", "/{project}/snippets", LIST_PROJECT_SNIPPETS),
        NavigationEntry(
            "More", "Members", "users", "/{project}/project_members", signed_in, also=("/{project}/settings/members",)
        ),
        NavigationEntry(
            "More", "Settings", "settings", "/{project}/edit", ADMIN_PROJECT,
            also=(
                "/{project}/settings", "/{project}/hooks", "/{project}/services", "/{project}/pages",
                "/{project}/audit_events", "/{project}/import", "/{project}/export", "/{project}/variables",
                "/{project}/runners",
            ),
        ),
    ],
    "group": [
        NavigationEntry(
            "", "Overview", "house", "/{group}",
            also=tuple(f"/groups/{{group}}/-/{word}" for word in ("shared", "archived", "projects", "subgroups")),
        ),
        NavigationEntry("", "Activity", "activity", "/groups/{group}/-/activity"),
        NavigationEntry("Plan", "Issues", "circle-dot", "/groups/{group}/-/issues"),
        NavigationEntry("Plan", "Epics", "layers", "/groups/{group}/-/epics", offered=lambda: has_feature("epics")),
        NavigationEntry("Plan", "Roadmap", "chart-gantt", "/groups/{group}/-/roadmap", offered=lambda: has_feature("epics")),
        NavigationEntry("Plan", "Boards", "square-kanban", "/groups/{group}/-/boards"),
        NavigationEntry("Plan", "Milestones", "milestone", "/groups/{group}/-/milestones"),
        NavigationEntry("Plan", "Labels", "tags", "/groups/{group}/-/labels"),
        NavigationEntry("Review", "Merge requests", "git-pull-request", "/groups/{group}/-/merge_requests"),
        NavigationEntry("More", "Packages", "box", "/groups/{group}/-/packages"),
        NavigationEntry(
            "More", "Members", "users", "/groups/{group}/-/group_members", signed_in,
            also=("/groups/{group}/-/members",),
        ),
        NavigationEntry(
            "More", "CI / CD", "rocket", "/groups/{group}/-/settings/ci_cd", "of its page",
            also=("/groups/{group}/-/variables", "/groups/{group}/-/runners"),
        ),
        NavigationEntry(
            "More", "Settings", "settings", "/groups/{group}/-/edit", ADMIN_GROUP,
            also=("/groups/{group}/-/hooks", "/groups/{group}/-/ldap_group_links", "/groups/{group}/-/audit_events"),
        ),
    ],
    "account": [
        NavigationEntry("", "Profile", "user", "/profile"),
        NavigationEntry("", "Account", "id-card", "/profile/account"),
        NavigationEntry("", "Emails", "mail", "/profile/emails"),
        NavigationEntry("", "Notifications", "bell", "/profile/notifications"),
        NavigationEntry("", "Preferences", "settings", "/profile/preferences"),
        NavigationEntry("Security", "Password", "lock", "/profile/password/edit"),
        NavigationEntry("Security", "Two-factor", "shield", "/profile/two_factor_auth"),
        NavigationEntry("Security", "SSH keys", "key", "/profile/keys"),
        NavigationEntry("Security", "GPG keys", "file-key", "/profile/gpg_keys"),
        NavigationEntry("Security", "Sessions", "monitor", "/profile/sessions"),
        NavigationEntry("Security", "Sign-in log", "history", "/profile/audit_log"),
        NavigationEntry("Access", "Access tokens", "key-round", "/profile/personal_access_tokens"),
        NavigationEntry("Access", "Applications", "code", "/profile/applications"),
    ],
    "administration": [
        NavigationEntry("", "Overview", "chart-column", "/admin"),
        NavigationEntry("", "Health", "heart-pulse", "/admin/health_check"),
        NavigationEntry("Manage", "Users", "user", "/admin/users"),
        NavigationEntry("Manage", "Groups", "users", "/admin/groups"),
        NavigationEntry("Manage", "Projects", "folder", "/admin/projects"),
        NavigationEntry("Manage", "Deploy keys", "key", "/admin/deploy_keys"),
        NavigationEntry("Operate", "Background jobs", "list-checks", "/admin/background_jobs"),
        NavigationEntry("Operate", "Runners", "server", "/admin/runners"),
        NavigationEntry("Operate", "System hooks", "webhook", "/admin/hooks"),
        NavigationEntry("Operate", "Email", "mail", "/admin/email"),
        NavigationEntry("Operate", "Replication nodes", "server", "/admin/geo_nodes"),
        NavigationEntry("Operate", "Broadcast messages", "megaphone", "/admin/broadcast_messages"),
        NavigationEntry("Operate", "Audit events", "scroll-text", "/admin/audit_events"),
        NavigationEntry("Operate", "Logs", "terminal", "/admin/logs"),
        NavigationEntry("Configure", "Settings", "settings", "/admin/application_settings"),
        NavigationEntry("Configure", "Variables", "key", "/admin/variables"),
        NavigationEntry("Configure", "Applications", "code", "/admin/applications"),
        NavigationEntry(
            "Configure", "Push rule", "shield-check", "/admin/push_rule", offered=lambda: has_feature("push_rules")
        ),
        NavigationEntry("Configure", "License", "file-text", "/admin/license"),
    ],
    "dashboard": [
        NavigationEntry("", "Projects", "folder", "/dashboard/projects", also=("/", "/dashboard")),
        NavigationEntry("", "Starred projects", "star", "/dashboard/projects/starred"),
        NavigationEntry("", "Groups", "users", "/dashboard/groups"),
        NavigationEntry("", "Activity", "activity", "/dashboard/activity"),
        NavigationEntry("Plan", "Issues", "circle-dot", "/dashboard/issues", count="issues"),
        NavigationEntry("Plan", "Merge requests", "git-pull-request", "/dashboard/merge_requests", count="merge_requests"),
        NavigationEntry("Plan", "To-do list", "list-todo", "/dashboard/todos", count="todos"),
        NavigationEntry("Plan", "Milestones", "milestone", "/dashboard/milestones"),
        NavigationEntry("More", "Snippets", "scissors", "/dashboard/snippets"),
        NavigationEntry("More", "Explore", "compass", "/explore"),
    ],
    "explore": [
        NavigationEntry("", "Projects", "folder", "/explore/projects", also=("/explore",)),
        NavigationEntry("", "Most stars", "star", "/explore/projects/starred"),
        NavigationEntry("", "Topics", "tag", "/explore/projects/topics"),
        NavigationEntry("", "Groups", "users", "/explore/groups"),
        NavigationEntry("", "Snippets", "scissors", "/explore/snippets"),
    ],
}  # fmt: skip
_AREAS: dict[str, Area] = {
    "": "dashboard", "profile": "account", "admin": "administration", "dashboard": "dashboard", "explore": "explore",
}  # fmt: skip
TITLES: dict[Area, str] = {
    "account": "User settings", "administration": "Administration", "dashboard": "Your work", "explore": "Explore",
}  # fmt: skip
"""The names of the areas that belong to no project and no group."""


class Navigation:
    """The entries whose pages exist."""

    def __init__(self, pages: Iterable[PageRoute]) -> None:
        views = {_plain(page.path): page for page in pages if page.verb == "GET"}
        self.paths = frozenset(views)
        self._entries = {
            area: [entry for entry in entries if _plain(entry.path) in self.paths] for area, entries in ENTRIES.items()
        }
        self.rights: dict[str, dict[str, Rule]] = {
            area: {
                f"nav {entry.path}": rule
                for entry in entries
                if (rule := views[_plain(entry.path)].to if entry.rule == "of its page" else entry.rule) is not None
            }
            for area, entries in self._entries.items()
        }
        """The rules that a project's or group's navigation asks, by the name of their answers."""
        self.rights["project"]["new merge request"] = CREATE_MERGE_REQUEST
        # The pages of a project show the same links again and again.
        self._kept_sections = lru_cache(1024)(self._make_sections)

    def has(self, path: str) -> bool:
        """Whether there is a page at this path, such as `/search` or `/{project}/issues/new`."""
        return _plain(path) in self.paths

    def area_of(self, request: PageRequest) -> Area | None:
        """The area that the page belongs to."""
        if request.container is not None:
            return request.container.kind
        first = request.route.path.split("/")[1] if request.route else "-"
        area = _AREAS.get(first)
        if area == "administration" and not request.actor.admin:
            return None  # the page that says there is nothing says no more than that
        return area if first == "explore" or not request.actor.anonymous else None

    def sections(self, area: Area, request: PageRequest, counts: Mapping[str, int]) -> tuple[Section, ...]:
        """The links of the area, in order, with the one to the current page marked."""
        container = request.container
        visible = tuple(n for n, entry in enumerate(self._entries[area]) if _is_visible(entry, container))
        path = request.route.path if request.route else ""
        owner = (container.path, container.branch) if container else None
        return self._kept_sections(area, visible, path, owner, tuple(counts.items()))

    def _make_sections(
        self,
        area: Area,
        visible: tuple[int, ...],
        path: str,
        owner: tuple[str, str] | None,
        counts: tuple[tuple[str, int], ...],
    ) -> tuple[Section, ...]:
        entries, numbers = [self._entries[area][n] for n in visible], dict(counts)
        current = max(entries, key=lambda entry: _nearness(entry, path), default=None)
        if current is not None and _nearness(current, path) == 0:
            current = None
        links = [
            Link(
                section=entry.section,
                label=entry.label,
                icon=entry.icon,
                address=address,
                current=entry is current,
                count=numbers.get(entry.count),
            )
            for entry in entries
            if (address := _address(entry, owner))
        ]
        titles = dict.fromkeys(link.section for link in links)
        return tuple(Section(title, tuple(link for link in links if link.section == title)) for title in titles)


@lru_cache(1024)
def _plain(path: str) -> str:
    """The path with its captures by kind alone: `{ref}` and `{path:path}` are the same page."""
    return "/".join("*" if part.startswith("{") and n > 1 else part for n, part in enumerate(path.split("/")))


def _is_visible(entry: NavigationEntry, container: Container | None) -> bool:
    if not entry.offered():
        return False
    return entry.rule is None or container is None or container.rights[f"nav {entry.path}"]


def _nearness(entry: NavigationEntry, path: str) -> int:
    """How much of the path the entry explains; 0 if it is not part of it."""
    own = entry.path.removesuffix("{ref}")
    starts = [own] if path == own else []
    if entry.path.count("/") > 1 and path.startswith((own if own.endswith("/") else f"{own}/", f"{own}.")):
        starts.append(own)
    starts += [also for also in entry.also if path.startswith(also)]
    return max(map(len, starts), default=0)


def _address(entry: NavigationEntry, owner: tuple[str, str] | None) -> str:
    """`owner`: the path of the project or group, and its default branch."""
    if owner is None:
        return entry.path
    path, branch = owner
    address = entry.path.replace("/{project}", path).replace("/{group}", path)
    if "{ref}" not in address:
        return address
    return address.replace("{ref}", branch) if branch else ""
