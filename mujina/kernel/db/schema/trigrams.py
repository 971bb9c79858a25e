"""The tables of searchable texts: statements of the schema, for `schema.search_index`.

The texts are in a narrow table of their own, with the columns that decide who may see them: a search reads nothing else.
Triggers keep it up to date, and an index of trigrams covers it.
"""

from collections.abc import Sequence
from typing import LiteralString

TOO_LONG: LiteralString = "20000"
"""Characters. Of a longer text PostgreSQL keeps no trigrams: it is a candidate of every search."""

# Three bytes each, not three characters: taking bytes out of the middle of a text costs the same wherever they are, and they
# are compared without a collation, so writing a text costs half. A part of a text is a part of its bytes, so nothing is lost.
# It costs far more than any look-up, and the planner is told so: only the index is ever asked for trigrams. In plpgsql
# a session plans it once; in plain SQL it would for every row that is written.
_GRAMS = f"""CREATE OR REPLACE FUNCTION trigrams(content text) RETURNS bytea[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100000 AS
'DECLARE bytes bytea := convert_to(content, ''UTF8''); BEGIN RETURN CASE WHEN length(content) <= {TOO_LONG} THEN ARRAY(
    SELECT DISTINCT substring(bytes FROM start FOR 3) FROM generate_series(1, length(bytes) - 2) AS start) END; END'"""


def kept(
    name: str, of: str, texts: Sequence[LiteralString], beside: Sequence[str], unless: str
) -> dict[str, list[str]]:
    """Dialect → statements that keep the table `name` true to the rows of `of`, and its index of trigrams."""
    columns = [*beside, *texts]
    come = (
        f"INSERT INTO {name} (id, {', '.join(columns)}) SELECT NEW.id, {', '.join(f'NEW.{each}' for each in columns)} "
        f"WHERE NOT (NEW.{unless})"
    )
    changes = {
        f"{name}_come": ("INSERT", [come]),
        f"{name}_changed_text": (f"UPDATE OF {', '.join(texts)}", [_follow(name, texts)]),
        # Not together with the texts: the index would be written again for nothing.
        f"{name}_stand": (
            f"UPDATE OF {', '.join([*beside, unless.split(maxsplit=1)[0]])}",
            [f"DELETE FROM {name} WHERE id = NEW.id AND NEW.{unless}", _follow(name, beside)],
        ),
    }
    return {
        "sqlite": [*_fts(name, texts), *(_trigger(each, of, *change) for each, change in changes.items())],
        "postgresql": [
            *_gin(name, texts),
            *(line for each, change in changes.items() for line in _function(each, of, *change)),
        ],
    }


def short(texts: Sequence[LiteralString]) -> LiteralString:
    """Whether one of the texts has no trigrams, being too short, and is there."""
    return " OR ".join(f"length({text}) BETWEEN 1 AND 2" for text in texts)


def _follow(name: str, columns: Sequence[str]) -> str:
    return f"UPDATE {name} SET {', '.join(f'{column} = NEW.{column}' for column in columns)} WHERE id = NEW.id"


def _trigger(name: str, of: str, when: str, statements: Sequence[str]) -> str:
    return f"CREATE TRIGGER {name} AFTER {when} ON {of} BEGIN {'; '.join(statements)}; END"


def _function(name: str, of: str, when: str, statements: Sequence[str]) -> list[str]:
    return [
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN {'; '.join(statements)}; RETURN NULL; END'",
        f"CREATE TRIGGER {name} AFTER {when} ON {of} FOR EACH ROW EXECUTE FUNCTION {name}()",
    ]


_PAGE = 1024
"""Bytes of a page of FTS5. It merges its index by a fixed number of pages at once, while a writer waits: with pages of
4,050 bytes, its default, that is 40 ms every 64 issues for as long as there is something to merge."""


WAITING: LiteralString = "waiting_texts"
"""The table of the texts that are not in their index of FTS5 yet. Deleting a row puts the text into the index."""


def waiting() -> dict[str, list[str]]:
    """Dialect → statements. FTS5 writes its index anew for every request that changes it, because each has a savepoint; so
    the texts of all requests that share a commit are put into it at once, before the commit (`shared_commit.py`).
    """
    columns = f"name TEXT NOT NULL, id INTEGER NOT NULL, CONSTRAINT pk_{WAITING} PRIMARY KEY (name, id)"
    return {"sqlite": [f"CREATE TABLE {WAITING} ({columns}) STRICT, WITHOUT ROWID"], "postgresql": []}


def _fts(name: str, texts: Sequence[LiteralString]) -> list[str]:
    """FTS5 over the table's own texts, which it does not store again."""
    index, listed = f"{name}_grams", ", ".join(texts)
    wait = f"INSERT INTO {WAITING} (name, id) VALUES ('{name}', NEW.id) ON CONFLICT DO NOTHING"
    come = f"INSERT INTO {index} (rowid, {listed}) SELECT id, {listed} FROM {name} WHERE id = OLD.id"
    gone = (
        f"INSERT INTO {index} ({index}, rowid, {listed}) "
        f"SELECT 'delete', OLD.id, {', '.join(f'OLD.{text}' for text in texts)} "
        f"WHERE NOT EXISTS (SELECT 1 FROM {WAITING} waiting WHERE waiting.name = '{name}' AND waiting.id = OLD.id)"
    )
    options = f"content='{name}', content_rowid='id', tokenize='trigram case_sensitive 1', detail=none"
    return [
        f"CREATE VIRTUAL TABLE {index} USING fts5 ({listed}, {options})",
        f"INSERT INTO {index} ({index}, rank) VALUES ('pgsz', {_PAGE})",
        f"CREATE TRIGGER {index}_filled AFTER DELETE ON {WAITING} WHEN OLD.name = '{name}' BEGIN {come}; END",
        _trigger(f"{index}_come", name, "INSERT", [wait]),
        _trigger(f"{index}_gone", name, "DELETE", [gone]),
        _trigger(f"{index}_changed", name, f"UPDATE OF {listed}", [gone, wait]),
    ]


def _gin(name: str, texts: Sequence[LiteralString]) -> list[str]:
    """An index of what the function gives, which the table does not store.

    New entries wait in a list of a few kilobytes. If it were longer, the writer that empties it would wait half a
    second; without it, every writer would wait twice as long.
    """
    content = " || chr(10) || ".join(texts)
    return [
        _GRAMS,
        f"CREATE INDEX ix_{name}_grams ON {name} USING gin (trigrams({content})) WITH (gin_pending_list_limit = 256)",
        f"CREATE INDEX ix_{name}_long ON {name} (id) WHERE length({content}) > {TOO_LONG}",
        # Without them PostgreSQL expects a third of all texts to be that long, and starts workers for the rarest word.
        f"CREATE STATISTICS st_{name}_length ON (length({content})) FROM {name}",
    ]
