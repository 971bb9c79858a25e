"""What a merge request closes: `closes_issues`, `closed_by`, and what becomes of the issues when it is merged."""

import pytest

from tests.harness.creation import make_project

SUMMARY = {
    "id", "iid", "project_id", "title", "description", "state", "created_at", "updated_at", "target_branch",
    "source_branch", "upvotes", "downvotes", "author", "assignee", "source_project_id", "target_project_id", "labels",
    "work_in_progress", "milestone", "merge_when_pipeline_succeeds", "merge_status", "sha", "merge_commit_sha",
    "user_notes_count", "should_remove_source_branch", "force_remove_source_branch", "web_url", "time_stats",
}  # fmt: skip


@pytest.fixture
def planned(cast, code):
    """The project with four issues; the last is confidential."""
    code.issues = f"{code.path}/issues"
    for number in range(1, 4):
        cast.reporter.post(code.issues, title=f"Issue {number}")
    cast.reporter.post(code.issues, title="Secret", confidential=True)
    return code


def iids(answer):
    assert answer.status == 200, answer
    assert answer.headers["X-Total"] == str(len(answer.json))
    return [each["iid"] for each in answer.json]


def closing(code, person, number=1):
    """The issues that the request closes, and the requests that close each issue."""
    requests = [iids(person.get(f"{code.issues}/{issue}/closed_by")) for issue in range(1, 4)]
    return iids(person.get(f"{code.requests}/{number}/closes_issues")), requests


def states(code):
    return [code.cast.owner.get(f"{code.issues}/{issue}").json["state"] for issue in range(1, 5)]


def test_closed_by_follows_the_texts_the_commits_and_the_target(cast, planned):
    code, person = planned, cast.reporter
    code.open(title="Fix #1", description="closes #2 and mentions #3")
    assert closing(code, person) == ([1, 2], [[1], [1], []])
    cast.developer.put(f"{code.requests}/1", description="now closes #3", title="None")
    assert closing(code, person) == ([3], [[], [], [1]])
    code.commit("topic", message="Fixes #2", more="x")
    assert closing(code, person) == ([2, 3], [[], [1], [1]])
    code.branch("base", base="x")
    cast.developer.put(f"{code.requests}/1", target_branch="base")
    assert closing(code, person) == ([], [[], [], []])
    cast.owner.put(code.path, default_branch="base")
    assert closing(code, person) == ([2, 3], [[], [1], [1]])
    cast.developer.put(f"{code.requests}/1", state_event="close")
    code.branch("second", message="closes #3", second="x")
    code.open(source_branch="second", target_branch="base")
    assert closing(code, person) == ([2, 3], [[], [1], [2, 1]])
    page = person.get(f"{code.issues}/3/closed_by", per_page=1, page=2)
    assert ([each["iid"] for each in page.json], page.headers["X-Total"]) == ([1], "2")
    assert page.json[0].keys() == SUMMARY
    assert page.json[0]["state"] == "closed"


def test_closed_by_hides_requests_from_those_who_may_not_read_them(cast, planned):
    code = planned
    code.open(description="closes #1 and #4")
    assert iids(cast.stranger.get(f"{code.requests}/1/closes_issues")) == [1]
    assert iids(cast.anonymous.get(f"{code.requests}/1/closes_issues")) == [1]
    assert iids(cast.reporter.get(f"{code.requests}/1/closes_issues")) == [1, 4]
    assert cast.anonymous.get(f"{code.issues}/1/closed_by").status == 401
    assert cast.stranger.get(f"{code.issues}/4/closed_by").json == {"message": "404 Issue Not Found"}
    assert iids(cast.stranger.get(f"{code.issues}/1/closed_by")) == [1]
    cast.owner.put(code.path, visibility="private")
    assert iids(cast.guest.get(f"{code.issues}/1/closed_by")) == []
    assert cast.guest.get(f"{code.requests}/1/closes_issues").status == 403
    assert iids(cast.reporter.get(f"{code.issues}/4/closed_by")) == [1]
    assert cast.stranger.get(f"{code.issues}/1/closed_by").json == {"message": "404 Project Not Found"}
    cast.owner.put(code.path, merge_requests_enabled=False)
    assert iids(cast.owner.get(f"{code.issues}/1/closed_by")) == []


def test_an_issue_may_be_younger_than_the_request_that_closes_it(cast, planned):
    code = planned
    path = code.project["path_with_namespace"]
    # The request of the guest of the private project is about two issues that do not exist yet.
    code.open(cast.developer, description=f"Closes #5 and {path}#6, but not {cast.public.path}#7")
    fork = cast.stranger.post(f"{code.path}/fork").json
    cast.stranger.post(
        f"/projects/{fork['id']}/merge_requests", title="Theirs", description="closes #5, #6", source_branch="topic",
        target_branch="master", target_project_id=code.id,
    )  # fmt: skip
    assert [cast.owner.post(code.issues, title=title, confidential=secret).json["iid"] for title, secret in (
        ("Five", False), ("Six", True), ("Seven", False)
    )] == [5, 6, 7]  # fmt: skip
    assert iids(cast.owner.get(f"{code.issues}/5/closed_by")) == [2, 1]
    # The stranger may not read it.
    assert iids(cast.owner.get(f"{code.issues}/6/closed_by")) == [1]
    assert iids(cast.owner.get(f"{code.issues}/7/closed_by")) == []
    assert iids(cast.developer.get(f"{code.requests}/1/closes_issues")) == [5, 6]
    assert iids(cast.stranger.get(f"{code.requests}/2/closes_issues")) == [5]
    cast.developer.put(f"{code.requests}/1", description="Closes #7")
    assert [iids(cast.owner.get(f"{code.issues}/{iid}/closed_by")) for iid in (5, 6, 7)] == [[2], [], [1]]


