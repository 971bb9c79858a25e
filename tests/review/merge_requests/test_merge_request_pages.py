"""The pages of merge requests: what they show to whom, and what their forms do."""

import re
from dataclasses import replace
from urllib.parse import urlencode

import pytest

from tests.harness.statements import statements

one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
"""The statements of these pages run on both engines elsewhere; what the pages say is the same."""


@pytest.fixture
def place(code):
    return f"/{code.project['path_with_namespace']}/merge_requests"


def state(code, iid=1):
    return code.cast.owner.get(f"{code.requests}/{iid}").json


def new_page(place, branch, **more):
    """The form that proposes a branch, as the link that a push prints."""
    fields = {"source_branch": branch, **more}
    return f"{place}/new?" + urlencode({f"merge_request[{name}]": value for name, value in fields.items()})


@pytest.fixture
def proposed(code, cast):
    """A request from topic to master that closes an issue, whose number it is."""
    issue = cast.owner.post(f"{code.path}/issues", title="The leak").json["iid"]
    assert code.open(description=f"Closes #{issue}", reviewer_ids=[cast.reporter.id]).status == 201
    return issue


def test_the_form_of_a_new_request_describes_the_branch(browse, code, place):
    developer = browse("developer")
    assert "Propose changes with a merge request." in developer.open(place).text
    assert "Compare branches and continue" in developer.open(f"{place}/new").text
    page = developer.open(new_page(place, "topic")).text
    for words in ("1 commit", 'value="work"', "topic", "Create merge request"):
        assert words in page, words
    assert "does not exist" in developer.open(new_page(place, "nothing")).text
    assert "You must select different branches" in developer.open(new_page(place, "master")).text


def test_a_request_is_proposed(browse, code, cast, place):
    developer = browse("developer")
    developer.open(new_page(place, "topic"))
    fields = {"source_branch": "topic", "target_branch": "master", "description": "**at once**"}
    refused = developer.send(place, merge_request={**fields, "title": "", "assignees": "nobody-here"})
    assert (refused.status, "**at once**" in refused.text) == (422, True)
    refused = developer.send(place, merge_request={**fields, "title": "x", "reviewers": "nobody-here"})
    assert (refused.status, 'id="merge_request_reviewers-problem"' in refused.text) == (422, True)
    people = {"assignees": cast.master.username, "reviewers": cast.reporter.username}
    made = developer.send(
        place, merge_request={**fields, **people, "title": "Stop the <leak>", "draft": "true", "labels": "wet"}
    )
    assert (made.status, made.headers["Location"]) == (303, f"{place}/1")
    page = developer.open(f"{place}/1").text
    for words in ("Stop the &lt;leak&gt;", "<strong>at once</strong>", "wet", cast.master.name, "Draft"):
        assert words in page, words
    assert "Remove draft status first" in page
    assert [each["username"] for each in state(code)["reviewers"]] == [cast.reporter.username]
    row = developer.open(place).text
    assert ("Stop the &lt;leak&gt;" in row, "WIP" in row) == (True, False)


def test_tasks_of_the_description_are_ticked(browse, code, place):
    code.open(description="1. [ ] one\n2. [X] two")
    developer = browse("developer")
    digest = re.search(r'name="digest" value="(\w+)"', developer.open(f"{place}/1").text)[1]
    assert developer.send(f"{place}/1/tasks", tasks=["1", "2"], digest=digest).status == 303
    assert state(code)["description"].endswith("1. [x] one\n2. [X] two")


@pytest.mark.usefixtures("proposed")
def test_reviewers_filter_the_list_and_are_edited(browse, code, cast, place):
    developer = browse("developer")
    assert developer.open(place, reviewer_username=cast.reporter.username).text.count('class="row"') == 1
    assert "No merge requests match" in developer.open(place, reviewer_username=cast.master.username).text
    assert "merge_request_reviewers" in developer.open(f"{place}/1/edit", field="reviewers").text
    assert developer.send(f"{place}/1", merge_request={"reviewers": ""}).status == 303
    assert state(code)["reviewers"] == []


def test_parts_of_the_page_are_fetched_alone(browse, code, place):
    code.open(title="WIP: Second")
    developer, master = browse("developer"), browse("master")
    developer.open(f"{place}/1")
    assert developer.send(f"{place}/1/ready").status == 303
    assert developer.send(f"{place}/1/notes", body="It **drips**", thread="true").status == 303
    page = master.open(f"{place}/1").text
    shown = [words in page for words in ("<strong>drips</strong>", "Resolve thread", "Ready to be merged.", "Squash")]
    assert shown == [True, True, True, False]
    for path, part in (("/1", "discussion"), ("/1", "awards"), ("/1", "facts"), ("", "merge_requests")):
        fragment = replace(master, headers={"hx-request": "true", "hx-target": part}).open(place + path)
        assert (fragment.status, f'id="{part}"' in fragment.text, "<html" in fragment.text) == (200, True, False), part
        assert ('id="merge"' in fragment.text) == (part == "discussion")


