"""Excerpts of texts with the words of a search marked."""

import re

from mujina.rendering.html import Html, escape

MAX_WORDS = 16
LENGTH = 240
"""Characters of an excerpt."""
BEFORE = 60
"""Characters before the first match."""
MAX_SEARCHED = 200_000
"""Characters of a text in which a match is looked for."""


class SearchedWords:
    """The words of a search, found without regard to case."""

    def __init__(self, query: str, *, whole: bool = False) -> None:
        """`whole`: the query is one phrase, as a search in code takes it."""
        parts = [query.strip()] if whole else query.replace('"', " ").split()
        found = sorted({part for part in parts if part}, key=len, reverse=True)[:MAX_WORDS]
        self._pattern = re.compile("|".join(map(re.escape, found)), re.IGNORECASE) if found else None

    def marked(self, text: str) -> Html:
        """The text as HTML, each match in `<mark>`."""
        if self._pattern is None:
            return escape(text)
        pieces: list[str] = []
        at = 0
        for match in self._pattern.finditer(text):
            pieces += [escape(text[at : match.start()]), f"<mark>{escape(match[0])}</mark>"]
            at = match.end()
        return Html("".join([*pieces, escape(text[at:])]))

    def excerpt(self, text: str) -> Html:
        """One line of the text around its first match; its start if no word occurs as it was typed."""
        text = text[:MAX_SEARCHED]
        match = self._pattern.search(text) if self._pattern else None
        start = max(0, match.start() - BEFORE) if match else 0
        piece = " ".join(text[start : start + LENGTH].split())
        before, after = "…" if start else "", "…" if start + LENGTH < len(text) else ""
        return Html(f"{before}{self.marked(piece)}{after}")
