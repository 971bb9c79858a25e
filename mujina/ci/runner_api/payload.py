"""A job as its runner gets it: everything that is needed to execute it."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Annotated, Any, LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.credentials.basic import JOB_USERNAME
from mujina.ci.artifacts.entities import ArtifactFile
from mujina.ci.jobs.operations import TOKEN_PURPOSE
from mujina.ci.language.config import ArtifactsEntry, CacheEntry, JobConfig, Need, Opaque, ServiceContainer
from mujina.ci.language.variables import expand
from mujina.ci.runner_api.dependencies import (
    DependencyRow,
    artifacts_of,
    find_dependencies,
    find_foreign_dependencies,
    named_dependencies,
)
from mujina.ci.runners.rules import RunnerRow
from mujina.ci.variables.dotenv import read_reported
from mujina.ci.variables.job_variables import VariableRunner, job_variables
from mujina.ci.variables.values import JobVariable, effective
from mujina.kernel import errors
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.secrets import Vault
from mujina.kernel.services import Services
from mujina.kernel.urls import web

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


class JobImage(msgspec.Struct, kw_only=True):
    name: str
    entrypoint: list[str] | None
    pull_policy: list[str] | UnsetType = UNSET
    executor_opts: dict[str, dict[str, str]] | UnsetType = UNSET


class ServiceVariable(msgspec.Struct):
    key: str
    value: str


class JobService(JobImage, kw_only=True):
    alias: str | None
    command: list[str] | None
    variables: list[ServiceVariable] | UnsetType = UNSET


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


class JobHook(msgspec.Struct):
    """A script that the runner executes at a certain time."""

    name: str
    script: list[str]


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
    hooks: list[JobHook] | UnsetType = UNSET


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
    user_id: int | None
    project_name: Annotated[str, "p.name"]
    build_timeout: Annotated[int, "p.build_timeout"]
    git_strategy: Annotated[str, "p.build_git_strategy"]
    git_depth: Annotated[int | None, "p.ci_default_git_depth"]
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
    wanted = config.timeout or job.build_timeout
    timeout = min(wanted, runner.maximum_timeout or wanted)
    found = await find_dependencies(tx, job.pipeline_id, job.stage_index, config)
    reported = await read_reported(tx, services, [each.id for each in found])
    known = VariableRunner(runner.id, runner.description or "", runner.tags)
    variables = await job_variables(
        tx, services, job.id, token=token, message=commit.message, runner=known, reported=reported
    )
    return JobPayload(
        id=job.id,
        token=token,
        allow_git_fetch=job.git_strategy == "fetch",
        job_info=JobInfo(job.name, job.stage, job.project_id, job.project_name),
        git_info=_git_info(job, token),
        runner_info=JobTimeout(timeout),
        variables=variables,
        steps=_steps(config, timeout),
        image=to_entity(JobImage, config.image, **_executor_options(config.image.options)) if config.image else None,
        services=[_service(each) for each in config.services],
        artifacts=[] if config.artifacts is None else _artifacts(config.artifacts, reports=runner.uploads_reports),
        cache=[_cache(each, commit.file_ids) for each in config.caches],
        credentials=[],
        dependencies=[
            *await _dependencies(tx, services.vault, found, named=named_dependencies(config) is not None),
            *await _foreign_dependencies(tx, job, effective(variables), token),
        ],
        features={"trace_sections": True},
        hooks=[JobHook(name, script) for name, script in config.hooks.items()] or UNSET,
    )


def _git_info(job: TakenJobRow, token: str) -> GitInfo:
    scheme, _, address = web(f"/{job.full_path}.git").partition("://")
    local = f"refs/tags/{job.ref}" if job.tag else f"refs/remotes/origin/{job.ref}"
    remote = f"refs/tags/{job.ref}" if job.tag else f"refs/heads/{job.ref}"
    return GitInfo(
        repo_url=f"{scheme}://{JOB_USERNAME}:{token}@{address}", ref=job.ref, sha=job.sha,
        before_sha=job.before_sha or NEW_REF, ref_type="tag" if job.tag else "branch",
        refspecs=[f"+{remote}:{local}"], depth=job.git_depth or 0,
    )  # fmt: skip


def _executor_options(options: Opaque) -> dict[str, Any]:
    """What executors of the runner are told about a container."""
    executors = {name: options[name] for name in ("docker", "kubernetes") if name in options}
    return {"pull_policy": options.get("pull_policy", UNSET), "executor_opts": executors or UNSET}


def _service(each: ServiceContainer) -> JobService:
    variables = [ServiceVariable(key, value) for key, value in each.variables.items()]
    return to_entity(JobService, each, **_executor_options(each.options), variables=variables or UNSET)


def _artifacts(entry: ArtifactsEntry, *, reports: bool) -> list[JobArtifacts]:
    """The archive if there is something to put into it, and the reports if the runner tells them from it."""
    archive = [to_entity(JobArtifacts, entry)] if entry.paths or entry.untracked or not entry.reports else []
    if not reports:
        return archive
    return archive + [
        JobArtifacts(
            name=kind, untracked=False, paths=paths, when="always", expire_in=entry.expire_in, exclude=[],
            artifact_type=kind, artifact_format="gzip",
        )
        for kind, paths in entry.reports.items()
    ]  # fmt: skip


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


async def _dependencies(tx: Tx, vault: Vault, found: list[DependencyRow], *, named: bool) -> list[JobDependency]:
    """Jobs that are named, and of the others those that have artifacts: a late stage may follow hundreds of jobs."""
    files = await artifacts_of(tx, [each.id for each in found])
    return [
        JobDependency(each.id, each.name, vault.decrypt(each.token, TOKEN_PURPOSE), files.get(each.id, UNSET))
        for each in found
        if each.token is not None and (named or each.id in files)
    ]


async def _foreign_dependencies(tx: Tx, job: TakenJobRow, variables: dict[str, str], token: str) -> list[JobDependency]:
    """The jobs of other projects that it needs. It fetches their files with its own token: theirs would open more."""
    needs = [
        Need(
            job=expand(need.job, variables), project=expand(need.project, variables), ref=expand(need.ref or "", variables),
        )
        for need in job.config.needs or []
        if need.project and need.artifacts
    ]  # fmt: skip
    ids = await find_foreign_dependencies(tx, job.user_id, needs) if needs else {}
    files = await artifacts_of(tx, list(ids))
    return [JobDependency(job_id, name, token, files.get(job_id, UNSET)) for job_id, name in ids.items()]
