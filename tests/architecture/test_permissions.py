"""Who may do what: every route × the cast, as a checked-in table. `make matrix` rewrites it; its diff is for review.

The rules are one SQL text for both engines: SQLite proves every row, PostgreSQL one visibility of each route in turn.

`--rewrite -k "review.merging or table_holds"` rewrites the lines of one noun and keeps the others.
"""

import re
from pathlib import Path

import pytest

from mujina.app import ROUTES
from tests.architecture.samples import by_noun
from tests.harness.cast import NAMES
from tests.harness.permission_world import VISIBILITIES

TABLE = Path(__file__).with_name("permissions.txt")

HEAD = """\
# The status each of the cast gets from each route, called as `samples.py` says; routes of a project once per visibility.
# Written by `make matrix`, the same on both engines.
"""

BY_NOUN = by_noun(ROUTES)
NEVER_SUCCESSFUL = {
    "POST /license",
    "PUT /projects/:id/merge_requests/:merge_request_iid/reset_approvals",
    *(f"POST /{place}/:id/hooks/:hook_id/{rest}" for place in ("projects", "groups")
      for rest in ("test/:trigger", "events/:event_id/resend")),
    "POST /groups/:id/members/:user_id/override",
    "DELETE /groups/:id/members/:user_id/override",
}  # fmt: skip
"""Mujina is free software: no license key is valid. The receiver of these hooks refuses every connection. Only bot users
reset approvals, and there are none. Only a directory makes members whose level can be overridden."""

written: dict[str, list[str]] = {}


@pytest.mark.parametrize("noun", BY_NOUN)
def test_everybody_gets_what_the_table_says(noun, engine, world, request):
    rewriting = request.config.getoption("--rewrite")
    in_turn = engine == "postgres" and not rewriting
    found = {name(route): lines(route, world, in_turn=in_turn) for route in world.visit(BY_NOUN[noun])}
    if in_turn:
        assert [line for route in found for line in found[route] if line not in table()] == []
    elif rewriting:
        assert {**found, **written} == {**written, **found}, "the engines differ"
        written.update(found)
    else:
        expected = {route: [line for line in table() if line.startswith(f"{route}  ")] for route in found}
        assert [line for route in found for line in found[route]] == [
            line for each in expected.values() for line in each
        ]


def test_the_table_holds_every_route_in_its_order(request):
    """Runs after the others, and writes what they found."""
    if request.config.getoption("--rewrite"):
        former = table()
        everything = [
            line
            for route in ROUTES
            for line in written.get(name(route)) or [line for line in former if line.startswith(f"{name(route)}  ")]
        ]
        TABLE.write_text(HEAD + "\n".join([row("", "", NAMES), *everything]) + "\n")
    assert table()[0] == row("", "", NAMES)
    assert list(dict.fromkeys(line.split("  ")[0] for line in table()[1:])) == [name(route) for route in ROUTES]


def test_every_row_has_a_success():
    """A row of refusals proves nothing: the request may be wrong, or what it asks for missing."""
    refused = [
        line
        for line in table()[1:]
        if not re.search(r"\b2\d\d\b", line) and line.split("  ")[0] not in NEVER_SUCCESSFUL
    ]
    assert refused == []


def lines(route, world, *, in_turn):
    found = []
    visibilities = VISIBILITIES if route.path.startswith("/projects/:id") else [""]
    if in_turn:
        visibilities = [visibilities[ROUTES.index(route) % len(visibilities)]]
    for visibility in visibilities:
        project = visibility or "private"
        params = world.params(route, project)
        statuses = [world.ask(person, route, params, visibility=project).status for person in world.cast.people]
        found.append(row(name(route), visibility, map(str, statuses)))
    return found


def name(route):
    return f"{route.verb} {route.path}"


def row(route, visibility, cells):
    """Widths that no route changes: a new one adds its lines and leaves the others alone."""
    padded = (cell.ljust(len(person)) for cell, person in zip(cells, NAMES, strict=True))
    return f"{route:80}  {visibility:8}  {'  '.join(padded)}".rstrip()


def table():
    return [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
