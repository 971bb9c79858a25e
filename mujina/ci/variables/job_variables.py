"""What a job gets, weakest first: a runner takes the last of several variables with the same key.

predefined → project → pipeline → runner → CI file → reports of other jobs → user → instance → groups, the root first
→ project's own → those that the pipeline was started with → environment
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, LiteralString

import msgspec

from mujina.ci.language.config import JobConfig
from mujina.ci.language.variables import expand
from mujina.ci.variables import predefined
from mujina.ci.variables.operations import readable_value
from mujina.ci.variables.predefined import VariableMergeRequest, VariablePipeline, VariableProject, VariableUser
from mujina.ci.variables.rules import VariableRow
from mujina.ci.variables.values import JobVariable, effective, masked_keys, named, scope_rank
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.secrets import UnreadableSecret, Vault
from mujina.kernel.services import Services
from mujina.settings import Settings

PIPELINE_VALUE: Final = "pipeline_variables.value"
"""The purpose for which the values of the table `pipeline_variables` are encrypted."""


class VariableRunner(msgspec.Struct, frozen=True):
    """The runner that has the job."""

    id: int
    description: str
    tags: Sequence[str]


class JobFacts(Row, alias="j"):
    """Everything that variables say about a job (`j`), its pipeline (`pl`), project (`p`, `r`) and what is around them."""

    id: int
    name: str
    stage: str
    run_when: str
    environment: str | None
    protected: bool
    pipeline: VariablePipeline
    project: VariableProject
    user: VariableUser | None
    merge_request: VariableMergeRequest | None
    target_path: Annotated[str | None, "target.path"]
    environment_slug: Annotated[str | None, "en.slug"]
    options: str

    @property
    def config(self) -> JobConfig:
        return msgspec.json.decode(self.options, type=JobConfig)


JOB_FACTS_FROM: LiteralString = """pipeline_jobs j
    JOIN pipelines pl ON pl.id = j.pipeline_id
    JOIN projects p ON p.id = j.project_id JOIN routes r ON r.project_id = p.id
    LEFT JOIN users u ON u.id = j.user_id
    LEFT JOIN merge_requests mr ON mr.id = pl.merge_request_id LEFT JOIN routes target ON target.project_id = mr.project_id
    LEFT JOIN environments en ON en.project_id = j.project_id AND en.name = j.environment"""


async def find_facts(tx: Tx, job_id: int) -> JobFacts | None:
    return await tx.row(JobFacts, f"SELECT {JobFacts.columns} FROM {JOB_FACTS_FROM} WHERE j.id = :id", id=job_id)


async def load_job_variables(
    tx: Tx, services: Services, job_id: int, reported: Sequence[JobVariable] = ()
) -> list[JobVariable]:
    """The variables of a job without its token and its commit; `reported` are those that jobs leave to it."""
    facts = await find_facts(tx, job_id)
    if facts is None:
        return []
    stored = await load_stored(tx, services.vault, facts)
    return job_variables(services.settings, facts, stored, token="", message="", reported=reported)


def job_variables(
    settings: Settings, facts: JobFacts, stored: Sequence[JobVariable], *, token: str, message: str,
    runner: VariableRunner | None = None, reported: Sequence[JobVariable] = (),
) -> list[JobVariable]:  # fmt: skip
    """The variables of the job, in the order in which the runner gets them; `message` is that of its commit.

    `stored` are those of `load_stored`, `reported` those that other jobs leave to it.
    """
    config, full_path = facts.config, facts.project.full_path
    variables = [
        *predefined.server(settings),
        *predefined.job(facts.id, facts.name, facts.stage, full_path, manual=facts.run_when == "manual", token=token),
        *predefined.commit(facts.pipeline, message),
        *_parallel(config),
        *predefined.project(facts.project),
        *predefined.pipeline(facts.pipeline, full_path),
        *_merge_request(facts.merge_request, facts.target_path),
        *_runner(runner),
        *(JobVariable(key, each.value, raw=not each.expand) for key, each in config.variables.items()),
        *reported,
        *predefined.user(facts.user),
        *stored,
    ]
    return [*variables, *_environment(facts, config, variables)]


async def load_stored(tx: Tx, vault: Vault, facts: JobFacts) -> list[JobVariable]:
    """The variables of the instance, the groups and the project that the job may have, and those of its pipeline."""
    protected = facts.protected and not (facts.merge_request and facts.merge_request.forked)
    return [
        *await _stored(tx, vault, facts.project, facts.environment, protected=protected),
        *await _given(tx, vault, facts.pipeline.id),
    ]


async def pipeline_variables_context(
    tx: Tx, services: Services, project_id: int, pipeline: VariablePipeline, *,
    user_id: int | None, message: str, given: Mapping[str, str] | None = None,
) -> list[JobVariable]:  # fmt: skip
    """The variables that conditions of a CI file may ask for, before the pipeline is stored.

    `given` are those that the pipeline is started with. Which environment a job has is not known yet: variables of one
    environment are left out.
    """
    [project] = await tx.rows(
        VariableProject,
        f"SELECT {VariableProject.columns} FROM projects p JOIN routes r ON r.project_id = p.id WHERE p.id = :id",
        id=project_id,
    )
    user = await tx.row(VariableUser, f"SELECT {VariableUser.columns} FROM users u WHERE u.id = :id", id=user_id or 0)
    request, target_path = await _find_merge_request(tx, pipeline.merge_request_id)
    variables = [
        *predefined.server(services.settings),
        *predefined.commit(pipeline, message),
        *predefined.project(project),
        *predefined.pipeline(pipeline, project.full_path),
        *_merge_request(request, target_path),
        *predefined.user(user),
    ]
    protected = pipeline.protected and not (request and request.forked)
    variables += await _stored(tx, services.vault, project, None, protected=protected)
    return [*variables, *(JobVariable(key, value, public=False) for key, value in (given or {}).items())]


async def _find_merge_request(tx: Tx, id: int | None) -> tuple[VariableMergeRequest | None, str | None]:
    if id is None:
        return None, None
    request = await tx.row(
        VariableMergeRequest, f"SELECT {VariableMergeRequest.columns} FROM merge_requests mr WHERE mr.id = :id", id=id
    )
    path = request and await tx.value("SELECT r.path FROM routes r WHERE r.project_id = :id", id=request.project_id)
    return request, path


def _parallel(config: JobConfig) -> list[JobVariable]:
    if config.parallel is None:
        return []
    return named({"CI_NODE_INDEX": config.parallel.index, "CI_NODE_TOTAL": config.parallel.total})


def _merge_request(request: VariableMergeRequest | None, target_path: str | None) -> list[JobVariable]:
    return [] if request is None else predefined.merge_request(request, target_path or "")


def _runner(runner: VariableRunner | None) -> list[JobVariable]:
    if runner is None:
        return []
    return named(
        {
            "CI_RUNNER_ID": runner.id,
            "CI_RUNNER_DESCRIPTION": runner.description,
            "CI_RUNNER_TAGS": ", ".join(runner.tags),
        }
    )


def _environment(facts: JobFacts, config: JobConfig, others: Sequence[JobVariable]) -> list[JobVariable]:
    """The environment of the job; its address, which people see, may contain every other variable that is not masked."""
    if config.environment is None or facts.environment is None:
        return []
    own = {"CI_ENVIRONMENT_NAME": facts.environment, "CI_ENVIRONMENT_SLUG": facts.environment_slug or ""}
    hidden = masked_keys(others)
    known = {key: value for key, value in effective(others).items() if key not in hidden}
    url = None if config.environment.url is None else expand(config.environment.url, {**known, **own})
    return named({**own, "CI_ENVIRONMENT_URL": url})


class _StoredVariable(VariableRow):
    distance: Annotated[int, "place.distance"]


_STORED: LiteralString = f"""
    SELECT {_StoredVariable.columns} FROM (
        SELECT v.id, 1000 AS distance FROM ci_variables v WHERE v.project_id IS NULL AND v.group_id IS NULL
        UNION ALL
        SELECT v.id, t.depth + 1 FROM group_tree t JOIN ci_variables v ON v.group_id = t.ancestor_id
        WHERE t.group_id = :namespace_id
        UNION ALL
        SELECT v.id, 0 FROM ci_variables v WHERE v.project_id = :project_id
    ) place JOIN ci_variables v ON v.id = place.id"""


async def _stored(
    tx: Tx, vault: Vault, project: VariableProject, environment: str | None, *, protected: bool
) -> list[JobVariable]:
    """The variables of the instance, of the groups above the project and of the project that the job may have."""
    rows = await tx.rows(_StoredVariable, _STORED, namespace_id=project.namespace_id, project_id=project.id)
    ranked = [
        (-row.distance, rank, row.id, row)
        for row in rows
        if (protected or not row.protected) and (rank := scope_rank(row.environment_scope, environment)) is not None
    ]
    return [
        JobVariable(row.key, value, public=False, file=row.variable_type == "file", masked=row.masked, raw=row.raw)
        for *_, row in sorted(ranked, key=lambda each: each[:3])
        if (value := readable_value(vault, row.value)) is not None
    ]


async def _given(tx: Tx, vault: Vault, pipeline_id: int | None) -> list[JobVariable]:
    """The variables that the pipeline was started with."""
    rows = await tx.rows(
        tuple[str, str, str, bool],
        """SELECT pv.key, pv.value, pv.variable_type, pv.raw FROM pipeline_variables pv WHERE pv.pipeline_id = :id
           ORDER BY pv.id""",
        id=pipeline_id,
    )
    found: list[JobVariable] = []
    for key, stored, kind, raw in rows:
        try:
            value = vault.decrypt(stored, PIPELINE_VALUE)
        except UnreadableSecret:
            continue
        found.append(JobVariable(key, value, public=False, file=kind == "file", raw=raw))
    return found
