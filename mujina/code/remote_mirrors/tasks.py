"""Pushing to mirrors."""

from datetime import timedelta
from typing import Final

from mujina.adapters.git import git
from mujina.adapters.git import refs as git_refs
from mujina.adapters.git.transport import copying
from mujina.adapters.outbound.dial import HostUnreachable
from mujina.adapters.outbound.guard import OutboundForbidden
from mujina.code.imports.operations import explain, mail_failure
from mujina.code.pushes.changes import BRANCHES, TAGS
from mujina.code.pushes.repo_paths import repo_path_to_read
from mujina.code.remote_mirrors.operations import PUSH, MirrorFacts, find_remote, plan_push
from mujina.code.remote_mirrors.rules import MirrorRow, enabled_mirrors
from mujina.kernel import clock
from mujina.kernel.db.rows import update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.monitoring.logs import log
from mujina.kernel.secrets import UnreadableSecret
from mujina.kernel.storage.errors import StorageMissing
from mujina.workspaces.projects.removing.deleted_meanwhile import of_project

MAX_NAMED: Final = 10
"""Refs that an error lists."""


class _Failed(Exception):
    """The push to a mirror did not work, for this reason."""


@task(PUSH, limit=timedelta(hours=2), long=True)
@of_project
async def push_to_mirrors(run: Run, project_id: int) -> None:
    """Every enabled mirror of the project has its refs, or says why not; a run after a crash has the same result."""
    async with run.database.reading() as tx:
        mirrors = await enabled_mirrors(tx, project_id)
        facts = await _read_facts(tx, project_id)
    if facts is None:
        return
    for mirror in mirrors:
        async with run.database.transaction() as tx:
            started = {"update_status": "started", "last_update_started_at": clock.now()}
            await update(tx, "remote_mirrors", started, id=mirror.id)
        error = None
        try:
            await _push(run, mirror, facts)
        except _Failed as failed:
            error = str(failed)
        async with run.database.transaction() as tx:
            await _end(tx, mirror, error)


@task("remote_mirrors.retry", every=timedelta(minutes=30))
async def retry_failed_mirrors(run: Run, key: str) -> None:  # noqa: ARG001 - a scheduled task has no key
    """Enqueue a push to every mirror whose last one failed."""
    async with run.database.transaction() as tx:
        failed = await tx.rows(
            tuple[int, int | None],
            """SELECT rm.project_id, min(rm.user_id) FROM remote_mirrors rm WHERE rm.update_status = 'failed' AND rm.enabled
               GROUP BY rm.project_id ORDER BY rm.project_id""",
        )
        for project_id, user_id in failed:
            await enqueue(tx, PUSH, project_id, owner_id=user_id)


async def _read_facts(tx: Tx, project_id: int) -> MirrorFacts | None:
    """None if the project is gone."""
    found = await tx.row(
        tuple[str, str | None],
        "SELECT p.repository_storage, p.default_branch FROM projects p WHERE p.id = :id AND p.deleted_at IS NULL",
        id=project_id,
    )
    protected: list[str] = await tx.values(
        "SELECT b.name FROM protected_branches b WHERE b.project_id = :id", id=project_id
    )
    return found and MirrorFacts(*found, protected)


async def _push(run: Run, mirror: MirrorRow, facts: MirrorFacts) -> None:
    """`_Failed` with a sentence for users if the other server does not have all refs now."""
    try:
        remote = await find_remote(run.services, mirror)
        repo_path = await repo_path_to_read(run.services, facts.storage, mirror.project_id)
        local = await git_refs.read_below(repo_path, BRANCHES, TAGS)
        refspecs, diverged = await plan_push(repo_path, mirror, local, await copying.remote_refs(remote), facts)
        await copying.push(repo_path, remote, refspecs)
    except OutboundForbidden:
        raise _Failed("Mirrors may not push to this address") from None
    except HostUnreachable:
        raise _Failed("The host could not be reached") from None
    except UnreadableSecret:
        raise _Failed("The address or the key cannot be decrypted: create the mirror again") from None
    except StorageMissing as missing:
        raise _Failed(missing.sentence) from None
    except git.GitCommandError as failure:
        log.warning("push to a mirror failed", mirror=mirror.id, command=failure.command, code=failure.code)
        raise _Failed(explain(failure, "The other server did not accept the push")) from None
    if diverged:
        more = ", …" if len(diverged) > MAX_NAMED else ""
        raise _Failed(f"Some refs have diverged and were left alone: {', '.join(diverged[:MAX_NAMED])}{more}")


async def _end(tx: Tx, mirror: MirrorRow, error: str | None) -> None:
    """Store the outcome; who created the mirror is mailed when it begins to fail."""
    now = clock.now()
    columns = {"update_status": "failed" if error else "finished", "last_update_at": now, "last_error": error}
    if error is None:
        columns["last_successful_update_at"] = now
    await update(tx, "remote_mirrors", columns, id=mirror.id)
    if error is not None and mirror.last_error is None:
        await mail_failure(tx, mirror.user_id)
