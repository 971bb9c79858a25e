"""Merge requests as the API shows them, and the rows from which they are made."""

from typing import Annotated, LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.users.entities import RefRow, UserRef
from mujina.code.pipelines.entities import FullPipeline, Pipeline
from mujina.kernel.db.entities import Computed
from mujina.kernel.db.rows import Row
from mujina.planning.milestones.entities import Milestone
from mujina.planning.time_tracking.entities import TimeStats
from mujina.planning.work_items.label_details import LabelDetails
from mujina.planning.work_items.task_lists import TaskCompletion
from mujina.review.approvals.approvers import LACKS_APPROVALS
from mujina.review.merge_requests.declarations.work_item import SUBSCRIBED
from mujina.review.merge_requests.head_pipelines import DEMANDED_STATUS, HEAD_PIPELINE
from mujina.review.merge_requests.rules import TRIAGE_MERGE_REQUEST, blocked_by_discussions
from mujina.review.owner_approvals.conditions import HAS_OWNERS
from mujina.review.versions.rules import NEWEST_VERSION

State = Annotated[
    str, "CASE WHEN mr.merging_push_id IS NOT NULL AND mr.state = 'opened' THEN 'locked' ELSE mr.state END"
]


def _votes(name: LiteralString) -> LiteralString:
    return f"""(SELECT count(*) FROM awards award
        WHERE award.subject_kind = 'merge_request' AND award.subject_id = mr.id AND award.name = '{name}')"""


class SimpleMergeRequest(msgspec.Struct):
    """What `view=simple` shows."""

    id: int
    iid: int
    project_id: int
    title: str
    description: str | None
    state: State
    created_at: str
    updated_at: str
    web_url: Computed[str]


class MergeRequestSummary(SimpleMergeRequest):
    """What the specification shows of a merge request that closes an issue."""

    target_branch: str
    source_branch: str
    upvotes: Annotated[int, _votes("thumbsup")]
    downvotes: Annotated[int, _votes("thumbsdown")]
    author: UserRef
    assignee: UserRef | None
    source_project_id: Annotated[
        int | None,
        """CASE WHEN mr.source_project_id = mr.project_id THEN mr.project_id ELSE (
            SELECT src.id FROM projects src WHERE src.id = mr.source_project_id AND src.deleted_at IS NULL) END""",
    ]
    target_project_id: Annotated[int, "mr.project_id"]
    labels: list[str | LabelDetails]
    """Titles, or labels where the request asks for details."""
    work_in_progress: Annotated[bool, "mr.draft"]
    milestone: Milestone | None
    merge_when_pipeline_succeeds: bool
    merge_status: str
    sha: Annotated[str | None, "v.head_sha"]
    merge_commit_sha: str | None
    user_notes_count: int
    should_remove_source_branch: bool | None
    force_remove_source_branch: bool
    time_stats: TimeStats


class MergeRequestReferences(msgspec.Struct):
    short: str
    relative: str
    full: str


class MergeRequest(MergeRequestSummary):
    """A merge request in lists, with the fields that today's clients read."""

    approvals_before_merge: int | None
    discussion_locked: bool
    squash: bool
    references: MergeRequestReferences
    reference: Computed[str]
    assignees: list[UserRef]
    reviewers: list[UserRef]
    draft: bool
    merged_by: UserRef | None
    merge_user: UserRef | None
    merged_at: str | None
    closed_by: UserRef | None
    closed_at: str | None
    detailed_merge_status: Computed[str]
    has_conflicts: Annotated[bool, "(mr.merge_status = 'cannot_be_merged')"]
    blocking_discussions_resolved: Computed[bool]
    squash_commit_sha: str | None
    squash_on_merge: Annotated[bool, "mr.squash"]
    task_completion_status: TaskCompletion
    prepared_at: Annotated[str, "mr.created_at"]
    merge_after: None
    imported: Computed[bool]


class DiffRefs(msgspec.Struct):
    base_sha: str | None
    head_sha: str | None
    start_sha: str | None


class MergeRights(msgspec.Struct):
    can_merge: bool


