"""Who is behind a session cookie: one statement, no write, the same answer on every process the moment it changes."""

import msgspec

from mujina.kernel import clock, secrets
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.pages import Session

SCOPES = frozenset({"api", "read_user", "read_repository"})
"""What a session may: everything but acting as somebody else."""


class SessionRow(msgspec.Struct, array_like=True, frozen=True):
    """A session and the person it stands for."""

    id: int
    last_used_on: str
    password_expires_at: str | None
    user_id: int
    username: str
    name: str
    admin: bool
    external: bool
    can_create_group: bool

    def session(self) -> Session:
        actor = Actor(
            self.user_id, self.username, self.name, self.admin, self.external, self.can_create_group, SCOPES
        )  # fmt: skip
        expired = self.password_expires_at is not None and self.password_expires_at <= clock.now()
        return Session(self.id, actor, password_expired=expired, last_used_on=self.last_used_on)


async def find_session(tx: Tx, cookie: str) -> Session | None:
    """The session of this cookie, while it lasts and its person may sign in."""
    row = await tx.row(
        SessionRow,
        """
        SELECT s.id, s.last_used_on, u.password_expires_at,
               u.id, u.username, u.name, u.admin, u.external, u.can_create_group
        FROM sessions s JOIN users u ON u.id = s.user_id
        WHERE s.digest = :digest AND s.expires_at > :now
          AND u.state = 'active' AND u.kind = 'person' AND u.deleted_at IS NULL
        """,
        digest=secrets.digest(cookie),
        now=clock.now(),
    )
    return None if row is None else row.session()
