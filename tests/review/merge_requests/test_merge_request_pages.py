"""The pages of merge requests: what they show to whom, and what their forms do."""

import re
from dataclasses import replace

import pytest

from tests.harness.browsers import browser_of, counts_on_tabs
from tests.harness.statements import statements

one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
"""The statements of these pages run on both engines elsewhere; what the pages say is the same."""


@pytest.fixture
def browse(client, database, loop, cast):
    return lambda name: browser_of(getattr(cast, name), database, client)


@pytest.fixture
def place(code):
    return f"/{code.project['path_with_namespace']}/merge_requests"


def state(code, iid=1):
    return code.cast.owner.get(f"{code.requests}/{iid}").json


def test_a_request_is_proposed_read_discussed_and_merged(browse, code, cast, place):
    developer = browse("developer")
    assert "Propose changes with a merge request." in developer.open(place).text
    issue = cast.owner.post(f"{code.path}/issues", title="The leak").json["iid"]
    # The first step, by the link that a push prints, leads to the second.
    assert "Compare branches and continue" in developer.open(f"{place}/new").text
    page = developer.open(f"{place}/new?merge_request%5Bsource_branch%5D=topic").text
    for words in ("1 commit", 'value="work"', "topic", "Create merge request"):
        assert words in page, words
    assert "does not exist" in developer.open(f"{place}/new?merge_request%5Bsource_branch%5D=nothing").text
    assert (
        "You must select different branches"
        in developer.open(f"{place}/new?merge_request%5Bsource_branch%5D=master").text
    )
    fields = {"source_branch": "topic", "target_branch": "master", "description": f"Closes #{issue} **at once**"}
    refused = developer.send(place, merge_request={**fields, "title": "", "assignees": "nobody-here"})
    assert (refused.status, "**at once**" in refused.text) == (422, True)
    refused = developer.send(place, merge_request={**fields, "title": "x", "reviewers": "nobody-here"})
    assert (refused.status, 'id="merge_request_reviewers-problem"' in refused.text) == (422, True)
    made = developer.send(
        place, merge_request={**fields, "title": "Stop the <leak>", "draft": "true", "labels": "wet", "assignees": cast.master.username, "reviewers": cast.reporter.username},
    )  # fmt: skip
    assert (made.status, made.headers["Location"]) == (303, f"{place}/1")
    page = developer.open(f"{place}/1").text
    for words in (
        "Stop the &lt;leak&gt;",
        "<strong>at once</strong>",
        "wet",
        cast.master.name,
        "Remove draft status first",
        "Draft",
    ):
        assert words in page, words
    code.cast.owner.put(f"{code.requests}/1", description=f"Closes #{issue}\n\n1. [ ] one\n2. [X] two")
    digest = re.search(r'name="digest" value="(\w+)"', developer.open(f"{place}/1").text)[1]
    assert developer.send(f"{place}/1/tasks", tasks=["1", "2"], digest=digest).status == 303
    assert state(code)["description"].endswith("1. [x] one\n2. [X] two")
    assert [each["username"] for each in state(code)["reviewers"]] == [cast.reporter.username]
    assert developer.open(place, reviewer_username=cast.reporter.username).text.count('class="row"') == 1
    assert "No merge requests match" in developer.open(place, reviewer_username=cast.master.username).text
    assert "merge_request_reviewers" in developer.open(f"{place}/1/edit", field="reviewers").text
    assert developer.send(f"{place}/1", merge_request={"reviewers": ""}).status == 303
    assert state(code)["reviewers"] == []
    row = developer.open(place).text
    assert ("Stop the &lt;leak&gt;" in row, "WIP" in row) == (True, False)
    assert developer.send(f"{place}/1/ready").status == 303
    assert developer.send(f"{place}/1/notes", body="It **drips**", thread="true").status == 303
    master = browse("master")
    page = master.open(f"{place}/1").text
    shown = [words in page for words in ("<strong>drips</strong>", "Resolve thread", "Ready to be merged.", "Squash")]
    assert shown == [True, True, True, False]
    for path, part in (("/1", "discussion"), ("/1", "awards"), ("/1", "facts"), ("", "merge_requests")):
        fragment = replace(master, headers={"hx-request": "true", "hx-target": part}).open(place + path)
        assert (fragment.status, f'id="{part}"' in fragment.text, "<html" in fragment.text) == (200, True, False), part
        assert ('id="merge"' in fragment.text) == (part == "discussion")
    # Who may not merge gets no button, and the form of another head is refused with the reason.
    reporter = browse("reporter")
    assert "someone who may push to master" in reporter.open(f"{place}/1").text
    assert reporter.send(f"{place}/1/merge", sha=code.topic).status == 403
    stale = master.send(f"{place}/1/merge", sha="0" * 40)
    assert (stale.status, "The source branch has new commits." in stale.text) == (409, True)
    merged = master.send(f"{place}/1/merge", sha=code.topic, should_remove_source_branch="false")
    assert merged.status == 303, merged.text
    assert "Merged by" in master.open(f"{place}/1").text
    assert state(code)["state"] == "merged"
    assert cast.owner.get(f"{code.path}/issues/{issue}").json["state"] == "closed"
    assert master.send(f"{place}/1/merge", sha=code.topic).status == 422


