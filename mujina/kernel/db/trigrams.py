"""How an index of trigrams is made on each engine: statements of the schema, for `schema.searched`."""

from collections.abc import Sequence

LONGEST = 20_000
"""Characters. Of a longer text PostgreSQL keeps no trigrams: it is a candidate of every search."""

# Three passes over the text, each of which takes it apart into threes: linear, where asking for each place is not.
_GRAMS = f"""CREATE OR REPLACE FUNCTION trigrams(said text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
'SELECT CASE WHEN length(said) <= {LONGEST} THEN ARRAY(
    SELECT DISTINCT three[1] COLLATE "C"
    FROM generate_series(1, 3) AS start, regexp_matches(substr(said, start), ''...'', ''g'') AS three) END'"""


def trigram_index(name: str, of: str, columns: Sequence[str]) -> dict[str, list[str]]:
    """Dialect → statements."""
    return {"sqlite": _sqlite(name, of, columns), "postgresql": _postgres(name, of, columns)}


def _sqlite(name: str, of: str, columns: Sequence[str]) -> list[str]:
    """FTS5 over the table's own texts, which it does not store again."""
    listed = ", ".join(columns)
    come = f"INSERT INTO {name} (rowid, {listed}) VALUES (new.id, {', '.join(f'new.{column}' for column in columns)})"
    gone = (
        f"INSERT INTO {name} ({name}, rowid, {listed}) "
        f"VALUES ('delete', old.id, {', '.join(f'old.{column}' for column in columns)})"
    )
    options = f"content='{of}', content_rowid='id', tokenize='trigram case_sensitive 1', detail=none"
    return [
        f"CREATE VIRTUAL TABLE {name} USING fts5 ({listed}, {options})",
        f"CREATE TRIGGER {name}_come AFTER INSERT ON {of} BEGIN {come}; END",
        f"CREATE TRIGGER {name}_gone AFTER DELETE ON {of} BEGIN {gone}; END",
        f"CREATE TRIGGER {name}_changed AFTER UPDATE OF {listed} ON {of} BEGIN {gone}; {come}; END",
    ]


def _postgres(name: str, of: str, columns: Sequence[str]) -> list[str]:
    """A table beside the texts, so that changing anything else about them costs nothing here."""
    said = " || chr(10) || ".join(f"NEW.{column}" for column in columns)
    return [
        _GRAMS,
        f"""CREATE TABLE {name} (
    id BIGINT NOT NULL,
    grams TEXT[] COLLATE "C",
    CONSTRAINT pk_{name} PRIMARY KEY (id),
    CONSTRAINT fk_{name}_id FOREIGN KEY (id) REFERENCES {of} (id) ON DELETE CASCADE
)""",
        f"CREATE INDEX ix_{name}_grams ON {name} USING gin (grams)",
        f"CREATE INDEX ix_{name}_long ON {name} (id) WHERE grams IS NULL",
        f"""CREATE FUNCTION keep_{name}() RETURNS trigger LANGUAGE plpgsql AS
'BEGIN INSERT INTO {name} (id, grams) VALUES (NEW.id, trigrams({said}))
    ON CONFLICT (id) DO UPDATE SET grams = excluded.grams; RETURN NULL; END'""",
        f"""CREATE TRIGGER keep_{name} AFTER INSERT OR UPDATE OF {", ".join(columns)} ON {of}
    FOR EACH ROW EXECUTE FUNCTION keep_{name}()""",
    ]
