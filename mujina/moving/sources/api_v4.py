"""A source that speaks the API v4: GitLab, or another Mujina."""

from collections.abc import AsyncGenerator
from typing import Final, TypeVar
from urllib.parse import quote

import msgspec

from mujina.moving.sources.forge import Forge
from mujina.moving.sources.operations import SourceError, SourceUnavailable
from mujina.moving.sources.records import (
    GroupRecord,
    LinkedIssue,
    SourceAward,
    SourceBoard,
    SourceDiscussion,
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
    SourceVariable,
    SourceVersion,
)

Record = TypeVar("Record", bound=msgspec.Struct)
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
        return self._list(SourceProject, f"/groups/{group_id}/projects", order_by="id", sort="asc", with_shared="false")

    def projects(self) -> AsyncGenerator[list[SourceProject]]:
        return self._list(SourceProject, "/projects", order_by="id", sort="asc", membership="true")

    async def person(self, person_id: int) -> SourcePerson:
        return await self._client.one(SourcePerson, f"/api/v4/users/{person_id}")

    def members(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceMember]]:
        return self._list(SourceMember, f"/{owner}/{owner_id}/members")

    def labels(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceLabel]]:
        return self._list(SourceLabel, f"/{owner}/{owner_id}/labels")

    def milestones(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceMilestone]]:
        return self._list(SourceMilestone, f"/{owner}/{owner_id}/milestones")

    def boards(self, project_id: int) -> AsyncGenerator[list[SourceBoard]]:
        return self._list(SourceBoard, f"/projects/{project_id}/boards")

    def issues(self, project_id: int) -> AsyncGenerator[list[SourceIssue]]:
        return self._list(SourceIssue, f"/projects/{project_id}/issues", **OLDEST_FIRST)

    def merge_requests(self, project_id: int) -> AsyncGenerator[list[SourceMergeRequest]]:
        return self._list(SourceMergeRequest, f"/projects/{project_id}/merge_requests", **OLDEST_FIRST)

    def versions(self, project_id: int, iid: int) -> AsyncGenerator[list[SourceVersion]]:
        return self._list(SourceVersion, f"/projects/{project_id}/merge_requests/{iid}/versions")

    def discussions(self, project_id: int, noun: str, iid: int) -> AsyncGenerator[list[SourceDiscussion]]:
        return self._list(SourceDiscussion, f"/projects/{project_id}/{noun}/{iid}/discussions")

    def awards(self, project_id: int, noun: str, iid: int, note_id: int | None) -> AsyncGenerator[list[SourceAward]]:
        note = "" if note_id is None else f"/notes/{note_id}"
        return self._list(SourceAward, f"/projects/{project_id}/{noun}/{iid}{note}/award_emoji")

    def links(self, project_id: int, iid: int) -> AsyncGenerator[list[LinkedIssue]]:
        return self._list(LinkedIssue, f"/projects/{project_id}/issues/{iid}/links")

    def releases(self, project_id: int) -> AsyncGenerator[list[SourceRelease]]:
        return self._list(SourceRelease, f"/projects/{project_id}/releases", order_by="created_at", sort="asc")

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

    async def count(self, project_id: int, noun: str) -> int | None:
        path = f"/api/v4/projects/{project_id}/{noun}"
        try:
            response = await self._client.get(path, {"scope": "all", "state": "all", "per_page": 1})
        except SourceUnavailable:
            raise
        except SourceError as error:
            self._problem(error.address, error.reason)
            return None
        total = response.headers.get("x-total", "")
        return int(total) if total.isascii() and total.isdigit() and len(total) < 10 else None

    def _list(self, shape: type[Record], path: str, **query: str | int) -> AsyncGenerator[list[Record]]:
        return self._pages(shape, f"/api/v4{path}", query)
