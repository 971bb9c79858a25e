"""Which jobs a pipeline gets: `evaluate(config, context)`."""

from graphlib import CycleError, TopologicalSorter
from typing import Final

import msgspec

from mujina.ci.language.config import (
    FIRST_STAGE,
    LAST_STAGE,
    AutoCancel,
    Config,
    FileVariable,
    JobConfig,
    JobRule,
    Need,
)
from mujina.ci.language.context import PipelineContext
from mujina.ci.language.keys.environments import expand_environment
from mujina.ci.language.keys.job_rules import first_match
from mujina.ci.language.keys.policies import runs
from mujina.ci.language.variables import expand

NO_JOBS: Final = "No stages / jobs for this pipeline."
NO_REF_TO_COMPARE: Final = "rules:changes:compare_to '{}' is not a valid ref"
MAX_NAME: Final = 255
"""Characters of the name of a pipeline and of a resource group."""
FILTERED: Final = "Pipeline filtered out by workflow rules."


class PipelinePlan(msgspec.Struct, frozen=True, kw_only=True):
    """The jobs to create, in the order of the stages and of the file, or why there are none."""

    stages: list[str] = []
    """Those that have jobs."""
    jobs: list[JobConfig] = []
    """With `when`, `allow_failure`, `needs` and the environment as they hold for this pipeline."""
    variables: dict[str, str] = {}
    """Those that the rules of the workflow add."""
    name: str | None = None
    auto_cancel: AutoCancel = AutoCancel()
    errors: list[str] = []


def evaluate(config: Config, context: PipelineContext) -> PipelinePlan:
    """The plan of a pipeline of this configuration."""
    if context.unknown_refs:
        return PipelinePlan(errors=[NO_REF_TO_COMPARE.format(min(context.unknown_refs))])
    workflow = config.workflow
    rule = JobRule()
    if workflow.rules is not None:
        found = first_match(workflow.rules, _with_variables(context, config.variables))
        if found is None or found.when == "never":
            return PipelinePlan(errors=[FILTERED])
        rule = found
    added = rule.variables
    planned = [job for each in config.jobs if (job := _plan(each, context, added)) is not None]
    order = {stage: index for index, stage in enumerate(config.stages)}
    planned.sort(key=lambda job: order.get(job.stage, 0))
    if not any(job.stage not in (FIRST_STAGE, LAST_STAGE) for job in planned):
        return PipelinePlan(errors=[NO_JOBS])
    jobs, errors = _resolve_needs(planned)
    if errors:
        return PipelinePlan(errors=errors)
    visible = _with_variables(context, config.variables, added).visible
    return PipelinePlan(
        stages=list(dict.fromkeys(job.stage for job in jobs)),
        jobs=jobs,
        variables=_texts(added),
        name=None if workflow.name is None else expand(workflow.name, visible)[:MAX_NAME] or None,
        auto_cancel=rule.auto_cancel or workflow.auto_cancel,
    )


def _plan(job: JobConfig, context: PipelineContext, added: dict[str, FileVariable]) -> JobConfig | None:
    """The job as it is in this pipeline; None if it is not part of it."""
    seen = _with_variables(context, added, job.variables)
    if job.rules is not None:
        rule = first_match(job.rules, seen)
        if rule is None or (rule.when or job.when) == "never":
            return None
        job = _apply(rule, job)
        seen = _with_variables(context, added, job.variables)
    elif not runs(job.only, job.except_, seen):
        return None
    if job.environment is not None:
        job = msgspec.structs.replace(job, environment=expand_environment(job.environment, seen.visible))
    if job.resource_group is not None:
        known = seen.visible | ({"CI_ENVIRONMENT_NAME": job.environment.name} if job.environment else {})
        job = msgspec.structs.replace(job, resource_group=expand(job.resource_group, known)[:MAX_NAME] or None)
    return job


def _apply(rule: JobRule, job: JobConfig) -> JobConfig:
    """The job with what its rule sets."""
    return msgspec.structs.replace(
        job,
        when=rule.when or job.when,
        start_in=rule.start_in if rule.when == "delayed" else job.start_in,
        allow_failure=job.allow_failure if rule.allow_failure is None else rule.allow_failure,
        needs=job.needs if rule.needs is None else rule.needs,
        interruptible=job.interruptible if rule.interruptible is None else rule.interruptible,
        variables={**job.variables, **rule.variables} if rule.variables else job.variables,
    )


def _resolve_needs(jobs: list[JobConfig]) -> tuple[list[JobConfig], list[str]]:
    """The jobs with their needs by the names of jobs of the pipeline, and what is wrong with their needs."""
    by_name: dict[str, list[JobConfig]] = {}
    for job in jobs:
        for name in {job.name, job.base_name}:
            by_name.setdefault(name, []).append(job)
    errors: list[str] = []
    resolved: list[JobConfig] = []
    for job in jobs:
        needs: dict[str, Need] = {}
        for need in job.needs or []:
            found = [] if need.project else [o for o in by_name.get(need.job, []) if _is_instance(o, need)]
            if need.project:
                needs[f"{need.project}@{need.ref}/{need.job}"] = need
            elif not found and not need.optional:
                errors.append(f"'{job.name}' job needs '{need.job}' job, but '{need.job}' is not part of the pipeline")
            needs |= {other.name: msgspec.structs.replace(need, job=other.name, instances=None) for other in found}
        resolved.append(job if job.needs is None else msgspec.structs.replace(job, needs=list(needs.values())))
    return resolved, errors or _find_cycle(resolved)


def _find_cycle(jobs: list[JobConfig]) -> list[str]:
    """The error if jobs wait for each other: only here is it known which needs their rules give them."""
    graph = {job.name: [need.job for need in job.needs or [] if not need.project] for job in jobs}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as cycle:
        return [f"'{min(cycle.args[1])}' job: needs form a cycle"]
    return []


def _is_instance(job: JobConfig, need: Need) -> bool:
    """Whether the need means this instance of a parallel job."""
    if need.instances is None or job.parallel is None:
        return True
    return any(wanted.items() <= job.parallel.variables.items() for wanted in need.instances)


def _with_variables(context: PipelineContext, *layers: dict[str, FileVariable]) -> PipelineContext:
    """The context with variables of the file below its own; a later layer counts more than an earlier one."""
    variables = {name: text for layer in layers for name, text in _texts(layer).items()}
    return msgspec.structs.replace(context, variables={**variables, **context.variables})


def _texts(variables: dict[str, FileVariable]) -> dict[str, str]:
    return {name: variable.value for name, variable in variables.items()}
