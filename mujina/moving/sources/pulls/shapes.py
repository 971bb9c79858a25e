"""Answers of GitHub's REST API and of Gitea's, which has further fields in the same shapes; the records they become."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from mujina.moving.sources.records import (
    Id,
    Iid,
    Instant,
    MilestoneId,
    Seconds,
    SmallId,
    SourceLabel,
    SourceMember,
    SourceMilestone,
    SourcePerson,
)

OpenOrClosed = Literal["open", "closed"]
_EMOJI: Final = {"+1": "thumbsup", "-1": "thumbsdown", "laugh": "laughing", "hooray": "tada"}
_LEVELS: Final = {
    "read": 20, "pull": 20, "triage": 20, "write": 30, "push": 30, "maintain": 40, "admin": 40, "owner": 50,
}  # fmt: skip
_HOOK_EVENTS: Final = {
    "push": ("push_events",), "create": ("tag_push_events",), "issues": ("issues_events",),
    "issue_comment": ("note_events",), "pull_request": ("merge_requests_events",),
    "pull_request_comment": ("note_events",), "pull_request_review_comment": ("note_events",),
    "release": ("releases_events",), "wiki": ("wiki_page_events",), "gollum": ("wiki_page_events",),
}  # fmt: skip


def level_of(permission: str, held: Mapping[str, bool] | None = None) -> Any:
    """The access level; for a role that an organization made itself, that of the highest permission that it holds.

    It is 0, which gives no access, if no permission is known.
    """
    names = [permission] if permission in _LEVELS else [name for name, has in (held or {}).items() if has]
    return max((_LEVELS.get(name, 0) for name in names), default=0)


def emoji_of(content: str) -> str:
    return _EMOJI.get(content, content)


class ForgePerson(msgspec.Struct, frozen=True):
    """A user or an organization. Gitea gives a number below 1 for a deleted user."""

    id: int
    login: Annotated[str, Meta(min_length=1, max_length=255)]
    full_name: Annotated[str, Meta(max_length=255)] | None = None
    name: Annotated[str, Meta(max_length=255)] | None = None
    email: str | None = None
    type: str = ""

    def record(self) -> SourcePerson | None:
        if not 1 <= self.id <= 2**53:
            return None
        return SourcePerson(self.id, self.login, self.full_name or self.name or self.login, self.email)


class ForgeCollaborator(ForgePerson, frozen=True):
    role_name: str = ""
    permissions: dict[str, bool] | None = None

    @property
    def level(self) -> Any:
        return level_of(self.role_name, self.permissions)

    def member(self, level: Any) -> SourceMember | None:
        person = self.record()
        return person and SourceMember(person.id, person.username, person.name, person.email, access_level=level)


def person_of(person: ForgePerson | None) -> SourcePerson | None:
    return person and person.record()


def people_of(people: Iterable[ForgePerson] | None) -> list[SourcePerson]:
    return [found for each in people or () if (found := each.record())]


class ForgeRepository(msgspec.Struct, frozen=True):
    id: Id
    name: Annotated[str, Meta(min_length=1, max_length=255)]
    full_name: str
    owner: ForgePerson
    created_at: Instant | None = None
    description: str | None = None
    private: bool = False
    internal: bool = False
    visibility: str = ""
    default_branch: str | None = None
    archived: bool = False
    has_issues: bool = True
    has_pull_requests: bool = True
    has_wiki: bool = True
    updated_at: Instant | None = None
    topics: list[str] | None = None
    default_merge_style: str = ""
    size: Annotated[int, Meta(ge=0, le=2**43)] = 0
    """In KiB."""


class ForgeOrganization(msgspec.Struct, frozen=True):
    id: Id
    login: str = ""
    username: str = ""
    name: str | None = None
    full_name: str = ""
    description: str | None = None
    visibility: str = ""
    default_repository_permission: str | None = None


class ForgeLabel(msgspec.Struct, frozen=True):
    id: Id
    name: Annotated[str, Meta(min_length=1)]
    color: Annotated[str, Meta(pattern=r"^#?[0-9A-Fa-f]{6}$")]
    description: str | None = None

    def record(self) -> SourceLabel:
        return SourceLabel(self.id, self.name, "#" + self.color.removeprefix("#"), self.description or None)


class ForgeMilestone(msgspec.Struct, frozen=True):
    """Gitea numbers milestones by their ids."""

    id: Iid
    title: Annotated[str, Meta(min_length=1)]
    state: OpenOrClosed
    created_at: Instant
    number: Iid | None = None
    description: str | None = None
    updated_at: Instant | None = None
    due_on: Instant | None = None

    def record(self) -> SourceMilestone:
        return SourceMilestone(
            id=self.id, iid=self.number or self.id, title=self.title,
            state="active" if self.state == "open" else "closed", created_at=self.created_at,
            updated_at=self.updated_at or self.created_at, description=self.description,
            due_date=self.due_on.date() if self.due_on else None,
        )  # fmt: skip


class ForgeLabelName(msgspec.Struct, frozen=True):
    name: str = ""


class ForgeAsset(msgspec.Struct, frozen=True):
    """A file of a release, an issue or a comment."""

    id: Id
    name: Annotated[str, Meta(min_length=1, max_length=255)]
    browser_download_url: Annotated[str, Meta(pattern=r"^https?://", max_length=2_000)] | None = None
    uuid: str = ""


class ForgeReactions(msgspec.Struct, frozen=True):
    total_count: int = 1


class ForgeWork(msgspec.Struct, frozen=True, kw_only=True):
    """What issues and pulls have in common."""

    id: Id
    number: Iid
    title: str
    user: ForgePerson | None
    state: OpenOrClosed
    created_at: Instant
    updated_at: Instant
    body: str | None = None
    closed_at: Instant | None = None
    labels: list[ForgeLabelName | str] | None = None
    assignees: list[ForgePerson] | None = None
    milestone: MilestoneId | None = None
    is_locked: bool = False
    locked: bool = False
    comments: int = 0
    assets: list[ForgeAsset] | None = None
    reactions: ForgeReactions | None = None

    def shared_fields(self) -> dict[str, Any]:
        """Fields that are those of the record; the text is rewritten apart."""
        return {
            "id": self.id, "iid": self.number, "title": self.title, "author": person_of(self.user),
            "created_at": self.created_at, "updated_at": self.updated_at, "closed_at": self.closed_at,
            "labels": [name for each in self.labels or () if (name := each if isinstance(each, str) else each.name)],
            "assignees": people_of(self.assignees), "milestone": self.milestone,
            "discussion_locked": self.is_locked or self.locked, "user_notes_count": self.comments,
        }  # fmt: skip


class ForgeIssue(ForgeWork, frozen=True, kw_only=True):
    pull_request: Any = None
    due_date: Instant | None = None
    time_estimate: Seconds = 0


class ForgeBranchRepository(msgspec.Struct, frozen=True):
    id: Id


class ForgeBranch(msgspec.Struct, frozen=True):
    """One side of a pull; its repository may be gone."""

    ref: Annotated[str, Meta(min_length=1, max_length=255)]
    sha: str = ""
    repo: ForgeBranchRepository | None = None


class ForgePull(ForgeWork, frozen=True, kw_only=True):
    head: ForgeBranch
    base: ForgeBranch
    draft: bool = False
    merged_at: Instant | None = None
    merged_by: ForgePerson | None = None
    merge_commit_sha: str | None = None
    merge_base: str | None = None
    requested_reviewers: list[ForgePerson] | None = None


class ForgeComment(msgspec.Struct, frozen=True, kw_only=True):
    id: SmallId
    user: ForgePerson | None
    created_at: Instant
    updated_at: Instant
    body: str | None = None
    assets: list[ForgeAsset] | None = None
    reactions: ForgeReactions | None = None


class ForgeLineComment(ForgeComment, frozen=True, kw_only=True):
    """A comment about a line. Gitea gives the line as `position` or `original_position`, GitHub as `original_line`."""

    path: str
    diff_hunk: str = ""
    commit_id: str | None = None
    original_commit_id: str | None = None
    position: Annotated[int, Meta(ge=0, le=2**31)] | None = None
    original_position: Annotated[int, Meta(ge=0, le=2**31)] | None = None
    original_line: Annotated[int, Meta(ge=0, le=2**31)] | None = None
    side: str = ""
    in_reply_to_id: int | None = None
    pull_request_review_id: int | None = None
    resolver: ForgePerson | None = None


class ForgeReview(msgspec.Struct, frozen=True):
    id: SmallId
    user: ForgePerson | None
    state: str
    body: str | None = None
    commit_id: str | None = None
    submitted_at: Instant | None = None
    dismissed: bool = False
    comments_count: int = 0


class ForgeReaction(msgspec.Struct, frozen=True):
    user: ForgePerson | None
    content: Annotated[str, Meta(max_length=100)]
    created_at: Instant
    id: Id = 1


class ForgeRelease(msgspec.Struct, frozen=True):
    tag_name: Annotated[str, Meta(min_length=1, max_length=255)]
    created_at: Instant
    name: Annotated[str, Meta(max_length=255)] | None = None
    body: str | None = None
    published_at: Instant | None = None
    author: ForgePerson | None = None
    draft: bool = False
    assets: list[ForgeAsset] | None = None


class ForgeHook(msgspec.Struct, frozen=True):
    id: Id
    config: dict[str, Any]
    events: list[str]
    created_at: Instant
    active: bool = True
    type: str = ""

    @property
    def is_usable(self) -> bool:
        """Whether it is on, and sends JSON rather than the messages of a chat, say."""
        return self.active and self.type in ("", "Repository", "gitea", "forgejo", "gogs")

    def fields(self) -> dict[str, Any]:
        """The fields of the record, of which the address has still to be checked."""
        flags = {flag for event in self.events for flag in _HOOK_EVENTS.get(event, ())}
        if "*" in self.events:
            flags = {flag for each in _HOOK_EVENTS.values() for flag in each}
        return {
            "id": self.id, "url": self.config.get("url"), "created_at": self.created_at,
            "enable_ssl_verification": str(self.config.get("insecure_ssl", "0")) != "1", **dict.fromkeys(flags, True),
        }  # fmt: skip


class ForgeBranchName(msgspec.Struct, frozen=True):
    name: Annotated[str, Meta(min_length=1, max_length=255)]


class ForgeSwitch(msgspec.Struct, frozen=True):
    enabled: bool = False


class ForgeProtection(msgspec.Struct, frozen=True):
    """The protection of a branch at GitHub."""

    required_pull_request_reviews: Any = None
    restrictions: Any = None
    allow_force_pushes: ForgeSwitch = ForgeSwitch()


class ForgeBranchRule(msgspec.Struct, frozen=True):
    """The protection of branches at Gitea."""

    rule_name: Annotated[str, Meta(max_length=255)] = ""
    branch_name: Annotated[str, Meta(max_length=255)] = ""
    enable_push: bool = False
    enable_push_whitelist: bool = False
    enable_merge_whitelist: bool = False
    enable_force_push: bool = False


class ForgeTagRule(msgspec.Struct, frozen=True):
    """The protection of tags at Gitea."""

    name_pattern: Annotated[str, Meta(min_length=1, max_length=255)]
    whitelist_usernames: list[str] | None = None
    whitelist_teams: list[str] | None = None


class ForgeVariableName(msgspec.Struct, frozen=True):
    name: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_]{1,255}$")]


class ForgePermissionOf(msgspec.Struct, frozen=True):
    permission: str


class ForgeTeam(msgspec.Struct, frozen=True):
    id: Id
    name: str
    slug: str = ""
    permission: str = "none"
    permissions: dict[str, bool] | None = None
    includes_all_repositories: bool = False
    units_map: dict[str, str] | None = None

    @property
    def level(self) -> Any:
        """The access level of its members; a Gitea team with a permission of each part has that for code."""
        code = (self.units_map or {}).get("repo.code", "none")
        return level_of(code if self.permission == "none" else self.permission, self.permissions)