def test_lists_filter_and_hide(browse, code, cast, place):
    code.branch("other", other="x\n")
    code.open(labels="wet")
    code.open(title="WIP: Second", source_branch="other")
    owner = browse("owner")
    page = owner.open(place, label_name="wet", author_username=cast.developer.username, order="oldest").text
    assert ("Merge me" in page, "Second" in page, counts_on_tabs(page)) == (True, False, [1, 0, 0, 1])
    assert counts_on_tabs(owner.open(place, state="merged").text) == [2, 0, 0, 2]
    page = owner.open(place, drafts="yes", search="second", order="priority").text
    assert ("Merge me" in page, "Second" in page) == (False, True)
    assert "No merge requests match your filters." in owner.open(place, target_branch="nowhere", order="popular").text
    assert "There are no merged merge requests." in owner.open(place, state="merged").text
    owner.open(place)
    sent = {"add_labels": "both", "state_event": "close", "subscription": "subscribe"}
    assert [owner.send(f"{place}/bulk", iids=["1", "2"], **sent).status for _ in range(2)] == [303, 303]
    assert [state(code, iid)["subscribed"] for iid in (1, 2)] == [True, True]
    assert [(state(code, iid)["state"], "both" in state(code, iid)["labels"]) for iid in (1, 2)] == [
        ("closed", True)
    ] * 2
    assert owner.send(f"{place}/bulk", iids=["1", "99"], state_event="reopen").status == 404
    assert owner.send(f"{place}/bulk", iids=[str(iid) for iid in range(1, 102)], state_event="reopen").status == 422
    assert owner.send(f"{place}/bulk", iids=["1", "2"], state_event="reopen").status == 303
    assert browse("reporter").send(f"{place}/bulk", iids=["1"], state_event="close").status in (403, 422)
    assert [state(code, iid)["state"] for iid in (1, 2)] == ["opened"] * 2
    group = owner.open(f"/groups/{cast.team.path}/-/merge_requests").text
    assert (code.project["path_with_namespace"] + "!1" in group, counts_on_tabs(group)) == (True, [2, 0, 0, 2])
    assert owner.send(f"{place}/bulk", iids=["2"], state_event="close").status == 303
    developer = browse("developer")
    assert "Merge me" not in developer.open("/dashboard/merge_requests").text
    page = developer.open("/dashboard/merge_requests", scope="created-by-me", search="e").text
    assert ("Merge me" in page, counts_on_tabs(page)) == (False, [0, 0, 0, 0])
    page = developer.open("/dashboard/merge_requests", scope="created-by-me").text
    assert ("Merge me" in page, counts_on_tabs(page)) == (True, [1, 0, 1, 2])
    anonymous = browse("anonymous")
    page = anonymous.open(f"{place}/1").text
    assert ("Sign in to comment." in page, "authenticity_token" in page.partition("<main")[2]) == (True, False)
    cast.owner.put(code.path, visibility="private")
    assert [browse(name).open(f"{place}/1").status for name in ("anonymous", "stranger", "guest")] == [302, 404, 404]
    page = browse("guest").open(f"/groups/{cast.team.path}/-/merge_requests").text
    assert ("Merge me" in page, counts_on_tabs(page)) == (False, [0, 0, 0, 0])
    assert counts_on_tabs(developer.open(f"/groups/{cast.team.path}/-/merge_requests").text) == [1, 0, 1, 2]
    cast.owner.put(code.path, merge_requests_enabled=False)
    assert [owner.open(path).status for path in (place, f"{place}/1")] == [404, 404]
    assert "merge_requests/new" not in owner.open(f"/{code.project['path_with_namespace']}/branches").text


