"""Pipelines that follow from pushes."""

import contextlib
import logging
from typing import Final

from mujina.accounts.users.rules import find_active_actor
from mujina.ci.pipelines.merge_requests import find_built_request
from mujina.ci.pipelines.operations import NewPipeline, create_pipeline
from mujina.code.pushes.changes import BRANCHES, TAGS, ZERO, Change
from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs.tasks import Run, task

MAX_REFS: Final = 50
"""Refs of one push that get a pipeline."""


class RecordedPush(Row, alias="o"):
    """A push whose refs have moved."""

    id: int
    project_id: int
    actor_id: int


@task("pipelines.create_after_push")
async def create_after_push(run: Run, key: str) -> None:
    """Make a pipeline for each branch and tag that the push created or moved, as the user who pushed.

    A push that is handled again makes only what is missing. A push by a deploy key belongs to no user, and makes none.
    """
    async with run.database.reading() as tx:
        push = await _find_push(tx, int(key))
        actor = None if push is None else await find_active_actor(tx, push.actor_id)
        changes = [] if push is None or actor is None else await _changes_without_pipelines(tx, push)
    if push is None or actor is None:
        return
    if len(changes) > MAX_REFS:
        logging.getLogger(__name__).warning(
            "push %s moved %s refs: only %s get a pipeline", key, len(changes), MAX_REFS
        )
    for change in changes[:MAX_REFS]:
        new = NewPipeline(
            source="push", ref=change.branch or change.tag or "", tag=change.branch is None, sha=change.new,
            before_sha=change.old, columns={"push_id": push.id},
        )  # fmt: skip
        try:
            await create_pipeline(run.services, actor, push.project_id, new)
        except (errors.Invalid, errors.NotFound, errors.TooLarge):
            continue  # there is nothing to make, and no one to notify


@task("pipelines.create_for_merge_request")
async def create_for_merge_request(run: Run, key: str) -> None:
    """Make the pipeline of the head of a merge request, unless it has one or its CI file has no jobs for requests."""
    async with run.database.reading() as tx:
        request = await find_built_request(tx, int(key))
        actor = await find_active_actor(tx, run.owner_id)
    if request is None or request.built or actor is None:
        return
    with contextlib.suppress(errors.Invalid, errors.NotFound, errors.TooLarge):
        await create_pipeline(run.services, actor, request.source_project_id, request.pipeline)


async def _find_push(tx: Tx, push_id: int) -> RecordedPush | None:
    return await tx.row(
        RecordedPush,
        f"""SELECT {RecordedPush.columns} FROM pushes o
            WHERE o.id = :id AND o.recorded_at IS NOT NULL AND o.actor_id IS NOT NULL AND o.protocol <> 'mirror'""",
        id=push_id,
    )


async def _changes_without_pipelines(tx: Tx, push: RecordedPush) -> list[Change]:
    made = set(
        await tx.rows(tuple[str, bool], "SELECT pl.ref, pl.tag FROM pipelines pl WHERE pl.push_id = :id", id=push.id)
    )
    changes = await tx.rows(
        Change,
        "SELECT c.ref, c.old_id, c.new_id FROM push_refs c WHERE c.push_id = :id AND c.new_id <> :zero ORDER BY c.ref",
        id=push.id,
        zero=ZERO,
    )
    return [
        change
        for change in changes
        if change.ref.startswith((BRANCHES, TAGS)) and (change.branch or change.tag, change.branch is None) not in made
    ]
