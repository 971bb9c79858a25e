"""The files of jobs as responses show them."""

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from mujina.ci.artifacts.rules import ALIVE
from mujina.kernel import clock
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx


class ArtifactFile(msgspec.Struct):
    """The archive of a job."""

    filename: str
    size: int


class JobArtifact(msgspec.Struct):
    """A file of a job."""

    file_type: str
    size: int
    filename: str
    file_format: str


class JobFileView(Row, alias="a", of=JobArtifact):
    job_id: int
    file_type: str
    filename: str
    size: int
    expire_at: str | None


class JobFiles(msgspec.Struct):
    """Everything that a job shows of its files."""

    archive: ArtifactFile | None = None
    artifacts: list[JobArtifact] = []
    expire_at: str | None = None


async def load_files(tx: Tx, job_ids: Sequence[int]) -> dict[int, JobFiles]:
    """The files of each of these jobs that have not expired, in one statement; also of jobs that have none."""
    rows = await tx.rows(
        JobFileView,
        f"SELECT {JobFileView.columns} FROM job_artifacts a WHERE a.job_id IN :ids AND {ALIVE} ORDER BY a.id",
        ids=list(job_ids),
        now=clock.now(),
    )
    by_job: defaultdict[int, list[JobFileView]] = defaultdict(list)
    for row in rows:
        by_job[row.job_id].append(row)
    return {id_: _to_files(by_job[id_]) for id_ in job_ids}


def _to_files(rows: list[JobFileView]) -> JobFiles:
    archive = next((row for row in rows if row.file_type == "archive"), None)
    return JobFiles(
        archive and ArtifactFile(archive.filename, archive.size),
        [to_entity(JobArtifact, row) for row in rows],
        archive and archive.expire_at,
    )
