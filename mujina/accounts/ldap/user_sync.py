"""Checking users against their directory: all of them daily, and each of them when the last check is old.

A run first asks about everybody and changes nothing until all answers are in: a directory that fails in the middle
changes nothing. A user about whom it says nothing definite stays as they are.
"""

from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from typing import Annotated, Literal, LiteralString

import msgspec

from mujina.accounts.keys import public_keys
from mujina.accounts.keys.public_keys import InvalidPublicKey
from mujina.accounts.ldap import operations, provisioning, runs
from mujina.accounts.ldap.operations import DirectoryConnection
from mujina.accounts.ldap.people import NO_MAIL_DOMAIN, Person, has_other_id, is_same_entry
from mujina.accounts.ldap.provisioning import NameReused
from mujina.accounts.ldap.runs import RunReport
from mujina.accounts.users.rules import find_person
from mujina.accounts.users.sign_in.identities import GOVERNING, forget_blocks
from mujina.directory_settings import Directory, DirectoryError, InconclusiveAnswer
from mujina.kernel import clock
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.errors import ApiError
from mujina.kernel.monitoring.logs import log

Verb = Literal["block", "unblock", "update", "keep"]
OTHER_ENTRY = "another entry has the address: an administrator may link it"
NAME_REUSED = "another entry has the name: an administrator may link it"


class LinkedUser(Row, alias="u"):
    """A user whom a directory governs."""

    id: int
    username: str
    email: str
    state: str
    provider: Annotated[str, "i.provider"]
    dn: Annotated[str, "i.extern_uid"]
    checked_at: Annotated[str | None, "i.checked_at"]
    entry_uuid: Annotated[str | None, "i.entry_uuid"]


class UserChange(msgspec.Struct, frozen=True):
    """The changes that a run makes to one user; `person` is None if the directory has no such entry."""

    user: LinkedUser
    verb: Verb
    person: Person | None
    fields: tuple[str, ...] = ()

    def __str__(self) -> str:
        fields = f" ({', '.join(self.fields)})" if self.fields else ""
        return f"{self.verb} {self.user.username}{fields}"


class UserPlan(msgspec.Struct):
    """The changes that a run makes to each user, and the questions that it could not answer."""

    changes: list[UserChange] = msgspec.field(default_factory=list[UserChange])
    unclear: list[str] = msgspec.field(default_factory=list[str])

    def __len__(self) -> int:
        return len(self.changes) + len(self.unclear)


async def sync_users(
    database: Database, directory: Directory, *, due: bool = False, dry_run: bool = False, confirm: bool = False
) -> RunReport:
    """Check the users of this directory, or only those who are `due`, and make them what it says."""
    report = RunReport(directory.provider, "users", started_at=clock.now())
    try:
        plan = await _plan(database, directory, due=due)
        async with database.reading() as tx:
            active, lately = await _count(tx, directory)
    except DirectoryError as error:
        report.end("failed", str(error))
        return report if dry_run else await runs.finish(database, report)
    if due and not plan:
        return report  # the last run that checked anybody stays the one that operators see
    blocked = sum(change.verb == "block" for change in plan.changes)
    report.changes = _listed(plan.changes)
    if runs.is_too_many(blocked + lately, active + lately) and blocked and not confirm:
        report.end("waiting", f"{blocked} of {active} users would be blocked: run `mujina ldap sync-users --confirm`")
    else:
        if not dry_run:
            applied = [change for change in plan.changes if await _apply(database, directory, change)]
            if confirm:
                async with database.transaction() as tx:
                    await forget_blocks(tx, directory.provider)
            report.changes, blocked = _listed(applied), sum(change.verb == "block" for change in applied)
        _end(report, plan, blocked, dry_run=dry_run)
    return report if dry_run else await runs.finish(database, report)


def _listed(changes: list[UserChange]) -> list[str]:
    return [str(change) for change in changes if change.verb != "keep"]


