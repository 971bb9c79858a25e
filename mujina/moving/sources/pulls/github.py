"""A source that speaks GitHub's REST API v3: GitHub itself, or an Enterprise server."""

import re
from collections.abc import AsyncGenerator
from functools import cached_property
from typing import Any, ClassVar
from urllib.parse import quote

import msgspec

from mujina.moving.sources.forge import empty_list
from mujina.moving.sources.operations import Query, SourceError
from mujina.moving.sources.pulls import shapes
from mujina.moving.sources.pulls.conversions import highest
from mujina.moving.sources.pulls.forge import ALL, COMMENT, LINE_COMMENT, PullForge, PullReviews
from mujina.moving.sources.records import (
    GroupRecord,
    SourceGrant,
    SourceLabel,
    SourceMember,
    SourceMergeRequest,
    SourcePerson,
    SourceProtectedBranch,
)


class GitHub(PullForge):
    """Reads one instance."""

    pull_page: ClassVar = "/pull/"
    pulls_only: ClassVar[tuple[str, Query]] = ("pulls", ALL)
    names_lists: ClassVar = True
    comment_paths: ClassVar = {COMMENT: "/issues/comments", LINE_COMMENT: "/pulls/comments"}

    async def is_group(self, owner: shapes.ForgePerson) -> bool:
        return owner.type == "Organization"

    async def group(self, path: str) -> GroupRecord:
        return msgspec.structs.replace(await super().group(path), visibility="private")

    async def person(self, person_id: int) -> SourcePerson:
        found = (await self._client.one(shapes.ForgePerson, f"/user/{person_id}")).record()
        if found is None:
            raise SourceError(f"{self._client.address}/user/{person_id}", "There is no such user.")
        return found

    async def count(self, project_id: int, noun: str) -> int | None:
        """The list of issues has pulls as well."""
        found = await super().count(project_id, noun)
        if noun != "issues" or found is None:
            return found
        return max(found - (await super().count(project_id, "merge_requests") or 0), 0)

    async def members(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceMember]]:
        """Owners of an organization, its members with the permission that all have, collaborators and teams of a project."""
        found = list[SourceMember | None]()
        if owner == "groups":
            path = f"/orgs/{self._groups[owner_id]}"
            organization = await self._one(shapes.ForgeOrganization, path)
            base = shapes.level_of((organization and organization.default_repository_permission) or "none")
            for role, level in (("admin", 50), ("member", base)):
                async for page in self._pages(shapes.ForgeCollaborator, f"{path}/members", {"role": role}):
                    found += [each.member(level) for each in page]
        else:
            path = self.repository(owner_id, "/collaborators")
            async for page in self._pages(shapes.ForgeCollaborator, path, {"affiliation": "direct"}):
                found += [each.member(each.level) for each in page]
            owner = self._paths[owner_id].partition("/")[0]
            async for teams in self._pages(shapes.ForgeTeam, self.repository(owner_id, "/teams"), absent=(404,)):
                for team in teams:
                    path = f"/orgs/{owner}/teams/{quote(team.slug)}/members"
                    async for page in self._pages(shapes.ForgeCollaborator, path):
                        found += [each.member(team.level) for each in page]
        yield highest(found)

    def labels(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceLabel]]:
        return empty_list() if owner == "groups" else super().labels(owner, owner_id)

    async def complete(self, project_id: int, request: SourceMergeRequest) -> SourceMergeRequest:
        """The list of pulls does not say who merged them."""
        request = await super().complete(project_id, request)
        if request.state != "merged":
            return request
        pull = await self._one(shapes.ForgePull, self.repository(project_id, f"/pulls/{request.iid}"))
        return msgspec.structs.replace(request, merged_by=shapes.person_of(pull.merged_by if pull else None))

    async def protected_branches(self, project_id: int) -> AsyncGenerator[list[SourceProtectedBranch]]:
        path = self.repository(project_id, "/branches")
        async for page in self._pages(shapes.ForgeBranchName, path, {"protected": "true"}):
            found = [
                (each.name, await self._one(shapes.ForgeProtection, f"{path}/{quote(each.name, safe='')}/protection"))
                for each in page
            ]
            yield [_protected(name, protection) for name, protection in found if protection is not None]

    async def reviews(self, project_id: int, pull: shapes.ForgePull) -> PullReviews:
        path, found = self.repository(project_id, f"/pulls/{pull.number}"), PullReviews([], [])
        async for page in self._pages(shapes.ForgeReview, f"{path}/reviews"):
            found.reviews.extend(page)
        async for comments in self._pages(shapes.ForgeLineComment, f"{path}/comments"):
            found.lines.extend((each.original_commit_id or pull.head.sha, each) for each in comments)
        return found

    @cached_property
    def attachment(self) -> re.Pattern[str]:
        """The API gives no list of these files."""
        return re.compile(
            r"(?:https://[\w-]*user-images\.githubusercontent\.com/[\w./-]+"
            rf"|{re.escape(self.origin)}/(?:user-attachments|[\w.-]+/[\w.-]+)/(?:assets|files)/[\w./%-]+)(?P<uuid>)"
        )

    def thread_of(self, comment: shapes.ForgeLineComment) -> str:
        return str(comment.in_reply_to_id or comment.id)

    def asset_url(self, project_id: int, asset: shapes.ForgeAsset) -> str:
        return f"{self._client.address}{self.repository(project_id, f'/releases/assets/{asset.id}')}"


def _protected(name: str, protection: shapes.ForgeProtection) -> SourceProtectedBranch:
    """A branch that asks for reviews takes no pushes; one that names who may push is for masters, and the report says so."""
    reviewed, restricted = protection.required_pull_request_reviews, protection.restrictions
    push: list[Any] = [SourceGrant()] if restricted else [SourceGrant(0 if reviewed else 30)]
    merge = [SourceGrant()] if restricted else [SourceGrant(30)]
    return SourceProtectedBranch(name, push, merge, protection.allow_force_pushes.enabled)
