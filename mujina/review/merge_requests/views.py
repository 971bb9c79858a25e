"""The rows of merge requests from which responses are made."""

from typing import Annotated, LiteralString

from mujina.kernel.db.rows import Row
from mujina.review.approvals.approvers import LACKS_APPROVALS
from mujina.review.merge_requests.head_pipelines import DEMANDED_STATUS, HEAD_PIPELINE
from mujina.review.merge_requests.rules import blocked_by_discussions
from mujina.review.merge_requests.subscribers import SUBSCRIBED


class SimpleMergeRequestView(Row, alias="mr"):
    """The columns of `view=simple`: the request (`mr`) and the path of its project (`r`)."""

    id: int
    iid: int
    project_id: int
    title: str
    description: str | None
    state: Annotated[
        str, "CASE WHEN mr.merging_push_id IS NOT NULL AND mr.state = 'opened' THEN 'locked' ELSE mr.state END"
    ]
    created_at: str
    updated_at: str
    full_path: Annotated[str, "r.path"]


def _votes(name: LiteralString) -> LiteralString:
    return f"""(SELECT count(*) FROM awards award
        WHERE award.subject_kind = 'merge_request' AND award.subject_id = mr.id AND award.name = '{name}')"""


BROKEN: LiteralString = "(v.head_sha IS NULL OR v.start_sha IS NULL OR coalesce(v.base_sha = v.head_sha, FALSE))"
"""Whether the newest version `v` has no commits, or a branch is gone. Unrelated histories are a conflict instead."""


class MergeRequestView(SimpleMergeRequestView):
    """A request with its author (`u`), its project (`p`) and its newest version (`v`)."""

    target_branch: str
    source_branch: str
    draft: bool
    author_id: int
    author_username: Annotated[str, "u.username"]
    author_name: Annotated[str, "u.name"]
    author_state: Annotated[str, "u.state"]
    author_avatar: Annotated[str | None, "u.avatar"]
    milestone_id: int | None
    source_project_id: Annotated[
        int | None,
        """CASE WHEN mr.source_project_id = mr.project_id THEN mr.project_id ELSE (
            SELECT src.id FROM projects src WHERE src.id = mr.source_project_id AND src.deleted_at IS NULL) END""",
    ]
    merge_status: str
    merge_commit_sha: str | None
    squash_commit_sha: str | None
    force_remove_source_branch: bool
    approvals_before_merge: int | None
    discussion_locked: bool
    squash: bool
    merge_when_pipeline_succeeds: bool
    merge_user_id: int | None
    should_remove_source_branch: bool | None
    merged_by_id: int | None
    merged_at: str | None
    closed_by_id: int | None
    closed_at: str | None
    user_notes_count: int
    time_estimate: int
    total_time_spent: int
    upvotes: Annotated[int, _votes("thumbsup")]
    downvotes: Annotated[int, _votes("thumbsdown")]
    sha: Annotated[str | None, "v.head_sha"]
    blocked_by_discussions: Annotated[bool, blocked_by_discussions]
    broken: Annotated[bool, BROKEN]
    demanded_status: Annotated[str, DEMANDED_STATUS]
    needs_rebase: Annotated[
        bool,
        "(mr.behind AND p.merge_method <> 'merge')",
    ]
    """The method of the project demands that the source has all commits of the target."""
    lacks_approvals: Annotated[bool, LACKS_APPROVALS]


class SingleColumns(Row, alias="mr"):
    """What only a single request shows: the request, its project (`p`) and its newest version (`v`)."""

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


VERSION_JOIN: LiteralString = """LEFT JOIN merge_request_versions v ON v.id = (
    SELECT max(newest.id) FROM merge_request_versions newest WHERE newest.merge_request_id = mr.id)"""
"""The newest version of the request `mr`."""
JOINED: LiteralString = f"""
    JOIN routes r ON r.project_id = mr.project_id JOIN projects p ON p.id = mr.project_id
    LEFT JOIN users u ON u.id = mr.author_id {VERSION_JOIN}"""
