"""Generates the table of settings in `operating.md`; the rest of the page is written by hand."""

import re
from pathlib import Path
from typing import Any, cast

from mujina.configuration import KINDS, describe, variable
from mujina.settings import Settings

PAGE = Path(__file__).parent / "operating.md"
TABLE = re.compile(r"(<!-- settings -->\n).*?(<!-- end of settings -->)", re.DOTALL)


def page() -> str:
    """The page with the current settings."""
    return TABLE.sub(lambda found: found[1] + settings_table() + found[2], PAGE.read_text(encoding="utf-8"))


def settings_table() -> str:
    """Every setting with its variable, default and description."""
    rows = [f"| `{name}` | `{variable(name)}` | {_default(name)} | {describe(name)} |" for name in KINDS]
    return "\n".join(["| Setting | Variable | Default | |", "|---|---|---|---|", *rows, ""])


def _default(name: str) -> str:
    value: Any = getattr(Settings(), name)
    if value is None or value == ():
        return ""
    if isinstance(value, tuple):
        return ", ".join(f"`{word}`" for word in cast("tuple[str, ...]", value))
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"
