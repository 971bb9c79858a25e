"""The pipeline of a merge request, and whether it allows merging.

The head pipeline is the newest one of the head commit on the source branch, in the source project.
"""

from typing import Final, LiteralString

from mujina.kernel.product import ExtensionPoint, Product

DUE_PIPELINES: Final = ExtensionPoint[LiteralString]("whether the head of a merge request is about to get a pipeline")
"""Conditions about the request `mr`: the pipeline is announced and not made yet."""
ACTIVE = ("created", "pending", "running", "scheduled")
"""Statuses of a pipeline that is not decided yet."""

HEAD_PIPELINE: LiteralString = """(
    SELECT max(pl.id) FROM pipelines pl
    WHERE pl.project_id = mr.source_project_id AND pl.ref = mr.source_branch AND pl.sha = v.head_sha AND NOT pl.tag)"""
"""The id of the head pipeline of the request `mr`, whose newest version is `v`; NULL if there is none."""

PIPELINE_STATUS: LiteralString = f"""coalesce(
    (SELECT pl.status FROM pipelines pl WHERE pl.id = {HEAD_PIPELINE}),
    (SELECT 'missing' FROM pipelines pl
     WHERE pl.project_id = mr.source_project_id AND pl.ref = mr.source_branch AND NOT pl.tag LIMIT 1),
    'none')"""
"""The status of the head pipeline; `missing` if only other commits of the branch have one, `none` if none has one."""

DEMANDED_STATUS: LiteralString = f"""
    CASE WHEN mr.state = 'opened' AND p.only_allow_merge_if_pipeline_succeeds THEN {PIPELINE_STATUS} ELSE 'none' END"""
"""The status for requests whose target project `p` demands success, and `none` for all others."""


def with_due_pipelines(product: Product) -> LiteralString:
    """Merge requests with the column `pipeline_due`, for statements that also read the status: both are of one moment."""
    due = " OR ".join(product.all(DUE_PIPELINES)) or "FALSE"
    return f"(SELECT mr.*, ({due}) AS pipeline_due FROM merge_requests mr)"


def allows_merging(status: str) -> bool:
    """Whether a project that demands success merges: also if the branch never had a pipeline, or it was skipped."""
    return status in ("success", "skipped", "none")
