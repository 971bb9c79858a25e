"""Row counts kept by triggers: statements of the schema, for `schema.kept_count`.

Every change of a row updates its count. On PostgreSQL counts are locked in one order, whatever a statement does, so that
two changes in opposite directions do not deadlock.
"""

from collections.abc import Mapping

from mujina.kernel.db.spread_counts import fold

Columns = Mapping[str, str]
"""The columns by which rows are counted, as their table declares them."""


def tally(name: str, of: str, until: str | None, sqlite: Columns, postgres: Columns) -> dict[str, list[str]]:
    """Dialect → statements. Rows count until the column `until` is set, or as long as they exist."""
    keys = list(postgres)
    return {
        "sqlite": [f"{_table(name, sqlite, 'INTEGER')} STRICT, WITHOUT ROWID", *_sqlite(name, of, until, keys)],
        "postgresql": [_table(name, postgres, "BIGINT"), *_postgres(name, of, until, keys)],
    }


def spread_tally(name: str, of: str, sqlite: Columns, postgres: Columns) -> dict[str, list[str]]:
    """The same for rows whose columns never change, with counts that are spread on PostgreSQL (`spread_counts.py`)."""
    keys = list(postgres)
    listed, put = ", ".join(keys), f"INSERT INTO {name} ({', '.join(keys)}, n) VALUES ({{}}, {{}})"
    come, gone = (
        f"{put.format(_of(row, keys), step)}; {fold(name, listed, _same(row, keys), row)}"
        for row, step in (("NEW", 1), ("OLD", -1))
    )
    return {
        "sqlite": [f"{_table(name, sqlite, 'INTEGER')} STRICT, WITHOUT ROWID", *_sqlite(name, of, None, keys)[:2]],
        "postgresql": [
            f"CREATE TABLE {name} ({', '.join(f'{key} {postgres[key]}' for key in keys)}, n BIGINT NOT NULL)",
            f"CREATE INDEX ix_{name}_{'_'.join(keys)} ON {name} ({listed})",
            *(
                " ".join(line.split())
                for verb, when, change in (("come", "INSERT", come), ("gone", "DELETE", gone))
                for line in (
                    f"""CREATE FUNCTION {name}_{verb}() RETURNS trigger LANGUAGE plpgsql
                        AS 'BEGIN {change}; RETURN NULL; END'""",
                    f"""CREATE TRIGGER {name}_{verb} AFTER {when} ON {of} FOR EACH ROW
                        EXECUTE FUNCTION {name}_{verb}()""",
                )
            ),
        ],
    }


def _table(name: str, columns: Columns, number: str) -> str:
    declared = "".join(f"    {column} {declaration},\n" for column, declaration in columns.items())
    key = f"CONSTRAINT pk_{name} PRIMARY KEY ({', '.join(columns)})"
    return f"CREATE TABLE {name} (\n{declared}    n {number} NOT NULL,\n    {key}\n)"


def _sqlite(name: str, of: str, until: str | None, keys: list[str]) -> list[str]:
    put = f"INSERT INTO {name} ({', '.join(keys)}, n) VALUES ({_of('new', keys)}, 1) {_add(name, keys)}"
    gone = f"UPDATE {name} SET n = n - 1 WHERE ({', '.join(keys)}) = ({_of('old', keys)})"
    watched = [*keys, *filter(None, (until,))]
    moved, changed = f"UPDATE OF {', '.join(watched)}", f"({_of('old', watched)}) IS NOT ({_of('new', watched)})"
    return [
        f"CREATE TRIGGER {name}_{verb} AFTER {when} ON {of} WHEN {condition} BEGIN {change}; END"
        for verb, when, condition, change in (
            ("come", "INSERT", _counts("new", until), put),
            ("gone", "DELETE", _counts("old", until), gone),
            ("left", moved, f"{_counts('old', until)} AND {changed}", gone),
            ("came", moved, f"{_counts('new', until)} AND {changed}", put),
        )
    ]


def _postgres(name: str, of: str, until: str | None, keys: list[str]) -> list[str]:
    """Rows that one statement inserts or deletes are counted together: a thousand of them update the count once."""
    listed, watched = ", ".join(keys), [*keys, *filter(None, (until,))]
    come, gone = (
        f"(SELECT {listed}, count(*) AS n FROM {rows} WHERE {_counts(rows, until)} GROUP BY {listed}) changed"
        for rows in ("come", "gone")
    )
    steps = " UNION ALL ".join(
        f"SELECT {_of(row, keys)}, {step} WHERE {_counts(row, until)}" for row, step in (("OLD", -1), ("NEW", 1))
    )
    put = f"INSERT INTO {name} ({listed}, n) SELECT {listed}, n FROM {{}} ORDER BY {listed} {_add(name, keys)}"
    hold = f"PERFORM 1 FROM {name} JOIN {gone} USING ({listed}) ORDER BY {listed} FOR UPDATE OF {name}"
    take = f"""UPDATE {name} SET n = {name}.n - changed.n FROM {gone}
        WHERE ({_of(name, keys)}) = ({_of("changed", keys)})"""
    changed = f"WHEN (({_of('OLD', watched)}) IS DISTINCT FROM ({_of('NEW', watched)}))"
    return [
        " ".join(line.split())
        for verb, when, each, change in (
            ("come", f"INSERT ON {of} REFERENCING NEW TABLE AS come", "STATEMENT", put.format(come)),
            ("gone", f"DELETE ON {of} REFERENCING OLD TABLE AS gone", "STATEMENT", f"{hold}; {take}"),
            (
                "move",
                f"UPDATE OF {', '.join(watched)} ON {of}",
                f"ROW {changed}",
                put.format(f"({steps}) step ({listed}, n)"),
            ),
        )
        for line in (
            f"CREATE FUNCTION {name}_{verb}() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN {change}; RETURN NULL; END'",
            f"CREATE TRIGGER {name}_{verb} AFTER {when} FOR EACH {each} EXECUTE FUNCTION {name}_{verb}()",
        )
    ]


def _counts(row: str, until: str | None) -> str:
    return f"{row}.{until} IS NULL" if until else "TRUE"


def _add(name: str, keys: list[str]) -> str:
    return f"ON CONFLICT ({', '.join(keys)}) DO UPDATE SET n = {name}.n + excluded.n"


def _same(row: str, columns: list[str]) -> str:
    return " AND ".join(f"x.{column} = {row}.{column}" for column in columns)


def _of(row: str, columns: list[str]) -> str:
    return ", ".join(f"{row}.{column}" for column in columns)
