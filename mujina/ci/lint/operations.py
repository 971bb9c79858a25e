"""Checking CI files: the text, the files that it includes, and the pipeline that it would make."""

import msgspec

from mujina.ci.config_files.operations import DEFAULT_PATH, LintedProject, compile_for_project, compute, with_paths
from mujina.ci.language.compiler import CompiledConfig, compile_config, parse_file
from mujina.ci.language.composition.includes import IncludedFile, ParsedFile
from mujina.ci.language.composition.templates import read_template
from mujina.ci.language.config import JobConfig
from mujina.ci.language.context import PipelineContext
from mujina.ci.language.evaluation import evaluate
from mujina.ci.language.yaml.merged_text import merged_text
from mujina.ci.language.yaml.values import MAX_BYTES
from mujina.ci.pipelines.rules import load_protections
from mujina.ci.variables.job_variables import pipeline_variables_context
from mujina.ci.variables.predefined import VariablePipeline
from mujina.code.commits import operations as commits
from mujina.kernel import errors
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Rule
from mujina.kernel.services import Services
from mujina.workspaces.projects.rules import find_project_with


class LintResult(msgspec.Struct, frozen=True, kw_only=True):
    compiled: CompiledConfig
    merged_text: str | None
    jobs: list[JobConfig]
    """Those of the file, or with a dry run those of the pipeline."""
    plan_errors: list[str]
    project_path: str
    sha: str | None


def to_bytes(content: str) -> bytes:
    """The text of a request; 413 if it is longer than a CI file may be."""
    encoded = content.encode()
    if len(encoded) > MAX_BYTES:
        raise errors.too_large()
    return encoded


async def lint(actor: Actor, content: bytes) -> tuple[CompiledConfig, str | None]:
    """Check a text that belongs to no project: it includes nothing but templates. The second value is the merged text."""

    def check() -> tuple[CompiledConfig, str | None]:
        compiled = compile_config(parse_file(content), _read_template)
        return compiled, _merged_text(compiled)

    return await compute(actor, check)


def _read_template(file: IncludedFile) -> ParsedFile | None:
    content = read_template(file.location) if file.kind == "template" else None
    return None if content is None else parse_file(content, file.location, file.given_inputs)


def _merged_text(compiled: CompiledConfig) -> str | None:
    return None if compiled.merged is None else merged_text(compiled.merged)


async def lint_for_project(linted: LintedProject, content: bytes, *, dry_run: bool, ref: str | None) -> LintResult:
    """Check a text as the CI file of the project; with `dry_run`, also plan the pipeline that a push of `ref` would make."""
    # Without a pipeline, only the conditions and locations of included files ask for variables.
    known = await _context(linted, ref) if dry_run or b"include" in content else None
    compiled, context = await compile_for_project(linted, content, known or PipelineContext(ref=""))
    config = compiled.config
    jobs = config.jobs if config else []
    problems: list[str] = []
    if dry_run and config is not None and known is None:
        problems, jobs = ["Reference not found"], []
    elif dry_run and config is not None:
        context = await with_paths(_at(linted, context.ref), context, config.rules)
        plan = await compute(linted.actor, lambda: evaluate(config, context))
        problems, jobs = plan.errors, plan.jobs
    merged = await compute(linted.actor, lambda: _merged_text(compiled))
    return LintResult(
        compiled=compiled, merged_text=merged, jobs=jobs, plan_errors=problems,
        project_path=linted.project.full_path, sha=linted.found.id if linted.found else None,
    )  # fmt: skip


def _at(linted: LintedProject, ref: str) -> LintedProject:
    """The project at another ref."""
    found = linted.found and commits.find(linted.found.code, ref)
    return msgspec.structs.replace(linted, found=found)


async def find_linted(services: Services, actor: Actor, id: Ref, ref: str, *, to: Rule) -> tuple[LintedProject, str]:
    """The project at this ref, and the path of its CI file; 404 if the ref is given and does not exist."""
    async with services.database.reading() as tx:
        project, (path,), _ = await find_project_with(tx, actor, id, "p.ci_config_path", (), to=to)
    code = await commits.code_of(services, project)
    found = commits.find(code, ref or None) if ref or project.default_branch else None
    return LintedProject(services, actor, project, found), path or DEFAULT_PATH


async def _context(linted: LintedProject, ref: str | None) -> PipelineContext | None:
    """What a push of the ref would make a pipeline for; None if there is no such branch or tag."""
    found = linted.found
    name = ref or linted.project.default_branch
    if found is None or name is None or not commits.is_name(found.code, name, as_id=False):
        return None
    at = commits.find(found.code, name)
    tag = not commits.is_branch(found.code, name)
    services, project, actor = linted.services, linted.project, linted.actor
    async with services.database.reading() as tx:
        protected = (await load_protections(tx, actor, project)).covers(name, tag=tag)
        facts = VariablePipeline(ref=name, tag=tag, sha=at.id, source="push", protected=protected)
        variables = await pipeline_variables_context(
            tx, services, project.id, facts, user_id=actor.id or None, message=commits.show(at).message
        )
    # A condition that asks for a stored variable would tell its value to users who may not see it.
    public = {variable.key: variable.value for variable in variables if variable.public}
    return PipelineContext(ref=name, tag=tag, project_path=project.full_path, variables=public)
