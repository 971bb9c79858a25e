"""Both engines accept every SQL text, and each noun writes only its own tables."""

import re
import sys
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

import apsw
import psycopg
import pytest
from msgspec import structs

from mujina.activity.events import walks
from mujina.activity.search import filters
from mujina.kernel.db.clock_recovery import end_waits, recover_clock
from mujina.kernel.db.documents import DocumentSource, DocumentWriter
from mujina.kernel.db.postgres.database import _PostgresTx
from mujina.kernel.db.sql import text
from mujina.kernel.db.sqlite import connection as apsw_connection
from mujina.kernel.http.params import fields_of
from mujina.planning.discussions import timeline
from mujina.planning.issues.entities import DOCUMENTS
from mujina.planning.storage.files import file_kinds, find_files, find_keys, list_files
from mujina.planning.work_items.lists import plans as list_plans
from mujina.product import PRODUCT
from mujina.review.merge_requests.entities import late_statuses
from mujina.workspaces.members import operations as members
from mujina.workspaces.projects import rules as project_rules
from tests.architecture import samples
from tests.architecture.conftest import world_of
from tests.architecture.source import modules
from tests.architecture.sql_texts import calls, owners, texts, written_tables
from tests.harness.browsers import browser_of
from tests.harness.composed import PAGES, ROUTES
from tests.web.samples import address

SIZES = [
    (list_plans, "FEW_TO_SEARCH"),
    (list_plans, "MANY_TO_SORT"),
    (filters, "FEW_TO_SEARCH"),
    (project_rules, "MAX_TO_SORT"),
]
"""The numbers of rows at which a query switches from one SQL text to another."""


SEARCHED = [
    route
    for route in ROUTES
    if route.verb == "GET"
    if any(field.name == "search" for declared in route.params.values() for field in fields_of(declared))
]
OF_SQLITE = re.compile(r"_grams MATCH :grams")
"""In the texts of searches, for which PostgreSQL has others."""


@contextmanager
def copied(stage):
    url = stage.copy()
    yield url
    stage.discard(url)


@pytest.fixture
def refusal(engine, stage):
    """What the engine says against a text; None when it would run it."""
    with copied(stage) as url:
        if engine == "sqlite":
            with closing(apsw_connection.connect(Path(url.removeprefix("sqlite:///")))) as connection:
                yield lambda sql: _refused_by_sqlite(connection, sql)
        else:
            with psycopg.connect(url, autocommit=True) as connection:
                yield lambda sql: _refused_by_postgres(connection, text.postgres(sql).text)


def test_every_text_is_understood(engine, refusal):
    refused = {
        known.place: reason for known in texts() if known.engine in (None, engine) if (reason := refusal(known.sql))
    }
    assert refused == {}


def test_the_texts_are_found():
    assert len(texts()) > 450
    assert len([call for call in calls() if call.sql is None]) > 50


class Heard:
    """The statements that an engine is given, with one set of values for each set of types, and the places of the calls."""

    def __init__(self):
        self.statements = {}

    def hear(self, sql, bound):
        place = _place(sys._getframe(2))
        self.statements.setdefault((place, sql, *map(type, bound.values())), (place, sql, bound))

    @property
    def places(self):
        return {place for place, _, _ in self.statements.values()}


@pytest.fixture
def heard(monkeypatch):
    """By engine."""
    found = {"sqlite": Heard(), "postgres": Heard()}
    fetch, execute, run_each = apsw_connection.fetch, _PostgresTx._execute, _PostgresTx.run_each

    def fetching(connection, sql, bound):
        found["sqlite"].hear(sql, bound)
        return fetch(connection, sql, bound)

    def executing(self, sql, bound):
        found["postgres"].hear(sql, bound)
        return execute(self, sql, bound)

    def running_each(self, sql, each):
        for bound in each[:1]:
            found["postgres"].hear(sql, bound)
        return run_each(self, sql, each)

    monkeypatch.setattr(apsw_connection, "fetch", fetching)
    monkeypatch.setattr(_PostgresTx, "_execute", executing)
    monkeypatch.setattr(_PostgresTx, "run_each", running_each)
    return found


