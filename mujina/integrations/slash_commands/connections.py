"""Which user of this instance a user of a chat is. The user says it, by a link that the chat shows only to them."""

from datetime import timedelta
from typing import Final, Self

import msgspec

from mujina.accounts.users.rules import ActorRow
from mujina.kernel import clock
from mujina.kernel.db.rows import insert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.secrets import Vault

LIFETIME: Final = timedelta(minutes=15)
PURPOSE: Final = "chat_account"
MAX_ID: Final = 200
_SCOPES: Final = frozenset({"api"})


class ChatUser(msgspec.Struct, frozen=True):
    """A user of a chat."""

    service_id: int
    team_id: str
    chat_id: str

    def link(self, vault: Vault) -> str:
        """The end of the address of the page that connects them; valid for a quarter of an hour."""
        text = msgspec.json.encode((self.service_id, self.team_id, self.chat_id, clock.later(LIFETIME))).hex()
        return f"{text}.{vault.sign(text, PURPOSE)}"

    @classmethod
    def of_link(cls, vault: Vault, link: str) -> Self | None:
        """The user for whom a link was made; None if it was not made here, or is too old."""
        text, _, signature = link.partition(".")
        if not vault.signed(text, PURPOSE, signature):
            return None
        service_id, team_id, chat_id, until = msgspec.json.decode(bytes.fromhex(text))
        return cls(service_id, team_id, chat_id) if until > clock.now() else None


async def find_connected(tx: Tx, chat_user: ChatUser) -> Actor | None:
    """The active user as whom they act; an administrator gets no more than their memberships give."""
    row = await tx.row(
        ActorRow,
        f"""SELECT {ActorRow.columns} FROM chat_accounts ca JOIN users u ON u.id = ca.user_id
            WHERE ca.service_id = :service_id AND ca.team_id = :team_id AND ca.chat_id = :chat_id
            AND u.state = 'active' AND u.kind = 'person' AND u.deleted_at IS NULL""",
        **msgspec.structs.asdict(chat_user),
    )
    return None if row is None else msgspec.structs.replace(row.actor(_SCOPES), admin=False)


async def connect(tx: Tx, actor: Actor, chat_user: ChatUser) -> None:
    """From now on they act as the actor."""
    columns = msgspec.structs.asdict(chat_user)
    await tx.run(
        "DELETE FROM chat_accounts WHERE service_id = :service_id AND team_id = :team_id AND chat_id = :chat_id",
        **columns,
    )
    await insert(tx, "chat_accounts", user_id=actor.id, created_at=clock.now(), **columns)
