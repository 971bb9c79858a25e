"""Every filter of the lists of merge requests, alone and in pairs, compared with the same filter written in Python.

Filters are joined by AND, in one text for both engines: SQLite tries every pair, PostgreSQL each filter in a few."""

from itertools import combinations, islice

import pytest

from mujina.planning.work_items.lists import plans
from mujina.workspaces.projects import rules as project_rules

NONE = ({}, lambda _: True)


@pytest.fixture
def requests(cast, code):
    """Requests that differ in everything a list can be narrowed by; most have no branches, which costs less."""
    soon = cast.owner.post(f"{code.path}/milestones", title="Soon", start_date="2020-01-01", due_date="2999-01-01").json
    shared = cast.owner.post(f"/groups/{cast.team.id}/milestones", title="Shared").json
    made = [
        {"title": "Apple", "description": "red fruit", "labels": "bug", "milestone_id": soon["id"]},
        {"title": "WIP: Pear", "description": "green apple?", "labels": "bug,new", "assignee_id": cast.reporter.id},
        {"title": "Draft: Plum", "reviewer_ids": [cast.master.id, cast.reporter.id], "milestone_id": shared["id"]},
        {"title": "Fig", "labels": "new", "assignee_id": cast.master.id, "target_branch": "stable"},
        {"title": "Lime", "description": "Pear", "target_branch": "stable", "milestone_id": soon["id"]},
        {"title": "Kiwi", "labels": "bug", "reviewer_ids": [cast.master.id], "assignee_id": cast.reporter.id},
    ]
    for number, params in enumerate(made, 1):
        person = cast.owner if number % 3 == 0 else cast.developer
        assert code.open(person, **{"source_branch": f"branch-{number}", **params}).status == 201
    for iid in (4, 6):
        cast.developer.put(f"{code.requests}/{iid}", state_event="close")
    cast.developer.post(f"{code.requests}/3/award_emoji", name="tada")
    for person, iid in ((cast.master, 1), (cast.owner, 1), (cast.master, 2)):
        assert person.post(f"{code.requests}/{iid}/approve").status == 201
    cast.developer.post(f"{code.requests}/6/award_emoji", name="thumbsup")
    for path, people, groups in (
        (code.path, [cast.master], []), (f"{code.requests}/2", [cast.master, cast.owner], []),
        (f"{code.requests}/3", [], [cast.team.id]),
    ):  # fmt: skip
        named = [person.id for person in people]
        assert cast.owner.put(f"{path}/approvers", approver_ids=named, approver_group_ids=groups).status == 200
    return code


