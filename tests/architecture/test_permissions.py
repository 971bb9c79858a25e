"""Who may do what: every route × the cast, as a checked-in table. `make matrix` rewrites it; its diff is for review.

The rules are one SQL text for both engines: SQLite proves every row; PostgreSQL one row of each route, in turn, with one of the
cast for each status in it. An internal project lies between a private and a public one: whom both answer alike are asked there
in turn, one for each status. Of those whom every project lets in, one for each status is asked in a public project: everybody
is asked in a private one, and everybody whom a public one refuses. The long form asks all.

`--rewrite -k "review.merging or table_holds"` rewrites the lines of one noun and keeps the others.
"""

import re
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.samples import by_noun
from tests.harness.cast import NAMES
from tests.harness.composed import ROUTES
from tests.harness.permission_world import VISIBILITIES

TABLE = Path(__file__).with_name("permissions.txt")

HEAD = """\
# The status each of the cast gets from each route, called as `samples.py` says; routes of a project once per visibility.
# Written by `make matrix`, the same on both engines.
"""

BY_NOUN = by_noun(ROUTES)
POSITIONS = {f"{route.verb} {route.path}": position for position, route in enumerate(ROUTES)}
NEVER_SUCCESSFUL = {
    "POST /license",
    "PUT /projects/:id/merge_requests/:merge_request_iid/reset_approvals",
    *(f"POST /{place}/:id/hooks/:hook_id/{rest}" for place in ("projects", "groups")
      for rest in ("test/:trigger", "events/:event_id/resend")),
    "POST /groups/:id/members/:user_id/override",
    "DELETE /groups/:id/members/:user_id/override",
    "PATCH /jobs/:id/trace",
    "POST /jobs/:id/artifacts",
    "POST /jobs/:id/artifacts/authorize",
    "GET /jobs/:id/artifacts",
    "GET /feature_flags/unleash/:project_id/client/features",
    "POST /feature_flags/unleash/:project_id/client/register",
    "POST /feature_flags/unleash/:project_id/client/metrics",
    "POST /projects/:id/access_tokens/self/rotate",
    "POST /groups/:id/access_tokens/self/rotate",
}  # fmt: skip
"""Mujina is free software: no license key is valid. The receiver of these hooks refuses every connection. Only bots
reset approvals and replace a token of a project or group by itself, and nobody here is one. Only a directory makes members whose
level can be overridden. Only runners have the token of a job, and only programs the one of feature flags."""

written: dict[str, list[str]] = {}


@pytest.mark.parametrize("noun", BY_NOUN)
def test_everybody_gets_what_the_table_says(noun, engine, world, request, thorough):
    if request.config.getoption("--rewrite"):
        found = {name(route): lines(route, world) for route in world.visit(BY_NOUN[noun])}
        assert {**found, **written} == {**written, **found}, "the engines differ"
        written.update(found)
        return
    expected = lines_by_route()
    if engine == "sqlite":
        known = {} if thorough else expected
        found = [
            line for route in world.visit(BY_NOUN[noun]) for line in lines(route, world, known.get(name(route), []))
        ]
        assert found == [line for route in BY_NOUN[noun] for line in expected.get(name(route), [])]
    else:
        found = [
            (line, person.name, status)
            for route in world.visit(BY_NOUN[noun])
            for line in in_turn(expected[name(route)], POSITIONS[name(route)])
            for person, project, status in sampled(line, world.cast.people, POSITIONS[name(route)])
            if str(world.ask(person, route, world.params(route, project), visibility=project).status) != status
        ]
        assert found == []


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
        if not re.search(r"\b(2\d\d|302)\b", line) and line.split("  ")[0] not in NEVER_SUCCESSFUL
    ]
    assert refused == []


def lines(route, world, known=()):
    """The lines of the route; those who need not be asked get what the known lines say."""
    found = []
    for visibility in VISIBILITIES if route.path.startswith("/projects/:id") else [""]:
        project = visibility or "private"
        params = world.params(route, project)
        statuses = alike(known, world.cast.people, POSITIONS[name(route)], visibility)
        for person in world.cast.people:
            if person.name not in statuses:
                statuses[person.name] = str(world.ask(person, route, params, visibility=project).status)
        found.append(row(name(route), visibility, [statuses[person.name] for person in world.cast.people]))
    return found


def alike(known, people, position, visibility):
    """Whom private, internal and public projects answer alike, with their status; one for each status is left out, in turn.

    Nobody in a private project, and in a public one nobody who is refused.
    """
    if visibility not in ("internal", "public") or len(known) < len(VISIBILITIES):
        return {}
    columns = zip(*(line.removeprefix(line.split("  ")[0]).split()[1:] for line in known), strict=True)
    same = {person.name: cells[0] for person, cells in zip(people, columns, strict=True) if len({*cells}) == 1}
    if visibility == "public":
        position += 1
        same = {person: status for person, status in same.items() if status < "4"}
    for status in {*same.values()}:
        those = [person for person, its in same.items() if its == status]
        del same[those[position % len(those)]]
    return same


@cache
def lines_by_route():
    """The checked-in lines."""
    found = {}
    for line in table()[1:]:
        found.setdefault(line.split("  ")[0], []).append(line)
    return found


def in_turn(lines, position):
    """One of the lines of a route; others for other routes."""
    return [lines[position % len(lines)]]


def sampled(line, people, position):
    """For each status in the line one of the people who get it, in turn, with the visibility of the project."""
    statuses = line.removeprefix(line.split("  ")[0]).split()
    project = statuses.pop(0) if statuses[0] in VISIBILITIES else "private"
    for status in dict.fromkeys(statuses):
        those = [person for person, its in zip(people, statuses, strict=True) if its == status]
        yield those[position % len(those)], project, status


def name(route):
    return f"{route.verb} {route.path}"


def row(route, visibility, cells):
    """Widths that no route changes: a new one adds its lines and leaves the others alone."""
    padded = (cell.ljust(len(person)) for cell, person in zip(cells, NAMES, strict=True))
    return f"{route:80}  {visibility:8}  {'  '.join(padded)}".rstrip()


def table():
    return [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
