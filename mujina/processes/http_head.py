"""The request line and the headers of HTTP/1.1."""

import re

Headers = list[tuple[bytes, bytes]]
"""The names are in lower case."""

_NOT_ASCII = re.compile(rb"[\x80-\xff]")


def has_unknown_coding(headers: Headers) -> bool:
    """Whether the body is transferred in another coding than `chunked`."""
    return any(name == b"transfer-encoding" and value.lower() != b"chunked" for name, value in headers)


def framing(headers: Headers) -> bytes:
    """The headers that say how long the body is; nothing if there is none."""
    return b"".join(
        b"%b: %b\r\n" % (name, value)
        for name, value in headers
        if name == b"transfer-encoding" or (name == b"content-length" and value.strip(b"0"))
    )


def encoded(data: bytes) -> bytes:
    """The first line with what is not ASCII percent-encoded, as some clients leave it out."""
    line, end, rest = data.partition(b"\n")
    return _NOT_ASCII.sub(lambda found: b"%%%02X" % found[0][0], line) + end + rest


def origin_form(target: bytes) -> bytes | None:
    """The path and query of a target with an address, as it is sent to a proxy; None if it is something else."""
    if target == b"*":
        return b"/"
    scheme, _, rest = target.partition(b"://")
    if scheme.lower() not in (b"http", b"https"):
        return None
    end = re.search(rb"[/?#]", rest)
    if end is None:
        return b"/"
    return rest[end.start() :] if end[0] == b"/" else b"/" + rest[end.start() :]