def position_fields(page):
    """The hidden fields of the form on a line."""
    return dict(re.findall(r'name="position\[(\w+)\]" value="([^"]*)"', page))


def test_threads_on_lines(browse, code, cast, place):
    code.commit(message="Text", lines="one\ntwo\nthree\n")
    edited = {"message": "Lines", "action": "update"}
    code.commit("edited", start_branch="master", lines="one\n2\nthree  \nfour\n", **edited)
    code.open(source_branch="edited")
    developer = browse("developer")
    page = developer.open(f"{place}/1/diffs").text
    assert ("1 changed file," in page, "Side by side" in page) == (True, True)
    line = re.search(r"<tr class=add id=(\w+_2)>", page)[1]
    page = developer.open(f"{place}/1/diffs", line=line).text
    fields = position_fields(page)
    refused = developer.send(f"{place}/1/discussions", body=" ", line=line, position=fields)
    assert (refused.status, "Comment on line 2" in refused.text) == (422, True)
    made = developer.send(f"{place}/1/discussions", body="Why **2**?", position=fields)
    assert (made.status, "/diffs#note_" in made.headers["Location"]) == (303, True)
    for view in ({}, {"view": "parallel"}):
        page = developer.open(f"{place}/1/diffs", **view).text
        assert ("Why <strong>2</strong>?" in page, "1 unresolved thread" in page) == (True, True), view
    [thread] = [each for each in cast.owner.get(f"{code.requests}/1/discussions").json if not each["individual_note"]]
    answer = developer.send(f"{place}/1/notes", body="Because", discussion_id=thread["id"], target=f"{place}/1/diffs")
    assert (answer.status, answer.headers["Location"].startswith(f"{place}/1/diffs#note_")) == (303, True)
    assert developer.send(f"{place}/1/notes", body="x", discussion_id="f" * 40).status == 404
    # Among the changes, a reply is refused where it was written, and a comment is edited and deleted.
    refused = developer.send(f"{place}/1/diffs/notes?view=parallel", body=" ", discussion_id=thread["id"])
    problem = f'id="reply-{thread["id"]}-problem"'
    assert [words in refused.text for words in ("1 changed file,", problem, "parallel")] == [True] * 3
    file, note = line[:40], cast.owner.get(f"{code.requests}/1/discussions/{thread['id']}").json["notes"][1]["id"]
    part = replace(developer, headers={"hx-request": "true", "hx-target": file})
    refused = part.send(f"{place}/1/diffs/notes", body=" ", discussion_id=thread["id"])
    shown = [words in refused.text for words in (f'id="{file}"', problem, 'id="unresolved"', "<html")]
    assert (refused.status, shown) == (422, [True, True, True, False])
    edit, back = f"{place}/1/notes/{note}", {"target": f"{place}/1/diffs?view=parallel"}
    assert f'value="{back["target"]}"' in developer.open(f"{edit}/edit", **back).text
    assert developer.send(edit, body="So", **back).headers["Location"] == f"{back['target']}#note_{note}"
    assert developer.send(f"{edit}/delete", **back).headers["Location"] == back["target"]
    assert "So</p>" not in developer.open(f"{place}/1/diffs").text
    assert browse("reporter").send(f"{place}/1/discussions/{thread['id']}/resolve").status == 422
    assert developer.send(f"{place}/1/discussions/{thread['id']}/resolve", target=f"{place}/1/diffs").status == 303
    assert "Resolved by" in developer.open(f"{place}/1/diffs").text
    assert developer.send(f"{place}/1/discussions/{thread['id']}/unresolve").status == 303
    # What an issue continues is resolved.
    made = developer.send(f"{place}/1/follow_up")
    assert (made.status, "/issues/" in made.headers["Location"]) == (303, True)
    page = developer.open(f"{place}/1").text
    assert ("lines:2" in page, "Resolved by" in page) == (True, True)
    assert "three" in page_without_context(developer.open(f"{place}/1/diffs").text)
    assert "three" not in page_without_context(developer.open(f"{place}/1/diffs", w="1").text)
    for suffix, start in ((".diff", "diff --git"), (".patch", "From ")):
        assert developer.open(f"{place}/1{suffix}").text.startswith(start)
    page = developer.open(f"{place}/1/commits").text
    assert "Lines" in page
    # After a push, a thread whose line has changed is on the overview with its old line; versions can be compared.
    code.commit("edited", lines="one\nII\nthree\nfour\n", **edited)
    newest, first = cast.owner.get(f"{code.requests}/1/versions").json
    page = developer.open(f"{place}/1/diffs").text
    assert ("Why <strong>2</strong>?" in page, "latest version" in page) == (False, True)
    assert "Why <strong>2</strong>?" in developer.open(f"{place}/1/diffs", diff_id=first["id"]).text
    page = developer.open(f"{place}/1/diffs", diff_id=newest["id"], start_sha=first["head_commit_sha"]).text
    assert ("four" in page_without_context(page), "II" in page, "not viewing the latest" in page) == (False, True, True)
    assert developer.open(f"{place}/1/diffs", diff_id=newest["id"], start_sha="0" * 40).status == 404
    assert developer.open(f"{place}/1/diffs", diff_id=10**9).status == 404
    # A file of few, but long lines starts collapsed; alone, it is shown up to a larger limit.
    for width, shown in ((400, (False, True, False)), (1000, (False, False, True))):
        code.commit(
            "edited", message="Long", action="create" if width == 400 else "update", long=f"{'y' * width}\n" * 300
        )
        page = developer.open(f"{place}/1/diffs").text
        file = re.search(r'file=([0-9a-f]{40})"? hx-target', page)[1]
        alone = developer.open(f"{place}/1/diffs", file=file).text
        assert ("yyyy" in page, "yyyy" in alone, "too large to show" in alone) == shown


