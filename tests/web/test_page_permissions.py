"""Who sees which page: every page × the cast, as a checked-in table. `make matrix` rewrites it; its diff is for review.

The rules of pages are those of the API, whose table is proven for everybody. Here the long form asks everybody; otherwise, those
whom a rule knows by another way than a level of their own are asked in turn, one for each page. Of those whom a private and a
public project answer alike only one is asked in an internal project, and in a public one one of those who see it in both.
"""

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
IN_TURN = ("blocked", "inherited", "shared", "expired", "left", "read_user")
"""By a state, another group, a former membership; a browser has no token, so the last is a developer here."""


def lines(world, known):
    """One line for each page and visibility; those who need not be asked get what the known lines say."""
    visitors = {name: browser_of(getattr(world.cast, name), world.database, world.cast.anonymous) for name in NAMES}
    for position, page in enumerate(page for page in PAGES if page.verb == "GET"):
        for visibility in VISIBILITIES if "{project}" in page.path else ("",):
            path = address(page, world, visibility or "private")
            statuses = spared(known, page.path, visibility, position)
            found = [statuses.get(name) or _status(visitors[name], path) for name in NAMES]
            yield f"{page.path}  {visibility}".ljust(64) + " ".join(f"{status:>9}" for status in found)


def spared(known, path, visibility, position):
    """Those who need not be asked, with their status."""
    here, *both = (known.get(f"{path}  {which}".rstrip(), {}) for which in (visibility, "private", "public"))
    same = (
        [name for name in NAMES if both[0].get(name) == both[1].get(name)]
        if visibility in ("internal", "public")
        else []
    )
    if visibility == "public":
        position, same = position + 1, [name for name in same if both[0].get(name) == "200"]
    groups = [IN_TURN, [name for name in same if name not in IN_TURN]]
    asked = {group[position % len(group)] for group in groups if group}
    return {name: here[name] for group in groups for name in group if name in here and name not in asked}


def known_statuses():
    """By the start of a line and by name."""
    found = {}
    for line in TABLE.read_text().splitlines()[3:]:
        start, *statuses = line.rsplit(maxsplit=len(NAMES))
        found[start] = dict(zip(NAMES, statuses, strict=True))
    return found


def _status(visitor, path):
    answer = visitor.open(path)
    target = answer.headers.get("Location", "")
    return str(answer.status) + ("" if answer.status not in (301, 302) or target.startswith("/users/sign_in") else "→")


@pytest.mark.long(15)
@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_everybody_gets_what_the_table_of_pages_says(world, request, thorough):
    head = " " * 64 + " ".join(f"{name:>9}" for name in NAMES)
    rewrite = request.config.getoption("--rewrite")
    found = [head, *sorted(lines(world, {} if rewrite or thorough else known_statuses()))]
    if rewrite:
        TABLE.write_text(HEAD + "\n".join(found) + "\n")
    assert TABLE.read_text().splitlines()[2:] == found
