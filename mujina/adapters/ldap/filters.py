r"""Filters of LDAP searches, encoded.

A value is encoded with its length and never becomes part of a filter's text, so no character in it has a meaning: what a
user types needs no escaping. Only `user_filter`, which the operator writes, is parsed (RFC 4515).
"""

import re
from typing import NewType

from mujina.adapters.ldap.messages import encode, encode_text
from mujina.kernel.text.deferred_patterns import deferred_pattern

Filter = NewType("Filter", bytes)

_ATTRIBUTE = deferred_pattern(r"[A-Za-z0-9][A-Za-z0-9.;-]*")
_EXTENSIBLE = deferred_pattern(
    r"(?P<attribute>[A-Za-z0-9.;-]*?)(?P<dn>:dn)?(?::(?P<rule>[A-Za-z0-9.-]+))?:=(?P<value>.*)", re.DOTALL
)
_SIMPLE = deferred_pattern(r"(?P<attribute>[A-Za-z0-9][A-Za-z0-9.;-]*)(?P<operator>>=|<=|~=|=)(?P<value>.*)", re.DOTALL)
_ESCAPE = deferred_pattern(r"\\([0-9A-Fa-f]{2})")
_TAGS = {">=": 0xA5, "<=": 0xA6, "~=": 0xA8, "=": 0xA3}
_MAX_DEPTH = 50


class InvalidFilter(ValueError):
    """The text is not a filter; the message says where."""


def equals(attribute: str, value: str) -> Filter:
    """Entries whose attribute has this value."""
    return Filter(encode(0xA3, encode_text(attribute), encode_text(value)))


def equals_octets(attribute: str, value: bytes) -> Filter:
    """Entries whose attribute has this value, which need not be text."""
    return Filter(encode(0xA3, encode_text(attribute), encode(0x04, value)))


def starts_with(attribute: str, value: str) -> Filter:
    """Entries whose attribute begins with this value; with an empty value, those that have the attribute."""
    if not value:
        return present(attribute)
    return Filter(encode(0xA4, encode_text(attribute), encode(0x30, encode_text(value, 0x80))))


def present(attribute: str) -> Filter:
    """Entries that have the attribute."""
    return Filter(encode_text(attribute, 0x87))


def every(*filters: Filter) -> Filter:
    """Entries that match all of these."""
    return filters[0] if len(filters) == 1 else Filter(encode(0xA0, *filters))


def some(*filters: Filter) -> Filter:
    """Entries that match one of these."""
    return filters[0] if len(filters) == 1 else Filter(encode(0xA1, *filters))


ANY_ENTRY = present("objectClass")


def parse(text: str) -> Filter:
    """The filter that an operator wrote; parentheses around the whole may be left out."""
    text = text.strip()
    if not text.startswith("("):
        text = f"({text})"
    found, rest = _parse(text, 0)
    if rest.strip():
        raise InvalidFilter(f"there is more after the filter: {rest.strip()!r}")
    return found


def _parse(text: str, depth: int) -> tuple[Filter, str]:
    """The filter at the start of the text, and what follows it."""
    text = text.lstrip()
    if depth > _MAX_DEPTH:
        raise InvalidFilter("it is nested too deeply")
    if not text.startswith("("):
        raise InvalidFilter(f"a parenthesis is missing before {text[:20]!r}")
    inner = text[1:].lstrip()
    operator = inner[:1]
    if operator not in ("&", "|", "!"):
        item, closed, rest = inner.partition(")")
        if not closed:
            raise InvalidFilter("a parenthesis is not closed")
        return _item(item), rest
    parts, rest = _parse_list(inner[1:], depth + 1)
    if operator == "!":
        if len(parts) != 1:
            raise InvalidFilter("! needs exactly one filter")
        return Filter(encode(0xA2, parts[0])), rest
    return Filter(encode(0xA0 if operator == "&" else 0xA1, *parts)), rest


def _parse_list(text: str, depth: int) -> tuple[list[Filter], str]:
    parts = list[Filter]()
    while not (text := text.lstrip()).startswith(")"):
        if not text:
            raise InvalidFilter("a parenthesis is not closed")
        part, text = _parse(text, depth)
        parts.append(part)
    return parts, text[1:]


def _item(text: str) -> Filter:
    if found := _SIMPLE.fullmatch(text):
        attribute, operator, value = found["attribute"], found["operator"], found["value"].strip()
        if operator == "=" and value == "*":
            return present(attribute)
        if operator == "=" and "*" in value:
            return _substrings(attribute, value)
        return Filter(encode(_TAGS[operator], encode_text(attribute), encode(0x04, _octets(value))))
    if found := _EXTENSIBLE.fullmatch(text):
        return _extensible(found)
    raise InvalidFilter(f"{text!r} is not a comparison such as uid=jo")


def _substrings(attribute: str, value: str) -> Filter:
    first, *middle, last = value.split("*")
    parts = [
        encode(0x80, _octets(first)) if first else b"",
        *(encode(0x81, _octets(part)) for part in middle if part),
        encode(0x82, _octets(last)) if last else b"",
    ]
    return Filter(encode(0xA4, encode_text(attribute), encode(0x30, *parts)))


def _extensible(found: re.Match[str]) -> Filter:
    """A comparison by a named rule, such as `userAccountControl:1.2.840.113556.1.4.803:=2`."""
    if not found["attribute"] and not found["rule"]:
        raise InvalidFilter(f"{found[0]!r} names neither an attribute nor a rule")
    return Filter(
        encode(
            0xA9,
            encode_text(found["rule"], 0x81) if found["rule"] else b"",
            encode_text(found["attribute"], 0x82) if found["attribute"] else b"",
            encode(0x83, _octets(found["value"].strip())),
            encode(0x84, b"\xff") if found["dn"] else b"",
        )
    )


def _octets(value: str) -> bytes:
    r"""A value with its escapes, such as `\2a` for an asterisk."""
    if "(" in value or "\\" in _ESCAPE.sub("", value):
        raise InvalidFilter(f"{value!r} has a character that must be written as a backslash and two digits")
    pieces = bytearray()
    end = 0
    for escape in _ESCAPE.finditer(value):
        pieces += value[end : escape.start()].encode() + bytes.fromhex(escape[1])
        end = escape.end()
    return bytes(pieces + value[end:].encode())


def check_attribute(name: str) -> None:
    """`InvalidFilter` if this is not the name of an attribute."""
    if not _ATTRIBUTE.fullmatch(name):
        raise InvalidFilter(f"{name!r} is not the name of an attribute")
