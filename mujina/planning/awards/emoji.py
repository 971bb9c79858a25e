"""Emoji: the characters of each, its canonical name, and its aliases."""

from functools import cache
from pathlib import Path

NAMES = Path(__file__).with_name("emoji.txt")


@cache
def aliases() -> dict[str, str]:
    """Every name → its canonical name; a canonical name is its own alias."""
    return {name: names[0] for _, *names in _entries() for name in names}


@cache
def characters() -> dict[str, str]:
    """Canonical name → what is shown for it."""
    return {names[0]: shown for shown, *names in _entries()}


def canonical(text: str) -> str | None:
    """The canonical name; None if there is no such emoji."""
    return aliases().get(text.strip().strip(":").lower())


def _entries() -> list[list[str]]:
    """A line begins with `# ` if it is a comment; the keycap `#️⃣` has no space behind its first character."""
    return [line.split() for line in NAMES.read_text("utf-8").splitlines() if not line.startswith("# ")]
