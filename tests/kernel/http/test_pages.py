"""Pages: totals are exact, links can be followed and never carry a token."""

import re
from typing import get_origin

import pytest

from tests.harness.client import Raw
from tests.harness.composed import ROUTES


@pytest.fixture
def issues(cast):
    for n in range(12):
        cast.reporter.post(f"/projects/{cast.private.id}/issues", title=f"issue {n}")
    return f"/projects/{cast.private.id}/issues"


def links(answer):
    return {rel: url for url, rel in re.findall(r'<([^>]+)>; rel="(\w+)"', answer.headers["Link"])}


def test_following_next_shows_everything_once(cast, issues):
    seen, url, answer = [], f"{issues}?per_page=4&state=opened", None
    while url:
        answer = cast.reporter.get(url)
        seen += [issue["iid"] for issue in answer.json]
        url = links(answer).get("next", "").removeprefix("http://mujina.test/api/v4")
    assert answer is not None
    assert len(seen) == len(set(seen)) == int(answer.headers["X-Total"]) == 15


def test_the_headers_of_a_page_in_the_middle(cast, issues):
    answer = cast.reporter.get(issues, per_page=4, page=2)
    shown = {name: answer.headers[name] for name in ("X-Total", "X-Total-Pages", "X-Per-Page", "X-Page")}
    assert shown == {"X-Total": "15", "X-Total-Pages": "4", "X-Per-Page": "4", "X-Page": "2"}
    assert (answer.headers["X-Next-Page"], answer.headers["X-Prev-Page"]) == ("3", "1")
    assert list(links(answer)) == ["prev", "next", "first", "last"]


@pytest.mark.parametrize(
    ("query", "page", "size", "count"),
    [
        ("page=0", "1", "20", 15),
        ("page=-3", "1", "20", 15),
        ("per_page=1000", "1", "100", 15),
        ("per_page=-1", "1", "20", 15),
        ("page=&per_page=", "1", "20", 15),
        ("page=10000", "10000", "20", 0),
        ("page=9223372036854775807&per_page=100", None, "100", 0),
    ],
)
def test_odd_numbers_of_pages_are_answered(cast, issues, query, page, size, count):
    answer = cast.reporter.get(issues, Raw(query=query))
    assert (answer.status, len(answer.json), answer.headers["X-Per-Page"]) == (200, count, size)
    if page:
        assert answer.headers["X-Page"] == page
    if count == 0:
        assert (answer.headers["X-Next-Page"], answer.headers["X-Prev-Page"]) == ("", "")
        assert list(links(answer)) == ["first", "last"]


@pytest.mark.parametrize(
    ("query", "name"), [("per_page=0", "per_page"), ("per_page=x", "per_page"), ("page=x", "page")]
)
def test_an_invalid_page_is_refused(cast, issues, query, name):
    answer = cast.reporter.get(issues, Raw(query=query))
    assert (answer.status, answer.json) == (400, {"error": f"{name} is invalid"})


def test_an_empty_list_has_one_page(cast, issues):
    answer = cast.reporter.get(issues, labels="none such")
    assert (answer.json, answer.headers["X-Total"], answer.headers["X-Total-Pages"]) == ([], "0", "1")


def test_links_keep_the_filters_and_no_token(cast, issues):
    secret = cast.reporter.token
    answer = cast.anonymous.get(issues, Raw(query=f"private_token={secret}&labels=a%2Cb&iids[]=1&iids[]=2"))
    assert answer.status == 200
    assert secret not in answer.headers["Link"]
    assert "labels=a%2Cb" in answer.headers["Link"]
    assert "iids%5B%5D=1&iids%5B%5D=2" in answer.headers["Link"]


def test_every_relation_is_told_however_long_the_query_is(cast, issues):
    """A query that is answered can be followed: `Link` writes three bytes for a bracket, and adds the page."""
    query = "per_page=1&page=1&" + "&".join(f"iids[]={iid}" for iid in (1, 2, *range(10_000, 10_202)))
    first = cast.reporter.get(issues, Raw(query=query))
    assert list(links(first)) == ["next", "first", "last"]
    assert len(links(first)["next"]) > 3_500
    assert sum(len(f"{name}: {value}\r\n") for name, value in first.headers.items()) < 16_000
    last = cast.reporter.get(links(first)["next"].removeprefix("http://mujina.test/api/v4"))
    assert (len(last.json), last.headers["X-Page"], list(links(last))) == (1, "2", ["prev", "first", "last"])
    longer = query + "&" + "&".join(f"iids[]={iid}" for iid in range(20_000, 20_100))
    assert cast.reporter.get(issues, Raw(query=longer)).status == 414


def test_every_list_is_paged():
    whole = [route.path for route in ROUTES if route.verb == "GET" and get_origin(route.returns) is list]
    # A file is read as a whole, and so is what a pipeline was started with.
    assert sorted(whole) == [
        "/projects/:id/pipelines/:pipeline_id/variables", "/projects/:id/repository/files/:file_path/blame",
    ]  # fmt: skip
