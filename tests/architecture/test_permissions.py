"""Who may do what: every route × the cast, as a checked-in table. `make matrix` rewrites it; its diff is for review."""

from pathlib import Path

from mujina.app import ROUTES
from tests.architecture import samples
from tests.harness.furniture import fill

TABLE = Path(__file__).with_name("permissions.txt")

HEAD = """\
# The status each of the cast gets from each route, called as `samples.py` says; routes of a project once per visibility.
# Written by `make matrix`, the same on both engines.
"""


def test_everybody_gets_what_the_table_says(furnished, request):
    found = matrix(furnished)
    if request.config.getoption("--rewrite"):
        TABLE.write_text(found)
    assert found.splitlines() == TABLE.read_text().splitlines()


def matrix(furnished):
    people = furnished.cast.people
    lines = [["", "", *(person.name for person in people)]]
    for route in ROUTES:
        for visibility in furnished.standing if route.path.startswith("/projects/:id") else [""]:
            path = fill(route.path, furnished.standing[visibility or "private"])
            said = samples.params(route, furnished.cast)
            statuses = [_asked(furnished, person, route.verb, path, said) for person in people]
            lines.append([f"{route.verb} {route.path}", visibility, *statuses])
    # Widths that no route changes: a new one adds its lines and leaves the others alone.
    widths = [80, 8, *map(len, lines[0][2:])]
    return HEAD + "".join("  ".join(map(str.ljust, line, widths)).rstrip() + "\n" for line in lines)


def _asked(furnished, person, verb, path, said):
    status = person.ask(verb, path, params=said).status
    if verb != "GET" and status < 400:
        furnished.forget()
    return str(status)
