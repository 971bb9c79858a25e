"""One SQL, two engines: every text is understood by both, and nobody writes another slice's tables."""

import re
from pathlib import Path

import apsw
import psycopg
import pytest

from mujina.kernel.db import apsw_connection, text
from tests.architecture.source import modules
from tests.architecture.sql_texts import owners, texts, written_tables


@pytest.fixture
def refusal(engine, stage):
    """What the engine says against a text; None when it would run it."""
    url = stage.copy()
    if engine == "sqlite":
        connection = apsw_connection.connect(Path(url.removeprefix("sqlite:///")))
        yield lambda sql: _refused_by_sqlite(connection, sql)
        connection.close()
    else:
        with psycopg.connect(url, autocommit=True) as connection:
            yield lambda sql: _refused_by_postgres(connection, sql)
    stage.discard(url)


def test_every_text_is_understood(refusal):
    refused = {known.place: reason for known in texts() if (reason := refusal(known.sql))}
    assert refused == {}


def test_the_texts_are_found():
    assert len(texts()) > 15


def test_no_slice_writes_the_tables_of_another():
    for module in modules().values():
        for table in written_tables(module):
            owner = owners()[table]
            assert module.name.startswith(f"{owner}."), f"{module.place} writes {table}, which is {owner}'s"


def _refused_by_sqlite(connection, sql):
    statement = text.sqlite(sql)
    try:
        connection.execute(f"EXPLAIN {statement.text}", [None] * len(statement.names)).fetchall()
    except apsw.Error as error:
        return str(error)
    return None


def _refused_by_postgres(connection, sql):
    """The server works out the types; a parameter it cannot know is taken for a number."""
    statement = text.postgres(sql)
    types = ["unknown"] * len(statement.names)
    while True:
        signature = f"({', '.join(types)})" if types else ""
        try:
            connection.execute(f"PREPARE text {signature} AS {statement.text}")
        except psycopg.errors.IndeterminateDatatype as error:
            types[int(re.findall(r"\$(\d+)", str(error))[0]) - 1] = "bigint"
        except psycopg.Error as error:
            return str(error)
        else:
            return connection.execute("DEALLOCATE text") and None
