"""Making members of groups what the directories say.

A run asks a directory for every linked group first, then decides whether it would remove too many, and only then
changes anything: one transaction for each group, in which the changes are determined again.
"""

from collections.abc import Collection, Mapping
from typing import LiteralString

import msgspec

from mujina.accounts.ldap import operations as directories
from mujina.accounts.ldap import runs
from mujina.accounts.ldap.operations import DirectoryConnection
from mujina.accounts.ldap.people import Person
from mujina.accounts.ldap.runs import RunReport, is_too_many
from mujina.accounts.ldap.user_sync import LinkedUser
from mujina.directory_settings import Directory, DirectoryError, InconclusiveAnswer
from mujina.kernel import clock
from mujina.kernel.db.rows import upsert
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.errors import ApiError
from mujina.kernel.http.params import UNSET
from mujina.kernel.monitoring.logs import log
from mujina.kernel.permissions.actor import SYSTEM
from mujina.kernel.text.folding import fold
from mujina.workspaces.ldap_groups.links import LinkTarget
from mujina.workspaces.ldap_groups.plans import GroupPlan, Levels, plan
from mujina.workspaces.members import operations as members
from mujina.workspaces.members.rules import Source, find_member

CONFIRM = "run `mujina ldap sync-groups --confirm`"


class LinkedGroup(msgspec.Struct):
    """A group with its links to one directory, and what came of asking it."""

    id: int
    path: str
    links: list[tuple[LinkTarget, int]]
    """The target and the level of each."""
    started_at: str = ""
    levels: dict[str, int] = msgspec.field(default_factory=dict[str, int])
    empty: bool = False
    """Whether one of the directory's groups has no members."""
    error: str | None = None


async def sync_groups(
    database: Database,
    configured: Collection[Directory],
    *,
    group_id: int | None = None,
    dry_run: bool = False,
    confirm: bool = False,
) -> list[RunReport]:
    """Synchronize every linked group, or one, with each directory that it is linked to."""
    reports, problems = list[RunReport](), dict[int, list[str]]()
    for directory in configured:
        report = RunReport(directory.provider, "groups", started_at=clock.now())
        async with database.reading() as tx:
            groups = await _linked_groups(tx, directory.provider, group_id)
        if not dry_run:
            await _mark_started(database, groups)
        await _sync_directory(database, directory, groups, report, dry_run=dry_run, confirm=confirm)
        for group in groups:
            problems.setdefault(group.id, []).extend(filter(None, [group.error]))
        if not dry_run:
            await _finish(database, report, one_group=group_id is not None)
        reports.append(report)
    if not dry_run:
        await _mark_ended(database, problems, group_id)
    return reports


async def _finish(database: Database, report: RunReport, *, one_group: bool) -> None:
    """Record the run; one of a single group is announced and leaves the record of the last whole run."""
    if one_group:
        runs.announce(report)
    else:
        await runs.finish(database, report)


async def _sync_directory(
    database: Database,
    directory: Directory,
    groups: list[LinkedGroup],
    report: RunReport,
    *,
    dry_run: bool,
    confirm: bool,
) -> None:
    """Ask for every group, then change those that may be changed."""
    await _ask(directory, groups)
    plans = dict[int, GroupPlan]()
    for group in groups:
        if group.error is None:
            async with database.reading() as tx:
                plans[group.id] = await plan(tx, group.id, directory.provider, group.levels)
    removed = sum(each.removed for each in plans.values())
    governed = sum(each.governed for each in plans.values())
    waiting = 0
    for group in groups:
        if group.error is not None:
            continue
        planned = plans[group.id]
        stops = planned.needs_confirmation(empty=group.empty) or (planned.removed and is_too_many(removed, governed))
        if stops and not confirm:
            waiting += 1
            group.error = f"{planned.removed} of {planned.governed} members would be removed: {CONFIRM}"
            report.changes += [f"{group.path}: waits: {change}" for change in planned.changes]
            continue
        report.changes += [f"{group.path}: {change}" for change in planned.changes]
        if not dry_run:
            await _apply(database, directory, group, confirm=confirm)
    _end(report, groups, waiting, removed)


def _end(report: RunReport, groups: list[LinkedGroup], waiting: int, removed: int) -> None:
    failed = sum(group.error is not None for group in groups) - waiting
    if waiting:
        report.end("waiting", f"{waiting} of {len(groups)} groups wait, {removed} members would be removed: {CONFIRM}")
    elif failed:
        report.end(
            "failed", f"{failed} of {len(groups)} groups: {next(group.error for group in groups if group.error)}"
        )
    else:
        report.end("done", f"{len(groups)} groups, {len(report.changes)} changes")


async def _ask(directory: Directory, groups: list[LinkedGroup]) -> None:
    """Determine who should be in each group. A group of the directory that is missing fails the groups linked to it."""
    targets = sorted({target for group in groups for target, _ in group.links})
    found, errors = dict[LinkTarget, set[str]](), dict[LinkTarget, str]()
    try:
        async with directories.connected(directory) as connection:
            for target in targets:
                try:
                    found[target] = await (
                        directories.people_matching(connection, target.filter)
                        if target.filter
                        else directories.members_of(connection, target.cn)
                    )
                except InconclusiveAnswer as error:
                    errors[target] = str(error)
    except DirectoryError as error:
        errors |= {target: str(error) for target in targets if target not in found}
    for group in groups:
        group.error = next((errors[target] for target, _ in group.links if target in errors), None)
        if group.error is None:
            group.levels = _levels(group, found)
            group.empty = any(not found[target] for target, _ in group.links)


