"""Patterns of paths, as `changes` and `exists` have them: `*`, `**/`, `?`, `[abc]`, `{a,b}`."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from mujina.kernel.text.patterns import BadPattern, compiled

MAX_GLOBS: Final = 50
"""In one condition."""
MAX_LENGTH: Final = 1_000
MAX_SEARCHED: Final = 500_000_000
_SPECIAL: Final = frozenset(r".+()|^$\{}[]*?")


class PathMatcher:
    """Paths that globs are compared with, as one text with a path on each line.

    After this many bytes were searched everything matches, so that many globs about many files come to an end.
    """

    def __init__(self, paths: Iterable[str], budget: int = MAX_SEARCHED) -> None:
        self._lines = "\n".join(path for path in paths if "\n" not in path).encode("utf-8", "replace")
        self._left = budget
        self._known: dict[str, bool] = {}

    def any_matches(self, globs: Iterable[str]) -> bool:
        """Whether one of the globs matches one of the paths."""
        return bool(self._lines) and any(self._matches(glob) for glob in globs)

    def _matches(self, glob: str) -> bool:
        if glob not in self._known:
            pattern = _compiled(glob)
            self._left -= len(self._lines)
            found = self._left < 0 or (pattern is not None and pattern.search(self._lines) is not None)
            self._known[glob] = found
        return self._known[glob]


@lru_cache(maxsize=512)
def _compiled(glob: str) -> Any:
    """The pattern; None if it can match nothing."""
    if len(glob) > MAX_LENGTH or "\n" in glob:
        return None
    try:
        return compiled(f"(?m)^(?:{_translated(glob.removeprefix('./').lstrip('/'))})$")
    except BadPattern:
        return None


def _translated(glob: str) -> str:
    """The glob as a regular expression."""
    found: list[str] = []
    position, braces = 0, 0
    while position < len(glob):
        letter = glob[position]
        if glob.startswith("**/", position) and (position == 0 or glob[position - 1] == "/"):
            found.append("(?:.*/)?")
            position += 3
            continue
        if letter == "*":
            deep = glob.startswith("**", position)
            found.append(".*" if deep else r"[^/\n]*")
            position += 2 if deep else 1
            continue
        if letter == "[" and (end := glob.find("]", position + 2)) > 0:
            found.append(_class(glob[position + 1 : end]))
            position = end + 1
            continue
        if letter == "\\" and position + 1 < len(glob):
            position += 1
            found.append(_escaped(glob[position]))
        elif letter in "{},":
            text, braces = _brace(letter, braces)
            found.append(text)
        else:
            found.append(r"[^/\n]" if letter == "?" else _escaped(letter))
        position += 1
    return "".join(found)


def _brace(letter: str, open_: int) -> tuple[str, int]:
    """What a brace or a comma becomes, and the number of open braces after it."""
    if letter == "{":
        return "(?:", open_ + 1
    if not open_:
        return _escaped(letter), 0
    return ("|", open_) if letter == "," else (")", open_ - 1)


def _class(content: str) -> str:
    """A class of characters; the slash is never one of them."""
    negated = content[0] in "!^"
    letters = content[1:] if negated else content
    inner = "".join(letter if letter == "-" else _escaped(letter) for letter in letters)
    return f"[^/\\n{inner}]" if negated else f"[{inner}]"


def _escaped(letter: str) -> str:
    return f"\\{letter}" if letter in _SPECIAL else letter
