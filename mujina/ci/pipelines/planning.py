"""Which jobs a pipeline gets: the CI file of a commit, read for one ref and one source."""

import re
from typing import Final

import msgspec

from mujina.ci.config_files.operations import LintedProject, compile_for_project, compute, read_file, with_paths
from mujina.ci.language.config import Config, FileVariable, JobConfig
from mujina.ci.language.context import PipelineContext
from mujina.ci.language.evaluation import FILTERED, NO_JOBS, PipelinePlan, evaluate
from mujina.kernel import errors

TOO_LARGE: Final = "The configuration file is larger than 1 MB"
_SKIP: Final = re.compile(r"\[(ci[ _-]skip|skip[ _-]ci)\]", re.IGNORECASE)


class PlannedPipeline(msgspec.Struct, frozen=True, kw_only=True):
    """The jobs of a pipeline, or why it has none."""

    jobs: list[JobConfig] = []
    stages: list[str] = []
    name: str | None = None
    auto_cancel: str | None = None
    missing: bool = False
    """Whether there is no CI file."""
    invalid: str | None = None
    """The first error of the CI file, or of the pipeline that it asks for."""
    refused: str | None = None
    """Why a valid file has no jobs for this pipeline."""


def asks_to_skip(message: str) -> bool:
    """Whether the message of a commit says that its push makes no jobs."""
    return _SKIP.search(message) is not None


async def plan(linted: LintedProject, path: str, context: PipelineContext) -> PlannedPipeline:
    """The plan of a pipeline."""
    assert linted.found is not None
    try:
        content = read_file(linted.found, path)
    except errors.TooLarge:
        return PlannedPipeline(invalid=TOO_LARGE)
    if not content:
        return PlannedPipeline(missing=True)
    compiled, context = await compile_for_project(linted, content, context)
    config = compiled.config
    if config is None:
        return PlannedPipeline(invalid=compiled.errors[0].text)
    context = await with_paths(linted, context, config.rules, changes=_asks_for_changes(config))
    found = await compute(linted.actor, lambda: evaluate(config, context))
    if found.errors:
        nothing = found.errors[0] in (FILTERED, NO_JOBS)
        return PlannedPipeline(refused=found.errors[0]) if nothing else PlannedPipeline(invalid=found.errors[0])
    return PlannedPipeline(
        jobs=_with_added_variables(config, found),
        stages=found.stages,
        name=found.name,
        auto_cancel=found.auto_cancel.on_new_commit,
    )


def _asks_for_changes(config: Config) -> bool:
    """Whether `only` or `except` asks what changed."""
    policies = [policy for job in config.jobs for policy in (job.only, job.except_) if policy is not None]
    return any(policy.changes is not None for policy in policies)


def _with_added_variables(config: Config, found: PipelinePlan) -> list[JobConfig]:
    """The jobs as they are stored: the variables of the workflow beat those of the file, and a job's own beat both."""
    added = {name: FileVariable(value) for name, value in found.variables.items()}
    stored: list[JobConfig] = []
    for job in found.jobs:
        above = {
            name: variable
            for name, variable in added.items()
            if name not in job.variables or job.variables[name] == config.variables.get(name)
        }
        variables = {**job.variables, **above}
        stored.append(msgspec.structs.replace(job, variables=variables, rules=None, only=None, except_=None))
    return stored
