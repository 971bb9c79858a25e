"""Registering, creating, editing and removing runners. A token is shown once; only its digest is stored."""

from datetime import timedelta
from typing import Any

import msgspec

from mujina.ci.runners.params import RunnerChange, RunnerInfo
from mujina.ci.runners.rules import CONTACT_MINUTES, RUNNER_PREFIX, RunnerRow
from mujina.kernel import clock, errors, secrets
from mujina.kernel.db.rows import changed_columns, insert, insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import ANONYMOUS, Actor
from mujina.kernel.services import Services
from mujina.workspaces.owners.rules import OwnerOrInstance

MIN_TIMEOUT = 600
MAX_LENGTHS = {"description": 1024, "maintenance_note": 1024}
MAX_TAG_LENGTH = 255
MAX_INFO_LENGTH = 255
NO_WORK = "can not be empty when runner is not allowed to pick untagged jobs"


class IssuedRunner(msgspec.Struct):
    """A runner that is registered, with the token that it authenticates with from now on."""

    id: int
    token: str
    token_expires_at: str | None = None


async def register(tx: Tx, owner: OwnerOrInstance, change: RunnerChange, info: dict[str, Any]) -> IssuedRunner:
    """A runner that came with a registration token."""
    return await _create(tx, ANONYMOUS, owner, change, secrets.new_token(), info)


async def create(tx: Tx, actor: Actor, owner: OwnerOrInstance, change: RunnerChange) -> IssuedRunner:
    """A runner whose program is not started yet. The prefix of the token tells the program that it is registered."""
    return await _create(tx, actor, owner, change, f"{RUNNER_PREFIX}{secrets.new_token()}", {})


async def _create(
    tx: Tx, actor: Actor, owner: OwnerOrInstance, change: RunnerChange, token: str, info: dict[str, Any]
) -> IssuedRunner:
    settings = _columns(change)
    _check(settings, settings.get("tag_list", ""), settings.get("run_untagged", True))
    runner_id: int = await insert_id(
        tx, "runners", runner_type=f"{owner.kind}_type", group_id=owner.group_id, creator_id=actor.id or None,
        token_digest=secrets.digest(token), **settings, **info, **timestamps(),
    )  # fmt: skip
    if owner.project_id is not None:
        await _assign(tx, runner_id, owner.project_id)
    changes = {name: (None, value) for name, value in settings.items()}
    await record(tx, "runner.created", actor, subject_id=runner_id, changes=changes, **owner.bound)
    return IssuedRunner(runner_id, token)


async def edit(tx: Tx, actor: Actor, runner: RunnerRow, change: RunnerChange) -> None:
    """Apply the change to a runner found with `lock`. The next request for a job follows it."""
    settings = _columns(change)
    _check(settings, settings.get("tag_list", runner.tag_list), settings.get("run_untagged", runner.run_untagged))
    changes = changed_columns(runner, settings)
    if changes:
        await update(tx, "runners", {**settings, "updated_at": clock.now()}, id=runner.id)
        await record(tx, "runner.updated", actor, subject_id=runner.id, group_id=runner.group_id, changes=changes)


async def remove(tx: Tx, actor: Actor, runner: RunnerRow) -> None:
    """The token authenticates nothing from the next request on; jobs that it executed stay."""
    await tx.run("DELETE FROM runners WHERE id = :id", id=runner.id)
    changes = {"description": (runner.description, None)}
    await record(tx, "runner.deleted", actor, subject_id=runner.id, group_id=runner.group_id, changes=changes)


async def reset_token(tx: Tx, actor: Actor, runner: RunnerRow) -> IssuedRunner:
    """A new token for the runner; the former one fails from the next request on."""
    token = f"{RUNNER_PREFIX}{secrets.new_token()}"
    await update(tx, "runners", {"token_digest": secrets.digest(token)}, id=runner.id)
    await record(tx, "runner.token_reset", actor, subject_id=runner.id, group_id=runner.group_id)
    return IssuedRunner(runner.id, token)


async def assign(tx: Tx, actor: Actor, runner: RunnerRow, project_id: int) -> None:
    """The runner takes jobs of this project as well; 409 if it does already."""
    if not await _assign(tx, runner.id, project_id):
        raise errors.conflict("Runner was already enabled for this project")
    await record(tx, "runner.assigned", actor, subject_id=runner.id, project_id=project_id)


async def unassign(tx: Tx, actor: Actor, runner_id: int, project_id: int) -> None:
    """The runner takes no further job of this project; 404 if it takes none, 403 if it works for no other."""
    await tx.value("SELECT rn.id FROM runners rn WHERE rn.id = :id FOR UPDATE", id=runner_id)
    projects = await tx.values(
        """SELECT rp.project_id FROM runner_projects rp JOIN projects p ON p.id = rp.project_id
           WHERE rp.runner_id = :id AND p.deleted_at IS NULL""",
        id=runner_id,
    )
    if project_id not in projects:
        raise errors.not_found("Runner")
    if len(projects) == 1:
        raise errors.forbidden("Only one project associated with the runner. Please remove the runner instead")
    await tx.run(
        "DELETE FROM runner_projects WHERE runner_id = :runner_id AND project_id = :project_id",
        runner_id=runner_id,
        project_id=project_id,
    )
    await record(tx, "runner.unassigned", actor, subject_id=runner_id, project_id=project_id)


async def _assign(tx: Tx, runner_id: int, project_id: int) -> bool:
    return await insert(
        tx, "runner_projects", "ON CONFLICT DO NOTHING", runner_id=runner_id, project_id=project_id,
        created_at=clock.now(),
    ) == 1  # fmt: skip


async def record_contact(services: Services, runner: RunnerRow, info: RunnerInfo, address: str) -> None:
    """Store that the runner asked and what it says about itself, rarely: most requests write nothing."""
    stale = clock.later(-timedelta(minutes=CONTACT_MINUTES))
    if runner.contacted_at is not None and runner.contacted_at > stale:
        return
    async with services.database.transaction() as tx:
        await update(tx, "runners", {**info_columns(info, address), "contacted_at": clock.now()}, id=runner.id)


def info_columns(info: RunnerInfo, address: str) -> dict[str, str | None]:
    """What a runner says about itself, cut to a length that lists can show."""
    return {name: value[:MAX_INFO_LENGTH] for name, value in info.sent_fields().items()} | {
        "ip_address": address or None
    }


def _columns(change: RunnerChange) -> dict[str, Any]:
    given = {name: value for name, value in change.sent_fields().items() if name in RunnerChange.__struct_fields__}
    if "paused" in given:
        given["active"] = not given.pop("paused")
    if "tag_list" in given:
        given["tag_list"] = "\n".join(sorted(given["tag_list"]))
    return given


def _check(settings: dict[str, Any], tag_list: str, run_untagged: bool) -> None:
    problems = Problems()
    for name, length in MAX_LENGTHS.items():
        problems.limit(name, settings.get(name), length)
    for tag in tag_list.split("\n"):
        problems.limit("tags_list", tag, MAX_TAG_LENGTH)
    if not tag_list and not run_untagged:
        problems.add("tags_list", NO_WORK)
    timeout = settings.get("maximum_timeout")
    if timeout is not None and timeout < MIN_TIMEOUT:
        problems.add("maximum_timeout", "needs to be at least 10 minutes")
    problems.refuse()
