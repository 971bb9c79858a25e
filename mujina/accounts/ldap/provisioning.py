"""Accounts of people in a directory: found, linked, created, and kept as the directory describes them."""

from mujina.accounts.emails import operations as emails
from mujina.accounts.keys import operations as keys
from mujina.accounts.ldap.people import NO_MAIL_DOMAIN, Person, has_other_id
from mujina.accounts.paths import operations as paths
from mujina.accounts.users import operations
from mujina.accounts.users.params import CreateUser, EditUser
from mujina.accounts.users.rules import UserRow, find_person
from mujina.accounts.users.sign_in import accounts, identities
from mujina.accounts.users.sign_in.confirmation import change_address
from mujina.directory_settings import Directory
from mujina.kernel import errors, secrets
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError, BadRequest, Problems
from mujina.kernel.events import record
from mujina.kernel.monitoring.logs import log
from mujina.kernel.permissions.actor import SYSTEM
from mujina.kernel.text.folding import fold

ACCESS_DENIED = "Access denied for your LDAP account."
EMAIL_TAKEN = "Your LDAP account has the email address of another account here. Ask an administrator to link them."
KEY_TITLE = "LDAP - {}"


class NameReused(BadRequest):
    """The entry has the name of another one, which was that of this user."""

    def __init__(self, user_id: int) -> None:
        super().__init__({"message": ACCESS_DENIED})
        self.user_id = user_id


async def find_account(tx: Tx, directory: Directory, person: Person) -> int | None:
    """The user of this entry, by the directory's id of it, else by its name; `NameReused` if another entry had the name."""
    found = await tx.rows(
        tuple[int, str, str | None],
        """
        SELECT i.user_id, i.extern_uid_folded, i.entry_uuid FROM identities i JOIN users u ON u.id = i.user_id
        WHERE i.provider = :provider AND u.deleted_at IS NULL
        AND (i.extern_uid_folded = :dn OR i.entry_uuid = CAST(:uuid AS text)) ORDER BY i.id
        """,
        provider=directory.provider,
        dn=fold(person.dn),
        uuid=person.uuid,
    )
    for user_id, name, uuid in found:
        if name == fold(person.dn) and has_other_id(person, uuid):
            raise NameReused(user_id)
    by_id = (user_id for user_id, _, uuid in found if uuid and uuid == person.uuid)
    return next(by_id, next((user_id for user_id, _, _ in found), None))


async def find_or_create(tx: Tx, directory: Directory, person: Person) -> int:
    """The account of a person who signs in for the first time: linked by address where that is allowed, else new."""
    owner = await emails.owner_of(tx, person.email) if person.email else None
    if owner is None:
        return await _create(tx, directory, person)
    user_id, primary = owner
    if directory.link_by_email and primary and await _may_link(tx, directory, user_id):
        await link(tx, directory, user_id, person.dn)
        return user_id
    raise errors.bad_request(EMAIL_TAKEN)


async def link(tx: Tx, directory: Directory, user_id: int, dn: str) -> None:
    """Make this the user's name in the directory."""
    change = EditUser(provider=directory.provider, extern_uid=dn)
    changes = await identities.put(tx, user_id, change)
    await record(tx, "user.updated", SYSTEM, subject_id=user_id, changes=changes)


async def _may_link(tx: Tx, directory: Directory, user_id: int) -> bool:
    """Never an administrator, nor a user whom the directory knows under another name.

    Nor a visitor who signed up with the address and has not shown yet that it is theirs.
    """
    found = await tx.value(
        """
        SELECT 1 FROM users u WHERE u.id = :id AND NOT u.admin AND u.kind = 'person'
        AND u.confirmed_at IS NOT NULL AND u.state <> :pending AND NOT EXISTS (
            SELECT 1 FROM identities i WHERE i.user_id = u.id AND i.provider = :provider)
        """,
        id=user_id,
        provider=directory.provider,
        pending=accounts.PENDING,
    )
    return found is not None