def test_merging_closes_the_issues_and_says_so(cast, planned):
    code = planned
    code.commit("topic", message="Resolves #2", more="x")
    public = f"/projects/{cast.public.id}/issues"
    other = cast.developer.post(public, title="Elsewhere").json["iid"]
    code.open(description=f"Closes #1, {cast.public.path}#{other} and #4. Not `#3`.")
    cast.owner.put(f"{code.issues}/2", state_event="close")
    merged = cast.master.put(f"{code.requests}/1/merge").json
    assert merged["state"] == "merged"
    assert states(code) == ["closed", "closed", "opened", "closed"]
    assert cast.developer.get(f"{public}/{other}").json["state"] == "closed"
    message = cast.developer.get(f"{code.path}/repository/commits/{merged['merge_commit_sha']}").json["message"]
    path = code.project["path_with_namespace"]
    assert message == (
        "Merge branch 'topic' into 'master'\n\nMerge me\n\n"
        f"Closes #1, #2, #4, and {cast.public.path}#{other}\n\nSee merge request {path}!1"
    )
    closed = [event for event in cast.master.get("/events", action="closed").json if event["target_type"] == "Issue"]
    assert sorted(event["target_title"] for event in closed) == ["Elsewhere", "Issue 1", "Secret"]
    assert iids(cast.developer.get(f"{code.issues}/1/closed_by")) == [1]


def test_issues_that_the_merger_may_not_see_stay_open_and_unnamed(cast, planned):
    code = planned
    theirs = make_project(cast.owner, "hidden", visibility="private")
    cast.owner.post(f"/projects/{theirs['id']}/issues", title="x")
    code.open(cast.owner, description=f"Closes {theirs['path_with_namespace']}#1")
    merged = cast.master.put(f"{code.requests}/1/merge").json
    message = cast.developer.get(f"{code.path}/repository/commits/{merged['merge_commit_sha']}").json["message"]
    assert "Closes" not in message
    assert cast.owner.get(f"/projects/{theirs['id']}/issues/1").json["state"] == "opened"


def test_only_the_default_branch_closes(cast, planned):
    code = planned
    code.branch("base", base="x")
    code.open(target_branch="base", description="Closes #1")
    merged = cast.master.put(f"{code.requests}/1/merge").json
    assert merged["state"] == "merged"
    message = cast.developer.get(f"{code.path}/repository/commits/{merged['merge_commit_sha']}").json["message"]
    assert "Closes" not in message
    assert states(code)[0] == "opened"


def test_a_merge_found_by_a_push_closes_too(cast, planned):
    code = planned
    code.open(description="Closes #1")
    cast.owner.post(f"{code.path}/repository/branches", branch="side", ref="topic")
    code.open(cast.owner, source_branch="side", title="Other", description="Closes #3")
    assert cast.owner.put(f"{code.requests}/2/merge").json["state"] == "merged"
    assert cast.owner.get(f"{code.requests}/1").json["state"] == "merged"
    assert states(code) == ["closed", "opened", "closed", "opened"]


def test_a_push_to_a_fork_changes_what_its_request_closes(cast, planned, fork):
    code = planned
    fork.commit("topic", person=cast.stranger, message="Fixes #1", more="x")
    fork.open(cast.stranger, target_project_id=code.id)
    assert closing(code, cast.reporter) == ([1], [[1], [], []])
    fork.commit("topic", person=cast.stranger, message="Fixes #2", again="x")
    assert closing(code, cast.reporter) == ([1, 2], [[1], [1], []])


def test_a_request_between_branches_of_a_fork_closes_nothing_of_its_upstream(cast, planned, fork):
    code = planned
    cast.stranger.put(fork.path, issues_enabled=True)
    cast.stranger.post(f"{fork.path}/issues", title="In the fork")
    text = f"Closes #1 and {code.project['path_with_namespace']}#1"
    fork.open(cast.stranger, description=text)
    assert [(issue["project_id"], issue["iid"]) for issue in cast.stranger.get(
        f"{fork.requests}/1/closes_issues").json] == [(fork.id, 1)]  # fmt: skip
    assert cast.stranger.put(f"{fork.requests}/1/merge").json["state"] == "merged"
    assert cast.stranger.get(f"{fork.path}/issues/1").json["state"] == "closed"
    assert states(code)[0] == "opened"
    assert iids(cast.owner.get(f"{code.issues}/1/closed_by")) == []


def test_requests_that_close_or_mention_an_issue_are_related_to_it(cast, planned):
    code = planned
    code.open(description="Closes #1, see #2")
    assert [iids(cast.reporter.get(f"{code.issues}/{issue}/related_merge_requests")) for issue in (1, 2, 3)] == [
        [1], [1], [],
    ]  # fmt: skip
    [found] = cast.reporter.get(f"{code.issues}/1/related_merge_requests").json
    assert found["references"]["short"] == "!1"
    assert cast.reporter.get(f"{code.issues}/99/related_merge_requests").json == {"message": "404 Issue Not Found"}
