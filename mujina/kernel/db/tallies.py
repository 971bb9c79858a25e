"""How the rows of a table are counted as they come and go: statements of the schema, for `schema.counted`."""

from collections.abc import Mapping

Types = Mapping[str, str]
"""The columns by which rows are counted, with their types."""


def tally(name: str, of: str, until: str, sqlite: Types, postgres: Types) -> dict[str, list[str]]:
    """Dialect → statements. Rows count until the column `until` is set."""
    return {"sqlite": _sqlite(name, of, until, sqlite), "postgresql": _postgres(name, of, until, postgres)}


def _table(name: str, types: Types) -> str:
    columns = "".join(f"    {column} {type_} NOT NULL,\n" for column, type_ in types.items())
    return f"CREATE TABLE {name} (\n{columns}    n BIGINT NOT NULL,\n    CONSTRAINT pk_{name} PRIMARY KEY ({', '.join(types)})\n)"


def _come(name: str, row: str, types: Types) -> str:
    values = ", ".join(f"{row}.{column}" for column in types)
    return f"""INSERT INTO {name} ({", ".join(types)}, n) VALUES ({values}, 1)
    ON CONFLICT ({", ".join(types)}) DO UPDATE SET n = {name}.n + 1"""


def _gone(name: str, row: str, types: Types) -> str:
    same = " AND ".join(f"{column} = {row}.{column}" for column in types)
    return f"UPDATE {name} SET n = n - 1 WHERE {same}"


def _sqlite(name: str, of: str, until: str, types: Types) -> list[str]:
    told = f"UPDATE OF {', '.join(types)}, {until} ON {of}"
    come, gone = _come(name, "new", types), _gone(name, "old", types)
    return [
        f"{_table(name, types).replace('BIGINT', 'INTEGER')} STRICT, WITHOUT ROWID",
        f"CREATE TRIGGER {name}_come AFTER INSERT ON {of} WHEN new.{until} IS NULL BEGIN {come}; END",
        f"CREATE TRIGGER {name}_gone AFTER DELETE ON {of} WHEN old.{until} IS NULL BEGIN {gone}; END",
        f"CREATE TRIGGER {name}_left AFTER {told} WHEN old.{until} IS NULL BEGIN {gone}; END",
        f"CREATE TRIGGER {name}_came AFTER {told} WHEN new.{until} IS NULL BEGIN {come}; END",
    ]


def _postgres(name: str, of: str, until: str, types: Types) -> list[str]:
    return [
        _table(name, types),
        f"""CREATE FUNCTION keep_{name}() RETURNS trigger LANGUAGE plpgsql AS
'BEGIN IF TG_OP <> ''INSERT'' AND OLD.{until} IS NULL THEN {_gone(name, "OLD", types)}; END IF; IF TG_OP <> ''DELETE'' AND NEW.{until} IS NULL THEN {_come(name, "NEW", types)}; END IF; RETURN NULL; END'""",
        f"""CREATE TRIGGER keep_{name} AFTER INSERT OR DELETE OR UPDATE OF {", ".join(types)}, {until} ON {of}
    FOR EACH ROW EXECUTE FUNCTION keep_{name}()""",
    ]
