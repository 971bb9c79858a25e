"""Where the search page searches, and for what."""

import msgspec

from mujina.activity.search.params import IN_REPOSITORIES, SearchOnPage
from mujina.instance.editions.rules import has_feature
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import signed_in
from mujina.kernel.urls import quoted
from mujina.planning.issues.rules import issues_enabled
from mujina.review.merge_requests.rules import READ_MERGE_REQUESTS
from mujina.workspaces.groups.rules import GroupRow, find_group
from mujina.workspaces.projects.rules import READ_CODE, READ_PROJECT, READ_WIKI, ProjectRow, find_project_with

LISTED_AS_ROWS = frozenset({"projects", "snippet_titles", "snippet_blobs"})
"""Scopes whose results are rows of a list, without an excerpt."""
_TITLES = {
    "projects": "Projects",
    "blobs": "Code",
    "commits": "Commits",
    "issues": "Issues",
    "merge_requests": "Merge requests",
    "notes": "Comments",
    "milestones": "Milestones",
    "epics": "Epics",
    "users": "Users",
    "wiki_blobs": "Wiki",
    "snippet_titles": "Snippets",
    "snippet_blobs": "Snippet contents",
}
_IN_PROJECT = {
    "blobs": READ_CODE & signed_in,
    "commits": READ_CODE & signed_in,
    "issues": READ_PROJECT & issues_enabled,
    "merge_requests": READ_MERGE_REQUESTS,
    "notes": READ_PROJECT,
    "milestones": READ_PROJECT,
    "users": READ_PROJECT & signed_in,
    "wiki_blobs": READ_WIKI & signed_in,
}
"""The scopes of a project with their rules: a search in a repository reads all of it, so visitors sign in first."""


class SearchLocation(msgspec.Struct, frozen=True):
    """The location that is searched: a project, a group, or everything."""

    scopes: list[tuple[str, str]]
    """The scopes that can be searched here, with their titles."""
    project: ProjectRow | None = None
    group: GroupRow | None = None

    @property
    def path(self) -> str:
        """The path of the page of the project or group; empty for everything."""
        owner = self.project or self.group
        return quoted(f"/{owner.full_path}") if owner else ""

    @property
    def parameter(self) -> tuple[str, int] | None:
        """The parameters that keep the location in a link."""
        if self.project is not None:
            return "project_id", self.project.id
        return ("group_id", self.group.id) if self.group is not None else None


async def find_location(tx: Tx, actor: Actor, query: SearchOnPage) -> SearchLocation:
    """The project or group of the query; 404 if the actor may not read it."""
    if isinstance(query.project_id, int):
        ref, rights = Ref.of(query.project_id), tuple(_IN_PROJECT.values())
        project, _, answers = await find_project_with(tx, actor, ref, "p.avatar", rights)
        offered = [name for name, answer in zip(_IN_PROJECT, answers, strict=True) if answer]
        return SearchLocation([(name, _TITLES[name]) for name in offered], project=project)
    group = await find_group(tx, actor, Ref.of(query.group_id)) if isinstance(query.group_id, int) else None
    without = set(IN_REPOSITORIES)
    if not has_feature("epics"):
        without.add("epics")
    if actor.anonymous:
        without.add("users")
    if group is not None:
        without |= {"snippet_titles", "snippet_blobs"}
    return SearchLocation([(name, title) for name, title in _TITLES.items() if name not in without], group=group)


def chosen(location: SearchLocation, asked: str) -> str:
    """The scope that was asked for, or the first one that the location offers."""
    offered = [name for name, _ in location.scopes]
    return asked if asked in offered else offered[0]
