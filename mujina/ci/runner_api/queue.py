"""Which pending job a runner gets: a queue for each project, set of tags, and protected or unprotected refs.

The index `ix_pipeline_jobs_queues` has the pending jobs by tags, protection, project and age. A look jumps from one queue
to the next and reads the oldest job of each, so its cost depends on the number of queues, not on that of waiting jobs.
"""

from typing import Annotated, Final, LiteralString

import msgspec

from mujina.ci.jobs.operations import ChangedJob
from mujina.ci.runners.rules import RunnerRow
from mujina.ci.variables.job_variables import JOB_FACTS_FROM, JobFacts
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx

MAX_QUEUES: Final = 20
"""Queues that one look returns: other runners may empty some of them before a job is locked."""

_TAG_SETS: LiteralString = """sets (tags) AS (
    SELECT (SELECT j.tags FROM pipeline_jobs j WHERE j.status = 'pending' ORDER BY j.tags LIMIT 1)
    UNION ALL
    SELECT (SELECT j.tags FROM pipeline_jobs j WHERE j.status = 'pending' AND j.tags > s.tags ORDER BY j.tags LIMIT 1)
    FROM sets s WHERE s.tags IS NOT NULL)"""
"""The sets of tags that pending jobs have, each found by one step along the index."""

_KINDS: LiteralString = """kinds (tags, protected) AS (
    SELECT s.tags, TRUE FROM sets s WHERE s.tags IN :tag_sets
    UNION ALL
    SELECT s.tags, FALSE FROM sets s WHERE s.tags IN :tag_sets AND NOT CAST(:protected_only AS boolean))"""
"""The sets that the runner may serve, for protected refs and for others."""


_ALL_KINDS: LiteralString = """kinds (tags, protected) AS (
    SELECT s.tags, TRUE FROM sets s WHERE s.tags IS NOT NULL
    UNION ALL
    SELECT s.tags, FALSE FROM sets s WHERE s.tags IS NOT NULL)"""


def _pending(queue: LiteralString) -> LiteralString:
    return f"""FROM pipeline_jobs j
        WHERE j.status = 'pending' AND j.tags = {queue}.tags AND j.protected = {queue}.protected"""


_ALL_QUEUES: LiteralString = f"""queues (tags, protected, project_id) AS (
    SELECT k.tags, k.protected, (SELECT min(j.project_id) {_pending("k")}) FROM kinds k
    UNION ALL
    SELECT q.tags, q.protected, (SELECT min(j.project_id) {_pending("q")} AND j.project_id > q.project_id)
    FROM queues q WHERE q.project_id IS NOT NULL)"""
_OWN_QUEUES: LiteralString = """queues (tags, protected, project_id) AS (
    SELECT k.tags, k.protected, rp.project_id FROM kinds k CROSS JOIN runner_projects rp
    WHERE rp.runner_id = :runner_id)"""
_SERVED: LiteralString = "p.id = q.project_id AND p.deleted_at IS NULL AND p.jobs_enabled"
_BUSY: LiteralString = """(
    SELECT j.project_id, count(*) AS jobs FROM pipeline_jobs j JOIN runners x ON x.id = j.runner_id
    WHERE j.status = 'running' AND x.runner_type = 'instance_type' GROUP BY j.project_id)"""


_FREE: LiteralString = """(j.resource_group IS NULL OR NOT EXISTS (
    SELECT 1 FROM pipeline_jobs o
    WHERE o.project_id = j.project_id AND o.resource_group = j.resource_group AND o.status = 'running'))"""
"""No other job of its resource group runs."""


def _oldest(queues: LiteralString, served: LiteralString, order: LiteralString) -> LiteralString:
    """The queues in which a job waits for the runner, in the order in which they are served."""
    return f"""
        WITH RECURSIVE {_TAG_SETS}, {_KINDS}, {queues}
        SELECT h.tags, h.protected, h.project_id
        FROM (SELECT q.tags, q.protected, q.project_id,
                  (SELECT min(j.id) {_pending("q")} AND j.project_id = q.project_id AND {_FREE}) AS job_id
              FROM queues q JOIN projects p ON {_SERVED} AND {served}) h
        LEFT JOIN {_BUSY} busy ON busy.project_id = h.project_id
        WHERE h.job_id IS NOT NULL ORDER BY {order} LIMIT :limit"""


