"""Parameters as the clients of this API family write them: brackets for lists and hashes, words for booleans."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote_plus

BOUNDARY = "a-line-between-parts"


def form_text(params: Mapping[str, Any]) -> str:
    """`iids[]=1&iids[]=2&custom_attributes[a]=b&confidential=true`."""
    pairs = (pair for name, value in params.items() for pair in _pairs(name, value))
    return "&".join(
        f"{quote_plus(name, safe='[]', errors='surrogatepass')}={quote_plus(value, errors='surrogatepass')}"
        for name, value in pairs
    )


def multipart(params: Mapping[str, Any], **files: tuple[str, bytes]) -> bytes:
    """A `multipart/form-data` body between lines of `BOUNDARY`; a file is `(name, content)`."""
    parts = [
        f'Content-Disposition: form-data; name="{name}"\r\n\r\n{value}'.encode()
        for key, given in params.items()
        for name, value in _pairs(key, given)
    ]
    parts += [
        f'Content-Disposition: form-data; name="{field}"; filename="{name}"\r\n'
        f"Content-Type: application/octet-stream\r\n\r\n".encode()
        + content
        for field, (name, content) in files.items()
    ]
    between = f"--{BOUNDARY}\r\n".encode()
    return b"".join(between + part + b"\r\n" for part in parts) + f"--{BOUNDARY}--\r\n".encode()


def _pairs(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _pairs(f"{name}[{key}]", inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _pairs(f"{name}[]", inner)
    elif isinstance(value, bool):
        yield name, "true" if value else "false"
    else:
        yield name, "" if value is None else str(value)
