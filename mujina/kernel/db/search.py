"""Texts that are searched: the one place where the engines differ in how they are asked.

Beside a table of texts stands an index of its trigrams (see `trigrams.py`), kept by triggers, so that whoever writes a
text writes it too. SQLite has FTS5 for this; PostgreSQL an array with a GIN index, which needs no extension and no
privilege. The index only narrows: `Selection.matching` looks at each candidate, so both engines find exactly the same.
"""

from typing import LiteralString

from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Engine
from mujina.kernel.text import words

_APART = "\x1f"
"""Stands between trigrams where PostgreSQL reads them; one that holds it is not asked for."""


def narrow(chosen: Selection, engine: Engine, query: str, id: LiteralString, index: LiteralString) -> None:
    """Keep the rows whose `id` the `index` gives for the query; none is left out that `matching` would find."""
    grams = sorted({word[n : n + 3] for word in words(query) for n in range(len(word) - 2)})
    grams = [gram for gram in grams if _APART not in gram]
    if not grams:
        return
    if engine == "sqlite":
        said = " AND ".join('"' + gram.replace('"', '""') + '"' for gram in grams)
        chosen.only(f"{id} IN (SELECT x.rowid FROM {index} x WHERE x.{index} MATCH :grams)", grams=said)
    else:
        chosen.only(
            f"{id} IN (SELECT x.id FROM {index} x WHERE x.grams @> string_to_array(:grams, chr(31)) OR x.grams IS NULL)",
            grams=_APART.join(grams),
        )