def test_a_request_is_merged_at_the_head_that_was_shown(browse, code, cast, place, proposed):
    reporter, master = browse("reporter"), browse("master")
    assert "someone who may push to master" in reporter.open(f"{place}/1").text
    assert reporter.send(f"{place}/1/merge", sha=code.topic).status == 403
    master.open(f"{place}/1")
    stale = master.send(f"{place}/1/merge", sha="0" * 40)
    assert (stale.status, "The source branch has new commits." in stale.text) == (409, True)
    merged = master.send(f"{place}/1/merge", sha=code.topic, should_remove_source_branch="false")
    assert merged.status == 303, merged.text
    assert "Merged by" in master.open(f"{place}/1").text
    assert state(code)["state"] == "merged"
    assert cast.owner.get(f"{code.path}/issues/{proposed}").json["state"] == "closed"
    assert master.send(f"{place}/1/merge", sha=code.topic).status == 422


@one_engine
def test_the_panel_names_conflicts(browse, code, place):
    code.commit(message="Other", topic="another text\n")
    code.open()
    developer = browse("developer")
    page = developer.open(f"{place}/1").text
    assert ("There are merge conflicts." in page, "<li>topic</li>" in page) == (True, True)
    page = developer.open(f"{place}/1/conflicts").text
    assert ("git checkout topic" in page, "Files in conflict" in page) == (True, True)


@one_engine
def test_a_request_is_closed_and_reopened(browse, code, place):
    code.open()
    developer = browse("developer")
    developer.open(f"{place}/1")
    assert developer.send(f"{place}/1/close").status == 303
    page = developer.open(f"{place}/1").text
    assert ("Closed by" in page, "Reopen" in page) == (True, True)
    assert developer.send(f"{place}/1/reopen").status == 303


@one_engine
def test_a_request_is_approved_at_the_head_that_was_shown(browse, code, cast, place):
    code.open()
    cast.owner.put(code.path, approvals_before_merge=1)
    developer, master = browse("developer"), browse("master")
    assert "1 more approval is needed" in developer.open(f"{place}/1").text
    master.open(f"{place}/1")
    assert master.send(f"{place}/1/approve", sha="0" * 40).status == 409
    assert master.send(f"{place}/1/approve").status == 303
    assert "1 of 1" in master.open(f"{place}/1").text
    assert master.send(f"{place}/1/unapprove").status == 303
    assert developer.send(f"{place}/1/approve").status == 403


def test_an_approval_that_is_given_or_revoked_twice_stays_as_it_is(browse, code, cast, place):
    code.open()
    master, approvals = browse("master"), f"{code.requests}/1/approvals"
    master.open(f"{place}/1")
    for verb, given in (("approve", 1), ("unapprove", 0)):
        assert [master.send(f"{place}/1/{verb}").status for _ in range(2)] == [303, 303]
        assert len(cast.owner.get(approvals).json["approved_by"]) == given


@one_engine
def test_a_button_that_comes_too_late_is_refused_in_words(browse, code, cast, place):
    code.open()
    master = browse("master")
    for verb in ("rebase", "cancel_merge"):
        master.open(f"{place}/1")
        cast.owner.put(f"{code.requests}/1", state_event="close")
        refused = master.send(f"{place}/1/{verb}")
        shown = (refused.status, "be done now" in refused.text, "Method Not Allowed" in refused.text)
        assert shown == (422, True, False)


@one_engine
def test_the_page_of_a_closed_request_says_why_it_is_not_approved(browse, code, cast, place):
    code.open()
    master = browse("master")
    master.open(f"{place}/1")
    cast.owner.put(f"{code.requests}/1", state_event="close")
    refused = master.send(f"{place}/1/approve")
    assert (refused.status, "Only open merge requests can be approved." in refused.text) == (422, True)