class SingleMergeRequest(MergeRequest, kw_only=True):
    """A merge request by itself."""

    subscribed: bool
    changes_count: str | None
    diff_refs: DiffRefs | None
    pipeline: Pipeline | None
    head_pipeline: FullPipeline | None
    merge_error: str | None
    first_contribution: bool
    user: MergeRights
    allow_collaboration: bool | UnsetType = UNSET
    allow_maintainer_to_push: bool | UnsetType = UNSET
    diverged_commits_count: int | UnsetType = UNSET
    rebase_in_progress: bool | UnsetType = UNSET


BROKEN: LiteralString = "(v.head_sha IS NULL OR v.start_sha IS NULL OR coalesce(v.base_sha = v.head_sha, FALSE))"
"""Whether the newest version `v` has no commits, or a branch is gone. Unrelated histories are a conflict instead."""


class MergeRequestView(Row, alias="mr", of=MergeRequest):
    """A request with its author (`u`), its project (`p`), the path of that (`r`) and its newest version (`v`)."""

    id: int
    iid: int
    project_id: int
    description: str | None
    state: State
    full_path: Annotated[str, "r.path"]
    target_branch: str
    draft: bool
    author: RefRow
    milestone_id: int | None
    merge_status: str
    merge_user_id: int | None
    merged_by_id: int | None
    closed_by_id: int | None
    time_estimate: int
    total_time_spent: int
    blocked_by_discussions: Annotated[bool, blocked_by_discussions]
    broken: Annotated[bool, BROKEN]
    demanded_status: Annotated[str, DEMANDED_STATUS]
    needs_rebase: Annotated[
        bool,
        "(mr.behind AND p.merge_method <> 'merge')",
    ]
    """The method of the project demands that the source has all commits of the target."""
    lacks_approvals: Annotated[bool, f"({LACKS_APPROVALS} OR {HAS_OWNERS})"]
    demands_success: Annotated[bool, "p.only_allow_merge_if_pipeline_succeeds"]
    """Whether the project merges only what a pipeline has tried."""


class SingleColumns(Row, alias="mr"):
    """The fields of a single request only: of the request, its project (`p`) and its newest version (`v`)."""

    forked: Annotated[bool, "(mr.source_project_id IS DISTINCT FROM mr.project_id)"]
    """The source is another project, or is gone."""
    subscribed: Annotated[bool, SUBSCRIBED]
    head_sha: Annotated[str | None, "v.head_sha"]
    base_sha: Annotated[str | None, "v.base_sha"]
    start_sha: Annotated[str | None, "v.start_sha"]
    real_size: Annotated[str | None, "v.real_size"]
    head_pipeline_id: Annotated[int | None, HEAD_PIPELINE]
    merge_error: str | None
    allow_collaboration: bool
    first_contribution: Annotated[
        bool,
        """NOT EXISTS (SELECT 1 FROM merge_requests other
            WHERE other.project_id = mr.project_id AND other.author_id = mr.author_id AND other.state = 'merged')""",
    ]


class SingleView(Row):
    """All of a single request."""

    request: MergeRequestView
    single: SingleColumns


AUTHOR_AND_VERSION: LiteralString = f"LEFT JOIN users u ON u.id = mr.author_id LEFT JOIN {NEWEST_VERSION}"
JOINED: LiteralString = f"""
    JOIN routes r ON r.project_id = mr.project_id JOIN projects p ON p.id = mr.project_id {AUTHOR_AND_VERSION}"""


class DocumentView(SingleColumns):
    """The document of a single request, what it leaves open, and what decides whether its merge status is known."""

    id: int
    project_id: int
    iid: int
    state: str
    full_path: Annotated[str, "r.path"]
    storage: Annotated[str, "p.repository_storage"]
    source_branch: str
    target_branch: str
    merge_status: str
    checked_pair: str
    archived: Annotated[bool, "p.archived"]
    level: Annotated[int, "p.level"]
    triager: Annotated[bool, TRIAGE_MERGE_REQUEST]
    body: Annotated[str | None, "d.body"]
