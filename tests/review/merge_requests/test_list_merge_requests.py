import pytest

from tests.review.merge_requests.test_create_merge_request import IN_LISTS


@pytest.fixture
def requests(cast, code):
    """Three requests that differ in everything a list can be narrowed by."""
    code.branch("second", second="x")
    code.branch("third", third="x")
    milestone = cast.owner.post(f"{code.path}/milestones", title="Soon").json
    code.open(
        title="First", description="apple", labels="bug", assignee_id=cast.reporter.id, milestone_id=milestone["id"]
    )
    code.open(cast.owner, title="WIP: Second", source_branch="second", labels="bug,new", reviewer_ids=cast.master.id)
    code.open(title="Third", source_branch="third", target_branch="topic")
    cast.developer.put(f"{code.requests}/3", state_event="close")
    code.milestone = milestone
    return code


def iids(answer):
    assert answer.status == 200, answer
    return [request["iid"] for request in answer.json]


NARROWED = [
    ({}, [3, 2, 1]),
    ({"sort": "asc"}, [1, 2, 3]),
    ({"order_by": "updated_at"}, [3, 2, 1]),
    ({"order_by": "title", "sort": "asc"}, [1, 3, 2]),
    ({"order_by": "merged_at"}, [3, 2, 1]),
    ({"state": "opened"}, [2, 1]),
    ({"state": "closed"}, [3]),
    ({"state": "merged"}, []),
    ({"state": "locked"}, []),
    ({"labels": "bug"}, [2, 1]),
    ({"labels": "bug,new"}, [2]),
    ({"labels": "None"}, [3]),
    ({"labels": "Any"}, [2, 1]),
    ({"milestone": "Soon"}, [1]),
    ({"milestone": "None"}, [3, 2]),
    ({"milestone": "Any"}, [1]),
    ({"milestone": "unknown"}, []),
    ({"search": "apple"}, [1]),
    ({"search": "apple", "in": "title"}, []),
    ({"wip": "yes"}, [2]),
    ({"draft": "false"}, [3, 1]),
    ({"source_branch": "second"}, [2]),
    ({"target_branch": "topic"}, [3]),
    ({"author_username": "{owner.username}"}, [2]),
    ({"author_id": "{owner.id}"}, [2]),
    ({"author_id": 10**9}, []),
    ({"assignee_id": "{reporter.id}"}, [1]),
    ({"assignee_id": 0}, [3, 2]),
    ({"assignee_id": "Any"}, [1]),
    ({"assignee_username": "{reporter.username}"}, [1]),
    ({"reviewer_id": "{master.id}"}, [2]),
    ({"reviewer_username": "{master.username}"}, [2]),
    ({"iids": [1, 3]}, [3, 1]),
    ({"created_after": "2999-01-01"}, []),
    ({"created_before": "2999-01-01", "updated_after": "2000-01-01"}, [3, 2, 1]),
    ({"my_reaction_emoji": "thumbsup"}, []),
    ({"scope": "created_by_me"}, [3, 1]),
    ({"scope": "all", "state": "opened", "labels": "new"}, [2]),
    ({"page": 2, "per_page": 2}, [1]),
]


def test_lists_are_narrowed(cast, requests):
    for query, found in NARROWED:
        bound = {key: value.format_map(cast.names) if isinstance(value, str) else value for key, value in query.items()}
        assert iids(cast.developer.get(requests.requests, **bound)) == found, query


def test_the_group_and_the_whole_instance_have_lists(cast, requests):
    assert iids(cast.developer.get("/merge_requests")) == [3, 1]
    assert iids(cast.developer.get("/merge_requests", scope="all")) == [3, 2, 1]
    assert iids(cast.reporter.get("/merge_requests", scope="assigned-to-me")) == [1]
    assert iids(cast.master.get("/merge_requests", scope="reviews_for_me")) == [2]
    assert iids(cast.stranger.get("/merge_requests")) == []
    assert iids(cast.anonymous.get("/merge_requests", scope="all")) == [3, 2, 1]
    assert cast.anonymous.get("/merge_requests").status == 401
    assert iids(cast.owner.get(f"/groups/{cast.company.id}/merge_requests")) == [3, 2, 1]
    assert cast.stranger.get(f"/groups/{cast.team.id}/merge_requests").status in (200, 404)
    assert cast.developer.get(requests.requests, state="other").status == 400


def test_milestones_list_their_requests(cast, requests):
    path = f"{requests.path}/milestones/{requests.milestone['id']}/merge_requests"
    assert iids(cast.reporter.get(path)) == [1]
    shared = cast.owner.post(f"/groups/{cast.team.id}/milestones", title="Shared").json
    cast.developer.put(f"{requests.requests}/2", milestone_id=shared["id"])
    assert iids(cast.owner.get(f"/groups/{cast.team.id}/milestones/{shared['id']}/merge_requests")) == [2]
    assert cast.owner.get(f"{requests.path}/milestones/{10**9}/merge_requests").status == 404


def test_lists_have_the_fields_of_today_and_the_simple_view_few(cast, requests):
    for request in cast.anonymous.get(requests.requests).json:
        assert request.keys() == IN_LISTS
    for request in cast.anonymous.get(requests.requests, view="simple").json:
        assert request.keys() == {
            "id", "iid", "project_id", "title", "description", "state", "created_at", "updated_at", "web_url",
        }  # fmt: skip


def test_a_private_project_hides_its_requests_from_guests(cast, requests):
    cast.owner.put(requests.path, visibility="private")
    everywhere = [requests.requests, "/merge_requests?scope=all", f"/groups/{cast.company.id}/merge_requests"]
    assert cast.guest.get(requests.requests).status == 403
    assert cast.guest.get(f"{requests.requests}/1").status == 403
    assert cast.guest.get(f"{requests.requests}/99").status == 403
    assert cast.reporter.get(f"{requests.requests}/99").json == {"message": "404 Merge Request Not Found"}
    assert iids(cast.guest.get(everywhere[1])) == []
    assert iids(cast.guest.get(everywhere[2])) == []
    assert cast.stranger.get(requests.requests).json == {"message": "404 Project Not Found"}
    assert iids(cast.reporter.get(everywhere[1])) == [3, 2, 1]


def test_authors_read_their_own_request_whatever_their_level(cast, requests):
    cast.owner.put(f"{requests.path}/members/{cast.developer.id}", access_level=30)
    cast.owner.put(requests.path, visibility="private")
    membership = f"/groups/{cast.team.id}/members/{cast.developer.id}"
    cast.owner.delete(membership)
    cast.owner.put(f"{requests.path}/members/{cast.developer.id}", access_level=10)
    assert cast.developer.get(requests.requests).status == 403
    assert cast.developer.get(f"{requests.requests}/1").status == 200
    assert cast.developer.get(f"{requests.requests}/2").status == 403
    assert iids(cast.developer.get("/merge_requests", scope="all")) == [3, 1]
