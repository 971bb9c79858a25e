"""A job as its runner gets it: everything that is needed to execute it."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Annotated, LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.credentials.basic import JOB_USERNAME
from mujina.ci.artifacts.entities import ArtifactFile
from mujina.ci.jobs.operations import TOKEN_PURPOSE
from mujina.ci.language.config import CacheEntry, JobConfig
from mujina.ci.runner_api.dependencies import artifacts_of, find_dependencies, named_dependencies
from mujina.ci.runners.rules import RunnerRow
from mujina.ci.variables.job_variables import VariableRunner, job_variables
from mujina.ci.variables.values import JobVariable
from mujina.kernel import errors
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.secrets import Vault
from mujina.kernel.services import Services
from mujina.kernel.urls import web

DEFAULT_TIMEOUT = 3_600
NEW_REF = "0" * 40


class JobInfo(msgspec.Struct):
    name: str
    stage: str
    project_id: int
    project_name: str


class GitInfo(msgspec.Struct):
    repo_url: str
    ref: str
    sha: str
    before_sha: str
    ref_type: str
    refspecs: list[str]
    depth: int = 0


class JobTimeout(msgspec.Struct):
    timeout: int


class JobStep(msgspec.Struct):
    name: str
    script: list[str]
    timeout: int
    when: str
    allow_failure: bool


class JobImage(msgspec.Struct):
    name: str
    entrypoint: list[str] | None


class JobService(msgspec.Struct):
    name: str
    entrypoint: list[str] | None
    alias: str | None
    command: list[str] | None


class JobArtifacts(msgspec.Struct):
    name: str | None
    untracked: bool
    paths: list[str]
    when: str
    expire_in: str | None
    exclude: list[str]
    artifact_type: str = "archive"
    artifact_format: str = "zip"


class JobCache(msgspec.Struct):
    key: str
    untracked: bool
    paths: list[str]
    policy: str
    when: str
    fallback_keys: list[str]


class JobDependency(msgspec.Struct):
    id: int
    name: str
    token: str
    artifacts_file: ArtifactFile | UnsetType = UNSET


class ReportedStatus(msgspec.Struct):
    id: int
    status: str


class JobPayload(msgspec.Struct):
    """Everything that a runner needs to execute a job."""

    id: int
    token: str
    allow_git_fetch: bool
    job_info: JobInfo
    git_info: GitInfo
    runner_info: JobTimeout
    variables: list[JobVariable]
    steps: list[JobStep]
    image: JobImage | None
    services: list[JobService]
    artifacts: list[JobArtifacts]
    cache: list[JobCache]
    credentials: list[dict[str, str]]
    dependencies: list[JobDependency]
    features: dict[str, bool]


class TakenJobRow(Row, alias="j"):
    """A job that a runner has just taken, with its pipeline (`pl`) and its project (`p`, `r`)."""

    id: int
    project_id: int
    pipeline_id: int
    name: str
    stage: str
    stage_index: int
    options: str
    ref: Annotated[str, "pl.ref"]
    sha: Annotated[str, "pl.sha"]
    before_sha: Annotated[str | None, "pl.before_sha"]
    tag: Annotated[bool, "pl.tag"]
    project_name: Annotated[str, "p.name"]
    full_path: Annotated[str, "r.path"]
    storage: Annotated[str, "p.repository_storage"]

    @property
    def config(self) -> JobConfig:
        return msgspec.json.decode(self.options, type=JobConfig)


_JOB: LiteralString = f"""
    SELECT {TakenJobRow.columns} FROM pipeline_jobs j JOIN pipelines pl ON pl.id = j.pipeline_id
    JOIN projects p ON p.id = j.project_id JOIN routes r ON r.project_id = p.id WHERE j.id = :id"""


class CommitFacts(msgspec.Struct, frozen=True):
    """What the repository says about the commit of a job."""

    message: str
    file_ids: dict[str, str]
    """The ids of the files that keys of caches name, by path."""


async def find_taken_job(tx: Tx, job_id: int) -> TakenJobRow:
    return errors.or_not_found(await tx.row(TakenJobRow, _JOB, id=job_id), "Job")


async def load_payload(
    tx: Tx, services: Services, runner: RunnerRow, job: TakenJobRow, commit: CommitFacts, token: str
) -> JobPayload:
    """The job for the runner that took it, with the token that it works with."""
    config = job.config
    timeout = min(config.timeout or DEFAULT_TIMEOUT, runner.maximum_timeout or config.timeout or DEFAULT_TIMEOUT)
    return JobPayload(
        id=job.id,
        token=token,
        allow_git_fetch=True,
        job_info=JobInfo(job.name, job.stage, job.project_id, job.project_name),
        git_info=_git_info(job, token),
        runner_info=JobTimeout(timeout),
        variables=await _variables(tx, services, runner, job, commit.message, token),
        steps=_steps(config, timeout),
        image=JobImage(config.image.name, config.image.entrypoint) if config.image else None,
        services=[JobService(each.name, each.entrypoint, each.alias, each.command) for each in config.services],
        artifacts=[] if config.artifacts is None else [to_entity(JobArtifacts, config.artifacts)],
        cache=[_cache(each, commit.file_ids) for each in config.caches],
        credentials=[],
        dependencies=await _dependencies(tx, services.vault, job, config),
        features={"trace_sections": True},
    )


def _git_info(job: TakenJobRow, token: str) -> GitInfo:
    scheme, _, address = web(f"/{job.full_path}.git").partition("://")
    local = f"refs/tags/{job.ref}" if job.tag else f"refs/remotes/origin/{job.ref}"
    remote = f"refs/tags/{job.ref}" if job.tag else f"refs/heads/{job.ref}"
    return GitInfo(
        repo_url=f"{scheme}://{JOB_USERNAME}:{token}@{address}", ref=job.ref, sha=job.sha,
        before_sha=job.before_sha or NEW_REF, ref_type="tag" if job.tag else "branch",
        refspecs=[f"+{remote}:{local}"],
    )  # fmt: skip


def _steps(config: JobConfig, timeout: int) -> list[JobStep]:
    steps = [JobStep("script", [*config.before_script, *config.script], timeout, "on_success", allow_failure=False)]
    if config.after_script:
        steps.append(JobStep("after_script", config.after_script, timeout, "always", allow_failure=True))
    return steps


def _cache(entry: CacheEntry, file_ids: Mapping[str, str]) -> JobCache:
    """A key of files changes when one of them does."""
    key = entry.key
    if entry.key_files:
        found = "\n".join(file_ids.get(path, "") for path in entry.key_files)
        digest = sha256(found.encode()).hexdigest()[:40] if found.strip() else "default"
        key = f"{entry.key_prefix}-{digest}" if entry.key_prefix else digest
    return to_entity(JobCache, entry, key=key)


async def _variables(
    tx: Tx, services: Services, runner: RunnerRow, job: TakenJobRow, message: str, token: str
) -> list[JobVariable]:
    known = VariableRunner(runner.id, runner.description or "", runner.tags)
    return await job_variables(tx, services, job.id, token=token, message=message, runner=known)


async def _dependencies(tx: Tx, vault: Vault, job: TakenJobRow, config: JobConfig) -> list[JobDependency]:
    """Jobs that are named, and of the others those that have artifacts: a late stage may follow hundreds of jobs."""
    found = await find_dependencies(tx, job.pipeline_id, job.stage_index, config)
    files = await artifacts_of(tx, [each.id for each in found])
    named = named_dependencies(config) is not None
    return [
        JobDependency(each.id, each.name, vault.decrypt(each.token, TOKEN_PURPOSE), files.get(each.id, UNSET))
        for each in found
        if each.token is not None and (named or each.id in files)
    ]
