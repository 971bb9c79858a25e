"""No input gives a 5xx, and every refusal says in JSON what is wrong. Every route and parameter joins by itself."""

import json
from itertools import islice, product

import pytest

from mujina.kernel.errors import ApiError
from mujina.kernel.http.params import UNSET, BadValue, fields_of
from mujina.kernel.http.routing import is_capture
from tests.architecture.samples import by_noun
from tests.harness.client import File, Raw
from tests.harness.composed import ROUTES

VALUES = {
    "a word": "word",
    "nothing": None,
    "empty text": "",
    "true": True,
    "a fraction": 1.5,
    "below zero": -1,
    "too large a number": 2**63,
    "far too large a number": 10**400,
    "NUL": "a\0b",
    "a lone surrogate": "\ud800",
    "a long text": "0000" + "9" * 20_000,
    "an array": [1, "a", None, [2]],
    "an empty array": [],
    "an object": {"a": {"b": [1]}},
    "a bad date": "2018-02-31",
    "the end of time": "99999-12-31T00:00:00Z",
}

PLAIN_WORDS = {"true", "a fraction"}
"""As text they are words like any other."""

OF_DATABASES = ("below zero", "a long text", "an array", "an empty array")
"""What one engine may take and another refuse: SQLite tries every value, PostgreSQL these. No engine is given a number of
more than 64 bits, NUL or a lone surrogate."""

BODIES = {
    "broken UTF-8": (b'{"title": "\xff\xfe"}', "application/json"),
    "broken JSON": (b'{"title": ', "application/json"),
    "deep JSON": (b'{"a":' * 20_000 + b"1" + b"}" * 20_000, "application/json"),
    "deep arrays": (b'{"title":' + b"[" * 50_000 + b"]" * 50_000 + b"}", "application/json"),
    "a bare array": (b"[1, 2]", "application/json"),
    "a bare number": (b"1e999", "application/json"),
    "a megabyte": (b'{"title": "' + b"x" * 1_000_000 + b'"}', "application/json"),
    "a huge number": (b'{"id":' + b"9" * 10_000 + b"}", "application/json"),
    "a deep form": (b"a" + b"[b]" * 10_000 + b"=1", "application/x-www-form-urlencoded"),
    "a broken form": (b"title=%FF%00&%=&=&&title[=x&title[]=y&title[a]=z", "application/x-www-form-urlencoded"),
    "multipart without a boundary": (b"--x\r\n", "multipart/form-data"),
    "multipart that ends early": (b"--x\r\nContent-Disposition: form-data; na", "multipart/form-data; boundary=x"),
    "a type nobody knows": (b"title=x", "application/foo"),
}

QUERIES = [
    "%FF=%FF",
    "page=99999999999999999999",
    "per_page=-1",
    "page[]=1&page[a]=2",
    "%00=%00",
    "a[b",
    "sudo=%00",
    "&".join("a[]=1" for _ in range(5000)),
]

PATHS = ["%00", "%FF", "99999999999999999999", "-1", "%2F", "%2E%2E", "%F0%9F%A6%9D", "x" * 5000]

LONG_PATHS = PATHS[2:4] + PATHS[-1:]
"""What is bound to a statement."""

FILES = [
    File("", b"hello"),
    File("a.png", b""),
    File("a.png", b"\x89PNG\r\n\x1a\n"),
    File("a.svg", b"<svg onload='x'>"),
    File("../../a.png", b"hello"),
    File("a\0b.png", b"hello"),
    File("%00%2F.png", b"hello"),
    File("\N{RACCOON}.gif", b"GIF89a"),
    File("x" * 5000, b"hello"),
    File("a.png", b"x" * 1_000_000),
]

FILE_PARAMETERS = [
    (route, field.name)
    for route in ROUTES
    for declared in route.params.values()
    for field in fields_of(declared)
    if field.form.schema.get("format") == "binary"
]

BY_NOUN = by_noun(ROUTES)
POSITIONS = {(route.verb, route.path): position for position, route in enumerate(ROUTES)}
REFUSED = object()

every_noun = pytest.mark.parametrize("noun", BY_NOUN)
one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
"""For what is read before any database is asked."""


@pytest.fixture
def endure(world):
    """Send a request as root, who gets farthest, and check that the response keeps the promise."""

    def ask(route, **request):
        answer = world.ask(world.cast.root, route, **request)
        assert answer.status < 500, (sent(route, request), answer)
        if answer.status >= 400:
            assert answer.headers["content-type"] == "application/json", (sent(route, request), answer)
            assert isinstance(json.loads(answer.text), dict), (sent(route, request), answer)

    return ask


