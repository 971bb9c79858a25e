"""The JSON representations of invitations, for those who choose members."""

from typing import Annotated, LiteralString

import msgspec

from mujina.kernel.clock import NEVER
from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.workspaces.invitations.params import ListInvitations
from mujina.workspaces.invitations.rules import PENDING, pending_bound
from mujina.workspaces.members.rules import Source


class Invitation(msgspec.Struct, kw_only=True):
    """An invitation that waits for an answer."""

    id: int
    invite_email: Annotated[str, "v.email"]
    access_level: Annotated[int, "v.level"]
    expires_at: Computed[str | None]
    created_at: str
    created_by_name: Annotated[str, "u.name"]
    user_name: str | None = None
    """Always null: an address of a known user makes a member at once."""


class SentInvitations(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The result for several addresses: the reasons why some of them were not invited."""

    status: str
    message: dict[str, str] = {}


class InvitationView(Row, alias="v", of=Invitation):
    """The columns from which an invitation is shown."""

    expires_on: str

    def shown(self) -> Invitation:
        return to_entity(Invitation, self, expires_at=None if self.expires_on == NEVER else self.expires_on)


_SOURCE: LiteralString = "invitations v JOIN users u ON u.id = v.inviter_id"


async def load_page(tx: Tx, source: Source, query: ListInvitations, page: Page) -> Paged[Invitation]:
    """One page of pending invitations, the oldest first."""
    selection = Selection(
        _SOURCE,
        f"v.source_kind = :source_kind AND v.source_id = :source_id AND {PENDING}",
        **source.bound,
        **pending_bound(),
    )
    if query.query:
        selection = selection.matching(query.query, "v.email_folded")
    return (await load_rows(tx, InvitationView, selection, ascending("v.id"), page)).map(InvitationView.shown)


async def load_one(tx: Tx, invitation_id: int) -> Invitation:
    """One invitation; 404 if it was accepted a moment ago."""
    selection = Selection(_SOURCE, "v.id = :id", id=invitation_id)
    return (await find_row(tx, InvitationView, selection, "Invitation")).shown()
