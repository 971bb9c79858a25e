"""Merge requests with a published client, from the first commit to an automatic merge."""

import time

import pytest
from gitlab.exceptions import GitlabAuthenticationError, GitlabMRClosedError, GitlabMROnBuildSuccessError


def commit(project, branch, **files):
    actions = [{"action": "create", "file_path": name, "content": text} for name, text in files.items()]
    start = {"start_branch": "master"} if branch != "master" else {}
    return project.commits.create({"branch": branch, "commit_message": f"On {branch}", "actions": actions, **start})


def test_a_merge_request_with_the_published_client(published):
    project = published.projects.create({"name": "Review", "visibility": "internal"})
    commit(project, "master", README="hello\n")
    head = commit(project, "topic", topic="one\ntwo\n")
    commit(project, "undone", undone="x").revert("undone")
    assert project.commits.get("undone").title == 'Revert "On undone"'
    issue = project.issues.create({"title": "To be closed"})
    request = project.mergerequests.create(
        {"title": "Topic", "source_branch": "topic", "target_branch": "master", "description": f"Closes #{issue.iid}"}
    )
    assert [each.iid for each in project.mergerequests.list(state="opened", iterator=True)] == [request.iid]
    assert [each.iid for each in published.mergerequests.list(get_all=True)] == [request.iid]
    assert [each.id for each in request.commits()] == [head.id]
    assert [each["new_path"] for each in request.changes()["changes"]] == ["topic"]
    [version] = request.diffs.list(get_all=True)
    assert request.diffs.get(version.id).diffs[0]["new_path"] == "topic"
    assert [each.iid for each in request.closes_issues()] == [issue.iid]
    assert [each["username"] for each in request.participants()] == ["root"]
    request.unsubscribe()
    request.subscribe()
    request.time_estimate("1h")
    request.add_spent_time("10m")
    assert project.mergerequests.get(request.iid).time_stats()["total_time_spent"] == 600
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
    assert request.approvals.get().approvals_left == 0
    assert request.approval_state.get().rules[0]["approved"] is True
    with pytest.raises(GitlabAuthenticationError, match="401"):
        request.approve()  # its author
    project.approvals.update(approvals_before_merge=0, reset_approvals_on_push=False)
    assert project.approvals.get().reset_approvals_on_push is False
    with pytest.raises(GitlabMROnBuildSuccessError, match="406"):
        request.cancel_merge_when_pipeline_succeeds()
    head.statuses.create({"state": "running", "name": "tests", "ref": "topic"})
    [pipeline] = request.pipelines.list(get_all=True)
    assert (pipeline.status, pipeline.sha) == ("running", head.id)
    request.merge(merge_when_pipeline_succeeds=True, should_remove_source_branch=True)
    assert request.merge_when_pipeline_succeeds is True
    head.statuses.create({"state": "success", "name": "tests", "ref": "topic"})
    deadline = time.monotonic() + 120
    while (merged := project.mergerequests.get(request.iid)).state != "merged" and time.monotonic() < deadline:
        time.sleep(0.1)
    assert (merged.state, merged.merged_by["username"]) == ("merged", "root")
    assert project.issues.get(issue.iid).state == "closed"
    with pytest.raises(GitlabMRClosedError, match="405"):
        merged.merge()
    merged.delete()
