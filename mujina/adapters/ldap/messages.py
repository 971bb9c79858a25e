"""The part of LDAP's encoding (RFC 4511, BER) that a client needs to bind, to search and to start TLS."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

INTEGER, OCTETS, ENUMERATED, BOOLEAN, SEQUENCE, SET = 0x02, 0x04, 0x0A, 0x01, 0x30, 0x31
CONTROLS = 0xA0
PAGED_RESULTS: Final = b"1.2.840.113556.1.4.319"
START_TLS: Final = b"1.3.6.1.4.1.1466.20037"

BIND, BIND_RESULT = 0x60, 0x61
UNBIND = b"\x42\x00"
SEARCH, SEARCH_ENTRY, SEARCH_DONE, SEARCH_REFERENCE = 0x63, 0x64, 0x65, 0x73
EXTENDED, EXTENDED_RESULT = 0x77, 0x78


class MalformedMessage(Exception):
    """The server sent something that is not LDAP."""


class Result(msgspec.Struct, frozen=True):
    """How an operation ended."""

    code: int
    text: str
    cookie: bytes = b""
    """The position of the next page of results; empty after the last one."""


class DirectoryEntry(msgspec.Struct, frozen=True):
    """An entry of a directory. Names of attributes are in lower case."""

    dn: str
    attributes: Mapping[str, list[bytes]]

    def texts(self, name: str) -> list[str]:
        """The values of an attribute, without those that are not text."""
        return [text for value in self.attributes.get(name.lower(), ()) if (text := _text(value))]

    def first(self, names: Sequence[str]) -> str | None:
        """The first value of the first of these attributes that has one."""
        return next((text.strip() for name in names for text in self.texts(name) if text.strip()), None)


class Message(msgspec.Struct, frozen=True):
    id: int
    kind: int
    body: bytes
    cookie: bytes


def encode(tag: int, *contents: bytes) -> bytes:
    """A value of this type."""
    content = b"".join(contents)
    length = len(content)
    if length < 0x80:
        return bytes((tag, length)) + content
    octets = length.to_bytes((length.bit_length() + 7) // 8)
    return bytes((tag, 0x80 | len(octets))) + octets + content


def encode_integer(number: int, tag: int = INTEGER) -> bytes:
    return encode(tag, number.to_bytes(number.bit_length() // 8 + 1, signed=True))


def encode_text(text: str, tag: int = OCTETS) -> bytes:
    return encode(tag, text.encode("utf-8", "surrogatepass"))


def encode_message(number: int, operation: bytes, *controls: bytes) -> bytes:
    """A whole request."""
    extra = (encode(CONTROLS, *controls),) if controls else ()
    return encode(SEQUENCE, encode_integer(number), operation, *extra)


def bind_request(dn: str, password: str) -> bytes:
    return encode(BIND, encode_integer(3), encode_text(dn), encode_text(password, 0x80))


def start_tls_request() -> bytes:
    return encode(EXTENDED, encode(0x80, START_TLS))


def search_request(
    base: str, *, subtree: bool, matching: bytes, attributes: Sequence[str], limit: int, seconds: int
) -> bytes:
    """A search that follows no aliases; `matching` is an encoded filter."""
    return encode(
        SEARCH,
        encode_text(base),
        encode_integer(2 if subtree else 0, ENUMERATED),
        encode_integer(0, ENUMERATED),
        encode_integer(limit),
        encode_integer(seconds),
        encode(BOOLEAN, b"\0"),
        matching,
        encode(SEQUENCE, *map(encode_text, attributes)),
    )


def paging(size: int, cookie: bytes) -> bytes:
    """Ask for the next page of a search; a server that cannot page answers with everything."""
    value = encode(SEQUENCE, encode_integer(size), encode(OCTETS, cookie))
    return encode(SEQUENCE, encode(OCTETS, PAGED_RESULTS), encode(OCTETS, value))


def values(content: bytes) -> Iterator[tuple[int, bytes]]:
    """The values that stand one after another in `content`, with their tags."""
    position = 0
    while position < len(content):
        if len(content) < position + 2:
            raise MalformedMessage
        tag, length = content[position], content[position + 1]
        position += 2
        if length & 0x80:
            count = length & 0x7F
            if not 0 < count <= 4 or len(content) < position + count:
                raise MalformedMessage
            length = int.from_bytes(content[position : position + count])
            position += count
        if len(content) < position + length:
            raise MalformedMessage
        yield tag, content[position : position + length]
        position += length


def decode_message(content: bytes) -> Message:
    """The content of a message that the server sent."""
    try:
        (tag, number), (kind, body), *rest = values(content)
    except ValueError:
        raise MalformedMessage from None
    if tag != INTEGER:
        raise MalformedMessage
    controls = b"".join(value for kind_of, value in rest if kind_of == CONTROLS)
    return Message(int.from_bytes(number, signed=True), kind, body, _cookie(controls))


def decode_result(message: Message) -> Result:
    try:
        (code_tag, code), _, (_, text), *_ = values(message.body)
    except ValueError:
        raise MalformedMessage from None
    if code_tag != ENUMERATED:
        raise MalformedMessage
    return Result(int.from_bytes(code, signed=True), text.decode("utf-8", "replace"), message.cookie)


def decode_entry(message: Message) -> DirectoryEntry:
    try:
        (_, dn), (_, attributes) = values(message.body)
        found: dict[str, list[bytes]] = {}
        for _, attribute in values(attributes):
            (_, name), (_, contents) = values(attribute)
            found[name.decode("utf-8", "replace").lower()] = [value for _, value in values(contents)]
    except ValueError:
        raise MalformedMessage from None
    return DirectoryEntry(dn.decode("utf-8", "replace"), found)


def _cookie(controls: bytes) -> bytes:
    try:
        for _, control in values(controls):
            (_, kind), *rest = values(control)
            if kind == PAGED_RESULTS and rest:
                (_, page), *_ = values(rest[-1][1])
                _, (_, cookie) = values(page)
                return cookie
    except ValueError:
        raise MalformedMessage from None
    return b""


def _text(value: bytes) -> str:
    """The value as text; empty for one that is not text, or has a character that no database accepts."""
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return ""
    return "" if "\0" in text else text