@one_engine
def test_an_approval_that_cannot_be_revoked_is_not_reported_as_revoked(browse, code, cast, place):
    code.open()
    cast.owner.put(code.path, approvals_before_merge=1)
    master, developer = browse("master"), browse("developer")
    developer.open(f"{place}/1")
    told = developer.send(f"{place}/1/unapprove").headers["Set-Cookie"]
    developer.headers["cookie"] = (
        f"_service_session={developer.cookie}; _service_flash={told.split('_service_flash=')[1]}"
    )
    assert "This merge request has no approval of yours." in developer.open(f"{place}/1").text
    master.open(f"{place}/1")
    assert master.send(f"{place}/1/approve").status == 303
    cast.owner.put(f"{code.requests}/1", state_event="close")
    refused = master.send(f"{place}/1/unapprove")
    assert (refused.status, "Only approvals of open merge requests can be revoked." in refused.text) == (422, True)
    cast.owner.post(f"{code.path}/archive")
    assert [master.send(f"{place}/1/{verb}").status for verb in ("approve", "unapprove")] == [403, 403]


@one_engine
def test_buttons_change_a_request(browse, code, cast, place):
    code.open()
    developer = browse("developer")
    developer.open(f"{place}/1")
    for verb, key, value in (
        ("lock", "discussion_locked", True), ("unlock", "discussion_locked", False), ("draft", "draft", True),
        ("unsubscribe", "subscribed", False), ("subscribe", "subscribed", True),
    ):  # fmt: skip
        assert developer.send(f"{place}/1/{verb}").status == 303, verb
        assert cast.developer.get(f"{code.requests}/1").json[key] is value, verb
    assert developer.send(f"{place}/1/time", estimate="2h", spent="30m").status == 303
    assert developer.send(f"{place}/1/todo").status == 303
    assert developer.send(f"{place}/1/react", name="tada").status == 303
    page = developer.open(f"{place}/1").text
    assert ("30m spent, 2h estimated" in page, "🎉 1" in page) == (True, True)


@one_engine
def test_a_request_is_edited_and_deleted(browse, code, place):
    code.branch("second", second="x\n")
    code.open(source_branch="second", title="WIP: x")
    developer, owner = browse("developer"), browse("owner")
    developer.open(f"{place}/1")
    edited = {"title": "New title", "draft": "false", "squash": "true", "target_branch": "topic"}
    assert developer.send(f"{place}/1", merge_request=edited).status == 303
    found = state(code)
    assert [found[name] for name in edited] == ["New title", False, True, "topic"]
    assert developer.send(f"{place}/1/delete").status == 403
    assert owner.open(f"{place}/1/edit").status == 200
    assert owner.send(f"{place}/1/delete").status == 303
    assert owner.open(f"{place}/1").status == 404


@one_engine
def test_a_fork_proposes_to_its_source(browse, code, fork, cast, place):
    fork.commit("fix", start_branch="master", person=cast.stranger, message="Fix it", fix="x\n")
    stranger, source = browse("stranger"), f"/{fork.project['path_with_namespace']}/merge_requests"
    page = stranger.open(new_page(source, "fix")).text
    assert (f"{code.project['path_with_namespace']}:master" in page, "Fix it" in page) == (True, True)
    page = stranger.open(new_page(source, "fix", target_project_id=fork.id, target_branch="master")).text
    assert f"{code.project['path_with_namespace']}:master" not in page
    moved = browse("owner").open(f"{place}/new", **{"merge_request[source_project_id]": fork.id})
    assert (moved.status, "Compare branches" in moved.text) == (200, True)
    fields = {"source_branch": "fix", "target_branch": "master", "target_project_id": code.id, "title": "Fix"}
    made = stranger.send(source, merge_request={**fields, "labels": "ignored"})
    assert (made.status, made.headers["Location"]) == (303, f"{place}/1")
    assert stranger.send(source, merge_request=fields).status == 409


@one_engine
def test_a_private_fork_is_not_named(browse, code, fork, cast, place):
    fork.commit("fix", start_branch="master", person=cast.stranger, message="Fix it", fix="x\n")
    assert fork.open(cast.stranger, source_branch="fix", target_project_id=code.id).status == 201
    assert f"{fork.project['path_with_namespace']}:fix" in browse("guest").open(f"{place}/1").text
    cast.stranger.put(fork.path, visibility="private")
    page = browse("guest").open(f"{place}/1").text
    assert (fork.project["path_with_namespace"] in page, "fix" in page) == (False, True)
    cast.stranger.post(f"{fork.path}/statuses/{state(code)['sha']}", state="canceled", ref="fix")
    # Its pipelines are those of the fork.
    assert ["canceled" in browse(name).open(place).text for name in ("stranger", "owner")] == [True, False]


