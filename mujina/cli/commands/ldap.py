"""`mujina ldap`."""

from typing import Annotated

from cyclopts import App, Parameter

from mujina.accounts.ldap import operations, runs, user_sync
from mujina.accounts.ldap.rights import sync_rights
from mujina.accounts.ldap.rules import usable_directories
from mujina.accounts.ldap.runs import RunReport
from mujina.accounts.users.sign_in.identities import is_directory
from mujina.accounts.users.sign_in.identities import rename_provider as rename_identities
from mujina.cli.consequences import composed_database, database_to_change
from mujina.cli.errors import CommandError
from mujina.cli.instance import DEFAULT_INSTANCE, Instance
from mujina.cli.output import print_table
from mujina.directory_settings import Directory, DirectoryError, InconclusiveAnswer
from mujina.instance.editions.rules import has_feature, register_edition
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.errors import ApiError
from mujina.kernel.http.params import Ref
from mujina.kernel.monitoring import logs
from mujina.kernel.permissions.actor import SYSTEM
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.ldap_groups.links import rename_provider as rename_links
from mujina.workspaces.ldap_groups.status import count_identities, group_syncs, linked_names, unknown_providers
from mujina.workspaces.ldap_groups.sync import sync_groups

ldap = App(name="ldap")
SAMPLE = 10
"""How many users and groups a check shows."""
DryRun = Annotated[bool, Parameter(negative="", help="Only list the changes.")]
Confirm = Annotated[bool, Parameter(negative="", help="Also remove or block more people than a run may by itself.")]


@ldap.command
async def check(id: str | None = None, *, instance: Instance = DEFAULT_INSTANCE) -> int:
    """Connect to each directory, or to one, and show what it has and what is missing in it."""
    findings = _Findings()
    for directory in _directories(instance, id):
        print(f"{directory.provider}: {directory.url}{' with StartTLS' if directory.start_tls else ''}")
        try:
            await _check_directory(instance, directory, findings)
        except DirectoryError as error:
            findings.add(str(error))
    async with composed_database(instance) as database, database.reading() as tx:
        for path, provider in await unknown_providers(tx, [each.provider for each in _directories(instance)]):
            findings.add(f"the group {path} is linked to {provider}, which is not in the settings")
    return 1 if findings.problems else 0


@ldap.command(name="sync-users")
async def synchronize_users(
    *, dry_run: DryRun = False, confirm: Confirm = False, instance: Instance = DEFAULT_INSTANCE
) -> int:
    """Check all users of the directories: block, unblock and update them."""
    directories = _directories(instance)
    async with database_to_change(instance) as database:
        reports = [
            await user_sync.sync_users(database, directory, dry_run=dry_run, confirm=confirm)
            for directory in directories
        ]
    return _print_reports(reports)


@ldap.command(name="sync-groups")
async def synchronize_groups(
    *,
    group: Annotated[str | None, Parameter(help="The path or ID of one group. Unset: all groups, and rights.")] = None,
    dry_run: DryRun = False,
    confirm: Confirm = False,
    instance: Instance = DEFAULT_INSTANCE,
) -> int:
    """Make the members of linked groups, administrators and external users what the directories say."""
    directories = _directories(instance)
    linked = has_feature("ldap_groups")
    if group and not linked:
        raise CommandError("This edition has no links to groups of a directory.")
    async with database_to_change(instance) as database:
        group_id = await _group_id(database, group) if group else None
        reports = list[RunReport]()
        if linked:
            reports += await sync_groups(database, directories, group_id=group_id, dry_run=dry_run, confirm=confirm)
        if group_id is None:
            reports += await _rights(database, directories, dry_run=dry_run, confirm=confirm)
    return _print_reports(reports)


@ldap.command
async def status(*, instance: Instance = DEFAULT_INSTANCE) -> None:
    """Show the last runs for each directory and each linked group, and what waits for --confirm."""
    async with composed_database(instance) as database, database.reading() as tx:
        last, groups = await runs.list_runs(tx), await group_syncs(tx)
    print_table(
        ("directory", "run", "ended", "outcome", "summary"),
        [(run.provider, run.kind, run.ended_at, run.outcome, run.summary) for run in last],
    )
    print()
    print_table(
        ("group", "status", "last success", "problem"),
        [(group.path, group.status, group.last_successful_update_at, group.error) for group in groups],
    )


