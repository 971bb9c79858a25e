"""Who may see and change a runner, and the only way to load one."""

import re
from datetime import timedelta
from typing import Annotated, LiteralString

from mujina.kernel import clock, errors, secrets
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Condition
from mujina.workspaces.members.access import group_owner, master

ONLINE = timedelta(hours=1)
"""How long a runner is online after its last request."""
CONTACT_MINUTES = 40
"""Minutes after which a contact is stored again."""
RUNNER_PREFIX = "glrt-"
"""The beginning of the tokens of runners that a user created."""

manages_project = Condition(
    "manages_project",
    f"""rn.id IN (SELECT rp.runner_id FROM runner_projects rp JOIN projects p ON p.id = rp.project_id
        WHERE p.deleted_at IS NULL AND {master.for_scan})""",
)
manages_all_projects = Condition(
    "manages_all_projects",
    f"""NOT EXISTS (SELECT 1 FROM runner_projects rp JOIN projects p ON p.id = rp.project_id
        WHERE rp.runner_id = rn.id AND p.deleted_at IS NULL AND NOT {master.for_scan})""",
)
owns_group = Condition(
    "owns_group",
    f"(rn.group_id IS NOT NULL AND rn.group_id IN (SELECT g.id FROM groups g WHERE {group_owner.for_scan}))",
)

MANAGE_RUNNER = manages_project | owns_group
"""Masters of a project manage its runners, owners of a group those of the group."""
EDIT_RUNNER = (manages_project & manages_all_projects) | owns_group
"""A change concerns every project that the runner works for."""


class RunnerRow(Row, alias="rn"):
    """A runner as operations and responses need it."""

    id: int
    runner_type: str
    group_id: int | None
    description: str | None
    active: bool
    tag_list: str
    run_untagged: bool
    locked: bool
    access_level: str
    maximum_timeout: int | None
    maintenance_note: str | None
    name: str | None
    version: str | None
    revision: str | None
    platform: str | None
    architecture: str | None
    executor: str | None
    ip_address: str | None
    contacted_at: str | None
    created_at: str
    updated_at: str

    @property
    def is_shared(self) -> bool:
        return self.runner_type == "instance_type"

    @property
    def protected_only(self) -> bool:
        """Whether it takes only jobs of protected refs."""
        return self.access_level == "ref_protected"

    @property
    def tags(self) -> list[str]:
        return self.tag_list.split("\n") if self.tag_list else []

    @property
    def uploads_reports(self) -> bool:
        """Whether it uploads files of several kinds; others would upload a report in place of the archive."""
        number = re.match(r"(\d{1,5})\.(\d{1,5})", self.version or "")
        return self.name == "gitlab-runner" and number is not None and (int(number[1]), int(number[2])) >= (11, 2)

    @property
    def online(self) -> bool | None:
        """Whether it asked within the last hour; None if it never did."""
        return None if self.contacted_at is None else self.contacted_at > clock.later(-ONLINE)

    @property
    def status(self) -> str:
        if not self.active:
            return "paused"
        return {None: "not_connected", True: "online", False: "offline"}[self.online]


class ManagedRunnerRow(RunnerRow):
    """A runner with what the actor may do with it."""

    managed: Annotated[bool, MANAGE_RUNNER]
    editable: Annotated[bool, EDIT_RUNNER]
    project_count: Annotated[
        int,
        """(SELECT count(*) FROM runner_projects rp JOIN projects p ON p.id = rp.project_id
            WHERE rp.runner_id = rn.id AND p.deleted_at IS NULL)""",
    ]


async def find_runner(tx: Tx, actor: Actor, runner_id: int, *, lock: bool = False) -> ManagedRunnerRow:
    """The runner, for any caller; `check_…` decide what they may do. With `lock`, its row stays locked."""
    if lock:
        await tx.value("SELECT rn.id FROM runners rn WHERE rn.id = :id FOR UPDATE", id=runner_id)
    selection = Selection("runners rn", "rn.id = :id", id=runner_id, **actor.bound)
    return await find_row(tx, ManagedRunnerRow, selection, "Runner")


def check_managed(actor: Actor, runner: ManagedRunnerRow) -> None:
    if not (runner.managed or actor.admin):
        raise errors.forbidden("No access granted")


def check_readable(actor: Actor, runner: ManagedRunnerRow) -> None:
    """Every user sees the runners of the instance; the others are for those who manage them."""
    if not runner.is_shared:
        check_managed(actor, runner)


def is_editable(actor: Actor, runner: ManagedRunnerRow) -> bool:
    return actor.admin or (runner.editable and not runner.is_shared)


def check_editable(actor: Actor, runner: ManagedRunnerRow) -> None:
    if not is_editable(actor, runner):
        raise errors.forbidden("Runner is shared" if runner.is_shared else "No access granted")


def is_removable(actor: Actor, runner: ManagedRunnerRow) -> bool:
    """A runner that works for several projects is removed, and gets a new token, by administrators alone.

    The token gives access to the jobs of all of them, with their variables.
    """
    return is_editable(actor, runner) and (actor.admin or runner.project_count <= 1)


def check_removable(actor: Actor, runner: ManagedRunnerRow) -> None:
    if not is_removable(actor, runner) and not runner.is_shared and runner.project_count > 1:
        raise errors.forbidden("Runner associated with more than one project")
    check_editable(actor, runner)


def check_assignable(actor: Actor, runner: ManagedRunnerRow) -> None:
    """A further project may have the runner of one that the actor manages, unless it is locked."""
    if runner.is_shared:
        raise errors.forbidden("Runner is shared")
    if runner.group_id is not None:
        raise errors.forbidden("Runner is a group runner")
    if runner.locked:
        raise errors.forbidden("Runner is locked")
    check_readable(actor, runner)


async def assigned_at(tx: Tx, runner_id: int, project_id: int) -> str:
    """When the project enabled the runner; 404 if it did not."""
    created_at: str | None = await tx.value(
        "SELECT rp.created_at FROM runner_projects rp WHERE rp.runner_id = :runner_id AND rp.project_id = :project_id",
        runner_id=runner_id,
        project_id=project_id,
    )
    return errors.or_not_found(created_at, "Runner")


async def authenticate_runner(tx: Tx, token: str, *, lock: bool = False) -> RunnerRow:
    """The runner that has this token; 403 if there is none. With `lock`, it keeps the token until the transaction ends."""
    locking: LiteralString = "FOR UPDATE" if lock else ""
    runner = await tx.row(
        RunnerRow,
        f"SELECT {RunnerRow.columns} FROM runners rn WHERE rn.token_digest = :digest {locking}",
        digest=secrets.digest(token),
    )
    if runner is None:
        raise errors.forbidden()
    return runner
