"""The JSON representations of a user, one for each view."""

from collections.abc import Sequence
from typing import Annotated, LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.users.rules import find_user_named
from mujina.instance.application_settings.rules import read_settings
from mujina.instance.custom_attributes.entities import Attribute, show_attributes
from mujina.kernel import errors
from mujina.kernel.db.entities import Computed, entity_maker, to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Order, Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_by_ids, load_rows
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import fold
from mujina.kernel.urls import web


class UserRef(msgspec.Struct):
    """A user as part of another entity."""

    id: int
    username: str
    name: str
    state: str
    avatar_url: Computed[str | None]
    web_url: Computed[str]


class Identity(msgspec.Struct):
    provider: str
    extern_uid: str


class User(UserRef):
    """A user as other users see them."""

    created_at: str
    bio: str | None
    location: str | None
    skype: str
    linkedin: str
    twitter: str
    website_url: str
    organization: str | None


class FullUser(User):
    """A user as they see themselves, and as administrators see them."""

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
    can_create_project: Computed[bool]
    two_factor_enabled: bool
    external: bool
    shared_runners_minutes_limit: int | UnsetType | None = UNSET
    is_admin: bool | UnsetType = UNSET
    custom_attributes: list[Attribute] | UnsetType = UNSET


class RefRow(Row, alias="u"):
    """The columns from which a `UserRef` is made."""

    id: int
    username: str
    name: str
    state: str
    avatar: str | None

    def shown(self) -> UserRef:
        return _to_ref(self, **shown_fields(self))


_to_ref = entity_maker(UserRef, RefRow, "state")
REF: LiteralString = RefRow.columns


def ref_of(id: LiteralString) -> LiteralString:
    """The columns of a `RefRow` where no user can be joined: behind RETURNING. `id`: the user."""
    return ", ".join(f"(SELECT u.{column} FROM users u WHERE u.id = {id})" for column in RefRow.own_columns.values())


class PublicUserView(RefRow, of=User):
    """The columns from which a `User` is made."""


class FullUserView(RefRow, of=FullUser):
    """The columns from which a `FullUser` is made."""

    projects_limit: int
    shared_runners_minutes_limit: int | None
    admin: bool
    own_projects: Annotated[
        int,
        """(SELECT count(*) FROM projects own JOIN namespaces o ON o.id = own.namespace_id
            WHERE o.owner_id = u.id AND own.deleted_at IS NULL)""",
    ]


class Decision(msgspec.Struct, frozen=True):
    """A user who signed up was approved or rejected."""

    message: str = "Success"


def avatar_url(user: RefRow) -> str | None:
    return web(f"/uploads/-/system/user/avatar/{user.id}/{user.avatar}") if user.avatar else None


class Avatar(msgspec.Struct):
    """Where the avatar of an address is; null if it has none."""

    avatar_url: str | None


async def avatar_of_address(tx: Tx, email: str) -> Avatar:
    """The avatar, if the user shows the address to everyone, so that it reveals no one's address."""
    row = await tx.row(
        RefRow,
        f"""SELECT {RefRow.columns} FROM emails a JOIN users u ON u.id = a.user_id
            WHERE a.email_folded = :email AND a.is_public AND u.deleted_at IS NULL""",
        email=fold(email.strip()),
    )
    return Avatar(avatar_url(row) if row else None)


async def load_one(tx: Tx, actor: Actor, user_id: int) -> User | FullUser:
    """One user: every field for administrators, the public fields for all others."""
    if actor.admin:
        return (await full(tx, actor, [user_id]))[0]
    [row] = await tx.rows(PublicUserView, f"SELECT {PublicUserView.columns} FROM users u WHERE u.id = :id", id=user_id)
    return to_entity(User, row, **shown_fields(row))


