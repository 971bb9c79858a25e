"""Checking users against their directory: all of them daily, and each of them when the last check is old.

A run first asks about everybody and changes nothing until all answers are in: a directory that fails in the middle
changes nothing.
"""

from datetime import timedelta
from typing import Annotated, Literal, LiteralString

import msgspec

from mujina.accounts.keys.public_keys import normalize as normalize_key
from mujina.accounts.ldap import operations, provisioning, runs
from mujina.accounts.ldap.people import NO_MAIL_DOMAIN, Person
from mujina.accounts.ldap.runs import RunReport
from mujina.accounts.users.rules import find_person
from mujina.kernel import clock
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.directories import Directory, DirectoryError
from mujina.kernel.errors import ApiError

Verb = Literal["block", "unblock", "update", "keep"]

GOVERNING: LiteralString = """i.id = (SELECT min(first.id) FROM identities first
    WHERE first.user_id = i.user_id AND first.provider LIKE 'ldap%')"""
"""Of the identities of a user in several directories, only the one made first counts."""


class LinkedUser(Row, alias="u"):
    """A user whom a directory governs."""

    id: int
    username: str
    email: str
    state: str
    provider: Annotated[str, "i.provider"]
    dn: Annotated[str, "i.extern_uid"]


class UserChange(msgspec.Struct, frozen=True):
    """What a run does to one user; `person` is None if the directory has no such entry."""

    user: LinkedUser
    verb: Verb
    person: Person | None
    fields: tuple[str, ...] = ()

    def __str__(self) -> str:
        fields = f" ({', '.join(self.fields)})" if self.fields else ""
        return f"{self.verb} {self.user.username}{fields}"


async def sync_users(
    database: Database, directory: Directory, *, due: bool = False, dry_run: bool = False, confirm: bool = False
) -> RunReport:
    """Check the users of this directory, or only those who are `due`, and make them what it says."""
    report = RunReport(directory.provider, "users", started_at=clock.now())
    try:
        changes = await _plan(database, directory, due=due)
        async with database.reading() as tx:
            active, lately = await _count(tx, directory)
    except DirectoryError as error:
        report.end("failed", str(error))
        return report if dry_run else await runs.finish(database, report)
    if due and not changes:
        return report  # the last run that checked anybody stays the one that operators see
    blocked = sum(change.verb == "block" for change in changes)
    report.changes = [str(change) for change in changes if change.verb != "keep"]
    if runs.is_too_many(blocked + lately, active + lately) and blocked and not confirm:
        report.end("waiting", f"{blocked} of {active} users would be blocked: run `mujina ldap sync-users --confirm`")
    elif dry_run:
        report.end("done", f"{len(report.changes)} changes")
    else:
        blocked = sum([await _apply(database, directory, change) for change in changes])
        report.end("done", f"{len(changes)} users checked, {blocked} blocked")
    return report if dry_run else await runs.finish(database, report)


async def _plan(database: Database, directory: Directory, *, due: bool) -> list[UserChange]:
    """What the directory says of each of its users."""
    async with database.reading() as tx:
        users = await _linked_users(tx, directory, due=due)
        keys = await _keys_of(tx, directory)
    changes = list[UserChange]()
    if due and not users:
        return changes
    async with operations.connected(directory) as connection:
        for user in users:
            email = "" if user.email.endswith(f"@{NO_MAIL_DOMAIN}") else user.email
            person = await operations.find_person(connection, user.dn, email)
            if person is not None and person.dn != user.dn:
                async with database.reading() as tx:
                    # The entry with the same address is another user's.
                    if await provisioning.find_account(tx, directory, person.dn) not in (None, user.id):
                        person = None
            changes.append(_change(directory, user, person, keys.get(user.id, set())))
    return changes


def _change(directory: Directory, user: LinkedUser, person: Person | None, keys: set[str]) -> UserChange:
    if person is None or person.disabled:
        return UserChange(user, "block" if user.state == "active" else "keep", person)
    differing = {
        "name in the directory": person.dn != user.dn,
        "email": person.email not in (None, user.email),
        "SSH keys": bool(directory.ssh_key_attribute) and set(map(normalize_key, person.keys)) != keys,
    }
    fields = tuple(name for name, differs in differing.items() if differs)
    verb: Verb = "unblock" if user.state == "ldap_blocked" else "update" if fields else "keep"
    return UserChange(user, verb, person, fields)


async def _apply(database: Database, directory: Directory, change: UserChange) -> bool:
    """Make the user what the directory says; whether that blocked them."""
    async with database.transaction() as tx:
        try:
            user = await find_person(tx, change.user.id, lock=True)
        except ApiError:
            return False  # deleted meanwhile
        if change.person is None or change.person.disabled:
            return user.state == "active" and await provisioning.lock_out(tx, directory, user)
        await provisioning.follow(tx, directory, user, change.person)
        return False


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
    found = await tx.row(
        tuple[int, int],
        f"""SELECT count(CASE WHEN u.state = 'active' THEN 1 END),
                   count(CASE WHEN u.state = 'ldap_blocked' AND i.blocked_at > :since THEN 1 END) {_LINKED}""",
        provider=directory.provider,
        since=clock.later(-timedelta(days=1)),
    )
    assert found is not None
    return found


async def _keys_of(tx: Tx, directory: Directory) -> dict[int, set[str]]:
    """By user, the SSH keys that came from a directory."""
    found = dict[int, set[str]]()
    if directory.ssh_key_attribute:
        for user_id, key in await tx.rows(
            tuple[int, str], "SELECT k.user_id, k.key FROM ssh_keys k WHERE k.from_directory AND k.user_id IS NOT NULL"
        ):
            found.setdefault(user_id, set()).add(key)
    return found
