"""The shape of a database as it is, for comparing two of them; the order of columns does not matter."""

import apsw
import psycopg

POSTGRES = (
    """
    SELECT table_name, column_name, data_type, collation_name, is_nullable, column_default
    FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2
    """,
    "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2",
    """
    SELECT CAST(conrelid AS regclass)::text, conname, pg_get_constraintdef(oid)
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2
    """,
    "SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1",
    "SELECT proname, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1, 2",
    "SELECT stxname, pg_get_statisticsobjdef(oid) FROM pg_statistic_ext ORDER BY 1",
)

SQLITE = (
    """
    SELECT t.name, t.strict, c.name, c.type, c."notnull", trim(c.dflt_value, '()'), c.pk
    FROM pragma_table_list t, pragma_table_xinfo(t.name) c WHERE t.schema = 'main' ORDER BY 1, 3
    """,
    """
    SELECT t.name, i.name, i."unique", i.origin, i.partial, c.seqno, c.name, c.desc
    FROM pragma_table_list t, pragma_index_list(t.name) i, pragma_index_xinfo(i.name) c
    WHERE c.key AND i.origin <> 'pk' ORDER BY 1, 2, 6
    """,
    """
    SELECT t.name, f."from", f."table", f."to", f.on_delete, f.on_update
    FROM pragma_table_list t, pragma_foreign_key_list(t.name) f ORDER BY 1, 2
    """,
    "SELECT name, trim(substr(sql, instr(sql, ' WHERE '))) FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY 1",
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%' ORDER BY 1",
    "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY 1",
)


def shape(url: str) -> list[list[tuple]]:
    """Columns, indexes, references, constraints, triggers and statistics, without the table of the revision."""
    if url.startswith("sqlite"):
        connection = apsw.Connection(url.removeprefix("sqlite:///"))
        answers = [connection.execute(question).fetchall() for question in SQLITE]
        connection.close()
    else:
        with psycopg.connect(url) as connection:
            answers = [connection.execute(question).fetchall() for question in POSTGRES]
    return [[row for row in answer if row[0] != "schema_revision"] for answer in answers]
