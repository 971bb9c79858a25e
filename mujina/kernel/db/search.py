"""Full-text search: the one place where the statements of the engines differ.

Beside a table of texts stands an index of its trigrams (see `trigrams.py`): SQLite has FTS5 for this, PostgreSQL a GIN
index of arrays, which needs no extension and no privilege. The index only narrows: `Selection.matching` looks at each
candidate, so both engines find exactly the same.
"""

from typing import LiteralString

from mujina.kernel.db.selection import Selection, search_terms
from mujina.kernel.db.transaction import Engine
from mujina.kernel.db.trigrams import TOO_LONG, short
from mujina.kernel.text import fold

_APART = "\x1f"
"""Stands between trigrams where PostgreSQL reads them; one that holds it is not asked for."""

_MOST = 24
"""More trigrams would not narrow a search further."""


def narrow(
    chosen: Selection, engine: Engine, query: str, index: LiteralString, id: LiteralString, *columns: LiteralString
) -> None:
    """Keep the rows that the index of these columns gives for the query; none is lost that `matching` them would find."""
    terms = search_terms(query)
    grams = _grams(terms or [fold(query.strip())])
    if grams and engine == "sqlite":
        # The index comes first whatever the planner thinks, and gives the rows in the order in which they lie.
        chosen.source = f"{index} grams CROSS JOIN {chosen.source}"
        chosen.only(
            f"grams.{index} MATCH :grams AND {id} = grams.rowid",
            grams=" AND ".join('"' + gram.replace('"', '""') + '"' for gram in grams),
        )
    elif grams:
        text = " || chr(10) || ".join(columns)
        chosen.only(
            f"(trigrams({text}) @> string_to_array(:grams, chr(31)) OR length({text}) > {TOO_LONG})",
            grams=_APART.join(grams),
        )
    elif not terms and query.strip():
        # The whole text is asked for, and it is too short to have trigrams.
        chosen.only(f"({short(columns)})")


def _grams(terms: list[str]) -> list[str]:
    """Trigrams that together cover every word: its first three letters, the next three …, and its last three."""
    covering = {
        word[start : start + 3]
        for word in terms
        if len(word) > 2
        for start in (*range(0, len(word) - 3, 3), len(word) - 3)
    }
    return [gram for gram in sorted(covering) if _APART not in gram][:_MOST]
