"""Checks of CI files as responses show them."""

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from mujina.ci.language.compiler import CompiledConfig
from mujina.ci.language.composition.includes import IncludedFile
from mujina.ci.language.config import JobConfig, RefPolicy
from mujina.ci.lint.operations import LintResult


class LintJob(msgspec.Struct, kw_only=True):
    """A job that the file defines, or that a pipeline would get."""

    name: str
    stage: str
    before_script: list[str]
    script: list[str]
    after_script: list[str]
    tag_list: list[str]
    only: dict[str, Any] | None
    except_: dict[str, Any] | None = msgspec.field(name="except")
    environment: str | None
    when: str
    allow_failure: bool
    needs: list[dict[str, Any]] | None


class LintInclude(msgspec.Struct, kw_only=True):
    type: str
    location: str
    context_project: str | None
    context_sha: str | None
    extra: dict[str, str]


class Lint(msgspec.Struct, kw_only=True):
    """The check of a text without a project."""

    status: str
    errors: list[str]
    warnings: list[str]
    merged_yaml: str | UnsetType | None = UNSET
    jobs: list[LintJob] | UnsetType = UNSET


class ProjectLint(msgspec.Struct, kw_only=True):
    """The check of a CI file of a project."""

    valid: bool
    errors: list[str]
    warnings: list[str]
    merged_yaml: str | None
    includes: list[LintInclude]
    jobs: list[LintJob] | UnsetType = UNSET


def to_lint(compiled: CompiledConfig, merged: str | UnsetType | None, *, jobs: bool) -> Lint:
    shown = compiled.config.jobs if compiled.config else []
    return Lint(
        status="valid" if compiled.valid else "invalid",
        errors=[error.text for error in compiled.errors],
        warnings=[warning.text for warning in compiled.warnings],
        merged_yaml=merged,
        jobs=[_job(job) for job in shown] if jobs else UNSET,
    )


def to_project_lint(result: LintResult, *, jobs: bool) -> ProjectLint:
    errors = [error.text for error in result.compiled.errors] + result.plan_errors
    return ProjectLint(
        valid=not errors,
        errors=errors,
        warnings=[warning.text for warning in result.compiled.warnings],
        merged_yaml=result.merged_text,
        # None is shown if one of them cannot be read.
        includes=[_include(file, result) for file in result.compiled.includes if result.compiled.merged is not None],
        jobs=[_job(job) for job in result.jobs] if jobs else UNSET,
    )


def _include(file: IncludedFile, result: LintResult) -> LintInclude:
    extra = {"project": file.project, "ref": file.ref or "HEAD"} if file.project else {}
    return LintInclude(
        type=file.kind,
        location=file.shown_location,
        context_project=result.project_path,
        context_sha=result.sha,
        extra=extra,
    )


def _job(job: JobConfig) -> LintJob:
    return LintJob(
        name=job.name, stage=job.stage, before_script=job.before_script, script=job.script,
        after_script=job.after_script, tag_list=job.tags, only=_policy(job.only), except_=_policy(job.except_),
        environment=job.environment.name if job.environment else None, when=job.when,
        allow_failure=job.allow_failure,
        needs=None if job.needs is None else [{"name": n.job, "artifacts": n.artifacts} for n in job.needs],
    )  # fmt: skip


def _policy(policy: RefPolicy | None) -> dict[str, Any] | None:
    """The parts of a policy that are given."""
    if policy is None:
        return None
    parts: dict[str, Any] = {"refs": policy.refs, "variables": policy.variables, "changes": policy.changes}
    return {name: part for name, part in parts.items() if part is not None}
