"""Questions to a directory: who is this, is it their password, who is in that group.

Each answer is definite; anything else is a `DirectoryError`.
"""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Collection, Iterable
from contextlib import asynccontextmanager

import msgspec

from mujina.accounts.emails.operations import normalize as normalize_email
from mujina.accounts.ldap.people import Person, username_of
from mujina.adapters.ldap import client
from mujina.adapters.ldap.client import DirectoryConnection, person_filter
from mujina.adapters.ldap.filters import (
    Filter,
    InvalidFilter,
    equals,
    equals_octets,
    every,
    parse,
    present,
    some,
    starts_with,
)
from mujina.adapters.ldap.messages import DirectoryEntry
from mujina.directory_settings import Directory, DirectoryError, InconclusiveAnswer
from mujina.kernel.monitoring.logs import log
from mujina.kernel.text import distinguished_names as names
from mujina.kernel.text.distinguished_names import InvalidName

MAX_NESTING = 10
MAX_LISTED_GROUPS = 20
DISABLED = 2
"""The bit of Active Directory's `userAccountControl` that disables an account."""
_MEMBER_ATTRIBUTES = ("member", "uniqueMember", "memberOf", "submember", "memberUid")
_ONLY_OF_GROUPS = {"member", "uniquemember", "submember", "memberuid"}
"""People have `memberOf` too; only groups have one of these."""
_IDS = ("entryUUID", "objectGUID")
"""The attributes by which directories identify an entry: RFC 4530, Active Directory."""
_BATCH = 100
_MAX_LENGTH = 1_000
"""Characters of a login that a directory is asked for."""


class GroupUnusable(InconclusiveAnswer):
    """A group of the directory is missing or ambiguous."""


class GroupMembers(msgspec.Struct):
    """The members of a group of a directory."""

    dns: set[str] = msgspec.field(default_factory=set[str])
    uids: set[str] = msgspec.field(default_factory=set[str])

    def add(self, other: "GroupMembers") -> None:
        self.dns |= other.dns
        self.uids |= other.uids


@asynccontextmanager
async def connected(directory: Directory) -> AsyncGenerator[DirectoryConnection]:
    """A connection that may search."""
    async with client.connect(directory) as connection:
        yield connection


async def authenticate(directory: Directory, login: str, password: str) -> Person | None:
    """The person with this login and password. The directory is not asked about an empty one: it would say yes."""
    if directory.login_strips_domain:
        login = login.partition("@")[0]
    if not login.strip() or not password.strip() or "\0" in login + password or len(login) > _MAX_LENGTH:
        return None
    async with client.connect(directory) as connection:
        found = await _search(connection, equals(directory.uid, login), limit=2)
    if len(found) != 1:
        if found:
            log.warning("sign-in by LDAP is ambiguous", provider=directory.provider)
        # As for a wrong password, one more request is sent: the time does not tell whether the login is known.
        await client.verify_password(directory, f"cn={secrets.token_hex(8)},{directory.base}", password)
        return None
    accepted = await client.verify_password(directory, found[0].dn, password)
    return _person(directory, found[0]) if accepted else None


async def verify(directory: Directory, dn: str, uuid: str | None, login: str, password: str) -> Person | None:
    """The person of this stored entry, if this is their password; where it is gone, the one with this login.

    For every outcome the directory gets the same requests as for an unknown login.
    """
    if not password.strip() or "\0" in password:
        return None
    async with client.connect(directory) as connection:
        found = await _stored_entry(connection, dn, uuid)
    if found is None:
        return await authenticate(directory, login, password)
    accepted = await client.verify_password(directory, found.dn, password)
    return _person(directory, found) if accepted else None


async def find_person(connection: DirectoryConnection, dn: str, uuid: str | None, email: str) -> Person | None:
    """The person of this stored entry, or, if it is gone, the only person with this address, who may be another one."""
    directory = connection.directory
    if (entry := await _stored_entry(connection, dn, uuid)) is not None:
        return _person(directory, entry)
    if not email:
        return None
    by_email = some(*(equals(attribute, email) for attribute in directory.attributes.email))
    found = await _search(connection, by_email, limit=2)
    if len(found) > 1:
        raise InconclusiveAnswer("a user's name is gone, and several entries have their address")
    return _person(directory, found[0]) if found else None


async def list_people(connection: DirectoryConnection, limit: int) -> list[Person]:
    """Some people, as a sample."""
    entries = await _search(connection, present(connection.directory.uid), limit=limit)
    return [person for entry in entries if (person := _person(connection.directory, entry))]


async def list_group_names(directory: Directory, search: str = "") -> list[str]:
    """The names of up to 20 groups that begin with this text, within the time limit of the directory."""
    if not directory.group_base:
        return []
    try:
        async with asyncio.timeout(directory.timeout), client.connect(directory) as connection:
            entries = await connection.search(
                directory.group_base, starts_with("cn", search), ["cn"], limit=MAX_LISTED_GROUPS
            )
    except TimeoutError:
        raise DirectoryError("it did not answer in time") from None
    return sorted(name for entry in entries if (name := entry.first(["cn"])))[:MAX_LISTED_GROUPS]


