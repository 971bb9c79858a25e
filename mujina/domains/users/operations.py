"""What happens to people."""

import re

from mujina.domains.namespaces import operations as namespaces
from mujina.domains.users.params import CreateUser
from mujina.kernel import clock, errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import BLANK, INVALID, Problems
from mujina.kernel.events import record
from mujina.kernel.text import fold

_EMAIL = re.compile(r"[^@\s\0,;<>\"]{1,64}@[^@\s\0,;<>\"]{1,190}")
_SHORTEST_PASSWORD, _LONGEST_PASSWORD = 8, 128
_LARGEST_LIMIT = 2_147_483_647


def password_of(change: CreateUser) -> str | None:
    """The password to be used, if any: asking for a reset takes priority."""
    return None if change.reset_password is True else change.password or None


async def create(tx: Tx, actor: Actor, change: CreateUser, password_hash: str | None) -> int:
    """A new person with their namespace; `password_hash` was made before the transaction, hashing takes long."""
    await _check(tx, change)
    now = clock.now()
    said = {name: value for name, value in change.given().items() if name in _COLUMNS}
    user_id: int = await tx.value(
        """
        INSERT INTO users (username, username_folded, name, name_folded, email, email_folded, password_hash,
            password_expires_at, admin, external, can_create_group, projects_limit, bio, location, organization,
            skype, linkedin, twitter, website_url, shared_runners_minutes_limit, confirmed_at, created_at, updated_at)
        VALUES (:username, :username_folded, :name, :name_folded, :email, :email_folded, :password_hash,
            :password_expires_at, :admin, :external, :can_create_group, :projects_limit, :bio, :location, :organization,
            :skype, :linkedin, :twitter, :website_url, :shared_runners_minutes_limit, :confirmed_at, :now, :now)
        RETURNING id
        """,
        **(_DEFAULTS | {name: value for name, value in said.items() if value is not None}),
        username_folded=fold(change.username),
        name_folded=fold(change.name),
        email_folded=fold(change.email),
        password_hash=password_hash,
        password_expires_at=now,
        confirmed_at=now if change.skip_confirmation is True else None,
        now=now,
    )
    await namespaces.open_for_user(tx, user_id, change.username)
    await record(tx, "user.created", actor, subject_id=user_id)
    return user_id


_DEFAULTS = {
    "admin": False, "external": False, "can_create_group": True, "projects_limit": 100_000, "bio": None,
    "location": None, "organization": None, "skype": "", "linkedin": "", "twitter": "", "website_url": "",
    "shared_runners_minutes_limit": None,
}  # fmt: skip
_COLUMNS = {*_DEFAULTS, "username", "name", "email"}


async def _check(tx: Tx, change: CreateUser) -> None:
    """Validation first; then, as twins of a primary address or a name answer differently, 409."""
    problems = Problems()
    problems.require("name", change.name)
    problems.limit("name", change.name, 255)
    if not change.email.strip():
        problems.add("email", BLANK)
    elif not _EMAIL.fullmatch(change.email):
        problems.add("email", INVALID)
    await namespaces.check_path(tx, problems, "username", change.username, None)
    check_profile(problems, change.given())
    email, username = await _twins(tx, change.email, change.username)
    if email:
        raise errors.conflict("Email has already been taken")
    if username:
        raise errors.conflict("Username has already been taken")
    problems.refuse()


def check_profile(problems: Problems, said: dict[str, object]) -> None:
    """The rules that creating and editing share."""
    bio, limit, password = said.get("bio"), said.get("projects_limit"), said.get("password")
    problems.limit("bio", bio if isinstance(bio, str) else None, 255)
    if isinstance(limit, int) and not 0 <= limit <= _LARGEST_LIMIT:
        problems.add("projects_limit", "must be greater than or equal to 0" if limit < 0 else "is too large")
    if isinstance(password, str) and said.get("reset_password") is not True:
        if len(password) < _SHORTEST_PASSWORD:
            problems.add("password", f"is too short (minimum is {_SHORTEST_PASSWORD} characters)")
        problems.limit("password", password, _LONGEST_PASSWORD)


async def _twins(tx: Tx, email: str, username: str) -> tuple[bool, bool]:
    """Whether another person has the address, and whether another person has the name."""
    found = await tx.row(
        tuple[bool, bool],
        """
        SELECT EXISTS (SELECT 1 FROM users u WHERE u.email_folded = :email AND u.deleted_at IS NULL),
               EXISTS (SELECT 1 FROM users u WHERE u.username_folded = :username AND u.deleted_at IS NULL)
        """,
        email=fold(email),
        username=fold(username),
    )
    return found or (False, False)
