"""Both engines accept every SQL text, and each noun writes only its own tables."""

import re
import sys
from functools import cache
from pathlib import Path

import apsw
import psycopg
import pytest
from msgspec import structs

from mujina.activity.search import filters
from mujina.app import PAGES, ROUTES
from mujina.kernel.db import apsw_connection, text
from mujina.kernel.db.folding import fold
from mujina.kernel.documents import DocumentSource, DocumentWriter
from mujina.kernel.params import fields_of
from mujina.planning.issues import search as issue_search
from mujina.planning.issues.documents import DOCUMENTS
from mujina.review.merge_requests import search as merge_request_search
from mujina.workspaces.projects import listed_projects
from tests.architecture import samples
from tests.architecture.source import modules
from tests.architecture.sql_texts import calls, owners, texts, written_tables
from tests.harness.browsers import browser_of
from tests.web.samples import address

SIZES = [
    (issue_search, "FEW_TO_SEARCH"),
    (issue_search, "MANY_TO_SORT"),
    (filters, "FEW_TO_SEARCH"),
    (listed_projects, "MAX_TO_SORT"),
    (merge_request_search, "FEW_TO_SEARCH"),
]
"""The numbers of rows at which a query switches from one SQL text to another."""


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
    assert len(texts()) > 450
    assert len([call for call in calls() if call.sql is None]) > 50


@pytest.fixture
def used(engine, monkeypatch):
    """The places of the calls that had their text understood by the engine during the test."""
    found = set()
    translate = getattr(text, engine)

    def watched(sql):
        found.add(_place(sys._getframe(1)))
        return translate(sql)

    monkeypatch.setattr(text, engine, watched)
    return found


def test_every_composed_text_is_understood(world, used, monkeypatch):
    """Composed texts are known once they run: every route is called with each of its parameters."""
    _call(world, ROUTES)
    _open_pages(world)
    _store_documents(world)
    # As if there were many issues: then they are searched with other texts.
    for module, size in SIZES:
        monkeypatch.setattr(module, size, 0)
    _call(world, [route for route in ROUTES if route.verb == "GET" and _searches(route)])
    composed = {call.place for call in calls() if call.sql is None}
    assert composed - used == set()


def _call(world, routes):
    for route in routes:
        # The rules of those who are no administrators are longer, in lists above all.
        people = [world.cast.root, world.cast.owner] if route.verb == "GET" else [world.cast.root]
        for params in samples.variations(route, world.cast.names, world.ids["private"]):
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


def _store_documents(world):
    """What a process does after its responses, and the orders of a page that no index has."""
    writer, owner = DocumentWriter(world.database), world.cast.owner
    writer.put(DOCUMENTS, {**structs.asdict(DocumentSource(1, 0, 0, 0)), "shape": 0, "body": "{}"})
    owner.loop.run_until_complete(writer.flush())
    owner.loop.run_until_complete(_fold(world.database))
    visitor = browser_of(owner, world.database, world.cast.anonymous)
    assert visitor.open(f"/{world.cast.private.path}/issues", order="due").status == 200


async def _fold(database):
    async with database.transaction() as tx:
        await fold(tx, "member_counts", "source_kind", "source_id", "expires_on", most=0)  # there are some


def _searches(route):
    return any(field.name == "search" for declared in route.params.values() for field in fields_of(declared))


def _place(frame):
    """The place of the innermost call of a transaction's verb; None outside of all that are known."""
    while frame is not None:
        for call in _calls_by_file().get(frame.f_code.co_filename, ()):
            if call.first_line <= frame.f_lineno <= call.last_line:
                return call.place
        frame = frame.f_back
    return None


@cache
def _calls_by_file():
    found = {}
    for call in calls():
        found.setdefault(call.file, []).append(call)
    return found


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
