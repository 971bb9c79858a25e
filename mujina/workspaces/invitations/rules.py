"""The only ways to get an invitation: by those who choose members, and by the link in the mail."""

from datetime import timedelta
from typing import Final, LiteralString

import msgspec

from mujina.kernel import clock, secrets
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.html.owners import OwnerKind
from mujina.kernel.text.folding import fold
from mujina.workspaces.members.rules import ADD_MEMBERS, Source

LIFETIME: Final = timedelta(days=30)
"""How long a link is valid after it was mailed."""

PENDING: LiteralString = "v.expires_on > :today AND v.sent_at > :since"
"""Whether the invitation `v` has not expired."""


def pending_bound() -> dict[str, str]:
    """The values of `PENDING`."""
    return {"today": clock.today(), "since": clock.later(-LIFETIME)}


class InvitationRow(Row, alias="v"):
    """The columns of an invitation that operations need."""

    id: int
    source_kind: OwnerKind
    source_id: int
    email: str
    level: int
    expires_on: str
    inviter_id: int
    sent_at: str

    @property
    def source(self) -> Source:
        return Source(self.source_kind, self.source_id)


async def find_invitation(tx: Tx, source: Source, email: str) -> InvitationRow:
    """The pending invitation of this address; who may choose members has to be checked before."""
    return await _find(tx, source, "v.email_folded = :folded", folded=fold(email.strip()))


async def find_invitation_by_id(tx: Tx, source: Source, invitation_id: int) -> InvitationRow:
    """The pending invitation of this id; who may choose members has to be checked before."""
    return await _find(tx, source, "v.id = :id", id=invitation_id)


async def _find(tx: Tx, source: Source, condition: LiteralString, **bound: Value) -> InvitationRow:
    pending = Selection(
        "invitations v", f"v.source_kind = :source_kind AND v.source_id = :source_id AND {PENDING} AND {condition}",
        **source.bound, **pending_bound(), **bound,
    )  # fmt: skip
    return await find_row(tx, InvitationRow, pending, "Invitation", lock="FOR UPDATE")


class InvitationTarget(msgspec.Struct, array_like=True, frozen=True):
    """Where an invitation leads, and who invites."""

    name: str
    path: str
    inviter: str


_PLACES: Final[dict[OwnerKind, LiteralString]] = {
    "project": f"""SELECT p.name, r.path, u.name FROM projects p JOIN routes r ON r.project_id = p.id
        JOIN users u ON u.id = :inviter_id
        WHERE p.id = :id AND p.deleted_at IS NULL AND u.state = 'active' AND u.deleted_at IS NULL
        AND {ADD_MEMBERS["project"].of("u")}""",
    "group": f"""SELECT n.full_name, r.path, u.name FROM groups g JOIN namespaces n ON n.id = g.id
        JOIN routes r ON r.namespace_id = g.id JOIN users u ON u.id = :inviter_id
        WHERE g.id = :id AND n.deleted_at IS NULL AND u.state = 'active' AND u.deleted_at IS NULL
        AND {ADD_MEMBERS["group"].of("u")}""",
}


async def find_target(tx: Tx, invitation: InvitationRow) -> InvitationTarget | None:
    """Where the invitation leads; None if it is gone, or if who invites may no longer add members there."""
    return await tx.row(
        InvitationTarget,
        _PLACES[invitation.source_kind],
        id=invitation.source_id,
        inviter_id=invitation.inviter_id,
        today=clock.today(),
    )


async def find_mailed(tx: Tx, token: str, *, lock: bool = False) -> tuple[InvitationRow, InvitationTarget] | None:
    """The invitation of this link and its target; with `lock`, what it offers stays so until the transaction ends.

    None if it was accepted, declined or withdrawn, has expired, leads nowhere, or if the right of the inviter has ended.
    """
    locking: LiteralString = "FOR UPDATE" if lock else ""
    invitation = await tx.row(
        InvitationRow,
        f"SELECT {InvitationRow.columns} FROM invitations v WHERE v.digest = :digest AND {PENDING} {locking}",
        digest=secrets.digest(token),
        **pending_bound(),
    )
    target = await find_target(tx, invitation) if invitation is not None else None
    return None if invitation is None or target is None else (invitation, target)