def _end(report: RunReport, plan: UserPlan, blocked: int, *, dry_run: bool) -> None:
    if plan.unclear:
        report.end("failed", f"{len(plan.unclear)} of {len(plan)} users: {plan.unclear[0]}")
    elif dry_run:
        report.end("done", f"{len(report.changes)} changes")
    else:
        report.end("done", f"{len(plan)} users checked, {blocked} blocked")


async def _plan(database: Database, directory: Directory, *, due: bool) -> UserPlan:
    """Reads the entry of each user from the directory."""
    async with database.reading() as tx:
        users = await _linked_users(tx, directory, due=due)
        keys = await _keys_of(tx, directory)
    plan, given = UserPlan(), set[str]()
    if due and not users:
        return plan
    async with operations.connected(directory) as connection:
        for user in users:
            try:
                person, *reasons = await _find(database, connection, user, given)
            except InconclusiveAnswer as error:
                plan.unclear.append(f"{user.username}: {error}")
                continue
            new_keys = await _has_new_keys(database, user, person, keys.get(user.id, set()))
            new_email = await _has_new_email(database, user, person)
            plan.changes.append(
                _change(
                    user, person, reasons, new_email=new_email, new_keys=new_keys and bool(directory.ssh_key_attribute)
                )
            )
    return plan


async def _find(
    database: Database, connection: DirectoryConnection, user: LinkedUser, given: set[str]
) -> tuple[Person | None, *tuple[str, ...]]:
    """The person whom the user is in the directory now, and what an operator should know; `given` is whose name is taken."""
    directory = connection.directory
    email = "" if user.email.endswith(f"@{NO_MAIL_DOMAIN}") else user.email
    person = await operations.find_person(connection, user.dn, user.entry_uuid, email)
    if person is None:
        return (None,)
    if person.dn == user.dn and has_other_id(person, user.entry_uuid):
        return None, NAME_REUSED
    try:
        async with database.reading() as tx:
            owner = await provisioning.find_account(tx, directory, person)
    except NameReused:
        raise InconclusiveAnswer("their new name in the directory is that of another user here") from None
    if person.dn in given or owner not in (None, user.id):
        return (None,)  # the entry with the same address, or with the same name by now, is another user's
    if person.dn == user.dn:
        return (person,)
    if not is_same_entry(directory, person, dn=user.dn, uuid=user.entry_uuid, username=user.username):
        return None, OTHER_ENTRY
    given.add(person.dn)
    return (person,)


async def _has_new_keys(database: Database, user: LinkedUser, person: Person | None, keys: set[str]) -> bool:
    """Whether the directory has other keys than the user got from it, apart from those that are in use elsewhere."""
    usable = {} if person is None else _usable(person.keys)
    if usable.keys() == keys:
        return False
    async with database.reading() as tx:
        taken = await tx.values(
            """SELECT k.sha256 FROM ssh_keys k WHERE k.sha256 IN :fingerprints
               AND (k.user_id IS NULL OR k.user_id <> :user_id OR NOT k.from_directory)""",
            fingerprints=list(usable.values()),
            user_id=user.id,
        )
    return {line for line, fingerprint in usable.items() if fingerprint not in taken} != keys


async def _has_new_email(database: Database, user: LinkedUser, person: Person | None) -> bool:
    """Whether the directory has another address that the user can have."""
    if person is None or person.email in (None, user.email):
        return False
    async with database.reading() as tx:
        return await provisioning.is_usable_address(tx, user.id, person.email)


def _change(
    user: LinkedUser, person: Person | None, reasons: list[str], *, new_email: bool, new_keys: bool
) -> UserChange:
    if person is None or person.disabled:
        return UserChange(user, "block" if user.state == "active" else "keep", person, tuple(reasons))
    differing = {
        "name in the directory": person.dn != user.dn,
        "email": new_email,
        "SSH keys": new_keys,
    }
    fields = tuple(name for name, differs in differing.items() if differs)
    verb: Verb = "unblock" if user.state == "ldap_blocked" else "update" if fields else "keep"
    return UserChange(user, verb, person, fields)


