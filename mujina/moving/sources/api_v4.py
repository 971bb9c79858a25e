"""A source that speaks the API v4: GitLab, or another Mujina."""

from collections.abc import AsyncGenerator
from typing import Final
from urllib.parse import quote

from mujina.moving.sources.forge import Forge
from mujina.moving.sources.operations import EMPTY, Query, Record, SourceError
from mujina.moving.sources.packages import (
    Manifests,
    SourcePackage,
    SourcePackageFile,
    SourcePackument,
    index_path,
    read_index,
)
from mujina.moving.sources.pushes import SourcePush
from mujina.moving.sources.records import (
    GroupRecord,
    LinkedIssue,
    SourceApproval,
    SourceApprovals,
    SourceAward,
    SourceBoard,
    SourceDiscussion,
    SourceEpic,
    SourceHook,
    SourceIssue,
    SourceLabel,
    SourceMember,
    SourceMergeRequest,
    SourceMilestone,
    SourcePerson,
    SourceProject,
    SourceProtectedBranch,
    SourceProtectedTag,
    SourceRelease,
    SourceSizes,
    SourceSnippet,
    SourceStatistics,
    SourceVariable,
    SourceVersion,
)

ABSENT: Final = (403, 404)
"""The statuses of what a source does not have, or not for this token."""
BY_ID: Final = {"order_by": "id", "sort": "asc"}
OLDEST_FIRST: Final = {"order_by": "created_at", "sort": "asc", "scope": "all", "state": "all"}