@pytest.fixture
def some_of(thorough):
    """A part of the cases for this route, in turn; in the long form all. One function reads them for all routes."""

    def choose(cases, number, route):
        start = POSITIONS[route.verb, route.path] * number
        return cases if thorough else [cases[(start + n) % len(cases)] for n in range(number)]

    return choose


def sent(route, request):
    """The request, for the report of a failure."""
    return f"{route.verb} {route.path} {request!r:.1000}"


@every_noun
def test_a_parameter_may_be_anything(noun, engine, world, endure, thorough):
    """In the short form each route is sent a sixth of the values, in turn: what reads a value is shared by all routes."""
    for route in world.visit(BY_NOUN[noun]):
        params, first = world.params(route), POSITIONS[route.verb, route.path] % 6
        for name, value in islice(hostile(route, engine), 0 if thorough else first, None, 1 if thorough else 6):
            endure(route, params={**params, name: value})


def test_a_value_is_read_or_refused():
    """Each way of reading with each value, as a body and as a query give it."""
    fields = {
        field.form.read: field
        for route in ROUTES
        for declared in route.params.values()
        for field in fields_of(declared)
    }
    for field in fields.values():
        for value in VALUES.values():
            outcome(field, value)
            outcome(field, as_query(value))


def hostile(route, engine):
    """The names and values to try: of the values that a parameter reads alike, one.

    Whether a value is refused or left out is decided for all routes in one place: once for each way of reading is enough.
    """
    tried = set()
    for declared in route.params.values():
        for field in fields_of(declared):
            for kind in VALUES if engine == "sqlite" else OF_DATABASES:
                read = outcome(field, as_query(VALUES[kind]) if route.verb == "GET" else VALUES[kind])
                if isinstance(read, str) and (kind in PLAIN_WORDS or (engine == "postgres" and len(read) < 100)):
                    continue
                how = (field.form.read, read) if read in (REFUSED, UNSET) else (field.name, repr(read)[:1000])
                if how not in tried:
                    tried.add(how)
                    yield field.name, VALUES[kind]


def outcome(field, value):
    """What the parameter reads; any other error than its own fails the test."""
    try:
        return field.read(value)
    except (BadValue, ApiError):
        return REFUSED


def as_query(value):
    """The value as it is read out of a query: text, and lists and objects of it."""
    if isinstance(value, list):
        return [as_query(each) for each in value if not isinstance(each, list)]
    if isinstance(value, dict):
        return {key: as_query(each) for key, each in value.items()}
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


@pytest.mark.parametrize(("route", "name"), FILE_PARAMETERS, ids=lambda each: getattr(each, "path", each))
def test_a_file_may_be_anything(route, name, world, endure):
    for file in FILES:
        endure(route, params={**world.params(route), name: file})


@one_engine
def test_an_action_of_a_commit_may_be_anything(world, endure, thorough):
    (route,) = (route for route in ROUTES if f"{route.verb} {route.path}" == "POST /projects/:id/repository/commits")
    params = world.params(route)
    keys = ("action", "file_path", "content", "encoding", "previous_path", "last_commit_id", "execute_filemode")
    for key, value in [*product(keys, VALUES.values())][:: 1 if thorough else 3]:
        endure(route, params={**params, "actions": [{**params["actions"][0], key: value}]})


@every_noun
@one_engine
def test_a_body_may_be_anything(noun, world, endure, some_of):
    for route in world.visit(BY_NOUN[noun]):
        for body, type in some_of([*BODIES.values()], 2, route):
            endure(route, raw=Raw(body=body, type=type))


@every_noun
@one_engine
def test_a_query_may_be_anything(noun, world, endure, some_of):
    for route in world.visit(BY_NOUN[noun]):
        for query in some_of(QUERIES, 2, route):
            endure(route, raw=Raw(query=query))


@every_noun
def test_a_path_may_be_anything(noun, engine, world, endure, some_of):
    for route in world.visit(BY_NOUN[noun]):
        parts = world.path(route).split("/")
        for n, segment in enumerate(route.path.split("/")):
            if is_capture(segment):
                for value in some_of(PATHS, 3, route) if engine == "sqlite" else some_of(LONG_PATHS, 1, route):
                    endure(route, path="/".join([*parts[:n], value, *parts[n + 1 :]]))
