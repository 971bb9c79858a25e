"""The lists of merge requests in the browser: filters, bulk editing, and what they hide."""

import pytest

from tests.harness.browsers import counts_on_tabs


@pytest.fixture
def place(code):
    return f"/{code.project['path_with_namespace']}/merge_requests"


def state(code, iid):
    return code.cast.owner.get(f"{code.requests}/{iid}").json


@pytest.fixture
def two(code):
    """Two requests: one with a label, and a draft."""
    code.branch("other", other="x\n")
    code.open(labels="wet")
    code.open(title="WIP: Second", source_branch="other")


@pytest.mark.usefixtures("two")
def test_lists_are_filtered(browse, cast, place):
    owner = browse("owner")
    page = owner.open(place, label_name="wet", author_username=cast.developer.username, order="oldest").text
    assert ("Merge me" in page, "Second" in page, counts_on_tabs(page)) == (True, False, [1, 0, 0, 1])
    assert counts_on_tabs(owner.open(place, state="merged").text) == [2, 0, 0, 2]
    page = owner.open(place, drafts="yes", search="second", order="priority").text
    assert ("Merge me" in page, "Second" in page) == (False, True)
    assert "No merge requests match your filters." in owner.open(place, target_branch="nowhere", order="popular").text
    assert "There are no merged merge requests." in owner.open(place, state="merged").text


@pytest.mark.usefixtures("two")
def test_requests_are_edited_in_bulk(browse, code, place):
    owner = browse("owner")
    owner.open(place)
    sent = {"add_labels": "both", "state_event": "close", "subscription": "subscribe"}
    assert [owner.send(f"{place}/bulk", iids=["1", "2"], **sent).status for _ in range(2)] == [303, 303]
    for found in (state(code, 1), state(code, 2)):
        assert (found["state"], "both" in found["labels"], found["subscribed"]) == ("closed", True, True)
    assert owner.send(f"{place}/bulk", iids=["1", "99"], state_event="reopen").status == 404
    assert owner.send(f"{place}/bulk", iids=[str(iid) for iid in range(1, 102)], state_event="reopen").status == 422
    assert owner.send(f"{place}/bulk", iids=["1", "2"], state_event="reopen").status == 303
    assert browse("reporter").send(f"{place}/bulk", iids=["1"], state_event="close").status in (403, 422)
    assert [state(code, iid)["state"] for iid in (1, 2)] == ["opened"] * 2


@pytest.mark.usefixtures("two")
def test_groups_and_dashboards_list_requests(browse, code, cast, place):
    group = browse("guest").open(f"/groups/{cast.team.path}/-/merge_requests").text
    assert (code.project["path_with_namespace"] + "!1" in group, counts_on_tabs(group)) == (True, [2, 0, 0, 2])
    cast.owner.put(f"{code.requests}/2", state_event="close")
    developer = browse("developer")
    assert "Merge me" not in developer.open("/dashboard/merge_requests").text
    sentences = [("reviews-for-me", "to review"), ("assigned-to-me", "assigned to you")]
    for scope, words in sentences:
        shown = browse("stranger").open("/dashboard/merge_requests", scope=scope).text
        assert f"There are no merge requests {words}." in shown, scope
    page = developer.open("/dashboard/merge_requests", scope="created-by-me", search="e").text
    assert ("Merge me" in page, counts_on_tabs(page)) == (False, [0, 0, 0, 0])
    page = developer.open("/dashboard/merge_requests", scope="created-by-me").text
    assert ("Merge me" in page, counts_on_tabs(page)) == (True, [1, 0, 1, 2])


@pytest.mark.usefixtures("two")
def test_requests_are_hidden_with_their_project(browse, code, cast, place):
    page = browse("anonymous").open(f"{place}/1").text
    assert ("Sign in to comment." in page, "authenticity_token" in page.partition("<main")[2]) == (True, False)
    cast.owner.put(code.path, visibility="private")
    assert [browse(name).open(f"{place}/1").status for name in ("anonymous", "stranger", "guest")] == [302, 404, 404]
    group = f"/groups/{cast.team.path}/-/merge_requests"
    page = browse("guest").open(group).text
    assert ("Merge me" in page, counts_on_tabs(page)) == (False, [0, 0, 0, 0])
    assert counts_on_tabs(browse("developer").open(group).text) == [2, 0, 0, 2]
    cast.owner.put(code.path, merge_requests_enabled=False)
    owner = browse("owner")
    assert [owner.open(path).status for path in (place, f"{place}/1")] == [404, 404]
    assert "merge_requests/new" not in owner.open(f"/{code.project['path_with_namespace']}/branches").text
