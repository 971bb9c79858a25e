"""The events that concern the security of an account, as its user sees them."""

from typing import Annotated, Final

from mujina.accounts.sessions.browsers import browser_name
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection, descending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows

SENTENCES: Final = {
    "session.started": "Signed in",
    "session.ended": "Signed out",
    "user.sign_in_refused": "Sign-in refused",
    "user.password_changed": "Password changed",
    "user.two_factor_enabled": "Two-factor authentication enabled",
    "user.two_factor_disabled": "Two-factor authentication disabled",
    "user.feed_token_reset": "Feed token reset",
    "key.added": "SSH key added",
    "key.removed": "SSH key removed",
    "gpg_key.added": "GPG key added",
    "gpg_key.removed": "GPG key removed",
    "gpg_key.revoked": "GPG key revoked",
    "email.added": "Email address added",
    "email.removed": "Email address removed",
    "access_token.created": "Access token created",
    "access_token.revoked": "Access token revoked",
}


class SecurityEventView(Row, alias="event"):
    """An event, with the browser of a session that has not ended."""

    kind: str
    created_at: str
    user_agent: Annotated[str | None, "s.user_agent"]
    address: Annotated[str | None, "s.address"]

    @property
    def sentence(self) -> str:
        return SENTENCES[self.kind]

    @property
    def browser(self) -> str:
        return browser_name(self.user_agent) if self.user_agent else ""


async def load_page(tx: Tx, user_id: int, page: Page) -> Paged[SecurityEventView]:
    """One page of the log, newest first: what happened to the account, and what its user did to keys, addresses and tokens."""
    selection = Selection(
        """events event LEFT JOIN sessions s
            ON s.id = CASE WHEN event.kind = 'session.started' THEN event.subject_id END AND s.user_id = event.author_id""",
        """event.id IN (
            SELECT e.id FROM events e WHERE e.subject_kind = 'user' AND e.subject_id = :user_id AND e.kind IN :kinds
            UNION ALL
            SELECT e.id FROM events e WHERE e.author_id = :user_id AND e.subject_kind <> 'user' AND e.kind IN :kinds)""",
        user_id=user_id,
        kinds=list(SENTENCES),
    )
    return await load_rows(tx, SecurityEventView, selection, descending("event.id"), page)