async def members_of(connection: DirectoryConnection, cn: str) -> set[str]:
    """The normalized names of the members of the one group with this CN, nested groups included where they count."""
    directory = connection.directory
    if not directory.group_base:
        raise GroupUnusable("group_base is not set")
    found = await connection.search(directory.group_base, equals("cn", cn), ["cn", *_MEMBER_ATTRIBUTES], limit=2)
    if len(found) != 1:
        raise GroupUnusable(f"the group {cn!r} {'is ambiguous' if found else 'was not found'}")
    members, groups = GroupMembers(), set[str]()
    await _gather(connection, found[0], members, groups, 0)
    return (members.dns - groups) | await _names_of(connection, members.uids)


def filter_problem(text: str) -> str | None:
    """Describes the fault of a filter (RFC 4515); None if it is valid."""
    try:
        parse(text)
    except InvalidFilter as error:
        return str(error)
    return None


async def people_matching(connection: DirectoryConnection, text: str) -> set[str]:
    """The normalized names of all users who match a filter. Who is not found loses something: the answer has to be whole."""
    directory = connection.directory
    entries = await connection.search(directory.base, person_filter(directory, parse(text)), ["1.1"], complete=True)
    return {names.normalized_or_unchanged(entry.dn) for entry in entries}


async def matches(connection: DirectoryConnection, person: Person, text: str) -> bool:
    """Whether the person matches a filter."""
    matching = person_filter(connection.directory, parse(text))
    return bool(await connection.search(person.dn, matching, ["1.1"], scope="entry"))


async def groups_with(connection: DirectoryConnection, person: Person, cns: Collection[str]) -> set[str]:
    """Returns those of these CNs, in lower case, whose groups contain the person, directly or through nested groups.

    As in `members_of`, only groups below `group_base` count, and none whose CN another one has.
    """
    directory = connection.directory
    if not directory.group_base or not cns:
        return set()
    held = await _groups_around(connection, person) | person.groups
    named, wanted = dict[str, set[str]](), sorted(cns) if held else []
    for start in range(0, len(wanted), _BATCH):
        batch = some(*(equals("cn", cn) for cn in wanted[start : start + _BATCH]))
        for entry in await connection.search(directory.group_base, batch, ["cn"]):
            for cn in entry.texts("cn"):
                named.setdefault(cn.lower(), set()).add(names.normalized_or_unchanged(entry.dn))
    return {cn.lower() for cn in cns if len(found := named.get(cn.lower(), set[str]())) == 1 and found <= held}


async def _groups_around(connection: DirectoryConnection, person: Person) -> set[str]:
    """The normalized names of the groups that say that they hold the person, nested groups included where they count."""
    directory = connection.directory
    holding = [equals("member", person.dn), equals("uniqueMember", person.dn)]
    if person.uid:
        holding.append(equals("memberUid", person.uid))
    entries = await connection.search(directory.group_base, some(*holding), ["1.1"])
    found, outer = {entry.dn: entry for entry in entries}, entries
    if directory.active_directory or directory.nested_groups:
        for _ in range(MAX_NESTING):
            if not outer:
                break
            around = some(*(equals("member", entry.dn) for entry in outer))
            outer = [
                entry
                for entry in await connection.search(directory.group_base, around, ["1.1"])
                if entry.dn not in found
            ]
            found |= {entry.dn: entry for entry in outer}
    return {names.normalized_or_unchanged(dn) for dn in found}


async def _gather(
    connection: DirectoryConnection, group: DirectoryEntry, members: GroupMembers, seen: set[str], depth: int
) -> None:
    """Add the members of the group, and of the groups inside it: each group once, so that cycles end."""
    directory = connection.directory
    name = names.normalized_or_unchanged(group.dn)
    if name in seen or depth > MAX_NESTING:
        return
    seen.add(name)
    own = await _direct_members(connection, group)
    members.add(own)
    inner = list[DirectoryEntry]()
    if directory.active_directory:
        nested = every(equals("objectClass", "group"), equals("memberOf", group.dn))
        inner = await connection.search(directory.group_base, nested, _MEMBER_ATTRIBUTES, complete=True)
    elif directory.nested_groups:
        for dn in sorted(dn for dn in own.dns if names.is_below(dn, directory.group_base)):
            entries = await connection.search(dn, attributes=_MEMBER_ATTRIBUTES, scope="entry")
            inner += filter(_is_group, entries)
    for each in inner:
        await _gather(connection, each, members, seen, depth + 1)


def _is_group(entry: DirectoryEntry) -> bool:
    return any(name.partition(";")[0] in _ONLY_OF_GROUPS for name in entry.attributes)


