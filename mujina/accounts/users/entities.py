"""What is shown of a person, in each of the views."""

from typing import LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.entities import shown
from mujina.kernel.paging import Page
from mujina.kernel.urls import web


class UserRef(msgspec.Struct):
    """A person as they appear inside other things."""

    id: int
    username: str
    name: str
    state: str
    avatar_url: str | None
    web_url: str


class Identity(msgspec.Struct):
    provider: str
    extern_uid: str


class User(UserRef):
    """A person as other people see them."""

    created_at: str
    bio: str | None
    location: str | None
    skype: str
    linkedin: str
    twitter: str
    website_url: str
    organization: str | None


class FullUser(User):
    """A person as they see themselves, and as administrators see them."""

    email: str
    last_sign_in_at: str | None
    confirmed_at: str | None
    theme_id: int
    last_activity_on: str | None
    color_scheme_id: int
    projects_limit: int
    current_sign_in_at: str | None
    identities: list[Identity]
    can_create_group: bool
    can_create_project: bool
    two_factor_enabled: bool
    external: bool
    shared_runners_minutes_limit: int | UnsetType | None = UNSET
    is_admin: bool | UnsetType = UNSET


REF: LiteralString = "u.id, u.username, u.name, u.state, u.avatar"
PUBLIC: LiteralString = (
    f"{REF}, u.created_at, u.bio, u.location, u.skype, u.linkedin, u.twitter, u.website_url, u.organization"
)
FULL: LiteralString = f"""{PUBLIC}, u.email, u.last_sign_in_at, u.confirmed_at, u.theme_id, u.last_activity_on,
    u.color_scheme_id, u.projects_limit, u.current_sign_in_at, u.can_create_group, u.two_factor_enabled, u.external,
    u.shared_runners_minutes_limit, u.admin,
    (SELECT count(*) FROM projects own JOIN namespaces o ON o.id = own.namespace_id
     WHERE o.owner_id = u.id AND own.deleted_at IS NULL)"""


class RefRow(msgspec.Struct, array_like=True, frozen=True):
    """The columns of `REF`."""

    id: int
    username: str
    name: str
    state: str
    avatar: str | None

    def shown(self) -> UserRef:
        return UserRef(
            self.id, self.username, self.name, shown_state(self.state), avatar_url(self), web(f"/{self.username}")
        )


class PublicRow(RefRow, array_like=True, frozen=True):
    """The columns of `PUBLIC`."""

    created_at: str
    bio: str | None
    location: str | None
    skype: str
    linkedin: str
    twitter: str
    website_url: str
    organization: str | None


class FullRow(PublicRow, array_like=True, frozen=True):
    """The columns of `FULL`."""

    email: str
    last_sign_in_at: str | None
    confirmed_at: str | None
    theme_id: int
    last_activity_on: str | None
    color_scheme_id: int
    projects_limit: int
    current_sign_in_at: str | None
    can_create_group: bool
    two_factor_enabled: bool
    external: bool
    shared_runners_minutes_limit: int | None
    admin: bool
    own_projects: int


def shown_state(state: str) -> str:
    """Blocked by the directory is blocked."""
    return "blocked" if state == "ldap_blocked" else state


def avatar_url(user: RefRow) -> str | None:
    return web(f"/uploads/-/system/user/avatar/{user.id}/{user.avatar}") if user.avatar else None


async def single(tx: Tx, actor: Actor, user_id: int) -> User | FullUser:
    """One person: whole for administrators, as others see them for everybody else."""
    if actor.admin:
        return (await full(tx, actor, [user_id]))[0]
    row = await tx.row(PublicRow, f"SELECT {PUBLIC} FROM users u WHERE u.id = :id", id=user_id)
    assert row is not None
    return shown(User, row, **_ref(row))


async def own(tx: Tx, actor: Actor) -> FullUser:
    """The caller, as they see themselves; `is_admin` is shown to administrators."""
    return (await full(tx, actor, [actor.id]))[0]


async def listed(
    tx: Tx, actor: Actor, chosen: Selection, order: LiteralString, page: Page
) -> list[UserRef] | list[FullUser]:
    """One page of people: whole for administrators, bare references for everybody else."""
    if not actor.admin:
        return await refs_of(tx, chosen, order, page)
    ids = await tx.values(
        f"SELECT u.id {chosen.text} ORDER BY {order} LIMIT :limit OFFSET :offset", **chosen.bound, **page.bound
    )
    return await full(tx, actor, ids, limits=False)


async def refs_of(tx: Tx, chosen: Selection, order: LiteralString, page: Page) -> list[UserRef]:
    """One page of bare references."""
    rows = await tx.rows(
        RefRow, f"SELECT {REF} {chosen.text} ORDER BY {order} LIMIT :limit OFFSET :offset", **chosen.bound, **page.bound
    )
    return [row.shown() for row in rows]


async def refs(tx: Tx, ids: list[int]) -> list[UserRef]:
    """Bare references, in the order of the ids."""
    rows = await tx.rows(RefRow, f"SELECT {REF} FROM users u WHERE u.id IN :ids", ids=ids)
    people = {row.id: row.shown() for row in rows}
    return [people[id_] for id_ in ids if id_ in people]


async def full(tx: Tx, actor: Actor, ids: list[int], *, limits: bool = True) -> list[FullUser]:
    """Whole people, in the order of the ids."""
    rows = await tx.rows(FullRow, f"SELECT {FULL} FROM users u WHERE u.id IN :ids", ids=ids)
    identities: dict[int, list[Identity]] = {}
    for user_id, provider, extern_uid in await tx.rows(
        tuple[int, str, str],
        "SELECT user_id, provider, extern_uid FROM identities WHERE user_id IN :ids ORDER BY id",
        ids=ids,
    ):
        identities.setdefault(user_id, []).append(Identity(provider, extern_uid))
    people = {row.id: _full(row, identities.get(row.id, []), actor, limits) for row in rows}
    return [people[id_] for id_ in ids if id_ in people]


class Activity(msgspec.Struct):
    """The last day on which a person signed in or used git."""

    username: str
    last_activity_on: str
    last_activity_at: str
    # Compat: a day as well, under the name it had first.


async def activities(tx: Tx, chosen: Selection, page: Page) -> list[Activity]:
    """One page of activity, the oldest first."""
    rows = await tx.rows(
        tuple[str, str],
        f"SELECT u.username, u.last_activity_on {chosen.text} ORDER BY u.last_activity_on, u.id LIMIT :limit OFFSET :offset",
        **chosen.bound,
        **page.bound,
    )
    return [Activity(username, day, day) for username, day in rows]


def _full(row: FullRow, identities: list[Identity], actor: Actor, limits: bool) -> FullUser:
    return shown(
        FullUser,
        row,
        **_ref(row),
        shared_runners_minutes_limit=row.shared_runners_minutes_limit if limits else UNSET,
        identities=identities,
        can_create_project=row.own_projects < row.projects_limit,
        is_admin=row.admin if actor.admin else UNSET,
    )


def _ref(row: RefRow) -> dict[str, str | None]:
    return {"state": shown_state(row.state), "avatar_url": avatar_url(row), "web_url": web(f"/{row.username}")}