def _levels(group: LinkedGroup, found: Mapping[LinkTarget, set[str]]) -> dict[str, int]:
    levels = dict[str, int]()
    for target, level in group.links:
        for name in map(fold, found[target]):
            levels[name] = max(level, levels.get(name, 0))
    return levels


async def _apply(database: Database, directory: Directory, group: LinkedGroup, *, confirm: bool) -> None:
    """Change the members in one transaction, unless another run has started since."""
    try:
        async with database.transaction() as tx:
            started_at = await tx.value(
                "SELECT s.last_sync_at FROM ldap_group_syncs s WHERE s.group_id = :id FOR UPDATE", id=group.id
            )
            if started_at != group.started_at:
                return
            current = await plan(tx, group.id, directory.provider, group.levels)
            if current.needs_confirmation(empty=group.empty) and not confirm:
                group.error = f"{current.removed} of {current.governed} members would be removed: {CONFIRM}"
                return
            if current.protected:
                log.warning("the last owner of a group stays its owner", user=current.protected, group=group.path)
            await change_members(tx, group.id, current)
    except ApiError as error:
        group.error = "; ".join(error.sentences)


async def change_members(tx: Tx, group_id: int, planned: GroupPlan) -> None:
    """Carry out a plan."""
    source = Source("group", group_id)
    for change in planned.changes:
        if change.verb == "add":
            await members.add(tx, SYSTEM, source, change.user_id, change.level, None, from_directory=True)
        elif change.verb == "remove":
            await members.remove(tx, SYSTEM, source, change.user_id)
        else:
            member = await find_member(tx, source, change.user_id)
            await members.edit(tx, SYSTEM, source, member, change.level, UNSET, from_directory=True)
    await members.mark_synced(tx, source, planned.kept)


async def sync_member(database: Database, directory: Directory, user: LinkedUser) -> None:
    """Add a user who signed in to the linked groups that hold them. Lower levels and removals wait for the next run."""
    async with database.reading() as tx:
        groups = await _linked_groups(tx, directory.provider, None)
    if not groups:
        return
    async with directories.connected(directory) as connection:
        person = await directories.find_person(connection, user.dn, user.entry_uuid, user.email)
        targets = {target for group in groups for target, _ in group.links}
        held = await _targets_of(connection, person, targets) if person else set[LinkTarget]()
    for group in groups:
        level = max((level for target, level in group.links if target in held), default=0)
        if level:
            async with database.transaction() as tx:
                await _admit(tx, group.id, directory.provider, user.id, {fold(user.dn): level})


async def _targets_of(
    connection: DirectoryConnection, person: Person, targets: Collection[LinkTarget]
) -> set[LinkTarget]:
    """Returns those of the targets that contain the person."""
    cns = await directories.groups_with(connection, person, {target.cn for target in targets if target.cn})
    return {
        target
        for target in targets
        if (target.cn.lower() in cns if target.cn else await directories.matches(connection, person, target.filter))
    }


async def _admit(tx: Tx, group_id: int, provider: str, user_id: int, levels: Levels) -> None:
    planned = await plan(tx, group_id, provider, levels)
    planned.changes = [
        change for change in planned.changes if change.user_id == user_id and change.verb in ("add", "raise")
    ]
    planned.kept = [kept for kept in planned.kept if kept == user_id]
    await change_members(tx, group_id, planned)


_LINKS: LiteralString = """
    SELECT k.group_id, r.path, k.cn, k.filter, k.group_access FROM ldap_group_links k
    JOIN namespaces n ON n.id = k.group_id JOIN routes r ON r.namespace_id = n.id
    LEFT JOIN ldap_group_syncs s ON s.group_id = k.group_id
    WHERE k.provider = :provider AND n.deleted_at IS NULL
    AND k.group_id = coalesce(CAST(:group_id AS bigint), k.group_id)
    ORDER BY coalesce(s.last_successful_update_at, ''), k.group_id, k.id
"""


async def _linked_groups(tx: Tx, provider: str, group_id: int | None) -> list[LinkedGroup]:
    """The groups with links to this directory, the least recently synchronized first."""
    found = dict[int, LinkedGroup]()
    for id_, path, cn, matching, level in await tx.rows(
        tuple[int, str, str, str, int], _LINKS, provider=provider, group_id=group_id
    ):
        found.setdefault(id_, LinkedGroup(id_, path, [])).links.append((LinkTarget(cn, matching), level))
    return list(found.values())


async def _mark_started(database: Database, groups: list[LinkedGroup]) -> None:
    for group in groups:
        group.started_at = clock.now()
        async with database.transaction() as tx:
            await upsert(
                tx, "ldap_group_syncs", "group_id", group_id=group.id, status="started", last_sync_at=group.started_at
            )


async def _mark_ended(database: Database, problems: Mapping[int, list[str]], requested: int | None) -> None:
    """Record how each group fared; a group that was requested and has no links is ready again."""
    ended = set(problems) if requested is None else {*problems, requested}
    for group_id in sorted(ended):
        error = "; ".join(problems.get(group_id, [])) or None
        async with database.transaction() as tx:
            await tx.run(
                """
                UPDATE ldap_group_syncs SET status = :status, error = :error, last_update_at = :now,
                    last_successful_update_at = CASE WHEN :good THEN :now ELSE last_successful_update_at END
                WHERE group_id = :id
                """,
                id=group_id, status="failed" if error else "ready", error=error, good=error is None, now=clock.now(),
            )  # fmt: skip
