"""Creating pipelines: one function for every source, and what a new pipeline does to older ones."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal

import msgspec

from mujina.adapters.git import refs as git_refs
from mujina.adapters.git.reading import counting
from mujina.ci.config_files.operations import DEFAULT_PATH, LintedProject
from mujina.ci.jobs import operations as jobs
from mujina.ci.jobs.processing import process
from mujina.ci.jobs.storing import store_jobs
from mujina.ci.language.context import PipelineContext
from mujina.ci.pipelines.planning import PlannedPipeline, asks_to_skip, plan
from mujina.ci.pipelines.rules import FoundPipeline, RefProtections, load_protections
from mujina.ci.variables.job_variables import PIPELINE_VALUE, pipeline_variables_context
from mujina.ci.variables.operations import MAX_VALUE_LENGTH
from mujina.ci.variables.predefined import VariablePipeline
from mujina.ci.variables.values import JobVariable, effective, masked_keys
from mujina.code.commits import operations as commits
from mujina.code.pipelines import operations as pipelines
from mujina.code.pushes.changes import BRANCHES, TAGS
from mujina.kernel import errors
from mujina.kernel.db.rows import insert_each
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.events import record
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import admin
from mujina.kernel.secrets import Vault
from mujina.kernel.services import Services
from mujina.review.versions.operations import KEPT
from mujina.workspaces.members.access import developer
from mujina.workspaces.projects.rules import ProjectRow, archived, find_project_with

DISABLED: Final = "Pipelines are disabled!"
PROTECTED_REF: Final = "Insufficient permissions for protected ref '{}'"
NO_PERMISSION: Final = "Insufficient permissions to create a new pipeline"
NO_REF: Final = "Reference not found"
NO_COMMIT: Final = "Commit not found"
NO_FILE: Final = "Missing {} file"
MAX_VARIABLES: Final = 1_000
_KEY: Final = re.compile(r"[A-Za-z0-9_]{1,255}")
_KINDS: Final = ("env_var", "file")


Source = Literal["push", "web", "api", "trigger", "pipeline", "schedule", "merge_request_event"]
_KEPT_WITH_ERRORS: Final = ("push", "merge_request_event")
"""The sources whose callers expect no answer: a pipeline of an invalid file is kept, and has failed."""


class PipelineVariable(msgspec.Struct, frozen=True):
    """A variable that a pipeline is started with."""

    key: str
    value: str
    variable_type: str = "env_var"


def to_variables(given: Sequence[Mapping[str, str]]) -> list[PipelineVariable]:
    """The variables of a request; 400 if a key is no name or occurs twice."""
    keys = [variable["key"] for variable in given]
    problems = []
    if any(_KEY.fullmatch(key) is None for key in keys):
        problems.append("Variables key can contain only letters, digits and '_'.")
    if len(set(keys)) < len(keys):
        problems.append("Variables have duplicate values")
    if len(keys) > MAX_VARIABLES or any(each.get("variable_type", "env_var") not in _KINDS for each in given):
        problems.append("Variables is invalid")
    if any(len(each.get("value", "")) > MAX_VALUE_LENGTH for each in given):
        problems.append(f"Variables value is too long (maximum is {MAX_VALUE_LENGTH} characters)")
    if problems:
        raise errors.invalid({"base": problems})
    return [PipelineVariable(v["key"], v.get("value", ""), v.get("variable_type", "env_var")) for v in given]


class NewPipeline(msgspec.Struct, frozen=True, kw_only=True):
    """What a pipeline is made for."""

    source: Source
    ref: str
    """The name of a branch or tag."""
    tag: bool | None = None
    """None: the branch of this name if there is one, else the tag."""
    sha: str | None = None
    """None: the commit that the ref points to."""
    before_sha: str | None = None
    since: str | None = None
    """The commit with which `changes` compares, if it is another than `before_sha`."""
    merge_request_id: int | None = None
    """The merge request that the pipeline is for, with the source `merge_request_event`."""
    variables: Sequence[PipelineVariable] = ()
    columns: Mapping[str, Value] = {}
    """Further columns of the pipeline, such as the push or the schedule that makes it."""


class _Target(msgspec.Struct, frozen=True):
    """Where the pipeline is made, after the rights were checked."""

    linted: LintedProject
    path: str
    tag: bool
    protected: bool
    auto_cancel: bool


async def create_pipeline(services: Services, actor: Actor, project_id: int, new: NewPipeline) -> int:
    """Make a pipeline as the actor, and start its first jobs: the id. `Invalid`, on `base`, if there is none to make.

    A push of an invalid file makes a pipeline that has failed; one that asks to be skipped makes one without jobs.
    The pipeline, its jobs and its variables are written in one transaction, with the events that announce them.
    """
    target = await _find_target(services, actor, project_id, new)
    linted = target.linted
    assert linted.found is not None
    message = commits.show(linted.found).message
    variables = await _variables(target, new, linted.found.id, message)
    context = PipelineContext(
        ref=new.ref, tag=target.tag, source=new.source, project_path=linted.project.full_path,
        variables=effective(variables), masked=masked_keys(variables),
    )  # fmt: skip
    planned = await plan(linted, target.path, context)
    _check(planned, new.source, target.path)
    if new.source == "push" and planned.invalid is None and asks_to_skip(message):
        planned = PlannedPipeline(name=planned.name)
    await git_refs.set_refs(linted.found.code.repo_path, {KEPT + linted.found.id: linted.found.id})
    async with services.database.transaction() as tx:
        return await _store(tx, services.vault, target, new, planned)


async def existing_refs(services: Services, project: ProjectRow, scope: str) -> list[str] | None:
    """The names of the branches or of the tags that exist; None for other scopes."""
    folder = {"branches": BRANCHES, "tags": TAGS}.get(scope)
    if folder is None:
        return None
    code = await commits.code_of(services, project)
    return [ref.removeprefix(folder) for ref in await git_refs.read_below(code.repo_path, folder)]


async def delete_pipeline(tx: Tx, actor: Actor, pipeline: FoundPipeline) -> None:
    """Delete a pipeline with its jobs. What follows from the event still finds their rows."""
    await record(
        tx, "pipeline.deleted", actor, subject_id=pipeline.id, project_id=pipeline.project_id,
        changes={"ref": pipeline.ref, "sha": pipeline.sha, "status": pipeline.status},
    )  # fmt: skip
    await pipelines.delete(tx, pipeline.id)


async def _find_target(services: Services, actor: Actor, project_id: int, new: NewPipeline) -> _Target:
    """Checks in their order what has to hold before the file is read."""
    async with services.database.reading() as tx:
        project, (enabled, path, auto_cancel), [allowed] = await find_project_with(
            tx, actor, Ref.of(project_id), "p.jobs_enabled, p.ci_config_path, p.auto_cancel_pending_pipelines",
            ((developer | admin) & ~archived,),
        )  # fmt: skip
        known = await load_protections(tx, actor, project)
    code = await commits.code_of(services, project)
    tag = new.tag if new.tag is not None else not commits.is_branch(code, new.ref)
    _check_rights(new, known, enabled=bool(enabled), allowed=allowed, tag=tag)
    if "\0" in new.ref or not commits.is_name(code, new.ref, as_id=False):
        raise _refused(NO_REF)
    sha = new.sha or counting.tip_of(code.repository, (TAGS if tag else BRANCHES) + new.ref)
    if sha is None or not commits.exists(code, sha):
        raise _refused(NO_COMMIT)
    linted = LintedProject(services, actor, project, commits.find(code, sha), new.since or new.before_sha)
    return _Target(linted, path or DEFAULT_PATH, tag, known.covers(new.ref, tag=tag), auto_cancel == "enabled")


async def _variables(target: _Target, new: NewPipeline, sha: str, message: str) -> list[JobVariable]:
    """The variables that conditions of the CI file may ask for."""
    services, actor, project = target.linted.services, target.linted.actor, target.linted.project
    facts = VariablePipeline(
        ref=new.ref, tag=target.tag, sha=sha, source=new.source, protected=target.protected, before_sha=new.before_sha,
        merge_request_id=new.merge_request_id,
    )  # fmt: skip
    given = {variable.key: variable.value for variable in new.variables}
    async with services.database.reading() as tx:
        return await pipeline_variables_context(
            tx, services, project.id, facts, user_id=actor.id or None, message=message, given=given
        )


def _check_rights(new: NewPipeline, known: RefProtections, *, enabled: bool, allowed: bool, tag: bool) -> None:
    if not enabled:
        raise _refused(DISABLED)
    # A merge moves a protected branch for users who may not push to it.
    if not known.allow(new.ref, tag=tag, merging=new.source == "push"):
        raise _refused(PROTECTED_REF.format(new.ref))
    if not allowed:
        raise _refused(NO_PERMISSION)


def _check(planned: PlannedPipeline, source: Source, path: str) -> None:
    if planned.missing:
        raise _refused(NO_FILE.format(path))
    if planned.invalid is not None and source not in _KEPT_WITH_ERRORS:
        raise _refused(planned.invalid)
    if planned.refused is not None:
        raise _refused(planned.refused)


def _refused(sentence: str) -> errors.Invalid:
    return errors.invalid({"base": [sentence]})


async def _store(tx: Tx, vault: Vault, target: _Target, new: NewPipeline, planned: PlannedPipeline) -> int:
    project, actor, found = target.linted.project, target.linted.actor, target.linted.found
    assert found is not None
    pipeline_id = await pipelines.create(
        tx, project_id=project.id, ref=new.ref, tag=target.tag, sha=found.id, before_sha=new.before_sha,
        source=new.source, protected=target.protected, user_id=actor.id or None, name=planned.name,
        auto_cancel=planned.auto_cancel, yaml_errors=planned.invalid, merge_request_id=new.merge_request_id, **new.columns,
    )  # fmt: skip
    await insert_each(
        tx, "pipeline_variables",
        [{"pipeline_id": pipeline_id, "key": variable.key, "value": vault.encrypt(variable.value, PIPELINE_VALUE),
          "variable_type": variable.variable_type} for variable in new.variables],
    )  # fmt: skip
    if planned.invalid is not None:
        await pipelines.fail(tx, actor, pipeline_id)
        return pipeline_id
    await store_jobs(tx, actor, project.id, pipeline_id, planned.stages, planned.jobs, protected=target.protected)
    pipeline = await pipelines.lock(tx, pipeline_id)
    assert pipeline is not None
    await process(tx, actor, pipeline)
    if target.auto_cancel:
        await _cancel_older(tx, target, pipeline_id, new, found.id)
    return pipeline_id


async def _cancel_older(tx: Tx, target: _Target, pipeline_id: int, new: NewPipeline, sha: str) -> None:
    """Cancel the pipelines of other commits of the branch or tag that no runner has begun, or whose begun jobs allow it.

    The CI file of a pipeline may say that it stays (`none`), or loses only the jobs that allow it (`interruptible`).
    """
    older = await tx.rows(
        tuple[int, bool],
        """
        SELECT pl.id, coalesce(pl.auto_cancel = 'interruptible', FALSE) FROM pipelines pl
        WHERE pl.project_id = :project_id AND pl.ref = :ref AND pl.tag = :tag AND pl.id < :id AND pl.sha <> :sha
        AND pl.source <> 'external' AND (pl.source = 'merge_request_event') = (:source = 'merge_request_event')
        AND pl.status IN ('created', 'pending', 'running', 'scheduled') AND coalesce(pl.auto_cancel, '') <> 'none'
        AND (pl.auto_cancel = 'interruptible' OR NOT EXISTS (
            SELECT 1 FROM pipeline_jobs j
            WHERE j.pipeline_id = pl.id AND j.started_at IS NOT NULL AND NOT j.interruptible))
        ORDER BY pl.id
        """,
        project_id=target.linted.project.id, ref=new.ref, tag=target.tag, id=pipeline_id, sha=sha, source=new.source,
    )  # fmt: skip
    for each, interruptible in older:
        await jobs.cancel_pipeline(tx, target.linted.actor, each, interruptible=interruptible)