@ldap.command(name="rename-provider")
async def rename_provider(old: str, new: str, *, instance: Instance = DEFAULT_INSTANCE) -> None:
    """Rename a provider, such as ldapmain, in identities and links, after the id of a directory was changed."""
    if not is_directory(new) or not new.removeprefix("ldap").isalnum() or not new.islower():
        raise CommandError(f"{new} is not the name of a provider: it is `ldap` and the id of a directory.")
    async with database_to_change(instance) as database, database.transaction() as tx:
        await _check_free(tx, old, new)
        identities, links = await rename_identities(tx, old, new), await rename_links(tx, old, new)
    print(f"Renamed {old} to {new} in {identities} identities and {links} links.")


def _directories(instance: Instance, id: str | None = None) -> list[Directory]:
    settings = instance.settings()
    register_edition(settings.edition)
    if not logs.log.is_configured:
        logs.configure(settings.log_format, settings.log_level)
    found = [each for each in usable_directories(settings) if id in (None, each.id, each.provider)]
    if not found:
        known = "There is no directory in the settings" if id is None else f"There is no directory {id}"
        raise CommandError(f"{known}: see `mujina config show`.")
    return found


class _Findings:
    """The lines that a check prints."""

    problems = 0

    def add(self, line: str, *, good: bool = False) -> None:
        self.problems += not good
        print(f"{'ok     ' if good else 'PROBLEM'}  {line}")


async def _check_directory(instance: Instance, directory: Directory, findings: _Findings) -> None:
    async with operations.connected(directory) as connection:
        findings.add("connected and bound" + ("" if directory.encrypted else ", without encryption"), good=True)
        people = await operations.list_people(connection, SAMPLE)
        findings.add(f"users: {', '.join(each.username for each in people) or 'none'}", good=bool(people))
        if directory.group_base:
            names = await operations.list_group_names(directory)
            findings.add(f"groups: {', '.join(names[:SAMPLE]) or 'none'}", good=True)
        async with composed_database(instance) as database:
            async with database.reading() as tx:
                linked = await linked_names(tx, directory.provider)
            for cn in [*linked, *filter(None, [directory.admin_group, *directory.external_groups])]:
                try:
                    await operations.members_of(connection, cn)
                except InconclusiveAnswer as error:
                    findings.add(str(error))
            report = await user_sync.sync_users(database, directory, dry_run=True)
    missing = [change for change in report.changes if change.startswith("block ")]
    if report.outcome != "done":
        findings.add(report.summary)
    if missing or report.outcome == "done":
        findings.add(f"users who are not in the directory: {len(missing)}", good=not missing)


async def _group_id(database: Database, group: str) -> int:
    try:
        async with database.reading() as tx:
            return (await find_group(tx, SYSTEM, Ref(group))).id
    except ApiError:
        raise CommandError(f"There is no group {group}.") from None


async def _rights(database: Database, directories: list[Directory], *, dry_run: bool, confirm: bool) -> list[RunReport]:
    found = list[RunReport]()
    for directory in directories:
        for kind in ("administrators", "external"):
            report = await sync_rights(database, directory, kind, dry_run=dry_run, confirm=confirm)
            found += [] if report is None else [report]
    return found


def _print_reports(reports: list[RunReport]) -> int:
    """Print the changes and how each run ended; 1 if one failed or waits."""
    for report in reports:
        for change in report.changes:
            print(change)
        print(f"{report.provider} {report.kind}: {report.outcome}: {report.summary}")
    return 0 if all(report.outcome == "done" for report in reports) else 1


async def _check_free(tx: Tx, old: str, new: str) -> None:
    if not await count_identities(tx, old):
        raise CommandError(f"No user and no group knows {old}.")
    if await count_identities(tx, new):
        raise CommandError(f"{new} is in use already.")
