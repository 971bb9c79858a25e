"""Generates the table of settings in `operating.md`; the rest of the page is written by hand."""

import re
from operator import attrgetter
from pathlib import Path
from typing import Any, cast

from mujina.configuration import DIRECTORY_KINDS, KINDS, describe, variable
from mujina.directory_settings import Directory
from mujina.settings import Settings

PAGE = Path(__file__).parent / "operating.md"
TABLE = re.compile(r"(<!-- settings -->\n).*?(<!-- end of settings -->)", re.DOTALL)
DIRECTORY_TABLE = re.compile(r"(<!-- directory -->\n).*?(<!-- end of directory -->)", re.DOTALL)


def page() -> str:
    """The page with the current settings."""
    text = TABLE.sub(lambda found: found[1] + settings_table() + found[2], PAGE.read_text(encoding="utf-8"))
    return DIRECTORY_TABLE.sub(lambda found: found[1] + directory_table() + found[2], text)


def settings_table() -> str:
    """Every setting with its variable, default and description."""
    rows = [
        f"| `{name}` | {_variable(name)} | {_default(getattr(Settings(), name))} | {describe(name)} |" for name in KINDS
    ]
    return "\n".join(["| Setting | Variable | Default | |", "|---|---|---|---|", *rows, ""])


def directory_table() -> str:
    """Every key of a directory with its default and description."""
    directory = Directory(url="", base="")
    rows = [f"| `{key}` | {_default(attrgetter(key)(directory))} | {describe(key)} |" for key in DIRECTORY_KINDS]
    return "\n".join(["| Key | Default | |", "|---|---|---|", *rows, ""])


def _default(value: Any) -> str:
    if value is None or value in ((), ""):
        return ""
    if isinstance(value, tuple):
        return ", ".join(f"`{word}`" for word in cast("tuple[str, ...]", value))
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _variable(name: str) -> str:
    return "`MUJINA_LDAP_ID_KEY`" if name == "ldap" else f"`{variable(name)}`"
