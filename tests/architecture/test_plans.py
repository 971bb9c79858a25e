"""Plans that hold: whatever data an instance has, a list on PostgreSQL reads no large table from end to end.

Issues by assignee, author, milestone, label, reaction and weight are tried alone and in pairs, with a value that few issues
of one large project have, and with one that most of them have.
"""

import json
import re
from itertools import combinations, count, product

import pytest
from psycopg import sql

from bench.bulk import LINK_COUNTS
from mujina.kernel.db.postgres.database import _PostgresTx
from mujina.kernel.db.schema.trigrams import TOO_LONG
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
    "merge_requests": {"iid": "1000000 + n", "project_id": "{project}", "source_project_id": "{project}",
                       "source_branch": "'b' || n"},
    "notes": {
        "noteable_kind": "'issue'", "noteable_id": "1000000 + n % 2000", "project_id": "{project}",
        "discussion_id": "md5(CAST(n AS text))", "source_kind": "NULL", "action": "NULL",
    },
    "events": {"project_id": "{project}", "subject_id": "1000000 + n", "created_at": "(1000 + n) || '-01-01'"},
    "event_counts": {"author_id": "n % 1000", "project_id": "{project}", "day": "'2020-01-01'",
                     "kind": "'issue.created'", "part": "'issue'", "n": "1"},
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


FREQUENT, RARE = 900_001, 900_002
"""The ids of a user, a milestone and a label that most issues have, and of others that ten have."""
FILTERS = {
    "assignee": {FREQUENT: f"assignee_id={FREQUENT}", RARE: f"assignee_id={RARE}"},
    "author": {FREQUENT: f"author_id={FREQUENT}", RARE: f"author_id={RARE}"},
    "milestone": {FREQUENT: f"milestone=t{FREQUENT}", RARE: f"milestone=t{RARE}"},
    "label": {FREQUENT: f"labels=t{FREQUENT}", RARE: f"labels=t{RARE}"},
    "weight": {FREQUENT: "weight=1", RARE: "weight=9"},
    "reaction": {FREQUENT: "my_reaction_emoji=thumbsup", RARE: "my_reaction_emoji=tada"},
}
COUNTED = {"assignee", "author", "milestone", "label"}
"""The filters of which counts are kept: no list by one of them alone or by a rare one reads many rows."""
MOST_READ = 600
"""Rows that the statements of such a list read, of the 4,000 of each table."""
SHARED = "id % 400 = {}"
"""Every fourhundredth issue has a rare value."""
LINKED_ROWS = (
    *(
        f"""INSERT INTO {table} SELECT row.* FROM (SELECT to_jsonb(any_row) AS one FROM {table} any_row LIMIT 1) first,
            LATERAL jsonb_populate_record(CAST(NULL AS {table}), one || {changed}) row"""
        for id in (FREQUENT, RARE)
        for table, changed in {
            "users": f"""jsonb_build_object('id', {id}, 'username', 't{id}', 'username_folded', 't{id}',
                'email', 't{id}', 'email_folded', 't{id}')""",
            "milestones": f"""jsonb_build_object('id', {id}, 'iid', {id}, 'project_id', {{project}}, 'group_id', NULL,
                'title', 't{id}')""",
            "labels": f"jsonb_build_object('id', {id}, 'project_id', {{project}}, 'group_id', NULL, 'title', 't{id}')",
        }.items()
    ),
    f"""UPDATE issues SET
        author_id = CASE WHEN {SHARED.format(1)} THEN {RARE} ELSE {FREQUENT} END,
        milestone_id = CASE WHEN {SHARED.format(2)} THEN {RARE} ELSE {FREQUENT} END,
        weight = CASE WHEN {SHARED.format(3)} THEN 9 ELSE 1 END WHERE id > 1000000""",
    "DELETE FROM issue_labels WHERE issue_id > 1000000",
    "DELETE FROM issue_assignees WHERE issue_id > 1000000",
    *(
        f"""INSERT INTO {table} (issue_id, {column}) SELECT id, CASE WHEN {SHARED.format(4)} THEN {RARE} ELSE {FREQUENT} END
            FROM issues WHERE id > 1000000"""
        for table, column in {"issue_labels": "label_id", "issue_assignees": "user_id"}.items()
    ),
    f"""INSERT INTO awards (subject_kind, subject_id, user_id, name, created_at, updated_at)
        SELECT 'issue', id, {{user}}, CASE WHEN {SHARED.format(5)} THEN 'tada' ELSE 'thumbsup' END, '', ''
        FROM issues WHERE id > 1000000""",
    "DELETE FROM issue_counts",
    """INSERT INTO issue_counts (project_id, state, confidential, n)
       SELECT project_id, state, confidential, count(*) FROM issues WHERE deleted_at IS NULL GROUP BY 1, 2, 3""",
    *(f"DELETE FROM {counts}" for counts, _, _, _ in LINK_COUNTS),
    *(
        f"""INSERT INTO {counts} ({column}, project_id, state, confidential, n)
            SELECT linked.{column}, i.project_id, i.state, i.confidential, count(*) FROM issues i
            JOIN {links} linked ON linked.{row} = i.id
            WHERE linked.{column} IS NOT NULL AND i.deleted_at IS NULL GROUP BY 1, 2, 3, 4"""
        for counts, column, links, row in LINK_COUNTS
    ),
)


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