@pytest.mark.long(35)
def test_every_composed_text_is_understood(heard, monkeypatch, request):
    """Composed texts are known once they run: every route is called with each of its parameters, on SQLite.

    PostgreSQL is given those texts, with the types of their values. Only searches, and lists whose total is kept, have
    other texts there, and run there.
    """
    sqlite, postgres = (request.getfixturevalue(f"_{engine}_stage") for engine in ("sqlite", "postgres"))
    with world_of(sqlite) as world:
        _call(world, ROUTES)
        # Of a public project, those who left it read what is confidential as the author alone.
        for days in ({}, {"after": "2001-01-01"}):
            assert world.cast.left.get(f"/projects/{world.cast.public.id}/events", **days).status == 200
        _open_pages(world)
        _open_large_pages(world, monkeypatch)
        _send_forms(world)
        _remove_assignee_and_label(world)
        _store_documents(world)
        _search_many(world, monkeypatch)
        _run_scheduled(world)
        _read_cross_reference(world)
        _read_files(world)
        _read_late_statuses(world)
    with world_of(postgres) as world:
        _call(world, SEARCHED, only="search")
        _search_many(world, monkeypatch, only="search")
        _list_projects(world)
    composed = {call.place for call in calls() if call.sql is None}
    assert composed - heard["sqlite"].places - heard["postgres"].places == set()
    # The test above has shown the others to PostgreSQL.
    own = {known.sql for known in texts() if known.engine == "sqlite"}
    shared = [
        (place, sql, bound)
        for place, sql, bound in heard["sqlite"].statements.values()
        if place in composed and sql not in own and not OF_SQLITE.search(sql)
    ]
    with copied(postgres) as url, psycopg.connect(url, autocommit=True) as connection:
        refused = {place: reason for place, sql, bound in shared if (reason := _misunderstood(connection, sql, bound))}
    assert refused == {}
    other = {place for place, sql, _ in heard["sqlite"].statements.values() if sql in own}
    assert composed - {place for place, _, _ in shared} - heard["postgres"].places - other == set()


def _list_projects(world):
    for person in (world.cast.root, world.cast.owner, world.cast.anonymous):
        assert person.get("/projects").status == 200


def _read_cross_reference(world):
    owner, issues = world.cast.owner, f"/projects/{world.cast.private.id}/issues"
    owner.post(f"{issues}/{world.cast.open}/notes", body=f"See #{world.cast.confidential}.")
    notes = f"{issues}/{world.cast.confidential}/notes"
    reference = next(note for note in owner.get(notes).json if note["system"] and "mentioned" in note["body"])
    assert owner.get(f"{notes}/{reference['id']}").status == 200


def _read_files(world):
    async def read(tx):
        for kind in file_kinds(tx.product):
            assert await find_files(tx, kind, [0]) == {}
            assert len(await list_files(tx, kind, 0, 1)) <= 1
            assert await find_keys(tx, kind, ["files/none"]) == set()

    world.cast.transact(read)


def _read_late_statuses(world):
    """No merge request of the world waits for approvals or a pipeline alone."""

    async def read(tx):
        assert await late_statuses(tx, [0]) == {}

    world.cast.transact(read)


def _run_scheduled(world):
    """No request does this."""
    assert world.cast.transact(members.delete_expired)
    world.cast.root.loop.run_until_complete(recover_clock(world.database, PRODUCT))
    world.cast.root.loop.run_until_complete(end_waits(world.database, PRODUCT))


def _search_many(world, monkeypatch, only=""):
    """As if there were many issues: then they are searched with other texts."""
    with monkeypatch.context() as patch:
        for module, size in SIZES:
            patch.setattr(module, size, 0)
        _call(world, SEARCHED, only)


def _call(world, routes, only=""):
    """With every parameter, or with this one."""
    for route in routes:
        # The rules of those who are no administrators are longer, in lists above all.
        people = [world.cast.root, world.cast.owner] if route.verb == "GET" else [world.cast.root]
        for params in samples.variations(route, world.cast.names, world.ids["private"]):
            if only and only not in params:
                continue
            answers = [world.ask(person, route, params) for person in people]
            assert all(answer.status < 500 for answer in answers), (route, params, answers)
            people = people[-1:] if answers[-1].status != 403 else people[:1]


def _open_pages(world):
    owner, root = (
        browser_of(person, world.database, world.cast.anonymous) for person in (world.cast.owner, world.cast.root)
    )
    for page in PAGES:
        if page.verb == "GET":
            status = owner.open(address(page, world)).status
            if status in (403, 404):
                status = root.open(address(page, world)).status
            assert status < 500, page.path
    assert owner.open("/autocomplete/references?search=own").status == 200