def page_without_context(text):
    """The lines of a diff that were added or removed."""
    return "".join(re.findall(r"<tr class=(?:add|del).*?(?=<tr|</table)", text, re.DOTALL))


@one_engine
def test_the_panel_says_what_stands_in_the_way(browse, code, cast, place):
    code.commit(message="Other", topic="another text\n")
    code.open()
    developer = browse("developer")
    page = developer.open(f"{place}/1").text
    assert ("There are merge conflicts." in page, "<li>topic</li>" in page) == (True, True)
    page = developer.open(f"{place}/1/conflicts").text
    assert ("git checkout topic" in page, "Files in conflict" in page) == (True, True)
    assert developer.send(f"{place}/1/close").status == 303
    page = developer.open(f"{place}/1").text
    assert ("Closed by" in page, "Reopen" in page) == (True, True)
    assert developer.send(f"{place}/1/reopen").status == 303
    code.branch("second", second="x\n")
    code.open(source_branch="second")
    cast.owner.put(code.path, approvals_before_merge=1)
    assert "1 more approval is needed" in developer.open(f"{place}/2").text
    master = browse("master")
    master.open(f"{place}/2")
    assert master.send(f"{place}/2/approve", sha="0" * 40).status == 409
    assert master.send(f"{place}/2/approve").status == 303
    assert "1 of 1" in master.open(f"{place}/2").text
    assert master.send(f"{place}/2/unapprove").status == 303
    assert developer.send(f"{place}/2/approve").status == 403
    for verb, key, value in (
        ("lock", "discussion_locked", True), ("unlock", "discussion_locked", False), ("draft", "draft", True),
        ("unsubscribe", "subscribed", False), ("subscribe", "subscribed", True),
    ):  # fmt: skip
        assert developer.send(f"{place}/2/{verb}").status == 303, verb
        assert cast.developer.get(f"{code.requests}/2").json[key] is value, verb
    assert developer.send(f"{place}/2/time", estimate="2h", spent="30m").status == 303
    assert developer.send(f"{place}/2/todo").status == 303
    assert developer.send(f"{place}/2/react", name="tada").status == 303
    page = developer.open(f"{place}/2").text
    assert ("30m spent, 2h estimated" in page, "🎉 1" in page) == (True, True)
    edited = developer.send(
        f"{place}/2", merge_request={"title": "New title", "draft": "false", "squash": "true", "target_branch": "topic"}
    )
    assert edited.status == 303
    found = state(code, 2)
    assert (found["title"], found["draft"], found["squash"], found["target_branch"]) == (
        "New title",
        False,
        True,
        "topic",
    )
    assert developer.send(f"{place}/2/delete").status == 403
    assert browse("owner").open(f"{place}/2/edit").status == 200
    owner = browse("owner")
    owner.open(f"{place}/2")
    assert owner.send(f"{place}/2/delete").status == 303
    assert owner.open(f"{place}/2").status == 404


