"""Who may do what: every route × the cast, as a checked-in table. `make matrix` rewrites it; its diff is for review."""

from pathlib import Path

import pytest

from mujina.app import ROUTES
from tests.architecture import samples
from tests.harness.cast import NAMES
from tests.harness.furniture import fill

TABLE = Path(__file__).with_name("permissions.txt")

HEAD = """\
# The status each of the cast gets from each route, called as `samples.py` says; routes of a project once per visibility.
# Written by `make matrix`, the same on both engines.
"""

written: dict[str, list[str]] = {}


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.verb} {route.path}")
def test_everybody_gets_what_the_table_says(route, furnished, request):
    found = lines(route, furnished)
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


def lines(route, furnished):
    found = []
    for visibility in furnished.standing if route.path.startswith("/projects/:id") else [""]:
        path = fill(route.path, furnished.standing[visibility or "private"])
        said = samples.params(route, furnished.cast)
        statuses = [asked(furnished, person, route.verb, path, said) for person in furnished.cast.people]
        found.append(row(name(route), visibility, statuses))
    return found


def asked(furnished, person, verb, path, said):
    status = person.ask(verb, path, params=said).status
    if verb != "GET" and status < 400:
        furnished.forget()
    return str(status)


def name(route):
    return f"{route.verb} {route.path}"


def row(route, visibility, cells):
    """Widths that no route changes: a new one adds its lines and leaves the others alone."""
    padded = (cell.ljust(len(person)) for cell, person in zip(cells, NAMES, strict=True))
    return f"{route:80}  {visibility:8}  {'  '.join(padded)}".rstrip()


def table():
    return [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
