"""The release that the CI file asks for when a job has succeeded."""

from typing import Annotated, LiteralString

import msgspec

from mujina.ci.language.config import JobConfig, Opaque
from mujina.ci.language.variables import expand
from mujina.ci.variables.job_variables import job_variables
from mujina.ci.variables.values import effective, masked_keys
from mujina.code.commits import operations as commits
from mujina.code.tags import operations as tags
from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.monitoring.logs import log
from mujina.kernel.services import Services
from mujina.review.merging.sources import find_active_user
from mujina.workspaces.projects.rules import PUSH_CODE

HAS_RELEASE: LiteralString = """EXISTS (SELECT 1 FROM pipeline_jobs j
    WHERE j.id = :subject_id AND j.status = 'success' AND j.options LIKE '%"release":%')"""


class ReleasingJob(Row, alias="j"):
    """A job that succeeded, with its pipeline (`pl`)."""

    id: int
    project_id: int
    user_id: int | None
    sha: Annotated[str, "pl.sha"]
    options: str


async def create_release(services: Services, job_id: int) -> None:
    """Create the tag of the release unless it exists, and describe it, as the user of the job.

    Variables are expanded, except masked ones: everyone who reads the code sees a release. A user who may not create
    the tag creates no release; the log says so.
    """
    async with services.database.reading() as tx:
        job = await tx.row(
            ReleasingJob,
            f"""SELECT {ReleasingJob.columns} FROM pipeline_jobs j JOIN pipelines pl ON pl.id = j.pipeline_id
                WHERE j.id = :id AND j.status = 'success'""",
            id=job_id,
        )
        release = None if job is None else msgspec.json.decode(job.options, type=JobConfig).release
        if job is None or not release:
            return
        user = await find_active_user(tx, job.user_id or 0)
        texts = await _expanded(tx, services, job_id, release)
    if user is None:
        return
    actor = msgspec.structs.replace(user, admin=False)
    try:
        project, code = await commits.find_code(services, actor, Ref.of(job.project_id), to=PUSH_CODE)
        if not tags.exists(code, texts["tag_name"]):
            await tags.create(
                services, actor, project.id, code, texts["tag_name"], texts["ref"] or job.sha, texts["tag_message"]
            )
        async with services.database.transaction() as tx:
            await tags.describe(tx, project.id, texts["tag_name"], texts["description"])
    except errors.ApiError as error:
        log.warning("the release of a job is refused", job_id=job_id, status=error.status)


async def _expanded(tx: Tx, services: Services, job_id: int, release: Opaque) -> dict[str, str]:
    """The texts of the release; those that are absent are empty."""
    variables = await job_variables(tx, services, job_id, token="", message="")
    hidden = masked_keys(variables)
    known = {key: value for key, value in effective(variables).items() if key not in hidden}
    given = {key: release.get(key) for key in ("tag_name", "description", "ref", "tag_message")}
    return {key: expand(text, known) if isinstance(text, str) else "" for key, text in given.items()}