def _open_large_pages(world, monkeypatch):
    """As if no discussion were short enough to be shown whole, and no feed to be merged."""
    with monkeypatch.context() as patch:
        patch.setattr(timeline, "MAX_NOTES", 0)
        patch.setattr(walks, "MAX_MERGED", 0)
        owner = browser_of(world.cast.owner, world.database, world.cast.anonymous)
        for page in (f"/{world.cast.private.path}/issues/{world.cast.open}", "/dashboard/activity"):
            assert owner.open(page).status == 200, page


def _send_forms(world):
    """Their fields name people, whom the API knows by id."""
    owner, place = browser_of(world.cast.owner, world.database, world.cast.anonymous), world.cast.private.path
    owner.open(f"/{place}/issues/new")
    assert owner.send(f"/{place}/issues", issue={"title": "x", "assignees": "owner"}).status == 303


def _remove_assignee_and_label(world):
    owner, issue = world.cast.owner, f"/projects/{world.cast.private.id}/issues/{world.cast.open}"
    assert owner.put(issue, assignee_ids=[owner.id], labels="obsolete").status == 200
    assert owner.put(issue, assignee_ids=[], labels="").status == 200


def _store_documents(world):
    """What a process does after its responses, and the orders of a page that no index has."""
    writer, owner = DocumentWriter(world.database), world.cast.owner
    writer.put(DOCUMENTS, {**structs.asdict(DocumentSource(1, 0, 0, 0)), "shape": 0, "body": "{}"})
    owner.loop.run_until_complete(writer.flush())
    visitor = browser_of(owner, world.database, world.cast.anonymous)
    assert visitor.open(f"/{world.cast.private.path}/issues", order="due").status == 200


def _place(frame):
    """The place of the innermost call of a transaction's verb; None outside of all that are known."""
    while frame is not None:
        if place := _place_of_line(frame.f_code.co_filename, frame.f_lineno):
            return place
        frame = frame.f_back
    return None


@cache
def _place_of_line(file, line):
    for call in _calls_by_file().get(file, ()):
        if call.first_line <= line <= call.last_line:
            return call.place
    return None


@cache
def _calls_by_file():
    found = {}
    for call in calls():
        found.setdefault(call.file, []).append(call)
    return found


WRITES_EVERYTHING = "mujina.moving.move_in."
"""Writes rows as another forge tells them, with numbers, dates and authors that no operation accepts: decision 42."""


def test_no_slice_writes_the_tables_of_another():
    for module in modules().values():
        if module.name.startswith(WRITES_EVERYTHING):
            continue
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


def _misunderstood(connection, sql, bound):
    """What the server says against a text with these values; None when it would run it."""
    statement = text.postgres(sql)
    types = [_type(bound[name]) for name in statement.names]

    def look():
        [[inferred]] = connection.execute(
            "SELECT CAST(parameter_types AS text[]) FROM pg_prepared_statements WHERE name = 'text'"
        )
        return [
            f":{name} is text, and taken for {type}"
            for name, type in zip(statement.names, inferred, strict=True)
            if isinstance(bound[name], str) and type not in ("text", "character varying", "jsonb", "json")
        ]

    return _refused_by_postgres(connection, statement.text, types, look)


def _refused_by_postgres(connection, written, types=None, look=lambda: None):
    """The server works out the types that are not known; a parameter for which it cannot is taken for a number."""
    types = types or ["unknown"] * len({*re.findall(r"\$\d+", written)})
    while True:
        signature = f"({', '.join(types)})" if types else ""
        try:
            connection.execute(f"PREPARE text {signature} AS {written}")
        except psycopg.errors.IndeterminateDatatype as error:
            types[int(re.findall(r"\$(\d+)", str(error))[0]) - 1] = "bigint"
        except psycopg.Error as error:
            return str(error)
        else:
            reason = look()
            connection.execute("DEALLOCATE text")
            return reason or None


def _type(value):
    """As psycopg declares it."""
    if isinstance(value, list | tuple):
        return f"{_type(value[0])}[]".replace("unknown", "text") if value else "unknown"
    if isinstance(value, int) and not isinstance(value, bool):
        return "smallint" if abs(value) < 2**15 else "integer" if abs(value) < 2**31 else "bigint"
    return {bool: "boolean", float: "double precision", bytes: "bytea"}.get(type(value), "unknown")
