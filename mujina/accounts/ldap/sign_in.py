"""Signing in by a directory. Pages create the account of a new person; git and OAuth only find one."""

from typing import Literal

from mujina.accounts.ldap import operations, provisioning
from mujina.accounts.ldap.people import Person, is_same_entry
from mujina.accounts.ldap.provisioning import ACCESS_DENIED, NameReused
from mujina.accounts.ldap.rules import find_directory, usable_directories
from mujina.accounts.users import operations as users
from mujina.accounts.users.params import EditUser
from mujina.accounts.users.rules import find_person
from mujina.accounts.users.sign_in import accounts, identities
from mujina.directory_settings import Directory, DirectoryError
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.monitoring.logs import log
from mujina.kernel.permissions.actor import SYSTEM
from mujina.kernel.services import Services

SYNC_MEMBER = "ldap.sync_member"
"""The task that adds a user to the linked groups of their directory groups."""

Purpose = Literal["session", "git"]
"""A session creates and updates the account; git only recognizes it."""


async def check_known(
    services: Services, provider: str, dn: str, name: str, password: str, *, user_id: int, purpose: Purpose
) -> int | None:
    """The id of this user, if the directory that knows them accepts the password; the stored one never counts."""
    directory = find_directory(services.settings, provider)
    if directory is None:
        return None
    async with services.database.reading() as tx:
        _, uuid = await identities.read_entry(tx, user_id, provider)
    with _Reachable(directory):
        person = await operations.verify(directory, dn, uuid, name, password)
    if person is None:
        return None
    owner = await _find_account(services, directory, person, purpose)
    # An entry without an id that moved is found by the login.
    if owner != user_id and (owner is not None or not await _is_same(services, directory, person, user_id)):
        return None
    return await _admit(services, directory, person, user_id, purpose)


async def check_unknown(
    services: Services, name: str, password: str, *, provider: str | None, purpose: Purpose
) -> int | None:
    """The id of the user whom a directory knows by this login and password; of several, the first that accepts them.

    Local accounts enter even if no directory can be reached; then, 503.
    """
    unreachable: DirectoryError | None = None
    for directory in usable_directories(services.settings):
        if provider is not None and directory.provider != provider:
            continue
        try:
            person = await operations.authenticate(directory, name, password)
        except DirectoryError as error:
            log.warning("directory not reachable", provider=directory.provider, problem=str(error))
            unreachable = error
            continue
        if person is not None:
            user_id = await _find_account(services, directory, person, purpose)
            return await _admit(services, directory, person, user_id, purpose)
    if unreachable is not None:
        raise errors.unreachable("The directory")
    return None


async def _find_account(services: Services, directory: Directory, person: Person, purpose: Purpose) -> int | None:
    """The user of this entry. One whose name in the directory it has taken over is blocked, and it is refused."""
    try:
        async with services.database.reading() as tx:
            return await provisioning.find_account(tx, directory, person)
    except NameReused as error:
        async with services.database.transaction() as tx:
            former = await find_person(tx, error.user_id, lock=True)
            await provisioning.lock_out_former(tx, directory, former, person.dn)
        if purpose == "session":
            raise
        return None


async def _admit(
    services: Services, directory: Directory, person: Person, user_id: int | None, purpose: Purpose
) -> int | None:
    """The account of an authenticated person, as the directory describes it now."""
    if purpose == "git":
        return None if person.disabled else user_id
    if person.disabled:
        if user_id is not None:
            async with services.database.transaction() as tx:
                await provisioning.lock_out(tx, directory, await find_person(tx, user_id, lock=True))
        raise errors.bad_request(ACCESS_DENIED)
    external = await _is_external(directory, person)
    try:
        async with services.database.transaction() as tx:
            known = user_id or await provisioning.find_account(tx, directory, person)
            known = known or await provisioning.find_or_create(tx, directory, person)
            await _update(tx, directory, known, person, external=external)
            return known
    except ApiError:
        # The same person may have signed in twice at once: then the other request has created the account.
        async with services.database.transaction() as tx:
            found = await provisioning.find_account(tx, directory, person)
        if found is None or found == user_id:
            raise
        return found


async def _update(tx: Tx, directory: Directory, user_id: int, person: Person, *, external: bool | None) -> None:
    user = await find_person(tx, user_id, lock=True)
    governs = await provisioning.follow(tx, directory, user, person)
    await accounts.keep_password(tx, user_id)
    if governs and external is not None and external != user.external:
        await users.edit(tx, SYSTEM, user, EditUser(external=external), None)
    await enqueue(tx, SYNC_MEMBER, user_id)


async def _is_external(directory: Directory, person: Person) -> bool | None:
    """Whether the person is in one of the external groups; None where there are none, or the directory does not say."""
    if not directory.external_groups:
        return None
    try:
        async with operations.connected(directory) as connection:
            held = await operations.groups_with(connection, person, directory.external_groups)
    except DirectoryError as error:
        log.warning("directory not reachable", provider=directory.provider, problem=str(error))
        return None
    return bool(held)


async def _is_same(services: Services, directory: Directory, person: Person, user_id: int) -> bool:
    """Whether the person found by the login, whom no account has, is this user, renamed or moved."""
    async with services.database.reading() as tx:
        user = await find_person(tx, user_id)
        dn, uuid = await identities.read_entry(tx, user_id, directory.provider)
    return person.email == user.email and is_same_entry(directory, person, dn=dn, uuid=uuid, username=user.username)


class _Reachable:
    """Inside, a directory that gives no definite answer is a 503."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, DirectoryError):
            log.warning("directory not reachable", provider=self._directory.provider, problem=str(error))
            raise errors.unreachable("The directory") from None
