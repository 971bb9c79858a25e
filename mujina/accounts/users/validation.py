"""Validation of the fields of users."""

from typing import Any

from mujina.accounts.emails import operations as emails
from mujina.accounts.paths import operations as paths
from mujina.accounts.users.params import CreateUser, EditUser
from mujina.accounts.users.rules import UserRow
from mujina.accounts.users.sign_in import identities
from mujina.instance.application_settings.params import ApplicationSettings
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import BLANK, TAKEN, Problems
from mujina.kernel.http.params import UNSET
from mujina.kernel.text.folding import fold

EMAIL_TAKEN = "Email has already been taken"
USERNAME_TAKEN = "Username has already been taken"
MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH = 8, 128
_MAX_LENGTH = 255
_MAX_LIMIT = 2_147_483_647
_TEXTS = ("name", "bio", "location", "organization", "skype", "linkedin", "twitter", "website_url")


async def check_new(tx: Tx, change: CreateUser, settings: ApplicationSettings, *, any_domain: bool) -> None:
    """Refuse invalid fields: 409 for an address or username in use, else 400 with every problem."""
    email = emails.normalize(change.email)
    problems = Problems()
    problems.require("name", change.name)
    check_profile(problems, change.sent_fields())
    if change.password is UNSET and change.reset_password is not True:
        problems.add("password", BLANK)
    emails.check_address(problems, email)
    if not any_domain:
        check_domain(problems, settings, email)
    await paths.check_path(tx, problems, "username", change.username, None)
    if await _is_primary_address_of_another(tx, problems, email, except_id=0):
        raise errors.conflict(EMAIL_TAKEN)
    if await _username_in_use(tx, change.username, except_id=0):
        raise errors.conflict(USERNAME_TAKEN)
    await identities.check(tx, problems, change, user_id=0)
    problems.refuse()


async def check_edit(tx: Tx, user: UserRow, change: EditUser, settings: ApplicationSettings) -> None:
    """Refuse a change to invalid fields, with every problem."""
    problems = Problems()
    if change.name is not UNSET:
        problems.require("name", change.name)
    check_profile(problems, change.sent_fields())
    if change.email is not UNSET:
        email = emails.normalize(change.email)
        emails.check_address(problems, email)
        if email != user.email:
            check_domain(problems, settings, email)
        # Compat: an address or username in use is a 404 here, and a 409 when creating.
        if await _is_primary_address_of_another(tx, problems, email, except_id=user.id):
            raise errors.not_found_with(EMAIL_TAKEN)
    if change.username is not UNSET:
        if await _username_in_use(tx, change.username, except_id=user.id):
            raise errors.not_found_with(USERNAME_TAKEN)
        if change.username != user.username:
            await paths.check_path(tx, problems, "username", change.username, None, instead_of=user.username)
    await identities.check(tx, problems, change, user.id)
    problems.refuse()


def check_profile(problems: Problems, fields: dict[str, Any]) -> None:
    """The rules that creating and editing share."""
    for name in _TEXTS:
        problems.limit(name, fields.get(name), _MAX_LENGTH)
    for name in ("projects_limit", "shared_runners_minutes_limit"):
        limit = fields.get(name) or 0
        if limit < 0:
            problems.add(name, "must be greater than or equal to 0")
        elif limit > _MAX_LIMIT:
            problems.add(name, f"must be less than or equal to {_MAX_LIMIT}")
    if "password" in fields and fields.get("reset_password") is not True:
        check_password(problems, fields["password"])


def check_domain(problems: Problems, settings: ApplicationSettings, email: str) -> None:
    """Add a problem if the settings do not allow the domain of a primary address."""
    if not problems and not settings.allows_email(email):
        problems.add("email", "is not from an allowed domain.")


def check_password(problems: Problems, password: str) -> None:
    """Add a problem if the password is empty, too short or too long."""
    if not password:
        problems.add("password", BLANK)
    elif len(password) < MIN_PASSWORD_LENGTH:
        problems.add("password", f"is too short (minimum is {MIN_PASSWORD_LENGTH} characters)")
    problems.limit("password", password, MAX_PASSWORD_LENGTH)


def check_new_password(password: str, confirmation: str, *, current: str | None = None) -> None:
    """Refuse a password that is invalid, equals the `current` one, or differs from its confirmation."""
    problems = Problems()
    check_password(problems, password)
    if password == current:
        problems.add("password", "must differ from the current password")
    if password != confirmation:
        problems.add("password_confirmation", "doesn't match Password")
    problems.refuse()


async def _is_primary_address_of_another(tx: Tx, problems: Problems, email: str, *, except_id: int) -> bool:
    """Whether it is the primary address of another user; a secondary address of another user is added as a problem."""
    owner = await emails.owner_of(tx, email)
    if owner is None or owner[0] == except_id:
        return False
    if not owner[1]:
        problems.add("email", TAKEN)
    return owner[1]


async def _username_in_use(tx: Tx, username: str, *, except_id: int) -> bool:
    found = await tx.value(
        "SELECT 1 FROM users u WHERE u.username_folded = :name AND u.deleted_at IS NULL AND u.id <> :except_id",
        name=fold(username),
        except_id=except_id,
    )
    return found is not None
