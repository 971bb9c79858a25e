"""The published client reviews merge requests and commits, and limits the tokens of jobs."""

import pytest
from gitlab.exceptions import GitlabCreateError, GitlabTodoError


def commit(project, branch, content, action="create", **more):
    actions = [{"action": action, "file_path": "file", "content": content}]
    return project.commits.create({"branch": branch, "commit_message": "Edit", "actions": actions, **more})


@pytest.fixture
def opened(song):
    """A merge request that replaces the second line of a file."""
    commit(song, "master", "one\ntwo\n")
    commit(song, "topic", "one\n2\n", "update", start_branch="master")
    return song.mergerequests.create({"source_branch": "topic", "target_branch": "master", "title": "Review me"})


def test_a_line_is_discussed_and_the_discussion_resolved(song, opened):
    request = opened
    position = {"position_type": "text", **request.diff_refs, "new_path": "file", "old_path": "file", "new_line": 2}
    discussion = request.discussions.create({"body": "Why?", "position": position})
    note = discussion.attributes["notes"][0]
    assert (note["type"], note["position"]["new_line"]) == ("DiffNote", 2)
    discussion.notes.create({"body": "Because"})
    with pytest.raises(GitlabCreateError) as refused:
        request.discussions.create({"body": "Where?", "position": {**position, "new_line": 99}})
    assert refused.value.response_code == 400
    discussion.resolved = True
    discussion.save()
    shown = request.discussions.get(discussion.id).attributes["notes"]
    assert [each["resolved"] for each in shown] == [True, True]
    commit(song, "topic", "one\nzwei\n", "update")
    moved = request.discussions.get(discussion.id).attributes["notes"]
    assert moved[0]["position"]["head_sha"] == request.diff_refs["head_sha"]


def test_notes_and_drafts_are_written(song, opened):
    request = opened
    plain = request.notes.create({"body": "Plain"})
    plain.body = "Plainer"
    plain.save()
    assert request.notes.get(plain.id).body == "Plainer"
    assert plain.awardemojis.create({"name": "tada"}).name == "tada"
    assert request.awardemojis.create({"name": "tada"}).awardable_type == "MergeRequest"
    draft = request.draft_notes.create({"note": "Draft"})
    assert [each.note for each in request.draft_notes.list()] == ["Draft"]
    draft.publish()
    assert "Draft" in [each.body for each in request.notes.list(get_all=True)]
    request.notes.create({"body": "/wip\n\ntext"})
    assert song.mergerequests.get(request.iid).work_in_progress is True


def test_time_is_tracked_and_a_todo_added_once(shared, song, opened):
    request = opened
    request.time_estimate("2h")
    request.add_spent_time("30m")
    assert song.mergerequests.get(request.iid).time_stats()["human_total_time_spent"] == "30m"
    request.todo()
    with pytest.raises(GitlabTodoError) as repeated:
        request.todo()
    assert repeated.value.response_code == 304
    assert [todo.target["iid"] for todo in shared.todos.list(type="MergeRequest")] == [request.iid]
    assert [each["username"] for each in request.participants()] == [shared.user.username]


def test_a_commit_is_discussed(song):
    head = commit(song, "master", "one\n")
    discussion = head.discussions.create({"body": "Why?"})
    reply = discussion.notes.create({"body": "Becaus"})
    reply.body = "Because"
    reply.save()
    again = head.discussions.get(discussion.id)
    assert [note["body"] for note in again.attributes["notes"]] == ["Why?", "Because"]
    assert [comment.note for comment in head.comments.list(get_all=True)] == ["Why?", "Because"]
    again.notes.delete(reply.id)
    assert [len(each.attributes["notes"]) for each in head.discussions.list(get_all=True)] == [1]


def test_the_tokens_of_jobs_are_limited(shared, song):
    scope = song.job_token_scope.get()
    assert scope.inbound_enabled is False
    scope.enabled = True
    scope.save()
    scope.refresh()
    assert scope.inbound_enabled is True
    group = shared.groups.create({"name": "Choir", "path": "choir"})
    other = shared.projects.create({"name": "Refrain"})
    scope.allowlist.create({"target_project_id": other.id})
    scope.groups_allowlist.create({"target_group_id": group.id})
    assert [each.id for each in scope.allowlist.list(get_all=True)] == [song.id, other.id]
    assert [each.id for each in scope.groups_allowlist.list(get_all=True)] == [group.id]
    scope.allowlist.delete(other.id)
    scope.groups_allowlist.delete(group.id)
    assert [each.id for each in scope.allowlist.list(get_all=True)] == [song.id]
    assert scope.groups_allowlist.list(get_all=True) == []
