"""The JSON representations of members and of requests for access."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.users.entities import RefRow, UserRef, refs, shown_fields
from mujina.kernel import clock
from mujina.kernel.clock import NEVER
from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.requests.newer_fields import has_newer_fields
from mujina.kernel.lists.pages import load_rows
from mujina.workspaces.members.rules import Source


class Member(UserRef):
    """A user and the access they have."""

    access_level: Annotated[int, "m.level"]
    # Compat: `created_at` is younger than the specification; today's clients require it.
    created_at: Annotated[str, "m.created_at"]
    expires_at: Computed[str | None]
    created_by: UserRef | UnsetType = UNSET
    """A field of newer API versions: the user who gave the access."""


class AccessRequest(UserRef):
    """A user and when they requested access."""

    requested_at: Annotated[str, "a.requested_at"]


class Membership(msgspec.Struct):
    """A project or group of which a user is a direct member."""

    source_id: int
    source_name: str
    source_type: str
    access_level: int


class MembershipView(Row, alias="m"):
    source_id: int
    source_name: Annotated[str, "coalesce(p.name, n.name)"]
    source_kind: str
    level: int

    def membership(self) -> Membership:
        return Membership(self.source_id, self.source_name, _MEMBERSHIP_TYPES[self.source_kind], self.level)


async def memberships(tx: Tx, user_id: int, type_: str, page: Page) -> Paged[Membership]:
    """One page of a user's memberships, groups first; `type_`: only those in a `Project` or a `Namespace`."""
    selection = Selection(
        """members m LEFT JOIN projects p ON m.source_kind = 'project' AND p.id = m.source_id AND p.deleted_at IS NULL
           LEFT JOIN namespaces n ON m.source_kind = 'group' AND n.id = m.source_id AND n.deleted_at IS NULL""",
        """m.user_id = :user_id AND m.source_kind IN :kinds AND m.expires_on > :today
           AND coalesce(p.id, n.id) IS NOT NULL""",
        user_id=user_id,
        kinds=[kind for kind, name in _MEMBERSHIP_TYPES.items() if type_ in ("", name)],
        today=clock.today(),
    )
    order = ascending("m.source_kind", "m.source_id")
    return (await load_rows(tx, MembershipView, selection, order, page)).map(MembershipView.membership)


_MEMBERSHIP_TYPES = {"group": "Namespace", "project": "Project"}


class MemberView(RefRow, of=Member):
    """The columns from which a member (`m`) is shown."""

    created_at: Annotated[str, "m.created_at"]
    expires_on: Annotated[str, "m.expires_on"]
    created_by_id: Annotated[int | None, "m.created_by_id"]

    def member(self) -> Member:
        expires = None if self.expires_on == NEVER else self.expires_on
        return to_entity(Member, self, **shown_fields(self), expires_at=expires)


class AccessRequestView(RefRow, of=AccessRequest):
    """The columns from which a request for access (`a`) is shown."""

    def request(self) -> AccessRequest:
        return to_entity(AccessRequest, self, **shown_fields(self))


async def load_page(tx: Tx, selection: Selection, page: Page) -> Paged[Member]:
    """One page of members, in the order of the users' ids."""
    rows = await load_rows(tx, MemberView, selection, ascending("m.user_id"), page)
    return rows.with_items(await _to_entities(tx, rows.items))


async def one_of(tx: Tx, selection: Selection, user_id: int) -> Member:
    """One of these members; 404 if the user is none of them."""
    selection = selection.where("u.id = :user_id", user_id=user_id)
    return await _load_one(tx, selection)


async def load_one(tx: Tx, source: Source, user_id: int) -> Member:
    """The member by the user's own row here."""
    selection = Selection(
        "members m JOIN users u ON u.id = m.user_id",
        "m.source_kind = :source_kind AND m.source_id = :source_id AND m.user_id = :user_id",
        user_id=user_id,
        **source.bound,
    )
    return await _load_one(tx, selection)  # it may be removed meanwhile


async def _load_one(tx: Tx, selection: Selection) -> Member:
    [member] = await _to_entities(tx, [await find_row(tx, MemberView, selection, "Member")])
    return member


async def _to_entities(tx: Tx, rows: Sequence[MemberView]) -> list[Member]:
    """These members; in newer API versions with the user who gave them access, unless that user was deleted."""
    members = [row.member() for row in rows]
    if has_newer_fields(tx.settings):
        found = await refs(tx, [row.created_by_id for row in rows if row.created_by_id])
        creators = {creator.id: creator for creator in found}
        for row, member in zip(rows, members, strict=True):
            member.created_by = creators.get(row.created_by_id or 0, UNSET)
    return members


async def requests(tx: Tx, selection: Selection, page: Page) -> Paged[AccessRequest]:
    """One page of requests, the oldest first."""
    rows = await load_rows(tx, AccessRequestView, selection, ascending("a.requested_at", "u.id"), page)
    return rows.map(AccessRequestView.request)


async def request(tx: Tx, source: Source, user_id: int) -> AccessRequest:
    selection = Selection(
        "access_requests a JOIN users u ON u.id = a.user_id",
        "a.source_kind = :source_kind AND a.source_id = :source_id AND a.user_id = :user_id",
        user_id=user_id,
        **source.bound,
    )
    return (await find_row(tx, AccessRequestView, selection, "Access Request")).request()  # it may be removed meanwhile
