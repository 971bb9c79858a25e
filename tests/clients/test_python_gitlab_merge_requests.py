"""Merge requests with a published client, from the first commit to an automatic merge."""

import time

import pytest
from gitlab.exceptions import GitlabAuthenticationError, GitlabMRClosedError, GitlabMROnBuildSuccessError


def commit(project, branch, **files):
    actions = [{"action": "create", "file_path": name, "content": text} for name, text in files.items()]
    start = {"start_branch": "master"} if branch != "master" else {}
    return project.commits.create({"branch": branch, "commit_message": f"On {branch}", "actions": actions, **start})


@pytest.fixture
def opened(song):
    """The head of a branch, the request to merge it, and the issue that it closes."""
    commit(song, "master", README="hello\n")
    head = commit(song, "topic", topic="one\ntwo\n")
    issue = song.issues.create({"title": "To be closed"})
    closing = {"title": "Topic", "source_branch": "topic", "target_branch": "master"}
    return head, song.mergerequests.create({**closing, "description": f"Closes #{issue.iid}"}), issue


def test_a_commit_is_reverted(song):
    commit(song, "master", README="hello\n")
    commit(song, "undone", undone="x").revert("undone")
    assert song.commits.get("undone").title == 'Revert "On undone"'


def test_a_merge_request_shows_its_changes_and_people(shared, song, opened):
    head, request, issue = opened
    assert [each.iid for each in song.mergerequests.list(state="opened", iterator=True)] == [request.iid]
    assert request.id in [each.id for each in shared.mergerequests.list(get_all=True)]
    assert [each.id for each in request.commits()] == [head.id]
    assert [each["new_path"] for each in request.changes()["changes"]] == ["topic"]
    [version] = request.diffs.list(get_all=True)
    assert request.diffs.get(version.id).diffs[0]["new_path"] == "topic"
    assert [each.iid for each in request.closes_issues()] == [issue.iid]
    assert [each["username"] for each in request.participants()] == ["root"]


def test_a_merge_request_is_followed_and_discussed(song, opened):
    _, request, _ = opened
    request.unsubscribe()
    request.subscribe()
    request.time_estimate("1h")
    request.add_spent_time("10m")
    assert song.mergerequests.get(request.iid).time_stats()["total_time_spent"] == 600
    request.todo()
    note = request.notes.create({"body": "A note"})
    note.awardemojis.create({"name": "tada"})
    request.awardemojis.create({"name": "rocket"})
    position = {"position_type": "text", "new_path": "topic", "new_line": 1, **request.diff_refs}
    discussion = request.discussions.create({"body": "Why one?", "position": position})
    discussion.notes.create({"body": "Because"})
    discussion.resolved = True
    discussion.save()
    assert request.discussions.get(discussion.id).attributes["notes"][0]["resolved"]
    request.labels, request.title = ["review"], "The topic"
    request.save()


def test_a_merge_request_is_approved_and_merged_when_its_pipeline_succeeds(song, opened):
    head, request, issue = opened
    assert request.approvals.get().approvals_left == 0
    assert request.approval_state.get().rules[0]["approved"] is True
    with pytest.raises(GitlabAuthenticationError, match="401"):
        request.approve()  # its author
    song.approvals.update(approvals_before_merge=0, reset_approvals_on_push=False)
    assert song.approvals.get().reset_approvals_on_push is False
    with pytest.raises(GitlabMROnBuildSuccessError, match="406"):
        request.cancel_merge_when_pipeline_succeeds()
    head.statuses.create({"state": "running", "name": "tests", "ref": "topic"})
    [pipeline] = request.pipelines.list(get_all=True)
    assert (pipeline.status, pipeline.sha) == ("running", head.id)
    request.merge(merge_when_pipeline_succeeds=True, should_remove_source_branch=True)
    assert request.merge_when_pipeline_succeeds is True
    head.statuses.create({"state": "success", "name": "tests", "ref": "topic"})
    deadline = time.monotonic() + 120
    while (merged := song.mergerequests.get(request.iid)).state != "merged" and time.monotonic() < deadline:
        time.sleep(0.1)
    assert (merged.state, merged.merged_by["username"]) == ("merged", "root")
    assert song.issues.get(issue.iid).state == "closed"
    with pytest.raises(GitlabMRClosedError, match="405"):
        merged.merge()
    merged.delete()
