"""Row counts kept by triggers: statements of the schema, for `schema.kept_count`.

Every change of a row updates its count. On PostgreSQL counts are locked in one order, whatever a statement does, so that
two changes in opposite directions do not deadlock.
"""

from collections.abc import Mapping

from mujina.kernel.db.spread_counts import fold

Columns = Mapping[str, str]
"""The columns by which rows are counted, as their table declares them."""


def tally(
    name: str, of: str, until: str | None, sqlite: Columns, postgres: Columns, ordered_by: str | None = None
) -> dict[str, list[str]]:
    """Dialect → statements. Rows count until the column `until` is set, or as long as they exist.

    `ordered_by`: `shifts` then counts the rows that went, those that moved, and those that came without being the newest by
    this column among all with the same value in the first of the columns. As long as it stays the same, every
    counted row keeps its number from the oldest. On PostgreSQL the newest rows count as well.
    """
    keys = list(postgres)
    more = "    shifts {} NOT NULL DEFAULT 0,\n" if ordered_by else ""
    return {
        "sqlite": [
            f"{_table(name, sqlite, 'INTEGER', more)} STRICT, WITHOUT ROWID",
            *_sqlite(name, of, until, keys, ordered_by),
        ],
        "postgresql": [_table(name, postgres, "BIGINT", more), *_postgres(name, of, until, keys, ordered_by)],
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


def _table(name: str, columns: Columns, number: str, more: str = "") -> str:
    declared = "".join(f"    {column} {declaration},\n" for column, declaration in columns.items())
    key = f"CONSTRAINT pk_{name} PRIMARY KEY ({', '.join(columns)})"
    return f"CREATE TABLE {name} (\n{declared}    n {number} NOT NULL,\n{more.format(number)}    {key}\n)"


def _is_older(of: str, until: str | None, owner: str, ordered_by: str) -> str:
    """Whether the row {0} is not the newest of its owner."""
    newest = f"""SELECT x.id FROM {of} x WHERE x.{owner} = {{0}}.{owner} AND x.{ordered_by} >= {{0}}.{ordered_by}
        AND {_counts("x", until)} ORDER BY x.{ordered_by} DESC, x.id DESC LIMIT 1"""
    return f"{{0}}.id <> ({' '.join(newest.split())})"


def _sqlite(name: str, of: str, until: str | None, keys: list[str], ordered_by: str | None = None) -> list[str]:
    older = _is_older(of, until, keys[0], ordered_by) if ordered_by else None
    kept, less = ("n, shifts", "n = n - 1, shifts = shifts + 1") if older else ("n", "n = n - 1")
    put = f"INSERT INTO {name} ({', '.join(keys)}, {kept}) VALUES ({_of('new', keys)}, {{}}) {_add(name, keys, kept)}"
    gone = f"UPDATE {name} SET {less} WHERE ({', '.join(keys)}) = ({_of('old', keys)})"
    watched = [*keys, *filter(None, (until, ordered_by))]
    moved, changed = f"UPDATE OF {', '.join(watched)}", f"({_of('old', watched)}) IS NOT ({_of('new', watched)})"
    come, came = (f"1, {older.format('new')}", "1, 1") if older else ("1", "1")
    return [
        f"CREATE TRIGGER {name}_{verb} AFTER {when} ON {of} WHEN {condition} BEGIN {change}; END"
        for verb, when, condition, change in (
            ("come", "INSERT", _counts("new", until), put.format(come)),
            ("gone", "DELETE", _counts("old", until), gone),
            ("left", moved, f"{_counts('old', until)} AND {changed}", gone),
            ("came", moved, f"{_counts('new', until)} AND {changed}", put.format(came)),
        )
    ]


def _postgres(name: str, of: str, until: str | None, keys: list[str], ordered_by: str | None = None) -> list[str]:
    """Rows that one statement inserts or deletes are counted together: a thousand of them update the count once."""
    listed, watched = ", ".join(keys), [*keys, *filter(None, (until, ordered_by))]
    kept = f"{listed}, n, shifts" if ordered_by else f"{listed}, n"
    # Here every row that comes counts: for the newest row, PostgreSQL may read all if many come at once.
    shift = ", count(*) AS shifts" if ordered_by else ""
    come, gone = (
        f"(SELECT {listed}, count(*) AS n{more} FROM {rows} WHERE {_counts(rows, until)} GROUP BY {listed}) changed"
        for rows, more in (("come", shift), ("gone", ""))
    )
    steps = " UNION ALL ".join(
        f"SELECT {_of(row, keys)}, {step}{', 1' if ordered_by else ''} WHERE {_counts(row, until)}"
        for row, step in (("OLD", -1), ("NEW", 1))
    )
    step = f"({steps}) step ({kept})"
    if ordered_by:  # a row that only moved leaves and enters the same count, which one statement may change once
        step = f"(SELECT {listed}, sum(n) AS n, sum(shifts) AS shifts FROM {step} GROUP BY {listed}) changed"
    put = f"INSERT INTO {name} ({kept}) SELECT {kept} FROM {{}} ORDER BY {listed} {_add(name, keys, kept)}"
    hold = f"PERFORM 1 FROM {name} JOIN {gone} USING ({listed}) ORDER BY {listed} FOR UPDATE OF {name}"
    less = f"n = {name}.n - changed.n{f', shifts = {name}.shifts + changed.n' if ordered_by else ''}"
    take = f"UPDATE {name} SET {less} FROM {gone} WHERE ({_of(name, keys)}) = ({_of('changed', keys)})"
    changed = f"WHEN (({_of('OLD', watched)}) IS DISTINCT FROM ({_of('NEW', watched)}))"
    return [
        line
        for verb, when, each, change in (
            ("come", f"INSERT ON {of} REFERENCING NEW TABLE AS come", "STATEMENT", put.format(come)),
            ("gone", f"DELETE ON {of} REFERENCING OLD TABLE AS gone", "STATEMENT", f"{hold}; {take}"),
            (
                "move",
                f"UPDATE OF {', '.join(watched)} ON {of}",
                f"ROW {changed}",
                put.format(step),
            ),
        )
        for line in (
            f"CREATE FUNCTION {name}_{verb}() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN {change}; RETURN NULL; END'",
            f"CREATE TRIGGER {name}_{verb} AFTER {when} FOR EACH {each} EXECUTE FUNCTION {name}_{verb}()",
        )
    ]


def _counts(row: str, until: str | None) -> str:
    return f"{row}.{until} IS NULL" if until else "TRUE"


def _add(name: str, keys: list[str], kept: str) -> str:
    shifts = f", shifts = {name}.shifts + excluded.shifts" if "shifts" in kept else ""
    return f"ON CONFLICT ({', '.join(keys)}) DO UPDATE SET n = {name}.n + excluded.n{shifts}"


def _same(row: str, columns: list[str]) -> str:
    return " AND ".join(f"x.{column} = {row}.{column}" for column in columns)


def _of(row: str, columns: list[str]) -> str:
    return ", ".join(f"{row}.{column}" for column in columns)