@pytest.mark.long(15)
def test_no_list_reads_a_large_table_from_end_to_end(world, database, monkeypatch):
    statements = _prepared(database, _asked(world, monkeypatch))
    assert len(statements) > 60
    database("SET LOCAL session_replication_role = replica")  # no triggers: the rows are what matters
    offenders = dict[str, str]()
    for spread, project in SPREADS.items():
        database("SAVEPOINT empty")
        _fill(database, project.format(giant=world.ids["public"]["/projects/:"]))
        if spread == "all in one project":  # without statistics, the server knows nothing of a spread
            offenders |= _scanning(database, statements, "without statistics")
        database(f"ANALYZE {', '.join(SEEDED)}")
        offenders |= _scanning(database, statements, spread)
        database("ROLLBACK TO empty")
    for name in statements:
        database(f"DEALLOCATE {name}")
    assert offenders == {}


def test_filters_of_issues_read_about_as_many_rows_as_their_rarest_value_has(world, database, monkeypatch):
    project, root = world.ids["public"]["/projects/:"], world.cast.root
    database("SET LOCAL session_replication_role = replica")
    _fill(database, str(project))
    for statement in LINKED_ROWS:
        database(statement.replace("{project}", str(project)).replace("{user}", str(root.id)))
    database(f"ANALYZE {', '.join(SEEDED)}, awards")
    scanning, excessive = dict[str, list[str]](), dict[str, int]()
    for few, query in _queries():
        read = 0
        for plan in _plans_of(world, database, monkeypatch, f"/projects/{project}/issues?{query}"):
            if few and (tables := sorted(LARGE & set(_scanned(plan)))):
                scanning[query] = tables
            read += sum(_rows_read(plan))
        if few and read > MOST_READ:
            excessive[query] = read
    assert (scanning, excessive) == ({}, {})


def test_few_texts_are_expected_to_be_too_long_to_have_trigrams(world, database):
    database("SET LOCAL session_replication_role = replica")
    _fill(database, str(world.ids["public"]["/projects/:"]), {"issue_texts": {"id": "1000000 + n"}})
    database("ANALYZE issue_texts")
    [(plan,)] = database(f"""EXPLAIN (FORMAT JSON) SELECT 1 FROM issue_texts
        WHERE length(title_folded || chr(10) || description_folded) > {TOO_LONG}""")
    plan = json.loads(plan) if isinstance(plan, str) else plan
    assert plan[0]["Plan"]["Plan Rows"] < ROWS / 100


PUBLISHED = {
    "releases": {"project_id": "{project}", "tag": "'t' || n", "author_id": "1000000 + n % 500"},
    "packages": {"project_id": "{project}", "name": "'p' || n", "version": "n"},
}
"""The tables of the lists of which one page is read, and in which columns their rows differ."""


@pytest.mark.parametrize(
    ("noun", "query"),
    [("releases", ""), ("packages", ""), ("packages", "?package_name=p"), ("packages", "?package_type=generic")],
)
def test_a_page_of_what_is_published_reads_no_more_rows_than_a_page_has(world, database, monkeypatch, noun, query):
    project = world.ids["public"]["/projects/:"]
    database("SET LOCAL session_replication_role = replica")
    _fill(database, str(project), {noun: PUBLISHED[noun]})
    database(
        f"INSERT INTO package_name_counts VALUES ({project}, 'generic', 'p', 8000)"
    )  # as if all were versions of one
    database(f"ANALYZE {noun}")
    for owner in (f"/projects/{project}", f"/groups/{world.ids['public']['/groups/:']}"):
        plans = list(_plans_of(world, database, monkeypatch, f"{owner}/{noun}{query}", {noun}))
        assert [table for plan in plans for table in _scanned(plan) if table == noun] == []
        assert 20 <= sum(sum(_rows_read(plan)) for plan in plans) < MOST_READ


def _queries():
    """Each filter alone and with each other, and whether few rows are to be read."""
    for name, values in FILTERS.items():
        yield from ((name in COUNTED, query) for query in values.values())
    for (one, values), (other, others) in combinations(FILTERS.items(), 2):
        for first, second in product(values, others):
            few = (first == RARE and one in COUNTED) or (second == RARE and other in COUNTED)
            few = few and other != "reaction"  # which is looked up among all that the actor gave
            yield few, f"{values[first]}&{others[second]}"


def _plans_of(world, database, monkeypatch, path, tables=frozenset(LARGE)):
    """The plans, as they were carried out, of the statements that read these tables for this list."""
    ran, execute = [], _PostgresTx._execute

    async def watched(self, written, bound):
        statement = text.postgres(written)
        ran.append((statement.text, statement.arguments(bound)))
        return await execute(self, written, bound)

    monkeypatch.setattr(_PostgresTx, "_execute", watched)
    assert world.cast.root.get(path).status == 200
    monkeypatch.undo()
    database("SET LOCAL plan_cache_mode = force_generic_plan")
    for written, values in ran:
        if tables & set(_WORD.findall(written)):
            types, literals = ", ".join(map(_type, values)), ", ".join(sql.Literal(each).as_string() for each in values)
            database(f"PREPARE filtered ({types}) AS {written}")
            [(plan,)] = database(f"EXPLAIN (ANALYZE, FORMAT JSON, COSTS OFF, TIMING OFF) EXECUTE filtered ({literals})")
            database("DEALLOCATE filtered")
            yield (json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]


def _rows_read(node):
    if node["Node Type"].endswith("Scan"):
        yield (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
    for child in node.get("Plans", []):
        yield from _rows_read(child)


def _asked(world, monkeypatch):
    """Every statement of every list and of the pages of activity: its text for PostgreSQL, its values, whether it searches."""
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


def _fill(database, project, tables=SEEDED):
    for table, columns in tables.items():
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
