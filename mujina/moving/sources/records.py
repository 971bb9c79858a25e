"""What a source tells: neutral records, named as the API v4 names them. A record that does not fit its type is rejected.

Every number is bounded here. A text is as long as a page of the source may be: the writer cuts it to what is stored.
"""

from datetime import date, datetime
from hashlib import sha256
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

Id = Annotated[int, Meta(ge=1, le=2**53)]
SmallId = Annotated[int, Meta(ge=1, le=2**50)]
"""Small enough for an id that says of which kind its object is, too."""
Iid = Annotated[int, Meta(ge=1, le=2**31)]
Seconds = Annotated[int, Meta(ge=0, le=2**53)]
Instant = Annotated[datetime, Meta(tz=True)]
Visibility = Literal["private", "internal", "public"]
Level = Literal[0, 5, 10, 15, 20, 30, 40, 50, 60]


def derived_id(text: str) -> int:
    """The id of something that has none at the source: of the same text, it is the same in every run."""
    return int(sha256(text.encode()).hexdigest()[:13], 16) + 1


class SourcePerson(msgspec.Struct, frozen=True):
    """A person at the source. An address is known only if the token may read it."""

    id: Id
    username: Annotated[str, Meta(min_length=1, max_length=255)]
    name: Annotated[str, Meta(max_length=255)]
    email: str | None = None
    public_email: str | None = None


class GroupRecord(msgspec.Struct, frozen=True):
    """A group; `parent_id` is that of the group above it at the source."""

    id: Id
    path: str
    full_path: str
    name: str
    description: str | None = None
    visibility: Visibility = "private"
    parent_id: Id | None = None
    avatar_url: str | None = None


class ProjectNamespace(msgspec.Struct, frozen=True):
    id: Id
    kind: str
    full_path: str


class SourceProject(msgspec.Struct, frozen=True):
    """A project; settings that a source does not have keep their default."""

    id: Id
    path: str
    name: str
    path_with_namespace: str
    namespace: ProjectNamespace
    created_at: Instant
    description: str | None = None
    visibility: Visibility = "private"
    default_branch: str | None = None
    archived: bool = False
    issues_enabled: bool = True
    merge_requests_enabled: bool = True
    wiki_enabled: bool = True
    jobs_enabled: bool = True
    snippets_enabled: bool = True
    last_activity_at: Instant | None = None
    merge_method: Literal["merge", "rebase_merge", "ff"] = "merge"
    avatar_url: str | None = None
    tag_list: list[str] = []
    """Topics."""


Bytes = Annotated[int, Meta(ge=0, le=2**53)]


class SourceSizes(msgspec.Struct, frozen=True):
    """Bytes of what is moved of a project."""

    repository_size: Bytes = 0
    wiki_size: Bytes = 0
    lfs_objects_size: Bytes = 0
    snippets_size: Bytes | None = 0
    uploads_size: Bytes | None = 0
    packages_size: Bytes | None = 0

    @property
    def total(self) -> int:
        files = (self.snippets_size or 0) + (self.uploads_size or 0) + (self.packages_size or 0)
        return self.repository_size + self.wiki_size + self.lfs_objects_size + files


class SourceStatistics(msgspec.Struct, frozen=True):
    """What an API v4 tells those who may know of the size of a project."""

    statistics: SourceSizes | None = None


class SourceMember(SourcePerson, frozen=True):
    access_level: Level = 0
    expires_at: date | None = None
    created_at: Instant | None = None


class SourceLabel(msgspec.Struct, frozen=True):
    id: Id
    name: Annotated[str, Meta(min_length=1)]
    color: Annotated[str, Meta(pattern=r"^#[0-9A-Fa-f]{6}$")]
    description: str | None = None
    priority: Annotated[int, Meta(ge=0, le=2**31)] | None = None
    is_project_label: bool = True


class SourceMilestone(msgspec.Struct, frozen=True):
    id: Id
    iid: Iid
    title: Annotated[str, Meta(min_length=1)]
    state: Literal["active", "closed"]
    created_at: Instant
    updated_at: Instant
    description: str | None = None
    start_date: date | None = None
    due_date: date | None = None


