"""What a person may be called and what may be said of them."""

from typing import Any

from mujina.accounts.emails import operations as emails
from mujina.accounts.paths import operations as paths
from mujina.accounts.users import identities
from mujina.accounts.users.params import CreateUser, EditUser
from mujina.accounts.users.rules import UserRow
from mujina.instance.application_settings.params import ApplicationSettings
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import BLANK, TAKEN, Problems
from mujina.kernel.params import UNSET
from mujina.kernel.text import fold

EMAIL_TAKEN = "Email has already been taken"
USERNAME_TAKEN = "Username has already been taken"
MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH = 8, 128
_MAX_LENGTH = 255
_MAX_LIMIT = 2_147_483_647
_TEXTS = ("name", "bio", "location", "organization", "skype", "linkedin", "twitter", "website_url")


async def check_new(tx: Tx, change: CreateUser, settings: ApplicationSettings) -> None:
    """Refuse a person who may not be: twins of an address or a name with 409, all else with everything that is wrong."""
    email = emails.normalize(change.email)
    problems = Problems()
    problems.require("name", change.name)
    check_profile(problems, change.given())
    if change.password is UNSET and change.reset_password is not True:
        problems.add("password", BLANK)
    emails.check_form(problems, email)
    check_domain(problems, settings, email)
    await paths.check_path(tx, problems, "username", change.username, None)
    if await _person_with_email(tx, problems, email, besides=0):
        raise errors.conflict(EMAIL_TAKEN)
    if await _person_named(tx, change.username, besides=0):
        raise errors.conflict(USERNAME_TAKEN)
    await identities.check(tx, problems, change, user_id=0)
    problems.refuse()


async def check_edit(tx: Tx, user: UserRow, change: EditUser, settings: ApplicationSettings) -> None:
    """Refuse a change to what a person may not be, with everything that is wrong with it."""
    problems = Problems()
    if change.name is not UNSET:
        problems.require("name", change.name)
    check_profile(problems, change.given())
    if change.email is not UNSET:
        email = emails.normalize(change.email)
        emails.check_form(problems, email)
        if email != user.email:
            check_domain(problems, settings, email)
        # Compat: a twin of an address or a name is answered with 404 here, where creating answers 409.
        if await _person_with_email(tx, problems, email, besides=user.id):
            raise errors.absent(EMAIL_TAKEN)
    if change.username is not UNSET:
        if await _person_named(tx, change.username, besides=user.id):
            raise errors.absent(USERNAME_TAKEN)
        if change.username != user.username:
            await paths.check_path(tx, problems, "username", change.username, None, instead_of=user.username)
    await identities.check(tx, problems, change, user.id)
    problems.refuse()


def check_profile(problems: Problems, said: dict[str, Any]) -> None:
    """The rules that creating and editing share."""
    for name in _TEXTS:
        problems.limit(name, said.get(name), _MAX_LENGTH)
    for name in ("projects_limit", "shared_runners_minutes_limit"):
        limit = said.get(name) or 0
        if limit < 0:
            problems.add(name, "must be greater than or equal to 0")
        elif limit > _MAX_LIMIT:
            problems.add(name, f"must be less than or equal to {_MAX_LIMIT}")
    if "password" in said and said.get("reset_password") is not True:
        check_password(problems, said["password"])


def check_domain(problems: Problems, settings: ApplicationSettings, email: str) -> None:
    """Complain about a principal address where administrators want nobody's to be."""
    if not problems and not settings.allows_email(email):
        problems.add("email", "is not from an allowed domain.")


def check_password(problems: Problems, password: str) -> None:
    """Complain about a password nobody may have."""
    if not password:
        problems.add("password", BLANK)
    elif len(password) < MIN_PASSWORD_LENGTH:
        problems.add("password", f"is too short (minimum is {MIN_PASSWORD_LENGTH} characters)")
    problems.limit("password", password, MAX_PASSWORD_LENGTH)


def check_chosen(password: str, again: str, *, before: str | None = None) -> None:
    """Refuse a password nobody may have, that is the one `before`, or that was not typed the same twice."""
    problems = Problems()
    check_password(problems, password)
    if password == before:
        problems.add("password", "is the one you had")
    if password != again:
        problems.add("password_confirmation", "doesn't match Password")
    problems.refuse()


async def _person_with_email(tx: Tx, problems: Problems, email: str, *, besides: int) -> bool:
    """Whether it is another person's principal address; one of their further addresses is a complaint like others."""
    owner = await emails.owner_of(tx, email)
    if owner is None or owner[0] == besides:
        return False
    if not owner[1]:
        problems.add("email", TAKEN)
    return owner[1]


async def _person_named(tx: Tx, username: str, *, besides: int) -> bool:
    found = await tx.value(
        "SELECT 1 FROM users u WHERE u.username_folded = :name AND u.deleted_at IS NULL AND u.id <> :besides",
        name=fold(username),
        besides=besides,
    )
    return found is not None
