"""Hiding secrets in a trace that arrives in pieces, also those that a piece ends inside."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

MIN_LENGTH: Final = 8
"""Bytes of a value that is hidden; a shorter one would hide ordinary words."""
HIDDEN: Final = b"x"


class WithheldTail(msgspec.Struct, frozen=True):
    """The end of the trace that may be the beginning of a hidden value."""

    received: bytes = b""
    shown: bytes = b""
    """`received` with an `x` for each byte that belongs to an earlier value."""

    @property
    def final(self) -> bytes:
        """The end of a trace to which nothing is added any more: a long part of a value stays hidden."""
        return HIDDEN * len(self.received) if len(self.received) >= MIN_LENGTH else self.shown


def values_of(secrets: Iterable[str]) -> list[bytes]:
    """The secrets that are long enough to be hidden, as bytes."""
    values = {secret.encode("utf-8", "surrogatepass") for secret in secrets}
    return sorted(value for value in values if len(value) >= MIN_LENGTH)


def mask(values: Sequence[bytes], withheld: WithheldTail, piece: bytes) -> tuple[bytes, WithheldTail]:
    """The next bytes to show, with an `x` for each byte of a value, and the end that is withheld for now."""
    text = withheld.received + piece
    shown = bytearray(text)
    shown[: len(withheld.shown)] = withheld.shown
    for value in values:
        _hide(value, text, shown)
    rest = len(text) - max((_begun(value, text) for value in values), default=0)
    return bytes(shown[:rest]), WithheldTail(text[rest:], bytes(shown[rest:]))


def _hide(value: bytes, text: bytes, shown: bytearray) -> None:
    start, hidden = text.find(value), 0
    while start >= 0:
        end = start + len(value)
        shown[max(start, hidden) : end] = HIDDEN * (end - max(start, hidden))
        start, hidden = text.find(value, start + 1), end


def _begun(value: bytes, text: bytes) -> int:
    """The length of the longest end of the text with which the value begins, and does not end."""
    end, head = text[max(0, len(text) - len(value) + 1) :], value[:MIN_LENGTH]
    at = end.find(head)
    while at >= 0 and not value.startswith(end[at:]):
        at = end.find(head, at + 1)
    if at >= 0:
        return len(end) - at
    return next((length for length in range(MIN_LENGTH - 1, 0, -1) if end.endswith(head[:length])), 0)