def filters(cast, stamps):
    """Parameters, and whether a request as the list shows it matches them."""

    def usernames(request, field):
        return {user["username"] for user in request[field]}

    def milestone(request):
        return (request["milestone"] or {}).get("title")

    def says(request, *words, texts=("title", "description")):
        found = [(request[field] or "").casefold() for field in texts]
        return any(all(word in text for word in words) for text in found)

    middle = stamps[3]
    developer, owner, reporter, master = (getattr(cast, n) for n in ("developer", "owner", "reporter", "master"))
    return [
        NONE,
        ({"state": "opened"}, lambda r: r["state"] == "opened"),
        ({"state": "closed"}, lambda r: r["state"] == "closed"),
        ({"state": "locked"}, lambda _: False),
        ({"scope": "created_by_me"}, lambda r: r["author"]["id"] == developer.id),
        ({"author_id": owner.id}, lambda r: r["author"]["id"] == owner.id),
        ({"author_username": "OWNER"}, lambda r: r["author"]["id"] == owner.id),
        ({"assignee_id": reporter.id}, lambda r: "reporter" in usernames(r, "assignees")),
        ({"assignee_id": "None"}, lambda r: not r["assignees"]),
        ({"assignee_id": "Any"}, lambda r: bool(r["assignees"])),
        ({"assignee_username[]": "master"}, lambda r: "master" in usernames(r, "assignees")),
        ({"reviewer_id": master.id}, lambda r: "master" in usernames(r, "reviewers")),
        ({"reviewer_id": "None"}, lambda r: not r["reviewers"]),
        ({"reviewer_username": "reporter"}, lambda r: "reporter" in usernames(r, "reviewers")),
        ({"reviewer_username": "None"}, lambda r: not r["reviewers"]),
        ({"reviewer_username": "any"}, lambda r: bool(r["reviewers"])),
        ({"approved_by_ids[]": master.id}, lambda r: r["iid"] in (1, 2)),
        ({"approved_by_ids": f"{master.id},{owner.id}"}, lambda r: r["iid"] == 1),
        ({"approved_by_ids": "None"}, lambda r: r["iid"] not in (1, 2)),
        ({"approved_by_ids": "Any"}, lambda r: r["iid"] in (1, 2)),
        ({"approver_ids[]": master.id}, lambda r: r["iid"] != 3),
        ({"approver_ids": f"{master.id},{owner.id}"}, lambda r: r["iid"] == 2),
        ({"approver_ids": "None"}, lambda r: r["iid"] == 3),
        ({"milestone": "Soon"}, lambda r: milestone(r) == "Soon"),
        ({"milestone": "None"}, lambda r: milestone(r) is None),
        ({"milestone": "Any"}, lambda r: milestone(r) is not None),
        ({"milestone": "#started"}, lambda r: milestone(r) == "Soon"),
        ({"milestone": "#upcoming"}, lambda r: milestone(r) == "Soon"),
        ({"labels": "bug"}, lambda r: "bug" in r["labels"]),
        ({"labels": "bug,new"}, lambda r: {"bug", "new"} <= {*r["labels"]}),
        ({"labels[]": "new"}, lambda r: "new" in r["labels"]),
        ({"labels": "None"}, lambda r: not r["labels"]),
        ({"labels": "Any"}, lambda r: bool(r["labels"])),
        ({"my_reaction_emoji": "tada"}, lambda r: r["iid"] == 3),
        ({"my_reaction_emoji": "Any"}, lambda r: r["iid"] in (3, 6)),
        ({"my_reaction_emoji": "None"}, lambda r: r["iid"] not in (3, 6)),
        ({"search": "apple"}, lambda r: says(r, "apple")),
        ({"search": "apple green"}, lambda r: says(r, "apple", "green")),
        ({"search": "pear", "in": "title"}, lambda r: says(r, "pear", texts=["title"])),
        ({"search": "pear", "in": "description"}, lambda r: says(r, "pear", texts=["description"])),
        ({"created_after": middle}, lambda r: r["created_at"] >= middle),
        ({"created_before": middle}, lambda r: r["created_at"] <= middle),
        ({"updated_after": middle}, lambda r: r["updated_at"] >= middle),
        ({"updated_before": middle}, lambda r: r["updated_at"] <= middle),
        ({"source_branch": "branch-2"}, lambda r: r["source_branch"] == "branch-2"),
        ({"target_branch": "stable"}, lambda r: r["target_branch"] == "stable"),
        ({"wip": "yes"}, lambda r: r["work_in_progress"]),
        ({"draft": False}, lambda r: not r["draft"]),
        ({"non_archived": True}, lambda _: True),
        ({"not[iids]": "1,3"}, lambda r: r["iid"] not in (1, 3)),
        ({"not[iids][]": 2}, lambda r: r["iid"] != 2),
        ({"not[labels]": "bug"}, lambda r: "bug" not in r["labels"]),
        ({"not[milestone]": "Soon"}, lambda r: milestone(r) != "Soon"),
        ({"not[author_id]": owner.id}, lambda r: r["author"]["id"] != owner.id),
        ({"not[author_username]": "developer"}, lambda r: r["author"]["id"] != developer.id),
        ({"not[assignee_id]": reporter.id}, lambda r: "reporter" not in usernames(r, "assignees")),
        ({"not[assignee_username]": "master"}, lambda r: "master" not in usernames(r, "assignees")),
        ({"not[reviewer_id]": reporter.id}, lambda r: "reporter" not in usernames(r, "reviewers")),
        ({"not[reviewer_username]": "master"}, lambda r: "master" not in usernames(r, "reviewers")),
        ({"not[source_branch]": "branch-2"}, lambda r: r["source_branch"] != "branch-2"),
        ({"not[target_branch]": "stable"}, lambda r: r["target_branch"] != "stable"),
        ({"not[my_reaction_emoji]": "tada"}, lambda r: r["iid"] != 3),
    ]


