"""Full-text search: the one place where the statements of the engines differ.

Beside a table of texts stands an index of its trigrams (see `trigrams.py`): SQLite has FTS5 for this, PostgreSQL a GIN
index of arrays, which needs no extension and no privilege. The index only narrows: `Selection.matching` looks at each
candidate, so both engines find exactly the same.
"""

from typing import LiteralString, TypeVar

from mujina.kernel.db.schema.trigrams import TOO_LONG, short
from mujina.kernel.db.sql.selection import Selection, Sql, search_terms
from mujina.kernel.db.transaction import Engine
from mujina.kernel.text.folding import fold

_MOST = 24
"""The number of trigrams that are used: more would not narrow a search further."""
_SHORT = 8
"""Letters of a word up to which further trigrams narrow a search more than they cost."""


def apply_index(
    selection: Selection, engine: Engine, query: str, index: LiteralString, id: LiteralString, *columns: LiteralString
) -> Selection:
    """Keep the rows that the index of these columns gives for the query; none is lost that `matching` them would find."""
    terms = search_terms(query)
    words = [word for word in terms or [fold(query.strip())] if len(word) > 2]
    if words and engine == "sqlite":
        # The index gives the rows in the order in which they lie.
        grams = " AND ".join('"' + gram.replace('"', '""') + '"' for gram in _grams(words))
        return selection.joined_to(
            f"{index} grams", Sql(f"grams.{index} MATCH :grams AND {id} = grams.rowid", grams=grams)
        )
    if words:
        text = " || chr(10) || ".join(columns)
        return selection.where(
            f"(trigrams({text}) @> CAST(:grams AS bytea[]) OR length({text}) > {TOO_LONG})",
            grams="{" + ",".join(f'"\\\\x{gram.hex()}"' for gram in _grams([word.encode() for word in words])) + "}",
        )
    # If the whole text is asked for, it is too short to have trigrams.
    return selection.where(f"({short(columns)})") if not terms and query.strip() else selection


Text = TypeVar("Text", str, bytes)


def _grams(words: list[Text]) -> list[Text]:
    """Trigrams that together cover every word: its first three letters, the next three …, and its last three."""
    return sorted({word[start : start + 3] for word in words for start in _starts(len(word))})[:_MOST]


def _starts(length: int) -> tuple[int, ...]:
    """Where the trigrams of a word start. In a short one they overlap: what joins two syllables is rarer than the syllables."""
    step = 2 if length <= _SHORT else 3
    return (*range(0, length - 3, step), length - 3)