async def _create(tx: Tx, directory: Directory, person: Person) -> int:
    username = await _free_username(tx, person.username)
    email = person.email or ""
    problems = Problems()
    emails.check_address(problems, email)
    change = CreateUser(
        username=username, name=person.name, email=f"{username.lower()}@{NO_MAIL_DOMAIN}" if problems else email,
        # No password: this one only satisfies the rules for one, and is not stored.
        password=secrets.new_password(), skip_confirmation=True, provider=directory.provider, extern_uid=person.dn,
    )  # fmt: skip
    user_id = await operations.create(tx, SYSTEM, change, None, any_domain=True)
    if directory.block_new_users:
        await accounts.block(tx, SYSTEM, await find_person(tx, user_id))
    return user_id


async def _free_username(tx: Tx, wanted: str) -> str:
    """The username, or the first of `name1`, `name2`, … that no user, group or route has."""
    number = 0
    while True:
        username = f"{wanted[:240]}{number or ''}"
        problems = Problems()
        await paths.check_path(tx, problems, "username", username, None)
        if not problems:
            return username
        number += 1


async def follow(tx: Tx, directory: Directory, user: UserRow, person: Person) -> bool:
    """Make the account what the directory says now: its name there, address and keys; and let the user in again.

    A directory that does not govern the user changes nothing but the name in it, and False is returned.
    """
    await identities.follow_entry(tx, user.id, directory.provider, person.dn, person.uuid)
    if not await identities.is_governed_by(tx, user.id, directory.provider):
        return False
    await accounts.unblock_by_directory(tx, user)
    await _follow_address(tx, user, person.email)
    if directory.ssh_key_attribute:
        title = KEY_TITLE.format(directory.ssh_key_attribute)
        await keys.follow_directory(tx, user.id, title, person.keys)
    return True


async def _follow_address(tx: Tx, user: UserRow, email: str | None) -> None:
    """The first address of the entry, without a confirmation. One that cannot be used changes nothing."""
    if email is None or email == user.email:
        return
    if not await is_usable_address(tx, user.id, email):
        log.warning("an address of the directory was not taken over", user=user.username)
        return
    try:
        async with tx.savepoint():
            changes = await change_address(tx, SYSTEM, user, email, confirmed=True)
            await record(tx, "user.updated", SYSTEM, subject_id=user.id, changes=changes)
    except ApiError:
        log.warning("an address of the directory was not taken over", user=user.username)


async def is_usable_address(tx: Tx, user_id: int, email: str) -> bool:
    """Whether it is an address, and no other user's."""
    problems = Problems()
    emails.check_address(problems, email)
    owner = await emails.owner_of(tx, email)
    return not problems and (owner is None or owner[0] == user_id)


async def lock_out_former(tx: Tx, directory: Directory, user: UserRow, dn: str) -> bool:
    """Block a user whose name in the directory another entry has now, and tell administrators in log and audit log.

    Otherwise the new person would get the account and its tokens. False if nothing changed.
    """
    blocked = await lock_out(tx, directory, user)
    if blocked:
        await record(tx, "user.updated", SYSTEM, subject_id=user.id, changes={"name_reused_in_directory": (None, dn)})
    log.warning("a name in the directory was given to another entry", user=user.username, provider=directory.provider)
    return blocked


async def lock_out(tx: Tx, directory: Directory, user: UserRow) -> bool:
    """Block an active user whom the directory that governs them does not have or has disabled.

    False if nothing changed: the last administrator stays active.
    """
    blocked = False
    if user.state == "active" and await identities.is_governed_by(tx, user.id, directory.provider):
        try:
            async with tx.savepoint():
                blocked = await accounts.block_by_directory(tx, user)
        except ApiError:
            log.warning("the last administrator is not in the directory and stays active", user=user.username)
    await identities.record_missing_user(tx, user.id, directory.provider, blocked=blocked)
    return blocked
