"""Names of directory entries (RFC 4514), in the one form in which they are stored and compared."""

import re

from mujina.kernel.text.deferred_patterns import deferred_pattern

_ESCAPED = deferred_pattern(r"\\([0-9A-Fa-f]{2})|\\(.)", re.DOTALL)
_TYPE = deferred_pattern(r"[A-Za-z][A-Za-z0-9-]*|[0-9]+(?:\.[0-9]+)*")
_SPECIAL = deferred_pattern(r'[,+"\\<>;]')
_UNIQUE_ID = deferred_pattern(r"#'[01]*'B$")
"""The optional part of a `uniqueMember` value (RFC 4517, Name and Optional UID)."""

Part = tuple[str, str]
"""An attribute type and a value, as in `uid=jo`."""


class InvalidName(ValueError):
    """The text is not a distinguished name."""


def normalize(name: str) -> str:
    """The name in lower case, with one style of blanks and escapes, so that equal names are equal texts."""
    return ",".join("+".join(f"{kind}={_escape(value)}" for kind, value in sorted(rdn)) for rdn in parse(name))


def normalized_or_unchanged(name: str) -> str:
    """The normalized name; a text that is not a name stays as it is."""
    try:
        return normalize(name)
    except InvalidName:
        return name


def parse(name: str) -> list[list[Part]]:
    """The parts of a name from the entry up to the root, in lower case; `InvalidName` if it is not one."""
    if not name.strip():
        raise InvalidName("the name is empty")
    return [[_part(part) for part in _split(rdn, "+")] for rdn in _split(name, ",;")]


def is_below(name: str, base: str) -> bool:
    """Whether an entry of this name stands below `base`, at any depth. A text that is not a name stands nowhere."""
    try:
        inner, outer = ([sorted(rdn) for rdn in parse(each)] for each in (name, base))
    except InvalidName:
        return False
    return len(inner) > len(outer) and inner[-len(outer) :] == outer


def without_unique_id(name: str) -> str:
    """A value of `uniqueMember` without its optional identifier: `cn=x#'01'B` → `cn=x`."""
    return _UNIQUE_ID.sub("", name)


def _part(text: str) -> Part:
    kind, equals, value = text.partition("=")
    kind = kind.strip().lower().removeprefix("oid.")
    if not equals or not _TYPE.fullmatch(kind):
        raise InvalidName(f"{text!r} is not a part of a name")
    return kind, " ".join(_unescape(value).lower().split())


def _split(text: str, separators: str) -> list[str]:
    """The text between separators that are neither escaped nor quoted."""
    parts, start, quoted, position = list[str](), 0, False, 0
    while position < len(text):
        letter = text[position]
        if letter == "\\":
            position += 1
        elif letter == '"':
            quoted = not quoted
        elif letter in separators and not quoted:
            parts.append(text[start:position])
            start = position + 1
        position += 1
    if quoted:
        raise InvalidName("a quotation mark is not closed")
    return [*parts, text[start:]]


def _unescape(value: str) -> str:
    value = value.lstrip(" ")
    stripped = value.rstrip(" ")
    # A blank at the end counts if it is escaped.
    value = value[: len(stripped) + 1] if stripped.endswith("\\") and len(stripped) < len(value) else stripped
    if len(value) > 1 and value[0] == value[-1] == '"':
        value = value[1:-1]
    if value.startswith("#"):
        return _unhex(value)
    pieces = bytearray()
    end = 0
    for found in _ESCAPED.finditer(value):
        pieces += value[end : found.start()].encode("utf-8", "surrogatepass")
        pieces += bytes.fromhex(found[1]) if found[1] else found[2].encode("utf-8", "surrogatepass")
        end = found.end()
    pieces += value[end:].encode("utf-8", "surrogatepass")
    return pieces.decode("utf-8", "replace")


def _unhex(value: str) -> str:
    """A value in hexadecimal BER, of which only short strings are read; anything else is compared as it stands."""
    try:
        octets = bytes.fromhex(value[1:])
    except ValueError:
        raise InvalidName(f"{value!r} is not hexadecimal") from None
    if len(octets) > 2 and octets[1] == len(octets) - 2:
        return octets[2:].decode("utf-8", "replace")
    return value


def _escape(value: str) -> str:
    escaped = _SPECIAL.sub(lambda found: "\\" + found[0], value).replace("\0", "\\00")
    return f"\\{escaped}" if escaped[:1] == "#" else escaped
