"""Who is behind a session cookie: one statement, no write, the same answer on every process the moment it changes."""

from mujina.accounts.users.rules import PERSON, PersonRow
from mujina.instance.application_settings.rules import TWO_FACTOR_REQUIRED
from mujina.kernel import clock, secrets
from mujina.kernel.actor import ALL_SCOPES
from mujina.kernel.db.transaction import Tx
from mujina.kernel.pages import Obligation, Session

SCOPES = ALL_SCOPES - {"sudo"}
"""What a session may: everything but acting as somebody else."""


class SessionRow(PersonRow, array_like=True, frozen=True):
    """A session and the person it stands for."""

    session_id: int
    prolong: bool
    password_expires_at: str | None
    second_factor_due_at: str | None
    """By when they have to have one, if they have to and have none."""

    def session(self) -> Session:
        return Session(self.session_id, self.acting(SCOPES), self._debt(), self.second_factor_due_at, self.prolong)

    def _debt(self) -> Obligation | None:
        if _is_past(self.password_expires_at):
            return "password"
        return "second factor" if _is_past(self.second_factor_due_at) else None


def _is_past(moment: str | None) -> bool:
    return moment is not None and moment <= clock.now()


async def find_session(tx: Tx, cookie: str) -> Session | None:
    """The session of this cookie, while it lasts and its person may sign in."""
    row = await tx.row(
        SessionRow,
        f"""
        SELECT {PERSON}, s.id, s.prolong_at <= :now, u.password_expires_at,
               CASE WHEN NOT u.two_factor_enabled AND {TWO_FACTOR_REQUIRED} THEN u.two_factor_due_at END
        FROM sessions s JOIN users u ON u.id = s.user_id
        WHERE s.digest = :digest AND s.expires_at > :now
          AND u.state = 'active' AND u.kind = 'person' AND u.deleted_at IS NULL
        """,
        digest=secrets.digest(cookie),
        now=clock.now(),
    )
    return None if row is None else row.session()