def test_filters_agree_with_their_meaning_alone_and_in_pairs(engine, cast, requests, monkeypatch, thorough):
    everything = sorted(cast.developer.get(requests.requests).json, key=lambda request: -request["iid"])
    assert len(everything) == 6
    known = filters(cast, sorted(request["created_at"] for request in everything))
    wrong = []

    def check(path, chosen, **more):
        given = {**more}
        for params, _ in chosen:
            given |= params
        expected = [r["iid"] for r in everything if all(matches(r) for _, matches in chosen)]
        answer = cast.developer.get(path, **given)
        if answer.status != 200 or sorted((r["iid"] for r in answer.json), reverse=True) != expected:
            wrong.append((path, given, expected, answer))
        elif answer.headers["X-Total"] != str(len(expected)):
            wrong.append((path, given, "total", answer.headers["X-Total"]))

    for chosen in islice(combinations(known, 2), 0, None, 1 if thorough else 5 if engine == "sqlite" else 13):
        one, other = ({name.removesuffix("[]") for name in params} for params, _ in chosen)
        if not one & other:
            check(requests.requests, chosen)
    group = f"/groups/{cast.team.id}/merge_requests"
    for path in (group, "/merge_requests"):
        for each in known:
            check(path, [each], **({} if "scope" in each[0] else {"scope": "all"}))
    monkeypatch.setattr(plans, "FEW_TO_SEARCH", 0)
    monkeypatch.setattr(project_rules, "MAX_TO_SORT", 0)
    for each in known:
        check(group, [each])
    assert wrong == []


def test_malformed_filters_are_rejected(cast, requests):
    for params in (
        {"not": "x"}, {"not[author_id]": "x"}, {"not[labels][x]": "y"}, {"wip": "x"}, {"updated_after": "x"},
        {"scope": "x"}, {"approved_by_ids": "x"}, {"reviewer_id": "x"}, {"with_labels_details": "x"},
    ):  # fmt: skip
        assert cast.developer.get(requests.requests, **params).status == 400, params
    for params in ({"not[unknown]": "x"}, {"deployed_after": "2020-01-01"}, {"with_merge_status_recheck": True}):
        assert len(cast.developer.get(requests.requests, **params).json) == 6, params


def test_labels_are_objects_on_request(cast, requests):
    cast.owner.put(f"{requests.path}/labels", name="bug", color="#FFF", description="wrong")
    [request] = cast.anonymous.get(requests.requests, source_branch="branch-2", with_labels_details=True).json
    bug, new = request["labels"]
    assert (bug["name"], bug["color"], bug["description"], bug["text_color"]) == ("bug", "#FFF", "wrong", "#333333")
    assert (new["name"], new["text_color"]) == ("new", "#FFFFFF")
    [request] = cast.anonymous.get(requests.requests, source_branch="branch-2").json
    assert request["labels"] == ["bug", "new"]


def test_archived_projects_are_left_out_on_request(cast, requests):
    cast.owner.post(f"{requests.path}/archive")
    assert len(cast.developer.get("/merge_requests", scope="all").json) == 6
    assert cast.developer.get("/merge_requests", scope="all", non_archived=True).json == []


def test_pages_and_totals_follow_the_state(cast, requests):
    page = cast.developer.get(requests.requests, state="opened", per_page=3, page=2)
    assert ([request["iid"] for request in page.json], page.headers["X-Total"]) == ([1], "4")
    assert cast.developer.get(requests.requests, page=9).headers["X-Total"] == "6"
    assert cast.developer.get(requests.requests, page=2000, per_page=1).json == []
    for path in ("/merge_requests", f"/groups/{cast.team.id}/merge_requests"):
        page = cast.developer.get(path, scope="all", state="closed", sort="asc", view="simple")
        assert ([request["iid"] for request in page.json], page.headers["X-Total"]) == ([4, 6], "2")
    assert cast.owner.delete(f"{requests.requests}/4").status == 204
    assert cast.developer.get("/merge_requests", scope="all", state="closed").headers["X-Total"] == "1"
