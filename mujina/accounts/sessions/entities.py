"""Sessions as their user sees them."""

from mujina.accounts.sessions.browsers import browser_name
from mujina.kernel import clock
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx


class SessionView(Row, alias="s"):
    id: int
    created_at: str
    last_used_on: str
    user_agent: str
    address: str

    @property
    def browser(self) -> str:
        return browser_name(self.user_agent)


async def sessions_of(tx: Tx, user_id: int) -> list[SessionView]:
    """The sessions of a user, newest first."""
    return await tx.rows(
        SessionView,
        f"""
        SELECT {SessionView.columns} FROM sessions s
        WHERE s.user_id = :user_id AND s.expires_at > :now ORDER BY s.id DESC
        """,
        user_id=user_id,
        now=clock.now(),
    )