@one_engine
def test_merging_waits_for_a_pipeline_until_it_is_canceled(browse, code, cast, place):
    master = browse("master")
    cast.owner.put(code.path, only_allow_merge_if_pipeline_succeeds=True)
    code.open()
    cast.owner.post(f"{code.path}/statuses/{code.topic}", state="running", ref="topic")
    page = master.open(f"{place}/1").text
    assert ("The pipeline is running." in page, "Merge when pipeline succeeds" in page) == (True, True)
    assert master.send(f"{place}/1/merge", sha=code.topic, merge_when_pipeline_succeeds="true").status == 303
    assert "set this to be merged automatically" in master.open(f"{place}/1").text
    assert browse("reporter").send(f"{place}/1/cancel_merge").status in (403, 422)
    assert master.send(f"{place}/1/cancel_merge").status == 303
    cast.owner.post(f"{code.path}/statuses/{code.topic}", state="failed", ref="topic")
    assert "The pipeline must succeed" in master.open(f"{place}/1").text


@one_engine
def test_the_panel_asks_to_resolve_threads_and_to_rebase(browse, code, cast, place):
    master = browse("master")
    code.open()
    cast.owner.put(code.path, only_allow_merge_if_all_discussions_are_resolved=True)
    cast.owner.post(f"{code.requests}/1/discussions", body="Open?")
    assert "Resolve all threads before merging." in master.open(f"{place}/1").text
    cast.owner.put(code.path, only_allow_merge_if_all_discussions_are_resolved=False, merge_method="ff")
    code.commit(message="Ahead", ahead="x\n")
    page = master.open(f"{place}/1").text
    assert ("rebase it first" in page, "Rebase source branch" in page) == (True, True)
    assert master.send(f"{place}/1/rebase").status == 303
    assert "Ready to be merged." in master.open(f"{place}/1").text


@pytest.fixture
def merged(code, cast):
    """A request that is merged, and a branch `old` beside it."""
    code.open()
    code.commit("old", start_branch="master", message="Old", old="x\n")
    assert cast.master.put(f"{code.requests}/1/merge", should_remove_source_branch=False).status == 200
    return state(code)


@one_engine
def test_an_open_request_is_not_picked(browse, code, place):
    code.open()
    master = browse("master")
    master.open(f"{place}/1")
    assert master.send(f"{place}/1/cherry_pick", branch="topic").status == 422


@one_engine
@pytest.mark.usefixtures("merged")
def test_a_merged_request_is_picked_into_another_branch(browse, place):
    master = browse("master")
    master.open(f"{place}/1")
    picked = master.send(f"{place}/1/cherry_pick", branch="old")
    assert (picked.status, "/commit/" in picked.headers["Location"]) == (303, True)


@one_engine
@pytest.mark.usefixtures("merged")
def test_a_mistyped_branch_is_named_by_the_form_that_repeats_a_merge(browse, place):
    master = browse("master")
    for verb, field in (("cherry_pick", "branch"), ("revert", "revert_branch")):
        master.open(f"{place}/1")
        refused = master.send(f"{place}/1/{verb}", **{field: "nowhere"})
        shown = (refused.status, "does not exist" in refused.text, 'value="nowhere"' in refused.text)
        assert shown == (422, True, True)


@one_engine
def test_a_merge_is_reverted_once_by_those_who_may_push(browse, code, cast, place, merged):
    master, reporter = browse("master"), browse("reporter")
    assert ["Revert on branch" in each.open(f"{place}/1").text for each in (master, reporter)] == [True, False]
    assert reporter.send(f"{place}/1/revert", revert_branch="master").status == 403
    reverted = master.send(f"{place}/1/revert", revert_branch="master")
    assert (reverted.status, code.tip() in reverted.headers["Location"]) == (303, True)
    merge = merged["merge_commit_sha"]
    commit = cast.owner.get(f"{code.path}/repository/commits/{code.tip()}").json
    assert commit["message"].endswith(f"\n\nThis reverts commit {merge}")
    assert commit["title"].startswith("Revert \"Merge branch '")
    before = cast.owner.get(f"{code.path}/repository/commits/{merge}").json["parent_ids"][0]
    compared = cast.owner.get(f"{code.path}/repository/compare", **{"from": before, "to": "master"}).json
    assert compared["diffs"] == []
    again = master.send(f"{place}/1/revert", revert_branch="master")
    assert (again.status, "cannot revert this commit" in again.text) == (422, True)


