"""The scope `merge_requests` of searches."""

import pytest

from mujina.planning.work_items.lists import plans


@pytest.fixture(params=[False, True], ids=["few", "many"])
def requests(request, cast, code, monkeypatch):
    if request.param:
        monkeypatch.setattr(plans, "FEW_TO_SEARCH", 0)
    for number, (title, description) in enumerate((("Apple tree", "fruit"), ("Pear", "like an apple"), ("Plum", None))):
        code.open(title=title, description=description, source_branch=f"branch-{number}")
    return code


def found(person, path, words):
    answer = person.get(path, scope="merge_requests", search=words)
    assert answer.status == 200, answer
    assert answer.headers["X-Total"] == str(len(answer.json))
    return [each["iid"] for each in answer.json]


def test_requests_are_found_by_text_and_number_where_they_may_be_read(cast, requests):
    cast.developer.put(f"{requests.requests}/1", title="Apple trees")
    paths = ["/search", f"/groups/{cast.company.id}/-/search", f"{requests.path}/-/search"]
    for path in paths:
        for words, iids in (
            ("apple", [1, 2]), ("APPLE tree", [1]), ("fruit", [1]), ("plum", [3]), ("!2", [2]), ("see #3", [3]),
            ("nothing!99", []), ("nowhere", []), (" ", []),
        ):  # fmt: skip
            assert found(cast.reporter, path, words) == iids, (path, words)
    assert cast.anonymous.get(paths[0], scope="merge_requests", search="apple").status == 401
    assert found(cast.stranger, paths[0], "apple") == [1, 2]
    page = cast.reporter.get(paths[2], scope="merge_requests", search="apple", per_page=1, page=2)
    assert ([each["iid"] for each in page.json], page.headers["X-Total"]) == ([2], "2")
    cast.owner.put(requests.path, visibility="private")
    assert found(cast.stranger, paths[0], "apple") == found(cast.guest, paths[0], "!1") == []
    assert found(cast.guest, paths[2], "apple") == []
    assert found(cast.reporter, paths[1], "apple") == [1, 2]
    cast.owner.put(requests.path, merge_requests_enabled=False)
    assert found(cast.owner, paths[2], "apple") == []


def test_requests_are_found_by_state_in_either_order(cast, requests):
    cast.developer.put(f"{requests.requests}/1", state_event="close")
    for query, iids in {
        "search=apple&state=closed": [1], "search=apple&state=opened": [2], "search=apple&state=merged": [],
        "search=!1&state=opened": [], "search=apple&order_by=created_at": [2, 1],
        "search=apple&order_by=created_at&sort=asc": [1, 2], "search=apple&sort=asc": [2, 1],
    }.items():  # fmt: skip
        answer = cast.reporter.get(f"{requests.path}/search?scope=merge_requests&{query}")
        assert [each["iid"] for each in answer.json] == iids, query


def test_notes_on_issues_and_requests_are_found_together(cast, requests):
    issue = cast.reporter.post(f"{requests.path}/issues", title="Orchard").json
    on_issue = cast.reporter.post(f"{requests.path}/issues/{issue['iid']}/notes", body="a ripe pear").json["id"]
    on_request = cast.reporter.post(f"{requests.requests}/2/notes", body="two ripe pears").json["id"]
    own = cast.guest.post(f"{requests.requests}/1/notes", body="ripe apples").json["id"]
    paths = ["/search", f"/groups/{cast.company.id}/-/search", f"{requests.path}/-/search"]

    def notes(person, path, words, **params):
        answer = person.get(path, scope="notes", search=words, **params)
        return [(each["id"], each["noteable_type"], each["noteable_iid"]) for each in answer.json], answer.headers[
            "X-Total"
        ]

    for path in paths:
        assert notes(cast.reporter, path, "ripe pear") == (
            [(on_request, "MergeRequest", 2), (on_issue, "Issue", issue["iid"])], "2",
        )  # fmt: skip
        assert notes(cast.reporter, path, "ripe", per_page=1, page=2) == ([(on_request, "MergeRequest", 2)], "3")
    cast.owner.put(requests.path, visibility="private")
    assert notes(cast.guest, paths[2], "ripe") == ([(on_issue, "Issue", issue["iid"])], "1")
    assert notes(cast.stranger, paths[0], "ripe") == ([], "0")
    assert own in [id_ for id_, _, _ in notes(cast.developer, paths[0], "ripe")[0]]
    cast.owner.put(requests.path, merge_requests_enabled=False)
    assert notes(cast.owner, paths[1], "ripe") == ([(on_issue, "Issue", issue["iid"])], "1")
