"""Links by which a mail is unsubscribed from: signed, so that nothing has to be stored for them."""

import re
from typing import Final

import msgspec

from mujina.kernel.secrets import Vault

_PURPOSE: Final = "unsubscribe"
_KEY: Final = re.compile(r"([0-9]{1,18})-([a-z_]{1,20})-([0-9]{1,18})-([0-9a-f]{32})")


class Unsubscription(msgspec.Struct, frozen=True):
    """The recipient and the subject that a link unsubscribes from: one subject, or `everything` with the id 0."""

    user_id: int
    kind: str
    id: int

    @property
    def noun(self) -> str:
        return self.kind.replace("_", " ")

    def key(self, vault: Vault) -> str:
        text = f"{self.user_id}-{self.kind}-{self.id}"
        return f"{text}-{vault.sign(text, _PURPOSE)}"

    def path(self, vault: Vault) -> str:
        key = self.key(vault)
        return f"/unsubscribes/{key}" if self.kind == "everything" else f"/sent_notifications/{key}/unsubscribe"


def read_key(vault: Vault, key: str) -> Unsubscription | None:
    """Returns the content of a link's key; None if this instance did not sign it."""
    found = _KEY.fullmatch(key)
    if found is None or not vault.signed(f"{found[1]}-{found[2]}-{found[3]}", _PURPOSE, found[4]):
        return None
    return Unsubscription(int(found[1]), found[2], int(found[3]))
