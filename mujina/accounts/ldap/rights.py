"""Rights that a group of the directory gives: being an administrator, being an external user."""

from typing import Annotated, LiteralString

import msgspec

from mujina.accounts.ldap import operations, runs
from mujina.accounts.ldap.runs import RunKind, RunReport
from mujina.accounts.users import operations as users
from mujina.accounts.users.params import EditUser
from mujina.accounts.users.rules import find_person
from mujina.accounts.users.sign_in import accounts
from mujina.accounts.users.sign_in.identities import GOVERNING
from mujina.directory_settings import Directory, DirectoryError
from mujina.kernel import clock
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.errors import ApiError
from mujina.kernel.monitoring.logs import log
from mujina.kernel.permissions.actor import SYSTEM


class RightsRow(Row, alias="u"):
    """A user whom the directory governs, with the rights that it may give."""

    id: int
    username: str
    admin: bool
    external: bool
    dn: Annotated[str, "i.extern_uid"]


class RightsChange(msgspec.Struct, frozen=True):
    user: RightsRow
    kind: RunKind
    granted: bool

    def __str__(self) -> str:
        noun = "an administrator" if self.kind == "administrators" else "external"
        return f"{self.user.username} {'becomes' if self.granted else 'is no longer'} {noun}"


async def sync_rights(
    database: Database, directory: Directory, kind: RunKind, *, dry_run: bool = False, confirm: bool = False
) -> RunReport | None:
    """Make the members of the named groups administrators, or external; the directory's other users no longer are.

    None if the directory names no group for it. A group that is missing changes nothing, and where one is empty, no one
    loses the right without a confirmation.
    """
    wanted = [directory.admin_group] if kind == "administrators" else list(directory.external_groups)
    if not any(wanted):
        return None
    report = RunReport(directory.provider, kind, started_at=clock.now())
    try:
        async with operations.connected(directory) as connection:
            groups = [await operations.members_of(connection, cn) for cn in wanted]
    except DirectoryError as error:
        report.end("failed", str(error))
        return report if dry_run else await runs.finish(database, report)
    async with database.reading() as tx:
        governed = await _governed(tx, directory)
    changes = _plan(governed, set[str]().union(*groups), kind)
    holders = sum(_has(user, kind) for user in governed)
    lost = sum(not change.granted for change in changes)
    report.changes = list(map(str, changes))
    if lost and (not all(groups) or runs.is_too_many(lost, holders)) and not confirm:
        report.end("waiting", f"{lost} of {holders} users would lose it: run `mujina ldap sync-groups --confirm`")
    else:
        if not dry_run:
            report.changes = [str(change) for change in changes if await _apply(database, change)]
        report.end("done", f"{len(report.changes)} changes")
    return report if dry_run else await runs.finish(database, report)


def _has(user: RightsRow, kind: RunKind) -> bool:
    return user.admin if kind == "administrators" else user.external


def _plan(governed: list[RightsRow], members: set[str], kind: RunKind) -> list[RightsChange]:
    """Plans the changes, gains first, so that the last administrator may lose the right to another."""
    changes = [
        RightsChange(user, kind, user.dn in members) for user in governed if _has(user, kind) != (user.dn in members)
    ]
    return sorted(changes, key=lambda change: not change.granted)


async def _apply(database: Database, change: RightsChange) -> bool:
    """Whether the change was made: the last administrator stays one."""
    try:
        async with database.transaction() as tx:
            user = await find_person(tx, change.user.id, lock=True)
            if change.kind == "administrators" and user.admin != change.granted:
                await accounts.set_admin(tx, user, admin=change.granted)
            elif change.kind == "external":
                await users.edit(tx, SYSTEM, user, EditUser(external=change.granted), None)
    except ApiError as error:
        log.warning("a right was not changed", user=change.user.username, problem="; ".join(error.sentences))
        return False
    return True


_GOVERNED: LiteralString = f"""
    SELECT {RightsRow.columns} FROM identities i JOIN users u ON u.id = i.user_id
    WHERE i.provider = :provider AND {GOVERNING} AND u.kind = 'person' AND u.deleted_at IS NULL ORDER BY u.id
"""


async def _governed(tx: Tx, directory: Directory) -> list[RightsRow]:
    return await tx.rows(RightsRow, _GOVERNED, provider=directory.provider)
