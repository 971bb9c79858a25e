"""Every page of the product, opened by everybody: nothing is missing, nothing breaks, nothing costs too much.

A page that is added later takes part by itself: by the links to it, and by `samples.address`.
"""

import re
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest

from tests.architecture import samples as route_samples
from tests.harness.browsers import browser_of
from tests.harness.cast import NAMES
from tests.harness.client import Raw
from tests.harness.composed import PAGES, ROUTES
from tests.harness.statements import statements
from tests.web.page_checks import LARGER, MAX_BYTES, MAX_STATEMENTS, ParsedPage
from tests.web.samples import address

VIEWS = [page for page in PAGES if page.verb == "GET" and not page.for_clients]
NOT_BUILT = set(Path(__file__).with_name("not_built.txt").read_text().split())
BASE = "http://mujina.test"
PEOPLE = ("root", "owner", "guest", "external", "anonymous")
MORE_PEOPLE = ("developer", "stranger")
"""Members of the cast who find nothing that the others do not find; they walk in the long form."""
PER_KIND = 1
"""Addresses of one kind that each person opens beside the starts, with a query and without; two in the long form. Every other
person goes through the links of a page backwards, and opens others of the kind."""
ENDS_SESSION = ("/users/sign_out",)

one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
"""Which statements run is tested on both engines elsewhere; these tests look at what pages show."""


def kind(path):
    """The address without what names single objects: two addresses of one kind are the same page."""
    path = re.sub(r"/[0-9a-f]{7,64}(?=[/.]|$)", "/*", urlsplit(path).path)
    path = re.sub(rf"^(/users)?/(?:{'|'.join(NAMES)}|\w+_bot_\w+)(?=[/.]|$)", r"\1/U", path)
    path = re.sub(r"(/company/department/team)/(private|internal|public)", r"\1/P", path)
    path = re.sub(r"/(tree|blob|blame|raw|commits|edit|new|find_file|graphs|compare|tags)/.*", r"/\1/*", path)
    return re.sub(r"[0-9]+", "*", path)


def is_not_built(path):
    """Whether the page of this address is still to come."""
    shape = kind(path) if path.count("/") > 1 else "{username}"
    return any(fnmatchcase(shape, each) for each in NOT_BUILT)


class Crawl:
    """One person walks through the product."""

    def __init__(self, world, name, per_kind, *, backwards):
        self.hidden = HIDDEN.get(name, ())
        self.per_kind, self.order = per_kind, -1 if backwards else 1
        self.name = name
        self.world = world
        self.person = getattr(world.cast, name)
        self.visitor = browser_of(self.person, world.database, world.cast.anonymous)
        self.faults: list[str] = []
        self.seen: dict[str, int] = {}
        self.forms: dict[str, tuple[str, str]] = {}

    def walk(self, starts):
        queue = [(start, "the start", True) for start in starts]
        while queue:
            path, source, given = queue.pop()
            if self.seen.get(path) or self._enough(path, given):
                continue
            self.seen[path] = 1
            queue += [(link, path, False) for link in self._open(path, source, given)]
        return self

    def _enough(self, path, given):
        if given:
            return False
        each = f"kind {kind(path)}{'?' if '?' in path else ''}"
        self.seen[each] = self.seen.get(each, 0) + 1
        return self.seen[each] > self.per_kind

    def _open(self, path, source, given):
        answer, cost = self._follow(path)
        where = f"{self.name}: {path} (from {source})"
        if answer.status == 404 and is_not_built(path):
            return []
        if answer.status >= 500 or (answer.status != 200 and not given):
            self.faults.append(f"{where} is {answer.status}")
        if not answer.headers.get("Content-Type", "").startswith("text/html") or answer.status >= 500:
            return []
        self.faults += [f"{where} shows {word}" for word in self.hidden if word in answer.text]
        page = ParsedPage(answer.text)
        self.faults += [f"{where}: {fault}" for fault in page.faults()]
        if cost > MAX_STATEMENTS:
            self.faults.append(f"{where}: {cost} statements")
        if len(answer.body) > max([MAX_BYTES, *(most for start, most in LARGER.items() if path.startswith(start))]):
            self.faults.append(f"{where}: {len(answer.body)} bytes")
        for action in page.forms():
            self.forms.setdefault(kind(urljoin(path, action)), (path, urljoin(path, action)))
        return [target for link in dict.fromkeys(page.links()[:: self.order]) if (target := self._local(path, link))]

    def _follow(self, path):
        """The answer behind at most five redirects, and the number of statements of the last request."""
        for _ in range(5):
            with statements(self.world.database) as used:
                answer = self.visitor.open(path)
            if answer.status not in (301, 302):
                return answer, used.count
            path = self._local(path, answer.headers["Location"]) or "/assets/site.css"
        self.faults.append(f"{self.name}: {path} redirects for ever")
        return answer, 0

    @staticmethod
    def _local(path, link):
        if link.startswith("/") and not link.startswith(("//", "/api/", *ENDS_SESSION)) and "/." not in link:
            return link
        target = urlsplit(urljoin(f"{BASE}{path}", link))
        if f"{target.scheme}://{target.netloc}" != BASE or target.path.startswith(("/api/", *ENDS_SESSION)):
            return None
        return target.path + (f"?{target.query}" if target.query else "")