async def _direct_members(connection: DirectoryConnection, group: DirectoryEntry) -> GroupMembers:
    """Reads the first attribute that names members; `memberUid` counts only if none of the others has a value."""
    values = (
        await _all_values(connection, group, "member")
        or group.texts("uniqueMember")
        or _people_in_member_of(connection.directory, group)
    )
    values = [*values, *group.texts("submember")]
    members = GroupMembers(uids=set() if values else set(group.texts("memberUid")))
    for value in values:
        try:
            name = names.normalize(names.without_unique_id(value))
        except InvalidName:
            if "=" in value:
                log.warning("a member of an LDAP group has an unreadable name", provider=connection.directory.provider)
            else:
                members.uids.add(value)
            continue
        if "," in name:
            members.dns.add(name)
        else:
            members.uids.add(name.partition("=")[2])
    return members


def _people_in_member_of(directory: Directory, group: DirectoryEntry) -> list[str]:
    """The members that odd directories name in `memberOf`. Elsewhere it names the groups around this one: no members."""
    if directory.active_directory:
        return []
    return [
        name
        for name in group.texts("memberOf")
        if names.is_below(name, directory.base) and not names.is_below(name, directory.group_base)
    ]


async def _all_values(connection: DirectoryConnection, entry: DirectoryEntry, attribute: str) -> list[str]:
    """The values of an attribute, of which Active Directory returns at most 1,500 at a time."""
    values = entry.texts(attribute)
    while piece := next((name for name in entry.attributes if name.startswith(f"{attribute.lower()};range=")), None):
        values += entry.texts(piece)
        end = piece.rpartition("-")[2]
        if not end.isdigit():
            break
        wanted = f"{attribute};range={int(end) + 1}-*"
        found = await connection.search(entry.dn, attributes=[wanted], scope="entry")
        if not found:
            raise DirectoryError("a group vanished while it was read")
        entry = found[0]
    return values


async def _names_of(connection: DirectoryConnection, uids: Iterable[str]) -> set[str]:
    """The names of the people with these logins. Who is not found loses something: the answer has to be whole."""
    directory, found, logins = connection.directory, set[str](), sorted(uids)
    for start in range(0, len(logins), _BATCH):
        batch = some(*(equals(directory.uid, login) for login in logins[start : start + _BATCH]))
        entries = await connection.search(directory.base, person_filter(directory, batch), ["1.1"], complete=True)
        found |= {names.normalized_or_unchanged(entry.dn) for entry in entries}
    return found


async def _stored_entry(connection: DirectoryConnection, dn: str, uuid: str | None) -> DirectoryEntry | None:
    """The entry of this id, wherever it was moved; else the entry of this name, which may be another one by now."""
    if uuid:
        by_id = some(*(equals_octets(attribute, bytes.fromhex(uuid)) for attribute in _IDS))
        if found := await _search(connection, by_id, limit=1):
            return found[0]
    return await _entry(connection, dn)


async def _entry(connection: DirectoryConnection, dn: str) -> DirectoryEntry | None:
    """The entry of this name, if it still is a user's."""
    directory = connection.directory
    found = await connection.search(dn, person_filter(directory), _attributes(directory), scope="entry")
    return found[0] if found else None


async def _search(connection: DirectoryConnection, *matching: Filter, limit: int) -> list[DirectoryEntry]:
    directory = connection.directory
    return await connection.search(
        directory.base, person_filter(directory, *matching), _attributes(directory), limit=limit
    )


def _attributes(directory: Directory) -> list[str]:
    wanted = directory.attributes
    keys = [directory.ssh_key_attribute] if directory.ssh_key_attribute else []
    return list(
        dict.fromkeys([
            directory.uid, *wanted.username, *wanted.email, *wanted.name, *wanted.first_name, *wanted.last_name, *keys,
            "memberOf", "userAccountControl", *_IDS,
        ])
    )  # fmt: skip


def _person(directory: Directory, entry: DirectoryEntry) -> Person | None:
    """The entry as a person; None if its name cannot be read."""
    wanted = directory.attributes
    try:
        dn = names.normalize(entry.dn)
    except InvalidName:
        log.warning("an LDAP user has an unreadable name", provider=directory.provider)
        return None
    email = entry.first(wanted.email)
    username = username_of(entry.first(wanted.username), email)
    full_name = " ".join(filter(None, (entry.first(wanted.first_name), entry.first(wanted.last_name))))
    flags = entry.first(["userAccountControl"]) if directory.active_directory else None
    return Person(
        dn=dn,
        uid=entry.first([directory.uid]) or "",
        username=username.lower() if directory.lowercase_usernames else username,
        email=normalize_email(email) if email else None,
        name=(entry.first(wanted.name) or full_name or username)[:255],
        keys=tuple(entry.texts(directory.ssh_key_attribute)) if directory.ssh_key_attribute else (),
        disabled=bool(flags and flags.isdecimal() and int(flags) & DISABLED),
        groups=frozenset(
            names.normalize(name) for name in entry.texts("memberOf") if names.is_below(name, directory.group_base)
        ),
        uuid=next((value.hex() for name in _IDS for value in entry.attributes.get(name.lower(), ())), None),
    )
