"""The names of emoji: the canonical name of each, and its aliases."""

from functools import cache
from pathlib import Path

NAMES = Path(__file__).with_name("emoji.txt")


@cache
def aliases() -> dict[str, str]:
    """Every name → its canonical name; a canonical name is its own alias."""
    lines = (line.split() for line in NAMES.read_text("utf-8").splitlines() if not line.startswith("#"))
    return {name: names[0] for names in lines for name in names}


def canonical(text: str) -> str | None:
    """The canonical name; None if there is no such emoji."""
    return aliases().get(text.strip().strip(":").lower())
