"""Merge requests of a private fork leave no trace for those who may not read it."""

import pytest

SECRET = "zebra"


@pytest.fixture
def upstream(cast, code, fork):
    """A public project with an issue, and a private fork of it whose owner is a stranger to everybody else."""
    cast.reporter.post(f"{code.path}/issues", title="Issue")
    code.milestone = cast.owner.post(f"{code.path}/milestones", title="Soon").json["id"]
    cast.owner.post(f"{code.path}/labels", name="bug", color="#FF0000")
    assert cast.stranger.put(fork.path, visibility="private", issues_enabled=True).status == 200
    return code


def places(cast, code, fork):
    """Every place at which a request of the fork could show."""
    issue, group, path = f"{code.path}/issues/1", f"/groups/{cast.team.id}", code.project["path_with_namespace"]
    return [
        f"{issue}/closed_by", f"{issue}/notes", f"{issue}/discussions", f"{issue}/participants", issue,
        code.requests, f"{group}/merge_requests", "/merge_requests?scope=all", "/merge_requests?scope=all&state=opened",
        "/merge_requests?scope=all&view=simple", f"{code.path}/milestones/{code.milestone}/merge_requests",
        f"{code.path}/labels", f"{group}/labels", f"{code.path}/events", f"/users/{cast.stranger.id}/events", "/todos",
        f"/search?scope=merge_requests&search={SECRET}", f"/search?scope=notes&search={SECRET}",
        f"{group}/-/search?scope=merge_requests&search={SECRET}",
        f"{code.path}/-/search?scope=merge_requests&search={SECRET}", "/search?scope=merge_requests&search=!1",
        f"{code.path}/repository/commits/{code.first}/merge_requests",
        f"{code.path}/repository/commits/{code.topic}/merge_requests", f"{code.path}/repository/branches",
        f"{fork.requests}", f"{fork.requests}/1", f"/projects/{path.replace('/', '%2F')}/forks",
    ]  # fmt: skip


def seen(person, cast, code, fork):
    """What these places show to the person, and how much."""
    answers = [person.get(place) for place in places(cast, code, fork)]
    return [(answer.status, answer.headers.get("X-Total"), str(answer.body)) for answer in answers]


def test_a_request_between_branches_of_a_private_fork_shows_nowhere_else(cast, upstream, fork):
    code, people = upstream, (cast.owner, cast.developer, cast.guest, cast.anonymous)
    before = [seen(person, cast, code, fork) for person in people]
    path = code.project["path_with_namespace"]
    made = fork.open(
        cast.stranger, title=f"{SECRET} one", labels="bug",
        description=f"Closes {path}#1, see {path}#1 and {path}!1, @developer @owner",
    )  # fmt: skip
    assert made.status == 201
    cast.stranger.post(f"{fork.requests}/1/notes", body=f"{SECRET}: {path}#1, @developer")
    fork.commit("topic", person=cast.stranger, message=f"{SECRET} for {path}#1", more="x")
    # The owner of the fork sees the traces.
    notes = cast.stranger.get(f"{code.path}/issues/1/notes").json
    fork_path = fork.project["path_with_namespace"]
    assert f"mentioned in merge request {fork_path}!1" in [note["body"] for note in notes]
    assert SECRET in str(cast.stranger.get(f"/users/{cast.stranger.id}/events").body)
    assert cast.stranger.get(f"/search?scope=merge_requests&search={SECRET}").headers["X-Total"] == "1"
    assert [seen(person, cast, code, fork) for person in people] == before
    assert cast.stranger.put(f"{fork.requests}/1/merge").json["state"] == "merged"
    assert [seen(person, cast, code, fork) for person in people] == before


def test_a_request_from_a_private_fork_tells_nothing_of_the_fork_but_its_own_branch(cast, upstream, fork):
    code, fork_path = upstream, fork.project["path_with_namespace"]
    fork.commit("topic", person=cast.stranger, message="Fixes #1", forked="x")
    fork.commit("hidden", person=cast.stranger, message=SECRET, start_branch="topic", hidden="x")
    made = fork.open(cast.stranger, target_project_id=code.id, title="From a fork").json
    fork.commit("topic", person=cast.stranger, message="More", again="x")
    request = f"{code.requests}/{made['iid']}"
    places = [
        code.requests, request, f"{request}/commits", f"{request}/changes", f"{request}/diffs", f"{request}/versions",
        f"{request}/participants", f"{request}/closes_issues", f"{request}/pipelines", f"{request}/notes",
        f"{request}/discussions", f"{request}/approvals", f"{code.path}/issues/1/closed_by",
        f"{code.path}/issues/1/notes", f"{code.path}/events", "/merge_requests?scope=all",
        f"/users/{cast.stranger.id}/events", "/search?scope=merge_requests&search=fork",
    ]  # fmt: skip
    for person in (cast.owner, cast.developer, cast.guest, cast.anonymous):
        for place in places:
            answer = person.get(place)
            assert fork_path not in str(answer.body), (person, place, answer)
            assert SECRET not in str(answer.body), (person, place, answer)
    shown = cast.guest.get(request).json
    assert (shown["source_branch"], shown["source_project_id"]) == ("topic", fork.id)
    assert shown["sha"] == cast.stranger.get(f"{fork.path}/repository/branches/topic").json["commit"]["id"]
    assert [each["iid"] for each in cast.guest.get(f"{code.path}/issues/1/closed_by").json] == [made["iid"]]
    assert cast.owner.put(f"{request}/merge").json["state"] == "merged"
    assert cast.guest.get(f"{code.path}/issues/1").json["state"] == "closed"
    for place in places:
        assert fork_path not in str(cast.guest.get(place).body), place
