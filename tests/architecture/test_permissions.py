"""Who may do what: every route × the cast, as a checked-in table. `make matrix` rewrites it; its diff is for review."""

from pathlib import Path

from mujina.app import ROUTES
from tests.architecture import samples

TABLE = Path(__file__).with_name("permissions.txt")

HEAD = """\
# The status each of the cast gets from each route, called as `samples.py` says; routes of a project once per visibility.
# Written by `make matrix`, the same on both engines.
"""


def test_everybody_gets_what_the_table_says(cast, forgetting, request):
    found = matrix(cast, forgetting)
    if request.config.getoption("--rewrite"):
        TABLE.write_text(found)
    assert found.splitlines() == TABLE.read_text().splitlines()


def matrix(cast, forgetting):
    lines = [["", "", *(person.name for person in cast.people)]]
    for route in ROUTES:
        for visibility in ("private", "internal", "public") if route.path.startswith("/projects/:id") else ("",):
            place = getattr(cast, visibility or "private")
            asked = samples.path(route, cast, place), samples.params(route, cast)
            statuses = []
            for person in cast.people:
                statuses.append(person.ask(route.verb, asked[0], params=asked[1]).status)
                forgetting()
            lines.append([f"{route.verb} {route.path}", visibility, *map(str, statuses)])
    # Widths that no route changes: a new one adds its lines and leaves the others alone.
    widths = [80, 8, *map(len, lines[0][2:])]
    return HEAD + "".join("  ".join(map(str.ljust, line, widths)).rstrip() + "\n" for line in lines)