class ApiV4(Forge):
    """Reads one instance."""

    async def project(self, path: str) -> SourceProject:
        return await self._client.one(SourceProject, f"/api/v4/projects/{quote(path, safe='')}")

    async def group(self, path: str) -> GroupRecord:
        return await self._client.one(GroupRecord, f"/api/v4/groups/{quote(path, safe='')}")

    def subgroups(self, group_id: int) -> AsyncGenerator[list[GroupRecord]]:
        return self._list(GroupRecord, f"/groups/{group_id}/subgroups")

    def projects_of(self, group_id: int) -> AsyncGenerator[list[SourceProject]]:
        return self._list(SourceProject, f"/groups/{group_id}/projects", {**BY_ID, "with_shared": "false"})

    def projects(self) -> AsyncGenerator[list[SourceProject]]:
        return self._list(SourceProject, "/projects", {**BY_ID, "membership": "true"})

    async def person(self, person_id: int) -> SourcePerson:
        return await self._client.one(SourcePerson, f"/api/v4/users/{person_id}")

    async def token_owner(self) -> SourcePerson:
        return await self._client.one(SourcePerson, "/api/v4/user")

    def members(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceMember]]:
        return self._list(SourceMember, f"/{owner}/{owner_id}/members")

    def labels(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceLabel]]:
        return self._list(SourceLabel, f"/{owner}/{owner_id}/labels")

    def milestones(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceMilestone]]:
        return self._list(SourceMilestone, f"/{owner}/{owner_id}/milestones")

    def boards(self, project_id: int) -> AsyncGenerator[list[SourceBoard]]:
        return self._list(SourceBoard, f"/projects/{project_id}/boards")

    def issues(self, project_id: int) -> AsyncGenerator[list[SourceIssue]]:
        return self._list(SourceIssue, f"/projects/{project_id}/issues", OLDEST_FIRST, long=True)

    def merge_requests(self, project_id: int) -> AsyncGenerator[list[SourceMergeRequest]]:
        return self._list(SourceMergeRequest, f"/projects/{project_id}/merge_requests", OLDEST_FIRST, long=True)

    def versions(self, project_id: int, iid: int) -> AsyncGenerator[list[SourceVersion]]:
        return self._list(SourceVersion, f"/projects/{project_id}/merge_requests/{iid}/versions")

    def discussions(self, project_id: int, noun: str, iid: int) -> AsyncGenerator[list[SourceDiscussion]]:
        return self._list(SourceDiscussion, f"/projects/{project_id}/{noun}/{iid}/discussions")

    def awards(self, project_id: int, noun: str, iid: int, note_id: int | None) -> AsyncGenerator[list[SourceAward]]:
        note = "" if note_id is None else f"/notes/{note_id}"
        return self._list(SourceAward, f"/projects/{project_id}/{noun}/{iid}{note}/award_emoji")

    def links(self, project_id: int, iid: int) -> AsyncGenerator[list[LinkedIssue]]:
        return self._list(LinkedIssue, f"/projects/{project_id}/issues/{iid}/links")

    async def approvals(self, project_id: int, iid: int) -> list[SourceApproval]:
        path = f"/api/v4/projects/{project_id}/merge_requests/{iid}/approvals"
        found = await self._one(SourceApprovals, path, absent=ABSENT)
        return found.approved_by if found else []

    def epics(self, group_id: int) -> AsyncGenerator[list[SourceEpic]]:
        query = {"include_descendant_groups": "false", "order_by": "created_at", "sort": "asc"}
        return self._list(SourceEpic, f"/groups/{group_id}/epics", query, optional=True)

    def epic_issues(self, group_id: int, iid: int) -> AsyncGenerator[list[LinkedIssue]]:
        return self._list(LinkedIssue, f"/groups/{group_id}/epics/{iid}/issues")

    def epic_discussions(self, group_id: int, epic_id: int) -> AsyncGenerator[list[SourceDiscussion]]:
        return self._list(SourceDiscussion, f"/groups/{group_id}/epics/{epic_id}/discussions")

    def epic_awards(self, group_id: int, iid: int, note_id: int | None) -> AsyncGenerator[list[SourceAward]]:
        note = "" if note_id is None else f"/notes/{note_id}"
        return self._list(SourceAward, f"/groups/{group_id}/epics/{iid}{note}/award_emoji")

    def snippets(self, project_id: int) -> AsyncGenerator[list[SourceSnippet]]:
        return self._list(SourceSnippet, f"/projects/{project_id}/snippets", optional=True)

    async def snippet_file(self, project_id: int, snippet: SourceSnippet, place: int, max_bytes: int) -> bytes:
        return (await self._client.get(snippet_path(project_id, snippet, place), max_bytes=max_bytes)).body

    def packages(self, project_id: int) -> AsyncGenerator[list[SourcePackage]]:
        query = {"order_by": "name", "sort": "asc"}
        return self._list(SourcePackage, f"/projects/{project_id}/packages", query, optional=True, long=True)

    def package_files(self, project_id: int, package_id: int) -> AsyncGenerator[list[SourcePackageFile]]:
        return self._list(SourcePackageFile, f"/projects/{project_id}/packages/{package_id}/package_files")

    async def package_manifests(self, project_id: int, package: SourcePackage) -> Manifests:
        path = index_path(project_id, package)
        if package.package_type == "npm":
            return (await self._client.one(SourcePackument, path)).versions
        if package.package_type == "pypi":
            return read_index((await self._client.get(path)).body.decode("utf-8", "replace"))
        return {}

    def releases(self, project_id: int) -> AsyncGenerator[list[SourceRelease]]:
        return self._list(SourceRelease, f"/projects/{project_id}/releases", {"order_by": "created_at", "sort": "asc"})

    def pushes(self, project_id: int) -> AsyncGenerator[list[SourcePush]]:
        query = {"action": "pushed", "sort": "asc"}
        return self._list(SourcePush, f"/projects/{project_id}/events", query, optional=True, long=True)

    def protected_branches(self, project_id: int) -> AsyncGenerator[list[SourceProtectedBranch]]:
        return self._list(SourceProtectedBranch, f"/projects/{project_id}/protected_branches")

    def protected_tags(self, project_id: int) -> AsyncGenerator[list[SourceProtectedTag]]:
        return self._list(SourceProtectedTag, f"/projects/{project_id}/protected_tags")

    def hooks(self, project_id: int) -> AsyncGenerator[list[SourceHook]]:
        return self._list(SourceHook, f"/projects/{project_id}/hooks")

    def variables(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceVariable]]:
        return self._list(SourceVariable, f"/{owner}/{owner_id}/variables")

    async def upload(self, project: SourceProject, secret: str, name: str, max_bytes: int) -> bytes:
        """A file that a text links to: by the API, or at its address on the pages of older instances."""
        try:
            path = f"/api/v4/projects/{project.id}/uploads/{secret}/{quote(name, safe='')}"
            return (await self._client.get(path, max_bytes=max_bytes)).body
        except SourceError as error:
            if error.status != 404:
                raise
        path = f"/{quote(project.path_with_namespace)}/uploads/{secret}/{quote(name, safe='')}"
        return (await self._client.get(path, max_bytes=max_bytes)).body

    async def sizes(self, project: SourceProject) -> SourceSizes | None:
        try:
            found = await self._client.one(SourceStatistics, f"/api/v4/projects/{project.id}?statistics=true")
        except SourceError:
            return None
        return found.statistics

    async def count(self, project_id: int, noun: str) -> int | None:
        return await self._count(f"/api/v4/projects/{project_id}/{noun}", {"scope": "all", "state": "all"})

    def _list(
        self, shape: type[Record], path: str, query: Query = EMPTY, *, optional: bool = False, long: bool = False
    ) -> AsyncGenerator[list[Record]]:
        return self._pages(shape, f"/api/v4{path}", query, absent=ABSENT if optional else (), long=long)


def snippet_path(project_id: int, snippet: SourceSnippet, place: int) -> str:
    """Where the content of a file of the snippet is; the first one has place 0."""
    path = f"/api/v4/projects/{project_id}/snippets/{snippet.id}"
    if place:
        file = snippet.files[place]
        ref = file.raw_url.partition("/raw/")[2].partition("/")[0] or "main"
        path += f"/files/{quote(ref, safe='')}/{quote(file.path, safe='')}"
    return f"{path}/raw"