@one_engine
def test_forks_pipelines_and_other_ways_to_merge(browse, code, fork, cast, place):
    fork.commit("fix", start_branch="master", person=cast.stranger, message="Fix it", fix="x\n")
    stranger, source = browse("stranger"), f"/{fork.project['path_with_namespace']}/merge_requests"
    page = stranger.open(f"{source}/new", **{"merge_request[source_branch]": "fix"}).text
    # A fork proposes to what it was forked from; a branch of its own is offered as well.
    assert (f"{code.project['path_with_namespace']}:master" in page, "Fix it" in page) == (True, True)
    target = {"merge_request[target_project_id]": fork.id, "merge_request[target_branch]": "master"}
    page = stranger.open(f"{source}/new", **{"merge_request[source_branch]": "fix", **target}).text
    assert f"{code.project['path_with_namespace']}:master" not in page
    moved = browse("owner").open(f"{place}/new", **{"merge_request[source_project_id]": fork.id})
    assert (moved.status, "Compare branches" in moved.text) == (200, True)
    fields = {"source_branch": "fix", "target_branch": "master", "target_project_id": code.id, "title": "Fix"}
    made = stranger.send(source, merge_request={**fields, "labels": "ignored"})
    assert (made.status, made.headers["Location"]) == (303, f"{place}/1")
    assert stranger.send(source, merge_request=fields).status == 409
    page = browse("guest").open(f"{place}/1").text
    assert f"{fork.project['path_with_namespace']}:fix" in page
    cast.stranger.put(fork.path, visibility="private")
    page = browse("guest").open(f"{place}/1").text
    assert (fork.project["path_with_namespace"] in page, "fix" in page) == (False, True)
    cast.stranger.post(f"{fork.path}/statuses/{state(code)['sha']}", state="canceled", ref="fix")
    # Its pipelines are those of the fork.
    assert ["canceled" in person.open(place).text for person in (stranger, browse("owner"))] == [True, False]
    # A pipeline under way: merging waits for it, until that is canceled.
    master = browse("master")
    cast.owner.put(code.path, only_allow_merge_if_pipeline_succeeds=True)
    code.open()
    cast.owner.post(f"{code.path}/statuses/{code.topic}", state="running", ref="topic")
    page = master.open(f"{place}/2").text
    assert ("The pipeline is running." in page, "Merge when pipeline succeeds" in page) == (True, True)
    assert master.send(f"{place}/2/merge", sha=code.topic, merge_when_pipeline_succeeds="true").status == 303
    assert "set this to be merged automatically" in master.open(f"{place}/2").text
    assert browse("reporter").send(f"{place}/2/cancel_merge").status in (403, 422)
    assert master.send(f"{place}/2/cancel_merge").status == 303
    cast.owner.post(f"{code.path}/statuses/{code.topic}", state="failed", ref="topic")
    assert "The pipeline must succeed" in master.open(f"{place}/2").text
    # Threads, and a method that asks for a rebase.
    cast.owner.put(
        code.path, only_allow_merge_if_pipeline_succeeds=False, only_allow_merge_if_all_discussions_are_resolved=True
    )
    cast.owner.post(f"{code.requests}/2/discussions", body="Open?")
    assert "Resolve all threads before merging." in master.open(f"{place}/2").text
    cast.owner.put(code.path, only_allow_merge_if_all_discussions_are_resolved=False, merge_method="ff")
    code.commit(message="Ahead", ahead="x\n")
    page = master.open(f"{place}/2").text
    assert ("rebase it first" in page, "Rebase source branch" in page) == (True, True)
    assert master.send(f"{place}/2/rebase").status == 303
    assert "Ready to be merged." in master.open(f"{place}/2").text
    # What was merged is picked into another branch.
    cast.owner.put(code.path, merge_method="merge")
    assert master.send(f"{place}/2/cherry_pick", branch="old").status == 422
    code.commit("old", start_branch="master", message="Old", old="x\n")
    sha = state(code, 2)["sha"]
    assert master.send(f"{place}/2/merge", sha=sha, should_remove_source_branch="false").status == 303
    picked = master.send(f"{place}/2/cherry_pick", branch="old")
    assert (picked.status, "/commit/" in picked.headers["Location"]) == (303, True)
    assert master.send(f"{place}/2/cherry_pick", branch="nowhere").status in (404, 422)
    # It is undone once, by those who may push.
    reporter = browse("reporter")
    assert ["Revert on branch" in each.open(f"{place}/2").text for each in (master, reporter)] == [True, False]
    assert reporter.send(f"{place}/2/revert", revert_branch="master").status == 403
    reverted = master.send(f"{place}/2/revert", revert_branch="master")
    assert (reverted.status, code.tip() in reverted.headers["Location"]) == (303, True)
    merge = state(code, 2)["merge_commit_sha"]
    commit = cast.owner.get(f"{code.path}/repository/commits/{code.tip()}").json
    assert commit["message"].endswith(f"\n\nThis reverts commit {merge}")
    assert commit["title"].startswith("Revert \"Merge branch '")
    before = cast.owner.get(f"{code.path}/repository/commits/{merge}").json["parent_ids"][0]
    compared = cast.owner.get(f"{code.path}/repository/compare", **{"from": before, "to": "master"}).json
    assert compared["diffs"] == []
    again = master.send(f"{place}/2/revert", revert_branch="master")
    assert (again.status, "cannot revert this commit" in again.text) == (422, True)


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
    for path, most in {"": 12, "/1": 20, "/1/diffs": 15, "/1/commits": 12, "/1/edit": 11, new: 9}.items():
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
