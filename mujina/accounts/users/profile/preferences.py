"""The preferences of users for pages, and the secret that opens their feeds."""

from typing import Annotated, Final

from mujina.accounts.emails.rules import PUBLIC_EMAIL
from mujina.accounts.users.params import EditPreferences
from mujina.accounts.users.rules import ActorRow
from mujina.kernel import clock
from mujina.kernel.db.rows import Row, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.secrets import Vault

THEMES: Final = {"auto": 1, "dark": 2, "light": 3}
"""The themes as `theme_id` of the API."""
_PURPOSE = "feed token"


class PreferencesRow(Row, alias="u"):
    theme_id: int
    keyboard_shortcuts: bool
    start_page: str
    project_view: str
    feed_token_version: int

    @property
    def theme(self) -> str:
        return theme_of(self.theme_id)


def theme_of(theme_id: int) -> str:
    """The theme of this id; themes that pages do not have follow the system."""
    return next((name for name, number in THEMES.items() if number == theme_id), "auto")


async def find_preferences(tx: Tx, user_id: int) -> PreferencesRow:
    [row] = await tx.rows(PreferencesRow, f"SELECT {PreferencesRow.columns} FROM users u WHERE u.id = :id", id=user_id)
    return row


async def edit(tx: Tx, actor: Actor, change: EditPreferences) -> None:
    """Store what the user chose."""
    columns = {
        "theme_id": THEMES[change.theme],
        "keyboard_shortcuts": change.keyboard_shortcuts,
        "start_page": change.start_page,
        "project_view": change.project_view,
    }
    await update(tx, "users", {**columns, "updated_at": clock.now()}, id=actor.id)


async def show_contributions(tx: Tx, actor: Actor, *, private: bool) -> None:
    """Whether the calendar of the user counts contributions that its reader may not see."""
    await update(tx, "users", {"private_contributions": private}, id=actor.id)


class PublicProfileRow(Row, alias="u"):
    """The profile fields that only the user's page shows."""

    public_email: Annotated[str, f"coalesce({PUBLIC_EMAIL}, '')"]
    private_contributions: bool


async def find_public_profile(tx: Tx, user_id: int) -> PublicProfileRow:
    [row] = await tx.rows(
        PublicProfileRow, f"SELECT {PublicProfileRow.columns} FROM users u WHERE u.id = :id", id=user_id
    )
    return row


def feed_token(vault: Vault, user_id: int, version: int) -> str:
    """The secret in the addresses of a user's feeds. It is derived, not stored."""
    return f"{user_id}-{vault.sign(f'{user_id} {version}', _PURPOSE)}"


async def reset_feed_token(tx: Tx, actor: Actor) -> None:
    """The former token opens nothing from the next request on."""
    await tx.run("UPDATE users SET feed_token_version = feed_token_version + 1 WHERE id = :id", id=actor.id)
    await record(tx, "user.feed_token_reset", actor, subject_id=actor.id)


class _FeedReader(ActorRow):
    feed_token_version: Annotated[int, "u.feed_token_version"]


async def find_feed_reader(tx: Tx, vault: Vault, token: str) -> Actor | None:
    """The user whose feed token this is, without any scope: only feeds ask for it."""
    number, _, signature = token.partition("-")
    if not (number.isascii() and number.isdigit() and len(number) <= 18):
        return None
    row = await tx.row(
        _FeedReader,
        f"""SELECT {_FeedReader.columns} FROM users u
            WHERE u.id = :id AND u.state = 'active' AND u.kind = 'person' AND u.deleted_at IS NULL""",
        id=int(number),
    )
    if row is None or not vault.signed(f"{row.id} {row.feed_token_version}", _PURPOSE, signature):
        return None
    return row.actor(frozenset())