@one_engine
@pytest.mark.usefixtures("merged")
def test_a_merge_is_reverted_on_a_new_branch_by_those_who_may_not_push_to_the_target(browse, code, cast, place):
    cast.owner.post(f"{code.path}/protected_branches", name="master", push_access_level=40)
    developer, before = browse("developer"), code.tip()
    page = developer.open(f"{place}/1").text
    assert "You may not push to master: this creates a branch that starts there." in page
    branch, start = developer.field("revert_branch"), developer.field("start_branch")
    assert (branch, start) == ("developer-patch-1", "master")
    refused = developer.send(f"{place}/1/revert", revert_branch="a b", start_branch=start)
    assert (refused.status, "Branch name is invalid" in refused.text) == (422, True)
    form = {"revert_branch": branch, "start_branch": start, "start_merge_request": "true"}
    reverted = developer.send(f"{place}/1/revert", **form)
    assert (reverted.status, "/merge_requests/new?" in reverted.headers["Location"]) == (303, True)
    commit = cast.owner.get(f"{code.path}/repository/commits/{branch}").json
    assert (commit["parent_ids"], code.tip(), commit["title"][:6]) == ([before], before, "Revert")
    developer.open(f"{place}/1")
    assert developer.field("revert_branch") == "developer-patch-2"
    assert 'name="start_branch"' not in browse("master").open(f"{place}/1").text


def test_a_request_with_everything_costs_few_statements(browse, code, cast, place, database):
    cast.owner.put(code.path, approvals_before_merge=2)
    issue = cast.owner.post(f"{code.path}/issues", title="The leak").json["iid"]
    milestone = cast.owner.post(f"{code.path}/milestones", title="m").json["id"]
    code.open(labels="wet", description=f"See #{issue}", milestone_id=milestone, assignee_id=cast.master.id)
    cast.owner.post(f"{code.path}/issues/{issue}/notes", body="see !1")
    cast.master.post(f"{code.requests}/1/approve")
    for path in ("discussions", "notes"):
        cast.owner.post(f"{code.requests}/1/{path}", body=f"See #{issue} @{cast.master.username}")
    cast.owner.post(f"{code.path}/statuses/{code.topic}", state="running", ref="topic")
    cast.owner.post(f"{code.requests}/1/award_emoji", name="tada")
    owner = browse("owner")
    owner.open(f"{place}/1")
    new = "/new?merge_request%5Bsource_branch%5D=topic"
    for path, most in {"": 12, "/1": 19, "/1/diffs": 14, "/1/commits": 11, "/1/edit": 10, new: 9}.items():
        with statements(database) as used:
            assert owner.open(place + path).status == 200, path
        assert used.count <= most, path


def test_comments_on_commits_of_a_request_are_shown_on_its_page_alone(browse, code, fork, cast, place):
    code.open()
    stranger = cast.stranger
    assert "Comments on commits" not in browse("guest").open(f"{place}/1").text
    comment = {"note": "Look **here**", "path": "topic", "line": 1, "line_type": "new"}
    assert cast.developer.post(f"{code.path}/repository/commits/{code.topic}/comments", **comment).status == 201
    assert cast.developer.post(f"{code.path}/repository/commits/{code.first}/comments", note="Elsewhere").status == 201
    page = browse("guest").open(f"{place}/1").text
    for words in ("Comments on commits", "<strong>here</strong>", f"/commit/{code.topic}#note_", "topic, line 1"):
        assert words in page, words
    assert "Elsewhere" not in page
    assert cast.guest.get(f"{code.requests}/1/notes").json == []
    # Those of a fork are for those who read its code.
    head = fork.commit("fix", start_branch="master", person=stranger, message="Fix it", fix="x\n")
    assert fork.open(stranger, source_branch="fix", target_project_id=code.id).status == 201
    assert stranger.post(f"{fork.path}/repository/commits/{head}/comments", note="From the fork").status == 201
    assert "From the fork" in browse("guest").open(f"{place}/2").text
    assert stranger.put(fork.path, visibility="private").status == 200
    shown = [("From the fork" in browse(name).open(f"{place}/2").text) for name in ("guest", "stranger")]
    assert shown == [False, True]


@one_engine
def test_a_form_names_the_people_who_may_not_be_assigned(browse, code, cast, place):
    assert cast.owner.put(code.path, visibility="private").status == 200
    developer, reason = browse("developer"), "“stranger” has no access to this project."
    fields = {"source_branch": "topic", "target_branch": "master", "title": "x"}
    for people in ({"assignees": "stranger"}, {"reviewers": "@stranger"}):
        developer.open(f"{place}/new?merge_request%5Bsource_branch%5D=topic")
        refused = developer.send(place, merge_request={**fields, **people})
        assert (refused.status, reason in refused.text) == (422, True)
    assert cast.owner.get(code.requests).json == []
    assert developer.send(place, merge_request=fields).status == 303
    developer.open(f"{place}/1/edit")
    refused = developer.send(f"{place}/1", merge_request={"title": "y", "reviewers": "stranger"})
    assert (refused.status, reason in refused.text, state(code)["title"]) == (422, True, "x")
