"""A site that is not public is shown to those who may see it, when they have signed in at the instance."""

import re
from urllib.parse import urlsplit

import pytest

from tests.ci.sites.conftest import HOST, INDEX

ONE_ENGINE = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
COOKIE = re.compile(r"(_site_\w+)=([^;]*)")


class Browser:
    """A browser that keeps the cookies of one site."""

    def __init__(self, site, person):
        self.site, self.person = site, person
        self.visitor = site.visitor()
        self.root = site.visitor(host=HOST)
        self.cookies = {}

    def see(self, path, root=None):
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        answer = self.visitor.see(path, root=root, Cookie=cookie)
        self.cookies |= dict(COOKIE.findall(answer.headers.get("Set-Cookie", "")))
        return answer

    def begin(self, path="/"):
        """The address at which the instance is asked who this is."""
        answer = self.see(path)
        assert (answer.status, "HttpOnly; SameSite=Lax" in answer.headers["Set-Cookie"]) == (302, True)
        return answer.headers["Location"]

    def authorize(self, address):
        """The address of the site to which the instance leads by way of the host of all sites."""
        parts = urlsplit(address)
        answer = self.person.open(f"{parts.path}?{parts.query}")
        parts = urlsplit(answer.headers["Location"])
        assert (parts.netloc, parts.path) == (HOST, "/-/sign_in")
        return self.root.see(f"{parts.path}?{parts.query}", root="")

    def end(self, address):
        parts = urlsplit(address)
        assert parts.netloc == f"company.{HOST}"
        return self.see(f"{parts.path}?{parts.query}", root="")

    def sign_in(self, path="/"):
        return self.end(self.authorize(self.begin(path)).headers["Location"])


@pytest.fixture
def private(site):
    site.publish()
    return site


def test_a_member_signs_in_at_the_instance_and_sees_the_site(private, cast, browse):
    browser = Browser(private, browse("owner"))
    done = browser.sign_in("/docs/?q=find")
    assert (done.status, done.headers["Location"]) == (302, f"/{private.path}/docs/?q=find")
    browser.cookies = {"prefs": '{"a":1}', "a@b": "1", **browser.cookies}  # any page of the host may set some
    shown = browser.see("/")
    assert (shown.status, shown.body, shown.headers["Cache-Control"]) == (200, INDEX, "private, no-cache")
    assert cast.rows("SELECT t.id FROM oauth_tokens t") == []


def test_others_sign_in_and_find_nothing(private, browse):
    browser = Browser(private, browse("stranger"))
    browser.sign_in()
    assert browser.see("/").status == 404
    assert browser.see("/nothing/", root="").status == 404


def test_rights_are_checked_each_time(private, cast, browse):
    browser = Browser(private, browse("owner"))
    browser.sign_in()
    assert browser.see("/").status == 200
    cast.run("UPDATE users SET state = 'blocked' WHERE username = 'owner'")
    assert browser.see("/").status == 302


@ONE_ENGINE
def test_whether_a_site_exists_shows_only_after_signing_in(private):
    visitor = private.visitor()
    assert visitor.see("/").status == visitor.see("/nothing/", root="").status == 302
    assert private.visitor(host="www.example.org").see("/").status == 404
    assert private.visitor(host=HOST).see("/").status == 404


@ONE_ENGINE
def test_a_ticket_is_for_one_browser_and_one_host(private, browse):
    browser, other = Browser(private, browse("owner")), Browser(private, browse("owner"))
    address = browser.authorize(browser.begin()).headers["Location"]
    other.begin()
    assert other.end(address).status == 403
    elsewhere = private.visitor(host=f"other.{HOST}")
    parts = urlsplit(address)
    assert (
        elsewhere.see(
            f"{parts.path}?{parts.query}", root="", Cookie=f"_site_browser={browser.cookies['_site_browser']}"
        ).status
        == 403
    )
    assert browser.end(address).status == 302


@ONE_ENGINE
def test_a_code_is_not_valid_for_the_state_of_another_sign_in(private, browse):
    browser = Browser(private, browse("owner"))
    first, second = browser.begin(), browser.begin()
    states = [re.search(r"&state=([^&]*)", address)[1] for address in (first, second)]
    assert browser.authorize(first.replace(*states)).status == 403


@ONE_ENGINE
@pytest.mark.parametrize("query", ["", "?ticket=x", "?ticket=v1:aaaaaaaa:AAAA", "?code=x&state=y"])
def test_what_was_not_made_here_opens_nothing(private, query):
    for host in (HOST, f"company.{HOST}"):
        assert private.visitor(host=host).see(f"/-/sign_in{query}", root="").status == 403


@ONE_ENGINE
def test_the_instance_gives_no_token_for_a_code_of_a_site(private, cast, browse):
    browser = Browser(private, browse("owner"))
    parts = urlsplit(browser.begin())
    answer = browser.person.open(f"{parts.path}?{parts.query}")
    code = re.search(r"code=([^&]*)", answer.headers["Location"])[1]
    client = re.search(r"client_id=([^&]*)", parts.query)[1]
    asked = {"grant_type": "authorization_code", "code": code, "client_id": client, "client_secret": "guess"}
    assert cast.anonymous.post("//oauth/token", **asked, redirect_uri=f"http://{HOST}/-/sign_in").status == 401


@ONE_ENGINE
def test_on_a_host_that_all_sites_share_only_public_ones_are_served(private):
    visitor, root = private.visitor(host="localhost", pages_port=8090), f"/{private.namespace}/{private.path}"
    assert visitor.see("/", root=root).status == 404
    private.open()
    assert private.visitor(host="localhost", pages_port=8090).see("/", root=root).status == 200