class MilestoneId(msgspec.Struct, frozen=True):
    id: Id


class SourceTimes(msgspec.Struct, frozen=True):
    time_estimate: Seconds = 0
    total_time_spent: Seconds = 0


class SourceWork(msgspec.Struct, frozen=True, kw_only=True):
    """What issues and merge requests have in common."""

    id: Id
    iid: Iid
    title: str
    author: SourcePerson | None
    created_at: Instant
    updated_at: Instant
    description: str | None = None
    closed_at: Instant | None = None
    labels: list[str] = []
    assignees: list[SourcePerson] = []
    milestone: MilestoneId | None = None
    discussion_locked: bool | None = None
    time_stats: SourceTimes = SourceTimes()
    user_notes_count: int = 0

    @property
    def fingerprint(self) -> str:
        """It differs after each change that a later run has to bring."""
        return f"{self.updated_at.isoformat()} {self.user_notes_count}"


class SourceIssue(SourceWork, frozen=True, kw_only=True):
    state: Literal["opened", "closed"]
    confidential: bool = False
    weight: Annotated[int, Meta(ge=0, le=2**31)] | None = None
    due_date: date | None = None
    closed_by: SourcePerson | None = None


class SourceMergeRequest(SourceWork, frozen=True, kw_only=True):
    state: Literal["opened", "closed", "merged", "locked"]
    source_branch: Annotated[str, Meta(min_length=1, max_length=255)]
    target_branch: Annotated[str, Meta(min_length=1, max_length=255)]
    source_project_id: Id | None = None
    reviewers: list[SourcePerson] = []
    squash: bool = False
    force_remove_source_branch: bool | None = None
    merge_commit_sha: str | None = None
    squash_commit_sha: str | None = None
    merged_at: Instant | None = None
    merged_by: SourcePerson | None = None
    closed_by: SourcePerson | None = None


class SourceVersion(msgspec.Struct, frozen=True):
    """What a merge request compared at a time."""

    id: Id
    created_at: Instant
    head_commit_sha: str | None = None
    base_commit_sha: str | None = None
    start_commit_sha: str | None = None
    real_size: Annotated[str, Meta(max_length=12)] | None = None


class SourceNote(msgspec.Struct, frozen=True):
    id: Id
    body: str
    author: SourcePerson | None
    created_at: Instant
    updated_at: Instant
    system: bool = False
    resolved: bool = False
    resolved_by: SourcePerson | None = None
    resolved_at: Instant | None = None
    position: Any = None

    @property
    def fingerprint(self) -> str:
        return f"{self.updated_at.isoformat()} {self.resolved}"


class SourceDiscussion(msgspec.Struct, frozen=True):
    """A comment, or a thread of notes, the oldest first."""

    id: Annotated[str, Meta(min_length=1, max_length=64)]
    individual_note: bool
    notes: Annotated[list[SourceNote], Meta(min_length=1)]


class SourceAward(msgspec.Struct, frozen=True):
    id: Id
    name: Annotated[str, Meta(max_length=100)]
    user: SourcePerson | None
    created_at: Instant


class SourceApproval(msgspec.Struct, frozen=True):
    """The approval of a merge request by one person."""

    user: SourcePerson
    approved_at: Instant | None = None


class SourceApprovals(msgspec.Struct, frozen=True):
    approved_by: list[SourceApproval] = []


class LinkedIssue(msgspec.Struct, frozen=True):
    """An issue at the other end of a link, or in an epic."""

    id: Id
    link_created_at: Instant | None = None


class SourceEpic(msgspec.Struct, frozen=True):
    """An epic of a group; not every source tells when it was made."""

    id: Id
    iid: Iid
    title: str
    author: SourcePerson | None
    description: str | None = None
    start_date: date | None = None
    end_date: date | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
    labels: list[str] = []


class SourceSnippetFile(msgspec.Struct, frozen=True):
    path: Annotated[str, Meta(max_length=255)]
    raw_url: str = ""


