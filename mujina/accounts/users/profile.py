"""What is stored of a person besides their name and address, and what follows from being external."""

from typing import Any, LiteralString

from mujina.accounts.users.params import Profile
from mujina.instance.application_settings.params import ApplicationSettings
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.params import UNSET
from mujina.kernel.text import fold

_SETTERS: dict[str, LiteralString] = {
    "name": "name = :name, name_folded = :name_folded",
    "admin": "admin = :admin",
    "external": "external = :external",
    "can_create_group": "can_create_group = :can_create_group",
    "projects_limit": "projects_limit = :projects_limit",
    "bio": "bio = :bio",
    "location": "location = :location",
    "organization": "organization = :organization",
    "skype": "skype = :skype",
    "linkedin": "linkedin = :linkedin",
    "twitter": "twitter = :twitter",
    "website_url": "website_url = :website_url",
    "shared_runners_minutes_limit": "shared_runners_minutes_limit = :shared_runners_minutes_limit",
}
_NEVER_NULL = frozenset({"skype", "linkedin", "twitter", "website_url"})


def columns_of(change: Profile) -> dict[str, Any]:
    """What the request says of the person, as it is stored."""
    given = {name: value for name, value in change.given().items() if name in _SETTERS}
    if "name" in given:
        given["name"] = given["name"].strip()
    return {name: "" if value is None and name in _NEVER_NULL else value for name, value in given.items()}


def rights(change: Profile, settings: ApplicationSettings, *, external: bool, was_external: bool) -> dict[str, Any]:
    """Who becomes external loses the right to make groups and projects; who is taken in gets back what is not given."""
    if external == was_external:
        return {}
    if external:
        return {"external": True, "can_create_group": False, "projects_limit": 0}
    usual = {"can_create_group": True, "projects_limit": settings.default_projects_limit}
    return {name: value for name, value in usual.items() if getattr(change, name) is UNSET}


async def store(tx: Tx, user_id: int, columns: dict[str, Any]) -> dict[str, Any]:
    """The columns have these values now; what became of each that changed."""
    before = await _lock(tx, user_id)
    setters: list[LiteralString] = ["updated_at = :now", *(_SETTERS[name] for name in columns)]
    folded = {"name_folded": fold(columns["name"])} if "name" in columns else {}
    await tx.run(
        f"UPDATE users SET {', '.join(setters)} WHERE id = :id", id=user_id, now=clock.now(), **columns, **folded
    )
    return {name: (before[name], value) for name, value in columns.items() if before[name] != value}


async def _lock(tx: Tx, user_id: int) -> dict[str, Any]:
    """The person's row, held until the change is made."""
    row = await tx.row(
        tuple[str, bool, bool, bool, int, str | None, str | None, str | None, str, str, str, str, int | None],
        """SELECT u.name, u.admin, u.external, u.can_create_group, u.projects_limit, u.bio, u.location,
                  u.organization, u.skype, u.linkedin, u.twitter, u.website_url, u.shared_runners_minutes_limit
           FROM users u WHERE u.id = :id FOR UPDATE""",
        id=user_id,
    )
    assert row is not None
    return dict(zip(_SETTERS, row, strict=True))
