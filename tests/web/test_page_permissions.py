"""Who sees which page: every page × the cast, as a checked-in table. `make matrix` rewrites it; its diff is for review."""

from pathlib import Path

import pytest

from tests.harness.browsers import browser_of
from tests.harness.cast import NAMES
from tests.harness.composed import PAGES
from tests.harness.permission_world import VISIBILITIES
from tests.web.samples import address

TABLE = Path(__file__).with_name("page_permissions.txt")
HEAD = """\
# The status each of the cast gets from each page; pages of a project once per visibility. 302: sign in first.
# A page answers 404 to those who may not know of it. Written by `make matrix`.
"""


def lines(world):
    """One line for each page and visibility."""
    visitors = {name: browser_of(getattr(world.cast, name), world.database, world.cast.anonymous) for name in NAMES}
    for page in PAGES:
        if page.verb != "GET":
            continue
        for visibility in VISIBILITIES if "{project}" in page.path else ("private",):
            path = address(page, world, visibility)
            found = [_status(visitors[name], path) for name in NAMES]
            yield f"{page.path}  {visibility if '{project}' in page.path else ''}".ljust(64) + " ".join(
                f"{status:>9}" for status in found
            )


def _status(visitor, path):
    answer = visitor.open(path)
    target = answer.headers.get("Location", "")
    return str(answer.status) + ("" if answer.status not in (301, 302) or target.startswith("/users/sign_in") else "→")


@pytest.mark.long(50)
@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_everybody_gets_what_the_table_of_pages_says(world, request):
    head = " " * 64 + " ".join(f"{name:>9}" for name in NAMES)
    found = [head, *sorted(lines(world))]
    if request.config.getoption("--rewrite"):
        TABLE.write_text(HEAD + "\n".join(found) + "\n")
    assert TABLE.read_text().splitlines()[2:] == found
