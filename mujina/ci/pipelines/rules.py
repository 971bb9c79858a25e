"""The rules of pipelines and their jobs, and the only ways to find one."""

from typing import Annotated

import msgspec

from mujina.code.pipelines.rules import READ_JOBS, READ_PIPELINES, WRITE_PIPELINES
from mujina.code.protected_branches.rules import Protection, may_push_under, protections
from mujina.code.protected_tags.rules import TagProtection, may_create, tag_protections
from mujina.kernel import errors
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Rule, admin
from mujina.workspaces.members.access import developer
from mujina.workspaces.projects.rules import OWN_PROJECT, ProjectRow, archived, find_project

READ_PIPELINE_VARIABLES = READ_JOBS & (developer | admin)
"""They may be those of a schedule: the actor must also be able to push to the ref, where jobs could print them."""
DELETE_PIPELINE = READ_JOBS & OWN_PROJECT & ~archived


class RefProtections(msgspec.Struct, frozen=True):
    """The protections of a project, as they are for one actor."""

    branches: list[Protection]
    tags: list[TagProtection]

    def covers(self, ref: str, *, tag: bool) -> bool:
        """Whether the branch or tag is protected."""
        return any(each.covers(ref) for each in (self.tags if tag else self.branches))

    def allow(self, ref: str, *, tag: bool, merging: bool = False) -> bool:
        """Whether the actor may push to the branch or create the tag; `merging`: or merge into the branch."""
        return may_create(self.tags, ref) if tag else may_push_under(self.branches, ref, merging=merging)


async def load_protections(tx: Tx, actor: Actor, project: ProjectRow) -> RefProtections:
    """The protections of the branches and tags of the project."""
    branches = await protections(tx, actor, project.id, project.level)
    return RefProtections(branches, await tag_protections(tx, actor, project.id, project.level))


class FoundPipeline(Row, alias="pl"):
    """A pipeline that a client names."""

    id: int
    project_id: int
    ref: str
    tag: bool
    sha: str
    status: str
    updated_at: str


class FoundJob(Row, alias="j"):
    """A job that a client names, with its pipeline (`pl`)."""

    id: int
    project_id: int
    name: str
    status: str
    retried: bool
    user_id: int | None
    ref: Annotated[str, "pl.ref"]
    tag: Annotated[bool, "pl.tag"]


async def find_pipeline(
    tx: Tx, actor: Actor, id: Ref, pipeline_id: int, *, to: Rule = READ_PIPELINES
) -> tuple[ProjectRow, FoundPipeline]:
    """The pipeline of the project, if the actor may do this with it.

    To write, and to read its variables, they must be able to push to its ref.
    """
    project = await find_project(tx, actor, id, to=to)
    selection = Selection(
        "pipelines pl", "pl.id = :id AND pl.project_id = :project_id", id=pipeline_id, project_id=project.id
    )
    pipeline = await find_row(tx, FoundPipeline, selection, "Pipeline")
    if to in (WRITE_PIPELINES, READ_PIPELINE_VARIABLES) and not await may_push(
        tx, actor, project, pipeline.ref, tag=pipeline.tag
    ):
        raise errors.forbidden()
    return project, pipeline


async def find_job(tx: Tx, actor: Actor, id: Ref, job_id: int, *, to: Rule = READ_JOBS) -> tuple[ProjectRow, FoundJob]:
    """The job of the project, if the actor may do this with it; to write they must be able to push to its ref."""
    project = await find_project(tx, actor, id, to=to)
    selection = Selection(
        "pipeline_jobs j JOIN pipelines pl ON pl.id = j.pipeline_id",
        "j.id = :id AND j.project_id = :project_id",
        id=job_id,
        project_id=project.id,
    )
    job = await find_row(tx, FoundJob, selection, "Job")
    if to is WRITE_PIPELINES and not await may_push(tx, actor, project, job.ref, tag=job.tag):
        raise errors.forbidden()
    return project, job


async def may_push(tx: Tx, actor: Actor, project: ProjectRow, ref: str, *, tag: bool) -> bool:
    """Whether the protections of the project let the actor push to the branch of a pipeline, or create its tag."""
    return (await load_protections(tx, actor, project)).allow(ref, tag=tag)