async def find_profile(tx: Tx, actor: Actor, username: str) -> User:
    """The user whose page this is. Anonymous visitors find no blocked users, and none where nothing may be public."""
    if actor.anonymous and (await read_settings(tx)).forbids("public"):
        raise errors.not_found("User")
    user = await find_user_named(tx, username)
    if actor.anonymous and user.state != "active":
        raise errors.not_found("User")
    return await load_one(tx, actor, user.id)


async def own(tx: Tx, actor: Actor) -> FullUser:
    """The caller with every field; only administrators see `is_admin`."""
    return (await full(tx, actor, [actor.id]))[0]


async def load_page(tx: Tx, actor: Actor, selection: Selection, order: Order, page: Page) -> Paged[UserRef | FullUser]:
    """One page of users: every field for administrators, references for all others."""
    if not actor.admin:
        return await refs_of(tx, selection, order, page)
    return await load_by_ids(tx, "u.id", selection, order, page, lambda ids: full(tx, actor, ids, limits=False))


async def show_attributes_of(tx: Tx, actor: Actor, users: Sequence[UserRef]) -> None:
    """Show the custom attributes of these users to administrators."""
    await show_attributes(tx, actor, "user", [user for user in users if isinstance(user, FullUser)])


async def refs_of(tx: Tx, selection: Selection, order: Order, page: Page) -> Paged[UserRef]:
    """One page of references."""
    return (await load_rows(tx, RefRow, selection, order, page)).map(RefRow.shown)


async def refs(tx: Tx, ids: list[int]) -> list[UserRef]:
    """References, in the order of the ids, without deleted users."""
    rows = await tx.rows(
        RefRow, f"SELECT {RefRow.columns} FROM users u WHERE u.id IN :ids AND u.deleted_at IS NULL", ids=ids
    )
    users = {row.id: row.shown() for row in rows}
    return [users[id_] for id_ in ids if id_ in users]


async def full(tx: Tx, actor: Actor, ids: list[int], *, limits: bool = True) -> list[FullUser]:
    """Users with every field, in the order of the ids."""
    rows = await tx.rows(FullUserView, f"SELECT {FullUserView.columns} FROM users u WHERE u.id IN :ids", ids=ids)
    identities: dict[int, list[Identity]] = {}
    for user_id, provider, extern_uid in await tx.rows(
        tuple[int, str, str],
        "SELECT user_id, provider, extern_uid FROM identities WHERE user_id IN :ids ORDER BY id",
        ids=ids,
    ):
        identities.setdefault(user_id, []).append(Identity(provider, extern_uid))
    users = {row.id: _full(row, identities.get(row.id, []), actor, limits) for row in rows}
    return [users[id_] for id_ in ids if id_ in users]


class Activity(msgspec.Struct):
    """The last day on which a user signed in or used git."""

    username: str
    last_activity_on: str
    last_activity_at: str
    # Compat: the same day, under an older name.


async def activities(tx: Tx, selection: Selection, page: Page) -> Paged[Activity]:
    """One page of activity, oldest first."""
    order, columns = ascending("u.last_activity_on", "u.id"), "u.username, u.last_activity_on"
    rows = await load_rows(tx, tuple[str, str], selection, order, page, columns=columns)
    return rows.map(lambda row: Activity(row[0], row[1], row[1]))


def _full(row: FullUserView, identities: list[Identity], actor: Actor, limits: bool) -> FullUser:
    return to_entity(
        FullUser,
        row,
        **shown_fields(row),
        shared_runners_minutes_limit=row.shared_runners_minutes_limit if limits else UNSET,
        identities=identities,
        can_create_project=row.own_projects < row.projects_limit,
        is_admin=row.admin if actor.admin else UNSET,
    )


def shown_fields(row: RefRow) -> dict[str, str | None]:
    """The fields of a `UserRef` that differ from the columns."""
    # The API shows one blocked state, also for users whom the LDAP directory blocked.
    state = "blocked" if row.state == "ldap_blocked" else row.state
    return {"state": state, "avatar_url": avatar_url(row), "web_url": web(f"/{row.username}")}