_QUEUES: Final[dict[str, LiteralString]] = {
    # Compat: a project that already keeps shared runners busy comes after one that keeps fewer busy.
    "instance_type": _oldest(_ALL_QUEUES, "p.shared_runners_enabled", "coalesce(busy.jobs, 0), h.job_id"),
    "group_type": _oldest(
        _ALL_QUEUES,
        """EXISTS (SELECT 1 FROM group_tree t WHERE t.group_id = p.namespace_id AND t.ancestor_id = :group_id)""",
        "h.job_id",
    ),
    "project_type": _oldest(_OWN_QUEUES, "TRUE", "h.job_id"),
}


class JobQueue(Row, alias="h"):
    """The pending jobs of a project with the same tags and the same protection."""

    tags: str
    protected: bool
    project_id: int


async def find_queues(tx: Tx, runner: RunnerRow) -> list[JobQueue]:
    """The queues from which the runner may take a job now, the one that comes first at the head."""
    waiting: list[str] = await tx.values(
        f"WITH RECURSIVE {_TAG_SETS} SELECT s.tags FROM sets s WHERE s.tags IS NOT NULL"
    )
    served = [tags for tags in waiting if serves(runner, tags)]
    if not served:
        return []
    return await tx.rows(
        JobQueue, _QUEUES[runner.runner_type], tag_sets=served, runner_id=runner.id, group_id=runner.group_id,
        protected_only=runner.protected_only, limit=MAX_QUEUES,
    )  # fmt: skip


def serves(runner: RunnerRow, tags: str) -> bool:
    """Whether the runner has every tag of the set, which is a JSON list."""
    wanted = msgspec.json.decode(tags, type=set[str])
    return wanted <= set(runner.tags) if wanted else runner.run_untagged


async def find_all_queues(tx: Tx) -> list[JobQueue]:
    """Every queue in which a job waits."""
    return await tx.rows(
        JobQueue,
        f"""WITH RECURSIVE {_TAG_SETS}, {_ALL_KINDS}, {_ALL_QUEUES}
            SELECT h.tags, h.protected, h.project_id FROM queues h WHERE h.project_id IS NOT NULL""",
    )


async def waits_for_resource(tx: Tx, job_id: int) -> bool:
    """Whether another job of the resource group of the pending job has to end first."""
    return await tx.value(f"SELECT 1 FROM pipeline_jobs j WHERE j.id = :id AND NOT {_FREE}", id=job_id) is not None


class TakenJobRow(JobFacts):
    """A job that a runner takes, with everything that its payload says about it."""

    stage_index: int
    job: ChangedJob
    project_name: Annotated[str, "p.name"]
    build_timeout: Annotated[int, "p.build_timeout"]
    git_strategy: Annotated[str, "p.build_git_strategy"]
    git_depth: Annotated[int | None, "p.ci_default_git_depth"]
    storage: Annotated[str, "p.repository_storage"]


_OLDEST_JOB: LiteralString = f"""SELECT {TakenJobRow.columns} FROM {JOB_FACTS_FROM} WHERE j.id = (
    SELECT j.id FROM pipeline_jobs j
    WHERE j.status = 'pending' AND j.tags = :tags AND j.protected = :protected AND j.project_id = :project_id AND {_FREE}
    ORDER BY j.id LIMIT 1 FOR UPDATE SKIP LOCKED)"""


async def lock_oldest(tx: Tx, queue: JobQueue) -> TakenJobRow | None:
    """The oldest job of the queue that no other runner is taking right now; None if there is none."""
    return await tx.row(
        TakenJobRow, _OLDEST_JOB, tags=queue.tags, protected=queue.protected, project_id=queue.project_id
    )
