"""The pages of releases."""

import asyncio
from itertools import product

import pytest

from tests.harness.client import Raw


@pytest.fixture
def place(cast, sha):
    return f"/{cast.private.path}/-/releases"


@pytest.fixture
def made(browse, place):
    developer = browse("developer")
    developer.open(f"{place}/new")
    sent = developer.send(place, release={"tag_name": "v1", "ref": "master", "description": "See *this*"})
    assert (sent.status, sent.headers.get("Location")) == (303, f"{place}/v1"), sent.text
    return developer


def test_a_release_is_created_shown_and_edited(browse, cast, place, made):
    page = made.open(f"{place}/v1").text
    assert ("<em>this</em>" in page, "Source code (zip)" in page) == (True, True)
    assert "<em>this</em>" in browse("guest").open(place).text
    assert browse("guest").open(f"{place}/v1").status == 403
    assert "Latest release" in made.open(f"/{cast.private.path}").text
    made.open(f"{place}/v1/edit")
    assert made.send(f"{place}/v1", release={"name": "x" * 300}).status == 422
    assert made.send(f"{place}/v1", release={"name": "First", "description": "Other"}).status == 303
    assert "First" in browse("reporter").open(f"{place}/v1").text
    assert browse("reporter").open(f"{place}/v1/edit").status == 403
    assert made.open(f"{place}/permalink/latest").headers["Location"] == f"{place}/v1"


def test_a_tag_cannot_have_two_releases(made, place):
    assert made.send(place, release={"tag_name": "v1"}).status == 409


def test_links_are_added_and_removed(made, place):
    made.open(f"{place}/v1")
    assert made.send(f"{place}/v1/links", link={"name": "tool", "url": "javascript:x"}).status == 422
    link = {"name": "tool", "url": "https://files.example.org/tool", "filepath": "/tool"}
    assert made.send(f"{place}/v1/links", link=link).status == 303
    page = made.open(f"{place}/v1").text
    assert "/v1/downloads/tool" in page
    leads = made.open(f"{place}/v1/downloads/tool")
    assert (leads.status, leads.headers.get("Location")) == (302, "https://files.example.org/tool")
    number = page.partition('name="id" value="')[2].partition('"')[0]
    assert made.send(f"{place}/v1/links/delete", id=number).status == 303
    assert "/v1/downloads/tool" not in made.open(f"{place}/v1").text


def test_the_feed_lists_releases(browse, cast, made, place):
    feed = browse("reporter").open(f"{place}.atom")
    assert (feed.status, "<title>v1</title>" in feed.text) == (200, True)
    assert browse("stranger").open(f"{place}.atom").status == 404


def test_a_deleted_release_leaves_its_tag(cast, made, place):
    assert made.send(f"{place}/v1/delete").status == 303
    assert "Releases publish a version" in made.open(place).text
    assert cast.reporter.get(f"/projects/{cast.private.id}/repository/tags/v1").status == 200


def test_programs_download_with_their_token_and_open_nothing_else_with_it(cast, made, place):
    made.open(f"{place}/v1")
    link = {"name": "tool", "url": "https://files.example.org/tool", "filepath": "/tool"}
    assert made.send(f"{place}/v1/links", link=link).status == 303
    release = cast.developer.get(f"/projects/{cast.private.id}/releases/v1").json
    source = next(each["url"] for each in release["assets"]["sources"] if each["format"] == "tar.gz")
    archive = source.partition(cast.private.path)[2]
    here = f"/{cast.private.path}"
    assert archive == "/-/archive/v1/private-v1.tar.gz"

    def status(path, **headers):
        return cast.anonymous.ask("GET", f"/{path}", Raw(headers=headers)).status

    token = cast.developer.token
    for address in (f"{here}{archive}", f"{here}/repository/v1/archive.zip", f"{here}/repository/archive.zip?ref=v1"):
        sent = cast.anonymous.ask("GET", f"/{address}", Raw(headers={"private-token": token}))
        assert (sent.status, sent.body[:2]) == (200, b"\x1f\x8b" if address.endswith("gz") else b"PK"), address
    assert status(here + archive, authorization=f"Bearer {token}") == 200
    assert status(f"{here}{archive}?private_token={token}") == 200
    assert status(f"{place}/v1/downloads/tool", **{"private-token": token}) == 302
    refused = [
        status(here + archive),
        status(here + archive, **{"private-token": "nonsense"}),
        status(here + archive, **{"private-token": cast.stranger.token}),
        status(here + archive, **{"private-token": cast.guest.token}),
        status(here + archive, **{"private-token": cast.read_user.token}),
    ]
    assert refused == [404, 401, 404, 403, 403]
    for page in ("", "/raw/master/README.md", "/-/releases", "/-/releases/v1"):
        assert status(here + page, **{"private-token": token}) == 404, page


def test_a_download_that_fails_says_so_to_who_sent_a_token(cast):
    here = f"/{cast.private.path}/-/archive/nothing/x.zip"

    def ask(query):
        return cast.anonymous.ask("GET", f"/{here}{query}", Raw(headers={"accept": "text/html"}))

    missing = ask(f"?private_token={cast.developer.token}")
    assert (missing.status, missing.json) == (404, {"message": "404 File Not Found"})
    # Who must sign in takes no token along: addresses are kept and shown.
    refused = ask(f"?order=x&private%5Ftoken={cast.read_user.token}&feed_token=a")
    assert (refused.status, refused.headers.get("Location")) == (302, f"/users/sign_in?target={here}%3Forder%3Dx")


DOWNLOADS = ["-/archive/v1/x.zip", "repository/archive.zip", "-/releases/v1/downloads/x", "-/releases.atom", ""]


@pytest.mark.parametrize("accept", ["*/*", "text/html"])
def test_no_token_tells_that_a_hidden_project_exists(cast, browse, accept):
    page = browse("stranger").open("/profile/preferences").text
    feed_token = page.split('id="feed-token" value="')[1].split('"')[0]

    def asked(project, rest, query, token):
        sent = Raw(headers={"accept": accept} | ({"private-token": token} if token else {}))
        answer = cast.anonymous.ask("GET", f"//{project}/{rest}{query}", sent)
        return answer.status, answer.headers.get("Location", "").replace(project, "")

    hidden, nothing = cast.private.path, f"{cast.team.path}/nothing"
    tokens = ["nonsense", cast.read_user.token, cast.stranger.token]
    sent = [*(("", token) for token in tokens), ("?a=%ff", None), (f"?feed_token={feed_token}", None)]
    for rest, (query, token) in product(DOWNLOADS, sent):
        assert asked(hidden, rest, query, token) == asked(nothing, rest, query, token), (rest, query, token)
    assert {asked(hidden, rest, "", "nonsense")[0] for rest in DOWNLOADS} == {302 if accept == "text/html" else 401}


@pytest.mark.commits
def test_more_downloads_at_once_than_the_database_has_connections_do_not_wait_for_each_other(cast):
    address = f"//{cast.private.path}/-/archive/v1/x.zip"
    token = Raw(headers={"private-token": "nonsense"})

    async def all_at_once():
        return await asyncio.gather(*(cast.anonymous.exchange("GET", address, token) for _ in range(30)))

    answers = cast.anonymous.loop.run_until_complete(all_at_once())
    assert {answer.status for answer in answers} == {401}
