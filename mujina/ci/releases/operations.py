"""The release that the CI file asks for when a job has succeeded."""

from typing import Annotated, Any, LiteralString, cast

import msgspec

from mujina.accounts.users.rules import find_active_actor
from mujina.ci.language.config import JobConfig, Opaque
from mujina.ci.language.variables import expand
from mujina.ci.variables.job_variables import load_job_variables
from mujina.ci.variables.values import effective, masked_keys
from mujina.code.commits import operations as commits
from mujina.code.pushes.repository_lock import under_repository_lock
from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http import params
from mujina.kernel.http.forms import Tree
from mujina.kernel.http.params import Ref
from mujina.kernel.monitoring.logs import log
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.publishing.releases import operations as releases
from mujina.publishing.releases.params import CreateRelease
from mujina.publishing.releases.rules import WRITE_RELEASES, find_release

HAS_RELEASE: LiteralString = """EXISTS (SELECT 1 FROM pipeline_jobs j
    WHERE j.id = :subject_id AND j.status = 'success' AND j.options LIKE '%"release":%')"""


class ReleasingJob(Row, alias="j"):
    """A job that succeeded, with its pipeline (`pl`)."""

    project_id: int
    user_id: int | None
    sha: Annotated[str, "pl.sha"]
    options: str


async def create_release(services: Services, job_id: int) -> None:
    """Publish the release, with its tag unless that exists, as the user of the job; a release that exists is edited.

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
        user = await find_active_actor(tx, job.user_id or 0)
        tree = await _expanded(tx, services, job_id, release)
    if user is None:
        return
    actor = msgspec.structs.replace(user, admin=False)
    try:
        change = params.read(CreateRelease, {**tree, "ref": tree.get("ref") or job.sha})
        await under_repository_lock(str(job.project_id), lambda: _publish(services, actor, job.project_id, change))
    except errors.ApiError as error:
        log.warning("the release of a job is refused", job_id=job_id, status=error.status)


async def _publish(services: Services, actor: Actor, project_id: int, change: CreateRelease) -> None:
    project, code = await commits.find_code(services, actor, Ref.of(project_id), to=WRITE_RELEASES)
    try:
        await releases.create(services, actor, project, code, change)
    except errors.Conflict:
        async with services.database.transaction() as tx:
            release = await find_release(tx, actor, project.id, change.tag_name)
            await releases.edit(tx, actor, project, release, change)


async def _expanded(tx: Tx, services: Services, job_id: int, release: Opaque) -> Tree:
    """The release as a request would have it, with variables in its texts expanded."""
    variables = await load_job_variables(tx, services, job_id)
    hidden = masked_keys(variables)
    known = {key: value for key, value in effective(variables).items() if key not in hidden}

    def expanded(value: Any) -> Any:
        if isinstance(value, str):
            return expand(value, known)
        if isinstance(value, list):
            return [expanded(each) for each in cast("list[Any]", value)]
        if isinstance(value, dict):
            return {key: expanded(each) for key, each in cast("dict[str, Any]", value).items()}
        return value

    return expanded(release)
