"""The JSON representations of invitations, for those who choose members."""

from typing import Annotated

import msgspec

from mujina.kernel import errors
from mujina.kernel.clock import NEVER
from mujina.kernel.db.rows import Row
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.sql import ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_page
from mujina.workspaces.invitations.params import ListInvitations
from mujina.workspaces.invitations.rules import PENDING, pending_bound
from mujina.workspaces.members.rules import Source


class Invitation(msgspec.Struct, kw_only=True):
    """An invitation that waits for an answer."""

    id: int
    invite_email: str
    access_level: int
    expires_at: str | None
    created_at: str
    created_by_name: str
    user_name: str | None = None
    """Always null: an address of a known user makes a member at once."""


class SentInvitations(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The result for several addresses: the reasons why some of them were not invited."""

    status: str
    message: dict[str, str] = {}


class InvitationView(Row, alias="v"):
    """The columns from which an invitation is shown."""

    id: int
    email: str
    level: int
    expires_on: str
    created_at: str
    inviter: Annotated[str, "u.name"]

    def shown(self) -> Invitation:
        return Invitation(
            id=self.id, invite_email=self.email, access_level=self.level,
            expires_at=None if self.expires_on == NEVER else self.expires_on,
            created_at=self.created_at, created_by_name=self.inviter,
        )  # fmt: skip


async def listed(tx: Tx, source: Source, query: ListInvitations, page: Page) -> Paged[Invitation]:
    """One page of pending invitations, the oldest first."""
    chosen = Selection(
        "invitations v JOIN users u ON u.id = v.inviter_id",
        f"v.source_kind = :source_kind AND v.source_id = :source_id AND {PENDING}",
        **source.bound,
        **pending_bound(),
    )
    if query.query:
        chosen = chosen.matching(query.query, "v.email_folded")
    return (await load_page(tx, InvitationView, chosen, ascending("v.id"), page)).map(InvitationView.shown)


async def single(tx: Tx, invitation_id: int) -> Invitation:
    row = await tx.row(
        InvitationView,
        f"SELECT {InvitationView.columns} FROM invitations v JOIN users u ON u.id = v.inviter_id WHERE v.id = :id",
        id=invitation_id,
    )
    if row is None:
        raise errors.not_found("Invitation")  # accepted a moment ago
    return row.shown()
