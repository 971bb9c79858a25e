"""A source that speaks the API v1: Gitea, or Forgejo."""

import re
from collections.abc import AsyncGenerator
from functools import cached_property
from typing import Any, ClassVar, Final

from mujina.moving.sources.forge import ReportProblem, empty_list
from mujina.moving.sources.operations import Query, SourceClient, SourceError
from mujina.moving.sources.pulls import shapes
from mujina.moving.sources.pulls.conversions import highest
from mujina.moving.sources.pulls.forge import ALL, PullForge, PullReviews
from mujina.moving.sources.records import (
    LinkedIssue,
    SourceGrant,
    SourceMember,
    SourcePerson,
    SourceProtectedBranch,
    SourceProtectedTag,
)

DEVELOPERS: Final = [SourceGrant(30)]
NOBODY: Final = [SourceGrant(0)]
UNKNOWN_GRANTEES: Final = [SourceGrant()]
"""A list of users and teams, who get nothing by an import: masters may, and the report says so."""
_REVIEW_STATES: Final = ("APPROVED", "REQUEST_CHANGES", "COMMENT")


class Gitea(PullForge):
    """Reads one instance."""

    pulls_only: ClassVar[tuple[str, Query]] = ("issues", {**ALL, "type": "pulls"})
    issues_only: ClassVar[Query] = {**ALL, "type": "issues"}

    def __init__(self, client: SourceClient, problem: ReportProblem, address: str) -> None:
        super().__init__(client, problem, address)
        self._organizations = dict[str, bool]()

    async def is_group(self, owner: shapes.ForgePerson) -> bool:
        if owner.login not in self._organizations:
            try:
                self._organizations[owner.login] = bool(await self.group(owner.login))
            except SourceError as error:
                if error.status not in (403, 404):
                    raise
                self._organizations[owner.login] = False
        return self._organizations[owner.login]

    async def person(self, person_id: int) -> SourcePerson:
        async for page in self._pages(shapes.ForgePerson, "/users/search", {"uid": person_id}, "data"):
            for each in page:
                if each.id == person_id and (person := each.record()):
                    return person
        raise SourceError(f"{self._client.address}/users/search?uid={person_id}", "There is no such user.")

    async def members(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceMember]]:
        """Members of teams for all repositories are members of the group; others of the projects of their team."""
        found = list[SourceMember | None]()
        if owner == "groups":
            teams = self._pages(shapes.ForgeTeam, f"/orgs/{self._groups[owner_id]}/teams")
        else:
            async for page in self._pages(shapes.ForgeCollaborator, self.repository(owner_id, "/collaborators")):
                found += [each.member(await self._level(owner_id, each.login)) for each in page]
            in_group = self._organizations.get(self._paths[owner_id].partition("/")[0])
            teams = self._pages(shapes.ForgeTeam, self.repository(owner_id, "/teams")) if in_group else empty_list()
        async for page in teams:
            for team in page:
                if team.includes_all_repositories == (owner == "groups"):
                    async for people in self._pages(shapes.ForgeCollaborator, f"/teams/{team.id}/members"):
                        found += [each.member(team.level) for each in people]
        yield highest(found)

    async def _level(self, project_id: int, login: str) -> Any:
        path = self.repository(project_id, f"/collaborators/{login}/permission")
        found = await self._one(shapes.ForgePermissionOf, path)
        return shapes.level_of(found.permission if found else "none")

    async def links(self, project_id: int, iid: int) -> AsyncGenerator[list[LinkedIssue]]:
        """The issues that an issue depends on."""
        path = self.repository(project_id, f"/issues/{iid}/dependencies")
        async for page in self._pages(LinkedIssue, path, absent=(404,)):
            yield page

    async def protected_branches(self, project_id: int) -> AsyncGenerator[list[SourceProtectedBranch]]:
        async for page in self._pages(shapes.ForgeBranchRule, self.repository(project_id, "/branch_protections")):
            yield [
                SourceProtectedBranch(
                    rule.rule_name or rule.branch_name,
                    UNKNOWN_GRANTEES if rule.enable_push_whitelist else DEVELOPERS if rule.enable_push else NOBODY,
                    UNKNOWN_GRANTEES if rule.enable_merge_whitelist else DEVELOPERS,
                    rule.enable_force_push,
                )
                for rule in page
                if rule.rule_name or rule.branch_name
            ]

    async def protected_tags(self, project_id: int) -> AsyncGenerator[list[SourceProtectedTag]]:
        path = self.repository(project_id, "/tag_protections")
        async for page in self._pages(shapes.ForgeTagRule, path, absent=(404,)):
            for rule in page:
                if rule.name_pattern.startswith("/"):
                    self._problem(f"{self._client.address}{path}", f"{rule.name_pattern!r} is a regular expression.")
            yield [
                SourceProtectedTag(
                    rule.name_pattern, UNKNOWN_GRANTEES if rule.whitelist_usernames or rule.whitelist_teams else NOBODY
                )
                for rule in page
                if not rule.name_pattern.startswith("/")
            ]

    async def reviews(self, project_id: int, pull: shapes.ForgePull) -> PullReviews:
        path, found = self.repository(project_id, f"/pulls/{pull.number}/reviews"), PullReviews([], [])
        async for page in self._pages(shapes.ForgeReview, path):
            found.reviews.extend(each for each in page if each.state in _REVIEW_STATES)
        for review in found.reviews:
            if review.comments_count:
                async for comments in self._pages(shapes.ForgeLineComment, f"{path}/{review.id}/comments"):
                    found.lines.extend((review.commit_id or pull.head.sha, each) for each in comments)
        return found

    def thread_of(self, comment: shapes.ForgeLineComment) -> str:
        return f"{comment.pull_request_review_id} {comment.position} {comment.original_position} {comment.path}"

    @cached_property
    def attachment(self) -> re.Pattern[str]:
        uuid = "(?P<uuid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
        return re.compile(rf"(?:{re.escape(self.origin)})?(?:/[\w.-]+/[\w.-]+)?/attachments/{uuid}(?![\w/-])")

    def attachment_url(self, found: re.Match[str]) -> str:
        return f"{self.origin}/attachments/{found['uuid']}"

    def asset_url(self, project_id: int, asset: shapes.ForgeAsset) -> str:
        if asset.uuid:
            return f"{self.origin}/attachments/{asset.uuid}"
        return asset.browser_download_url or f"{self._client.address}{self.repository(project_id, '/releases')}"