def _usable(lines: Iterable[str]) -> dict[str, str]:
    """The keys as they are stored, without what is no key, each with its fingerprint."""
    found = dict[str, str]()
    for line in map(public_keys.normalize, lines):
        with suppress(InvalidPublicKey):
            found[line] = public_keys.parse(line).sha256
    return found


async def _apply(database: Database, directory: Directory, change: UserChange) -> bool:
    """Update the user from the directory. Returns whether the user was changed; a failed update does not stop the run."""
    try:
        async with database.transaction() as tx:
            user = await find_person(tx, change.user.id, lock=True)
            if not await _is_as_planned(tx, change.user):
                return False
            if NAME_REUSED in change.fields:
                return await provisioning.lock_out_former(tx, directory, user, change.user.dn)
            if change.person is None or change.person.disabled:
                return await provisioning.lock_out(tx, directory, user)
            return await provisioning.follow(tx, directory, user, change.person)
    except ApiError as error:  # deleted meanwhile, or another user has the name in the directory by now
        log.warning("a user was not changed", user=change.user.username, problem="; ".join(error.sentences))
        return False


async def _is_as_planned(tx: Tx, planned: LinkedUser) -> bool:
    """Whether the identity is still the one that was asked about, and no newer answer has come: it stays so until commit."""
    found = await tx.value(
        f"""SELECT 1 FROM identities i WHERE i.user_id = :user_id AND i.provider = :provider AND i.extern_uid = :dn
            AND coalesce(i.checked_at, '') = :checked_at AND {GOVERNING} FOR UPDATE""",
        user_id=planned.id, provider=planned.provider, dn=planned.dn, checked_at=planned.checked_at or "",
    )  # fmt: skip
    return found is not None


_LINKED: LiteralString = f"""
    FROM identities i JOIN users u ON u.id = i.user_id
    WHERE i.provider = :provider AND {GOVERNING} AND u.kind = 'person' AND u.deleted_at IS NULL
"""


async def _linked_users(tx: Tx, directory: Directory, *, due: bool) -> list[LinkedUser]:
    """The users whom the directory governs, without those whom an administrator blocked."""
    return await tx.rows(
        LinkedUser,
        f"""SELECT {LinkedUser.columns} {_LINKED} AND u.state IN ('active', 'ldap_blocked')
            AND (NOT :due OR coalesce(i.checked_at, '') < :before) ORDER BY u.id""",
        provider=directory.provider,
        due=due,
        before=clock.later(-timedelta(seconds=directory.check_interval)),
    )


async def find_linked_user(tx: Tx, user_id: int) -> LinkedUser | None:
    """The user with the identity that governs them; None for a local account."""
    return await tx.row(
        LinkedUser,
        f"""SELECT {LinkedUser.columns} FROM identities i JOIN users u ON u.id = i.user_id
            WHERE u.id = :id AND {GOVERNING} AND u.deleted_at IS NULL""",
        id=user_id,
    )


async def _count(tx: Tx, directory: Directory) -> tuple[int, int]:
    """How many of its users are active, and how many it blocked within a day: slow losses add up."""
    [found] = await tx.rows(
        tuple[int, int],
        f"""SELECT count(CASE WHEN u.state = 'active' THEN 1 END),
                   count(CASE WHEN u.state = 'ldap_blocked' AND i.blocked_at > :since THEN 1 END) {_LINKED}""",
        provider=directory.provider,
        since=clock.later(-timedelta(days=1)),
    )
    return found


async def _keys_of(tx: Tx, directory: Directory) -> dict[int, set[str]]:
    """The SSH keys of each user that came from a directory."""
    found = dict[int, set[str]]()
    if directory.ssh_key_attribute:
        for user_id, key in await tx.rows(
            tuple[int, str], "SELECT k.user_id, k.key FROM ssh_keys k WHERE k.from_directory AND k.user_id IS NOT NULL"
        ):
            found.setdefault(user_id, set()).add(key)
    return found
