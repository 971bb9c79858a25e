"""A job as its runner gets it: everything that is needed to execute it."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.credentials.basic import JOB_USERNAME
from mujina.ci.artifacts.entities import ArtifactFile
from mujina.ci.jobs.operations import TOKEN_PURPOSE
from mujina.ci.language.config import ArtifactsEntry, CacheEntry, JobConfig, Need, Opaque, ServiceContainer
from mujina.ci.language.variables import expand
from mujina.ci.runner_api.dependencies import (
    Dependency,
    artifacts_of,
    find_foreign_dependencies,
    named_dependencies,
)
from mujina.ci.runner_api.queue import TakenJobRow
from mujina.ci.runners.rules import RunnerRow
from mujina.ci.variables.dotenv import read_reports
from mujina.ci.variables.job_variables import VariableRunner, job_variables
from mujina.ci.variables.values import JobVariable, effective
from mujina.kernel.db.entities import to_entity
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


class CommitFacts(msgspec.Struct, frozen=True):
    """What the repository says about the commit of a job."""

    message: str
    file_ids: dict[str, str]
    """The ids of the files that keys of caches name, by path."""


class TakenJob(msgspec.Struct, frozen=True):
    """A job that a runner has taken, with what the database has for it."""

    row: TakenJobRow
    token: str
    config: JobConfig
    dependencies: list[Dependency]
    stored: list[JobVariable]
    """The variables that users have set."""


async def load_payload(services: Services, runner: RunnerRow, taken: TakenJob, commit: CommitFacts) -> JobPayload:
    """The job for the runner that took it, with the token that it works with."""
    job, token, config = taken.row, taken.token, taken.config
    wanted = config.timeout or job.build_timeout
    timeout = min(wanted, runner.maximum_timeout or wanted)
    reports = [each.report for each in taken.dependencies if each.report is not None]
    variables = job_variables(
        services.settings, job, taken.stored, token=token, message=commit.message,
        runner=VariableRunner(runner.id, runner.description or "", runner.tags),
        reported=await read_reports(services, reports),
    )  # fmt: skip
    return JobPayload(
        id=job.id,
        token=token,
        allow_git_fetch=job.git_strategy == "fetch",
        job_info=JobInfo(job.name, job.stage, job.project.id, job.project_name),
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
            *_dependencies(services.vault, taken),
            *await _foreign_dependencies(services, taken, effective(variables)),
        ],
        features={"trace_sections": True},
        hooks=[JobHook(name, script) for name, script in config.hooks.items()] or UNSET,
    )


def _git_info(job: TakenJobRow, token: str) -> GitInfo:
    scheme, _, address = web(f"/{job.project.full_path}.git").partition("://")
    ref, tag = job.pipeline.ref, job.pipeline.tag
    local = f"refs/tags/{ref}" if tag else f"refs/remotes/origin/{ref}"
    remote = f"refs/tags/{ref}" if tag else f"refs/heads/{ref}"
    return GitInfo(
        repo_url=f"{scheme}://{JOB_USERNAME}:{token}@{address}", ref=ref, sha=job.pipeline.sha,
        before_sha=job.pipeline.before_sha or NEW_REF, ref_type="tag" if tag else "branch",
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


def _dependencies(vault: Vault, taken: TakenJob) -> list[JobDependency]:
    """Jobs that are named, and of the others those that have artifacts: a late stage may follow hundreds of jobs."""
    named = named_dependencies(taken.config) is not None
    return [
        JobDependency(each.id, each.name, vault.decrypt(each.token, TOKEN_PURPOSE), each.archive or UNSET)
        for each in taken.dependencies
        if named or each.archive
    ]


async def _foreign_dependencies(services: Services, taken: TakenJob, variables: dict[str, str]) -> list[JobDependency]:
    """The jobs of other projects that it needs. It fetches their files with its own token: theirs would open more."""
    needs = [
        Need(
            job=expand(need.job, variables),
            project=expand(need.project, variables),
            ref=expand(need.ref or "", variables),
        )
        for need in taken.config.needs or []
        if need.project and need.artifacts
    ]
    if not needs:
        return []
    async with services.database.reading() as tx:
        ids = await find_foreign_dependencies(tx, taken.row.job.project_id, taken.row.job.user_id, needs)
        files = await artifacts_of(tx, list(ids))
    return [JobDependency(job_id, name, taken.token, files.get(job_id, UNSET)) for job_id, name in ids.items()]
