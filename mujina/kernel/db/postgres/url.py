"""Checks the URL of a PostgreSQL database, whose parts are secrets as long as it is not known which of them is the password."""

import re
from typing import Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

ENCODE: Final = (
    "percent-encode what is special in the password, such as / as %2F, @ as %40, % as %25 and a space as %20."
)
_PORTS = re.compile(r"\d{0,5}(,\d{0,5})*", re.ASCII)
_WHOLE_NUMBERS: Final = ("connect_timeout", "tcp_user_timeout")
"""Parameters that the driver reads itself, or that are set unless the operator names others."""


def find_url_fault(url: str) -> str | None:
    """What is wrong with the URL and what to do, as the rest of a sentence about it, without any part of the URL."""
    rest = url.partition("://")[2]
    before, at, after = rest.partition("@")
    if "@" in (after if at and "/" not in before else rest).partition("?")[0]:
        return f"has an @ or / that seems to be part of its password: {ENCODE}"
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        if re.search(r"%(?![0-9A-Fa-f]{2})", rest):
            return f"has a % without two hexadecimal digits behind it: {ENCODE}"
        if re.search(r"\s", rest):
            return f"has a space: {ENCODE}"
        return f"cannot be read: behind ?, write only parameters that PostgreSQL knows, as NAME=VALUE; {ENCODE}"
    if not _PORTS.fullmatch(str(parts.get("port") or "")):
        return f"has something else than a number as its port: write PASSWORD@HOST:PORT, and {ENCODE}"
    for name in _WHOLE_NUMBERS:
        if not re.fullmatch(r"-?\d{1,9}", str(parts.get(name, "0")), re.ASCII):
            return f"has something else than a whole number as its {name}: give a number or leave it out."
    return None