PRIVATE, CONFIDENTIAL = "qxqprivate", "qxqconfidential"
HIDDEN = {
    "guest": (CONFIDENTIAL,), **dict.fromkeys(("stranger", "external", "anonymous"), (PRIVATE, CONFIDENTIAL)),
}  # fmt: skip
"""The words that a person must not read on any page."""


def plant(world):
    """Put words into what only some people may read."""
    root = world.cast.root
    assert root.put(f"/projects/{world.cast.private.id}", description=PRIVATE).status == 200
    assert root.post(f"/projects/{world.cast.private.id}/issues", title=PRIVATE).status == 201
    for project in (world.cast.private, world.cast.public):
        issue = {"title": CONFIDENTIAL, "description": CONFIDENTIAL, "confidential": True, "labels": "A label"}
        assert root.post(f"/projects/{project.id}/issues", **issue).status == 201


def starts(world, name, thorough):
    """Every page; those of a project in a private one, and in a public one, where an owner finds nothing else."""
    visibilities = ("private",) if name in ("root", "owner") and not thorough else ("private", "public")
    everywhere = [
        address(page, world, visibility)
        for page in VIEWS
        for visibility in visibilities
        if "{project}" in page.path or visibility == "private"
    ]
    return ["/", *everywhere]


_walked: list[Crawl] = []


def walked(world, thorough):
    """The crawls of all people through the world with the planted words; the tests of a process share them."""
    if not _walked:
        plant(world)
        people, per_kind = ((*PEOPLE, *MORE_PEOPLE), 2 * PER_KIND) if thorough else (PEOPLE, PER_KIND)
        for number, name in enumerate(people):
            crawl = Crawl(world, name, per_kind, backwards=number % 2 == 1)
            _walked.append(crawl.walk(starts(world, name, thorough)))
    return _walked


@pytest.mark.long(25)
@one_engine
def test_every_link_leads_somewhere_and_every_page_is_sound(world, thorough):
    faults = [fault for crawl in walked(world, thorough) for fault in crawl.faults]
    assert not faults, "\n".join(faults)
    opened = {path for crawl in walked(world, thorough) for path in crawl.seen if not path.startswith("kind ")}
    assert len(opened) >= len(VIEWS)


@pytest.mark.long(10)
@one_engine
def test_every_form_rejects_what_is_not_its_own_and_survives_an_empty_body(world, thorough):
    forms: dict[str, tuple[str, str, str]] = {}
    for crawl in walked(world, thorough):
        for each, (page, action) in crawl.forms.items():
            forms.setdefault(each, (crawl.name, page, action))
    faults, visitors, planted = [], {}, False
    world.reset()
    for each, (name, page, action) in sorted(forms.items()):
        if name not in visitors:
            visitors[name] = browser_of(getattr(world.cast, name), world.database, world.cast.anonymous)
        visitor = visitors[name]
        if visitor.open(page).status == 404 and not planted:
            planted = True
            plant(world)
            visitor.open(page)
        without, empty = visitor.send(action, token=None), visitor.send(action)
        if without.status != 422 or "expired" not in without.text:
            faults.append(f"{each} without a token is {without.status}")
        # A form that signs out shows a page, one whose object is named in its body has none to find.
        if empty.status not in (200, 303, 409, 422) and not (empty.status == 404 and "?" not in action):
            faults.append(f"{each} with an empty body is {empty.status}")
        if min(without.status, empty.status) < 400:  # it changed something: the next form finds the world without it
            visitors.clear()
            planted = False
            world.reset()
    world.reset()
    assert not faults, "\n".join(faults)


@one_engine
def test_every_address_in_responses_of_the_api_leads_to_its_page(world):
    addresses = set()
    for route in ROUTES:
        if route.verb == "GET":
            params = route_samples.params(route, world.cast.names, world.ids["private"])
            answer = world.ask(world.cast.root, route, params)
            if answer.headers.get("Content-Type", "").startswith("application/json") and answer.body:
                addresses |= set(found(answer.json))
    visitor = browser_of(world.cast.root, world.database, world.cast.anonymous)
    missing = set()
    for each in addresses:
        target = urlsplit(each)
        if f"{target.scheme}://{target.netloc}" != BASE:
            continue
        path = target.path + (f"?{target.query}" if target.query else "")
        if target.path.startswith("/api/"):
            answer = world.cast.root.get(f"/{path}")
            assert answer.status == 200, each
        elif visitor.open(path).status in (404, 405):
            missing.add(path)
    assert sorted(path for path in missing if not is_not_built(path)) == []


def found(value, name=""):
    """Every address in a response."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from found(part, "_links" if name == "_links" else key)
    elif isinstance(value, list):
        for part in value:
            yield from found(part, name)
    elif (
        isinstance(value, str) and name in ("web_url", "target_url", "_links", "html_url") and value.startswith("http")
    ):
        yield value


@one_engine
def test_a_page_costs_the_same_for_programs_that_ask_for_headers_only(world):
    answer = world.cast.anonymous.ask("HEAD", f"//{world.cast.public.path}", Raw(headers={"accept": "text/html"}))
    assert (answer.status, answer.body) == (200, b"")