class SourceSnippet(msgspec.Struct, frozen=True):
    """A snippet of a project; its first file has the name of the snippet."""

    id: Id
    title: str
    author: SourcePerson | None
    created_at: Instant
    updated_at: Instant
    file_name: str | None = None
    description: str | None = None
    visibility: Visibility = "private"
    files: list[SourceSnippetFile] = []


class LfsDownload(msgspec.Struct, frozen=True):
    href: Annotated[str, Meta(pattern=r"^https?://", max_length=10_000)]
    header: dict[str, str] = {}


class LfsActions(msgspec.Struct, frozen=True):
    download: LfsDownload | None = None


class LfsRefusal(msgspec.Struct, frozen=True):
    message: Annotated[str, Meta(max_length=1_000)] = "The source refused it."


class SourceLfsObject(msgspec.Struct, frozen=True):
    """Where an LFS object can be downloaded, or why it can not."""

    oid: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
    actions: LfsActions | None = None
    error: LfsRefusal | None = None

    @property
    def download(self) -> LfsDownload | None:
        return self.actions.download if self.actions else None


class LfsOffer(msgspec.Struct, frozen=True):
    objects: list[SourceLfsObject] = []


class SourceReleaseLink(msgspec.Struct, frozen=True):
    id: Id
    name: Annotated[str, Meta(min_length=1, max_length=255)]
    url: Annotated[str, Meta(pattern=r"^(?:https?|ftp)://", max_length=2_000)]
    link_type: Literal["other", "runbook", "image", "package"] = "other"


class SourceAssets(msgspec.Struct, frozen=True):
    links: list[SourceReleaseLink] = []


class SourceRelease(msgspec.Struct, frozen=True):
    tag_name: Annotated[str, Meta(min_length=1, max_length=255)]
    created_at: Instant
    name: Annotated[str, Meta(max_length=255)] | None = None
    description: str | None = None
    released_at: Instant | None = None
    author: SourcePerson | None = None
    assets: SourceAssets = SourceAssets()


class SourceGrant(msgspec.Struct, frozen=True):
    """Who may do something to a protected ref. Grants to single users and groups are not moved: they would be rights."""

    access_level: int | None = None
    user_id: Id | None = None
    group_id: Id | None = None


class SourceProtectedBranch(msgspec.Struct, frozen=True):
    name: Annotated[str, Meta(min_length=1, max_length=255)]
    push_access_levels: list[SourceGrant] = []
    merge_access_levels: list[SourceGrant] = []
    allow_force_push: bool = False


class SourceProtectedTag(msgspec.Struct, frozen=True):
    name: Annotated[str, Meta(min_length=1, max_length=255)]
    create_access_levels: list[SourceGrant] = []


class SourceHook(msgspec.Struct, frozen=True):
    id: Id
    url: Annotated[str, Meta(pattern=r"^https?://", max_length=2_000)]
    created_at: Instant
    enable_ssl_verification: bool = True
    push_events: bool = False
    tag_push_events: bool = False
    issues_events: bool = False
    confidential_issues_events: bool | None = False
    note_events: bool = False
    merge_requests_events: bool = False
    job_events: bool = False
    pipeline_events: bool = False
    wiki_page_events: bool = False
    releases_events: bool = False


class SourceVariable(msgspec.Struct, frozen=True):
    """A variable without its value, which is a secret of the source."""

    key: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_]{1,255}$")]
    variable_type: Literal["env_var", "file"] = "env_var"
    environment_scope: Annotated[str, Meta(max_length=255)] = "*"
    protected: bool = False
    masked: bool = False


class SourceBoardList(msgspec.Struct, frozen=True):
    id: Id
    position: Annotated[int, Meta(ge=0, le=2**31)] | None
    label: MilestoneId | None = None


class SourceBoard(msgspec.Struct, frozen=True):
    id: Id
    name: Annotated[str, Meta(max_length=255)]
    lists: list[SourceBoardList] = []
