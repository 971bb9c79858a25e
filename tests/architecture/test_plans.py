"""Plans that hold: whatever data an instance has, a list on PostgreSQL reads no large table from end to end."""

import json
import re
from itertools import count

import pytest
from psycopg import sql

from mujina.kernel.db.postgres.database import _PostgresTx
from mujina.kernel.db.sql import text
from tests.harness.browsers import browser_of
from tests.harness.composed import ROUTES

ROWS = 4_000
FEWER = {"projects": 500, "routes": 500, "users": 1_000, "members": 1_000}
SEEDED = {
    "users": {
        "username": "'user' || n", "username_folded": "'user' || n", "email": "'u' || n || '@example.org'",
        "email_folded": "'u' || n || '@example.org'",
    },
    "projects": {"path": "'p' || n", "name": "'p' || n"},
    "routes": {"path": "'x/p' || n", "path_folded": "'x/p' || n", "project_id": "1000000 + n", "namespace_id": "NULL"},
    "members": {"user_id": "1000000 + n", "source_kind": "'project'", "source_id": "{project}"},
    "labels": {"project_id": "{project}", "group_id": "NULL", "title": "'label ' || n"},
    "issues": {"iid": "1000000 + n", "project_id": "{project}", "created_at": "(2000 + n % 20) || '-01-01'"},
    "merge_requests": {"iid": "1000000 + n", "project_id": "{project}", "source_project_id": "{project}", "source_branch": "'b' || n"},
    "notes": {
        "noteable_kind": "'issue'", "noteable_id": "1000000 + n % 2000", "project_id": "{project}",
        "discussion_id": "md5(CAST(n AS text))", "source_kind": "NULL", "action": "NULL",
    },
    "events": {"project_id": "{project}", "subject_id": "1000000 + n", "created_at": "(1000 + n) || '-01-01'"},
    "event_counts": {"author_id": "n % 1000", "project_id": "{project}", "day": "'2020-01-01'", "kind": "'issue.created'", "part": "'issue'", "n": "1"},
    "note_counts": {"noteable_kind": "'issue'", "noteable_id": "1000000 + n", "n": "1"},
    "issue_labels": {"issue_id": "1000000 + n", "label_id": "1000000 + (n * 7) % 4000"},
    "issue_assignees": {"issue_id": "1000000 + n", "user_id": "1000000 + n % 500"},
}  # fmt: skip
"""The tables that grow, and in which columns their rows differ; `{project}` is the project of row `n`."""

SPREADS = {
    "all in one project": "{giant}",
    "evenly spread": "1000000 + n % 500",
    "one giant among many small": "CASE WHEN n % 5 = 0 THEN 1000000 + n % 500 ELSE {giant} END",
}
_WORD = re.compile(r"\w+")
LARGE = {
    "events",
    "event_counts",
    "note_counts",
    "issues",
    "merge_requests",
    "notes",
    "labels",
    "issue_labels",
    "issue_assignees",
}


@pytest.fixture
def engine():
    return "postgres"


@pytest.fixture
def database(world):
    """The one connection of the world, for statements without results of interest."""
    loop, connection = world.cast.root.loop, world.database._connection

    def run(statement):
        async def fetch():
            cursor = await connection.execute(statement)
            return await cursor.fetchall() if cursor.description else []

        return loop.run_until_complete(fetch())

    return run


def test_no_list_reads_a_large_table_from_end_to_end(world, database, monkeypatch):
    statements = _prepared(database, _asked(world, monkeypatch))
    assert len(statements) > 60
    database("SET LOCAL session_replication_role = replica")  # no triggers: the rows are what matters
    offenders = dict[str, str]()
    for spread, project in SPREADS.items():
        database("SAVEPOINT empty")
        _fill(database, project.format(giant=world.ids["public"]["/projects/:"]))
        offenders |= _scanning(database, statements, f"{spread}, without statistics")
        database(f"ANALYZE {', '.join(SEEDED)}")
        offenders |= _scanning(database, statements, spread)
        database("ROLLBACK TO empty")
    for name in statements:
        database(f"DEALLOCATE {name}")
    assert offenders == {}


def _asked(world, monkeypatch):
    """Every statement of every list and of the pages of activity: the text that PostgreSQL gets, its values, whether it is a search."""
    asked, searches = {}, False
    execute, reading = _PostgresTx._execute, world.database.reading

    async def watched(self, written, bound):
        statement = text.postgres(written)
        asked.setdefault((statement.text, searches), statement.arguments(bound))
        return await execute(self, written, bound)

    def searching():
        nonlocal searches
        searches = True
        return reading()

    monkeypatch.setattr(_PostgresTx, "_execute", watched)
    monkeypatch.setattr(world.database, "searching", searching)
    for route in ROUTES:
        if route.verb == "GET" and route.paged:
            for person in (world.cast.root, world.cast.owner):
                searches = False
                assert world.ask(person, route, world.params(route)).status < 500
    searches = False
    owner = browser_of(world.cast.owner, world.database, world.cast.anonymous)
    for page in (
        f"/{world.cast.public.path}/activity",
        f"/groups/{world.cast.company.path}/-/activity",
        "/dashboard/activity",
    ):
        assert owner.open(page).status == 200
    monkeypatch.undo()
    return {key: values for key, values in asked.items() if LARGE & set(_WORD.findall(key[0]))}


def _prepared(database, asked):
    """Name of the prepared statement → its text, its values as SQL and whether it is planned for these values."""
    found, numbers = {}, count()
    for (written, searches), values in asked.items():
        name = f"list{next(numbers)}"
        types = ", ".join(map(_type, values))
        database(f"PREPARE {name}{f' ({types})' if types else ''} AS {written}")
        found[name] = written, ", ".join(sql.Literal(value).as_string() for value in values), searches
    return found


def _type(value):
    if isinstance(value, list):
        return f"{_type(value[0]) if value else 'bigint'}[]"
    return {bool: "boolean", int: "bigint", str: "text"}.get(type(value), "unknown")


def _fill(database, project):
    for table, columns in SEEDED.items():
        changed = {"id": "1000000 + n", **columns} if not table.startswith("issue_") and "n" not in columns else columns
        pairs = ", ".join(f"'{column}', {value.format(project=project)}" for column, value in changed.items())
        database(f"""
            INSERT INTO {table} SELECT row.* FROM coalesce((SELECT to_jsonb(any_row) FROM {table} any_row LIMIT 1), '{{}}') one,
            generate_series(1, {FEWER.get(table, ROWS)}) n,
            LATERAL jsonb_populate_record(CAST(NULL AS {table}), one || jsonb_build_object({pairs})) row""")


def _scanning(database, statements, when):
    found = {}
    for name, (written, values, searches) in statements.items():
        database(f"SET LOCAL plan_cache_mode = {'force_custom_plan' if searches else 'force_generic_plan'}")
        [(plan,)] = database(f"EXPLAIN (FORMAT JSON, COSTS OFF) EXECUTE {name}{f'({values})' if values else ''}")
        plan = json.loads(plan) if isinstance(plan, str) else plan
        if tables := sorted(LARGE & set(_scanned(plan[0]["Plan"]))):
            found[written] = f"{when}: {', '.join(tables)}"
    return found


def _scanned(node):
    if node["Node Type"] == "Seq Scan":
        yield node["Relation Name"]
    for child in node.get("Plans", []):
        yield from _scanned(child)
