"""What a plain scalar means in YAML 1.1."""

import math
from typing import Final

from mujina.kernel.text.deferred_patterns import deferred_pattern

_NULL: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS: Final = {
    spelled: meaning
    for meaning, words in ((True, ("yes", "true", "on")), (False, ("no", "false", "off")))
    for word in words
    for spelled in (word, word.capitalize(), word.upper())
}
_MAX_DIGITS: Final = 300
"""A longer number is text: no file needs it, and converting it takes quadratic time."""
_DECIMAL = deferred_pattern(r"[-+]?(?:0|[1-9][0-9_]*)")
_OCTAL = deferred_pattern(r"[-+]?0o?[0-7_]+")
_BINARY = deferred_pattern(r"[-+]?0b[01_]+")
_HEXADECIMAL = deferred_pattern(r"[-+]?0x[0-9a-fA-F_]+")
_SIXTIES = deferred_pattern(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9]){1,2}")
_FLOAT = deferred_pattern(r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+][0-9]+)?")
_INFINITE = deferred_pattern(r"[-+]?\.(?:inf|Inf|INF)")
_NOT_A_NUMBER: Final = frozenset({".nan", ".NaN", ".NAN"})
_SYMBOL = deferred_pattern(r":[A-Za-z_][A-Za-z0-9_]*")
_NUMERIC: Final = frozenset("+-.0123456789")


def resolve(text: str) -> bool | int | float | str | None:
    """The value of a plain scalar. Dates are text, and a symbol (`:name`) is its name."""
    if text in _NULL:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if text[0] == ":" and _SYMBOL.fullmatch(text):
        return text[1:]
    if text[0] not in _NUMERIC or len(text) > _MAX_DIGITS:
        return text
    return _number(text)


def _number(text: str) -> int | float | str:
    digits = text.replace("_", "")
    if _DECIMAL.fullmatch(text):
        return int(digits)
    for pattern, prefix, radix in ((_BINARY, "0b", 2), (_HEXADECIMAL, "0x", 16), (_OCTAL, "0o", 8)):
        if pattern.fullmatch(text):
            bare = digits.replace(prefix, "", 1)
            return int(bare, radix) if bare.strip("+-") else text
    if _SIXTIES.fullmatch(text):
        return _sixties(digits)
    if _FLOAT.fullmatch(text):
        return float(digits) if digits not in (".", "+.", "-.") else text
    if _INFINITE.fullmatch(text):
        return -math.inf if text[0] == "-" else math.inf
    return math.nan if text in _NOT_A_NUMBER else text


def _sixties(digits: str) -> int:
    """`4:30` is 270: YAML 1.1 reads colons as base 60."""
    total = 0
    for part in digits.lstrip("+-").split(":"):
        total = total * 60 + int(part)
    return -total if digits[0] == "-" else total
