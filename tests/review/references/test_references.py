"""`!1` in texts and commits, and what the two ends of a reference say."""

import pytest


@pytest.fixture
def pair(cast, code):
    """The project with an issue and two requests; each of them has the number 1 or 2."""
    cast.reporter.post(f"{code.path}/issues", title="Issue")
    code.branch("second", second="x")
    code.open(title="One")
    code.open(title="Two", source_branch="second")
    return code


def said(person, path):
    """The system notes about references, the oldest first; the total counts them too."""
    answer = person.get(f"{path}/notes", sort="asc")
    assert answer.headers["X-Total"] == str(len(answer.json))
    return [note["body"] for note in answer.json if note["system"] and note["body"].startswith(("mentioned", "closed"))]


def test_each_end_names_the_other_once(cast, pair):
    code = pair
    issue, one, two = f"{code.path}/issues/1", f"{code.requests}/1", f"{code.requests}/2"
    cast.developer.put(one, description="See #1, #1 and !2, not !1 or `!2`")
    cast.developer.put(one, title="One for #1")
    cast.reporter.post(f"{one}/notes", body="again #1 and !2")
    cast.reporter.post(f"{issue}/notes", body="as in !1")
    cast.reporter.put(issue, description=f"{code.project['path_with_namespace']}!1 or code!2")
    assert said(cast.reporter, issue) == ["mentioned in merge request !1"]
    assert said(cast.reporter, one) == ["mentioned in issue #1"]
    assert said(cast.reporter, two) == ["mentioned in merge request !1", "mentioned in issue #1"]
    made = cast.reporter.get(f"{two}/notes", sort="asc").json[0]
    assert (made["author"]["username"], made["noteable_type"]) == ("developer", "MergeRequest")


def test_another_project_is_named_by_its_path(cast, pair):
    code = pair
    path = code.project["path_with_namespace"]
    there = f"/projects/{cast.public.id}/issues/{cast.open}"
    cast.developer.post(f"{code.requests}/1/notes", body=f"{cast.public.path}#{cast.open}")
    assert said(cast.reporter, there) == [f"mentioned in merge request {path}!1"]
    cast.reporter.post(f"{there}/notes", body=f"http://mujina.test/{path}/merge_requests/2#note_3")
    assert said(cast.reporter, f"{code.requests}/2") == [f"mentioned in issue {cast.public.path}#{cast.open}"]


def test_commits_are_noted_on_other_requests_only(cast, pair):
    code = pair
    own = code.commit("topic", message="Part of !1, needs !2", more="x")
    assert said(cast.reporter, f"{code.requests}/1") == []
    assert said(cast.reporter, f"{code.requests}/2") == [f"mentioned in commit {own}"]
    other = code.commit(message="After !1", other="x")
    assert said(cast.reporter, f"{code.requests}/1") == [f"mentioned in commit {other}"]
    assert cast.master.put(f"{code.requests}/1/merge").json["merge_commit_sha"]
    assert said(cast.reporter, f"{code.requests}/1") == [f"mentioned in commit {other}"]
    assert said(cast.reporter, f"{code.requests}/2") == [f"mentioned in commit {own}"]


def test_the_issue_says_what_closed_it(cast, pair):
    code = pair
    cast.developer.put(f"{code.requests}/1", description="Closes #1")
    cast.master.put(f"{code.requests}/1/merge")
    issue = f"{code.path}/issues/1"
    assert said(cast.reporter, issue) == ["mentioned in merge request !1", "closed via merge request !1"]
    [closed] = [note for note in cast.reporter.get(f"{issue}/notes").json if note["body"].startswith("closed")]
    assert closed["author"]["username"] == "master"


def test_those_who_may_not_read_the_request_see_no_trace_of_it(cast, pair):
    code = pair
    there = f"/projects/{cast.public.id}/issues/{cast.open}"
    cast.developer.put(f"{code.requests}/1", description=f"Closes {cast.public.path}#{cast.open}")
    cast.owner.put(code.path, visibility="private")
    cast.master.put(f"{code.requests}/1/merge")
    path = code.project["path_with_namespace"]
    assert said(cast.reporter, there) == [
        f"mentioned in merge request {path}!1",
        f"closed via merge request {path}!1",
    ]
    for outsider in (cast.stranger, cast.guest):
        assert said(outsider, there) == []
        assert outsider.get(there).json["state"] == "closed"
        assert path not in str(outsider.get(f"{there}/discussions").json)
    names = [user["username"] for user in cast.stranger.get(f"{there}/participants").json]
    assert not {"developer", "master"} & {*names}
    assert cast.stranger.get(f"{there}/closed_by").json == []


def test_a_name_in_a_request_makes_a_participant_and_a_todo(cast, pair):
    code = pair
    cast.developer.put(f"{code.requests}/1", description="@reporter, what do you think?")
    [todo] = cast.reporter.get("/todos").json
    assert (todo["action_name"], todo["target_type"], todo["target"]["iid"]) == (
        "directly_addressed",
        "MergeRequest",
        1,
    )
    assert "reporter" in [user["username"] for user in cast.guest.get(f"{code.requests}/1/participants").json]
