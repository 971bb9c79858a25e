"""Names and searches as people mean them: without case, whatever the accents, whatever the keyboard."""

import re
from collections.abc import Mapping
from typing import Any
from unicodedata import combining, normalize

_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ð": "d", "đ": "d", "þ": "th", "ł": "l", "ħ": "h", "ŧ": "t", "ı": "i", "ŋ": "n"}
)
"""Latin letters that Unicode does not take apart into a plain letter and an accent."""

_PHRASE = re.compile(r'(?<!\S)"([^"]+)"(?!\S)')
_SHORTEST = 3
"""Characters a word needs to take part in a search."""


def fold(text: str) -> str:
    """The form in which names are compared: two texts a reader would call the same fold to the same."""
    if text.isascii():
        return text.lower()
    # Taken apart first: this brings out capitals ("㎑" → "kHz") and puts accents into one order.
    return normalize("NFKC", normalize("NFKD", text).casefold())


def folded_columns(columns: Mapping[str, Any], *names: str) -> dict[str, str]:
    """The folded texts of those of the named columns that are given: `title_folded`."""
    return {f"{name}_folded": fold(columns[name] or "") for name in names if name in columns}


def slug(name: str) -> str:
    """A path made of a name ("Ünï Çode" → "uni-code"); empty if nothing of the name can stand in a path."""
    letters = "".join(c for c in normalize("NFKD", fold(name)) if not combining(c)).translate(_LETTERS)
    return re.sub(r"[^a-z0-9_]+", "-", letters).strip("-")


def words(query: str) -> tuple[str, ...]:
    """The words, folded, that a text must contain for a search to find it; none: the text must equal the whole query.

    A "quoted phrase" counts as one word; words under three characters are passed over.
    """
    phrases = [match.strip() for match in _PHRASE.findall(query)]
    parts = [*_PHRASE.sub(" ", query).split(), *phrases]
    return tuple(dict.fromkeys(fold(part) for part in parts if len(part) >= _SHORTEST))


def like(text: str) -> str:
    r"""The text as it stands, for a pattern of `LIKE … ESCAPE '\'`."""
    return text.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
