"""The conditions that the parameters of lists of statuses become."""

from typing import LiteralString

from mujina.code.commit_statuses.params import EXTERNAL, ListStatuses
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.lists.filters import Filters, apply_filters, compared

_OF_COMMIT: LiteralString = f"""(
    SELECT s.id, s.sha, s.ref, s.name, s.state, s.target_url, s.description, s.created_at, s.started_at, s.finished_at,
        s.coverage, s.pipeline_id, s.author_id, s.retried, '{EXTERNAL}' AS stage, FALSE AS allow_failure
    FROM commit_statuses s WHERE s.project_id = :project_id AND s.sha = :sha
    UNION ALL
    SELECT j.id, pl.sha, pl.ref, j.name, j.status, NULL, NULL, j.created_at, j.started_at, j.finished_at,
        j.coverage, j.pipeline_id, j.user_id, j.retried, j.stage, j.allow_failure
    FROM pipelines pl JOIN pipeline_jobs j ON j.pipeline_id = pl.id
    WHERE pl.project_id = :project_id AND pl.sha = :sha) s"""
_FILTERS: Filters = {"ref": compared("s.ref"), "name": compared("s.name"), "stage": compared("s.stage")}


def of_commit(project_id: int, sha: str, query: ListStatuses) -> Selection:
    """The statuses and jobs of a commit that match the query: the latest of each name, or all."""
    selection = Selection(_OF_COMMIT, "TRUE", project_id=project_id, sha=sha)
    if not query.all:
        selection = selection.where("NOT s.retried")
    return apply_filters(selection, query, _FILTERS)
