"""Checking CI files: the text, the files that it includes, and the pipeline that it would make."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

import msgspec

from mujina.ci.language.compiler import ParsedFile, compile_config, parse_file
from mujina.ci.language.config import CompiledConfig, Config, JobConfig
from mujina.ci.language.context import PipelineContext
from mujina.ci.language.evaluation import evaluate
from mujina.ci.language.includes import IncludedFile
from mujina.ci.language.patterns.globs import PathMatcher
from mujina.ci.language.yaml.merged_text import merged_text
from mujina.ci.language.yaml.values import MAX_BYTES
from mujina.code.commits import operations as commits
from mujina.code.commits.operations import ResolvedCommit
from mujina.code.files import operations as files
from mujina.kernel import errors
from mujina.kernel.concurrency.priority import give_way
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Rule
from mujina.kernel.services import Services
from mujina.workspaces.projects.rules import ProjectRow, find_project_with

DEFAULT_PATH: Final = ".gitlab-ci.yml"
MAX_PATHS: Final = 100_000
"""Files of a commit that `exists` is asked about."""

_thread: Final = ThreadPoolExecutor(
    1, thread_name_prefix="ci-lint", initializer=lambda: give_way(threading.get_native_id())
)
"""A large file takes a second: one at a time, and requests of others come first."""


Result = TypeVar("Result")


async def compute(work: Callable[[], Result]) -> Result:
    """Run work on a CI file beside the event loop."""
    return await asyncio.get_running_loop().run_in_executor(_thread, work)


class LintedProject(msgspec.Struct, frozen=True):
    """The project whose CI file is checked, and the commit whose files it includes."""

    services: Services
    actor: Actor
    project: ProjectRow
    found: ResolvedCommit | None
    """None if the repository is empty."""


class LintResult(msgspec.Struct, frozen=True, kw_only=True):
    compiled: CompiledConfig
    merged_text: str | None
    jobs: list[JobConfig]
    """Those of the file, or with a dry run those of the pipeline."""
    plan_errors: list[str]
    includes: list[IncludedFile]
    project_path: str
    sha: str | None


def to_bytes(content: str) -> bytes:
    """The text of a request; 413 if it is longer than a CI file may be."""
    encoded = content.encode()
    if len(encoded) > MAX_BYTES:
        raise errors.too_large()
    return encoded


async def lint(content: bytes) -> tuple[CompiledConfig, str | None]:
    """Check a text that belongs to no project: it can include nothing. The second value is the merged text."""

    def check() -> tuple[CompiledConfig, str | None]:
        compiled = compile_config(parse_file(content))
        return compiled, _merged_text(compiled)

    return await compute(check)


def _merged_text(compiled: CompiledConfig) -> str | None:
    return None if compiled.merged is None else merged_text(compiled.merged)


async def lint_for_project(linted: LintedProject, content: bytes, *, dry_run: bool, ref: str | None) -> LintResult:
    """Check a text as the CI file of the project; with `dry_run`, also plan the pipeline that a push of `ref` would make."""
    parsed, compiled = await compile_for_project(linted, content)
    jobs = compiled.config.jobs if compiled.config else []
    problems: list[str] = []
    if dry_run and compiled.config is not None:
        plan_context = await _context(linted, compiled.config, ref)
        if plan_context is None:
            problems, jobs = ["Reference not found"], []
        else:
            config = compiled.config
            plan = await compute(lambda: evaluate(config, plan_context))
            problems, jobs = plan.errors, plan.jobs
    merged = await compute(lambda: _merged_text(compiled))
    return LintResult(
        compiled=compiled, merged_text=merged, jobs=jobs, plan_errors=problems, includes=_shown_includes(parsed, compiled),
        project_path=linted.project.full_path, sha=linted.found.id if linted.found else None,
    )  # fmt: skip


async def compile_for_project(linted: LintedProject, content: bytes) -> tuple[ParsedFile, CompiledConfig]:
    """The CI file of the project with the files that it includes, as far as the actor may read them."""
    parsed = await compute(lambda: parse_file(content))
    included = {file: await _read_included(linted, file) for file in parsed.includes}
    return parsed, await compute(lambda: compile_config(parsed, included.get))


def _shown_includes(parsed: ParsedFile, compiled: CompiledConfig) -> list[IncludedFile]:
    """The files that were read; none if one of them could not be."""
    return parsed.includes if compiled.merged is not None else []


async def find_linted(services: Services, actor: Actor, id: Ref, ref: str, *, to: Rule) -> tuple[LintedProject, str]:
    """The project at this ref, and the path of its CI file; 404 if the ref is given and does not exist."""
    async with services.database.reading() as tx:
        project, (path,), _ = await find_project_with(tx, actor, id, "p.ci_config_path", (), to=to)
    code = await commits.code_of(services, project)
    found = commits.find(code, ref or None) if ref or project.default_branch else None
    return LintedProject(services, actor, project, found), path or DEFAULT_PATH


def read_file(found: ResolvedCommit, path: str) -> bytes:
    """The CI file at this path of the commit; empty if there is none. 413 if it is larger than a CI file may be."""
    try:
        blob = files.blob(found, path)
    except errors.NotFound:
        return b""
    if blob.data is None or len(blob.data) > MAX_BYTES:
        raise errors.too_large()
    return blob.data


async def _read_included(linted: LintedProject, file: IncludedFile) -> bytes | None:
    """The file, if it exists, is small enough and the actor may read it."""
    try:
        found = await _commit_of(linted, file)
        blob = None if found is None else files.blob(found, file.location.lstrip("/"))
    except (errors.NotFound, errors.Forbidden, errors.BadRequest):
        return None
    return None if blob is None or blob.data is None or len(blob.data) > MAX_BYTES else blob.data


async def _commit_of(linted: LintedProject, file: IncludedFile) -> ResolvedCommit | None:
    """The commit that the included file is part of."""
    if file.kind == "local":
        return linted.found
    if file.kind != "file" or "\0" in file.project + file.ref:
        return None
    _, code = await commits.find_code(linted.services, linted.actor, Ref(file.project))
    return commits.find(code, file.ref or None)


async def _context(linted: LintedProject, config: Config, ref: str | None) -> PipelineContext | None:
    """What a push of the ref would make a pipeline for; None if there is no such branch or tag."""
    found = linted.found
    name = ref or linted.project.default_branch
    if found is None or name is None or not commits.is_name(found.code, name, as_id=False):
        return None
    at = commits.find(found.code, name)
    tag = not commits.is_branch(found.code, name)
    variables = {
        "CI": "true", "GITLAB_CI": "true", "CI_PIPELINE_SOURCE": "push", "CI_COMMIT_SHA": at.id,
        "CI_COMMIT_REF_NAME": name, "CI_PROJECT_PATH": linted.project.full_path,
        "CI_DEFAULT_BRANCH": linted.project.default_branch or "", "CI_COMMIT_TAG" if tag else "CI_COMMIT_BRANCH": name,
    }  # fmt: skip
    return PipelineContext(
        ref=name, tag=tag, project_path=linted.project.full_path, variables=variables,
        files=await read_paths(at) if asks_for_paths(config) else None,
    )  # fmt: skip


def asks_for_paths(config: Config) -> bool:
    """Whether a rule asks which files the commit has."""
    rules = [*(config.workflow.rules or []), *(rule for job in config.jobs for rule in job.rules or [])]
    return any(rule.exists is not None for rule in rules)


async def read_paths(found: ResolvedCommit) -> PathMatcher:
    """The files of the commit."""
    entries, _ = await files.tree(found, "", recursive=True, offset=0, limit=MAX_PATHS)
    return PathMatcher([entry.path for entry in entries if entry.type == "blob"])
