"""The session of a cookie: one statement, no write and no cache, so every process sees a change at once."""

from typing import Annotated

from mujina.accounts.users.rules import ActorRow
from mujina.instance.application_settings.rules import TWO_FACTOR_REQUIRED
from mujina.kernel import clock, secrets
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import Session, SetupStep
from mujina.kernel.permissions.actor import ALL_SCOPES

SCOPES = ALL_SCOPES - {"sudo"}
"""A session may do everything except act as another user."""


class SessionRow(ActorRow):
    """A session and its user."""

    session_id: Annotated[int, "s.id"]
    prolong: Annotated[bool, "s.prolong_at <= :now"]
    password_expires_at: str | None
    start_page: str
    project_view: str
    avatar: str | None
    second_factor_due_at: Annotated[
        str | None, f"CASE WHEN NOT u.two_factor_enabled AND {TWO_FACTOR_REQUIRED} THEN u.two_factor_due_at END"
    ]
    """The deadline for enabling two-factor authentication, where it is required and not enabled."""

    def session(self) -> Session:
        return Session(
            id=self.session_id, actor=self.actor(SCOPES), pending_setup=self._pending_setup(),
            second_factor_due_at=self.second_factor_due_at, prolong=self.prolong, start_page=self.start_page,
            project_view=self.project_view,
            avatar=f"/uploads/-/system/user/avatar/{self.id}/{self.avatar}" if self.avatar else "",
        )  # fmt: skip

    def _pending_setup(self) -> SetupStep | None:
        if _is_past(self.password_expires_at):
            return "password"
        return "second factor" if _is_past(self.second_factor_due_at) else None


def _is_past(moment: str | None) -> bool:
    return moment is not None and moment <= clock.now()


async def find_session(tx: Tx, cookie: str) -> Session | None:
    """The session of this cookie, unless it has expired or its user may not sign in."""
    row = await tx.row(
        SessionRow,
        f"""
        SELECT {SessionRow.columns} FROM sessions s JOIN users u ON u.id = s.user_id
        WHERE s.digest = :digest AND s.expires_at > :now
          AND u.state = 'active' AND u.kind = 'person' AND u.deleted_at IS NULL
        """,
        digest=secrets.digest(cookie),
        now=clock.now(),
    )
    return None if row is None else row.session()
