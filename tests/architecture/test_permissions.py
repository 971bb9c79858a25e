"""Who may do what: every route × the cast, as a checked-in table. `make matrix` rewrites it; its diff is for review."""

import re
from pathlib import Path

import pytest

from mujina.app import ROUTES
from tests.harness.cast import NAMES
from tests.harness.permission_world import VISIBILITIES

TABLE = Path(__file__).with_name("permissions.txt")

HEAD = """\
# The status each of the cast gets from each route, called as `samples.py` says; routes of a project once per visibility.
# Written by `make matrix`, the same on both engines.
"""

NEVER_SUCCESSFUL = {"POST /license"}
"""Mujina is free software: no license key is valid."""

written: dict[str, list[str]] = {}


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.verb} {route.path}")
def test_everybody_gets_what_the_table_says(route, world, request):
    found = lines(route, world)
    if request.config.getoption("--rewrite"):
        written.setdefault(name(route), found)
        assert found == written[name(route)], "the engines differ"
    else:
        assert found == [line for line in table() if line.startswith(f"{name(route)}  ")]


def test_the_table_holds_every_route_in_its_order(request):
    """Runs after the others, and writes what they found."""
    if request.config.getoption("--rewrite"):
        everything = [line for route in ROUTES for line in written[name(route)]]
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


def lines(route, world):
    found = []
    for visibility in VISIBILITIES if route.path.startswith("/projects/:id") else [""]:
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
