"""The published client works on issues as people do: it talks, reacts, follows, relates, and reads what there is to do."""

import pytest
from gitlab.exceptions import GitlabCreateError


@pytest.fixture
def issues(song):
    return [song.issues.create({"title": title}) for title in ("Louder", "Softer")]


def test_an_issue_is_talked_about(shared, issues):
    issue, other = issues
    note = issue.notes.create({"body": f"like #{other.iid}, @{shared.user.username}"})
    award = note.awardemojis.create({"name": "tada"})
    assert [each.name for each in note.awardemojis.list(get_all=True)] == ["tada"]
    with pytest.raises(GitlabCreateError):
        note.awardemojis.create({"name": "tada"})
    award.delete()
    assert [each.body for each in other.notes.list(get_all=True)] == [f"mentioned in issue #{issue.iid}"]
    discussion = issue.discussions.create({"body": "why?"})
    reply = discussion.notes.create({"body": "because"})
    reply.body = "that is why"
    reply.save()
    assert [each["body"] for each in issue.discussions.get(discussion.id).attributes["notes"]] == [
        "why?",
        "that is why",
    ]
    reply.delete()


def test_an_issue_is_followed_and_to_be_done(shared, song, issues):
    issue, _ = issues
    issue.unsubscribe()
    assert song.issues.get(issue.iid).subscribed is False
    issue.subscribe()
    assert [each["username"] for each in issue.participants()] == [shared.user.username]
    shared.todos.mark_all_as_done()
    issue.todo()
    (todo,) = shared.todos.list(get_all=True)
    assert (todo.action_name, todo.target["iid"]) == ("marked", issue.iid)
    todo.mark_as_done()
    issue.todo()
    shared.todos.mark_all_as_done()
    assert shared.todos.list(get_all=True) == []


def test_an_issue_is_related_and_on_a_board(song, issues):
    issue, other = issues
    issue.links.create({"target_project_id": song.id, "target_issue_iid": other.iid})
    (link,) = issue.links.list(get_all=True)
    assert link.iid == other.iid
    issue.links.delete(link.issue_link_id)
    assert issue.links.list(get_all=True) == []
    label = song.labels.create({"name": "doing", "color": "#ff0000"})
    board = song.boards.create({"name": "Stage"})
    column = board.lists.create({"label_id": label.id})
    assert [each.label["name"] for each in board.lists.list(get_all=True)] == ["doing"]
    column.delete()
    board.delete()
    assert song.boards.list(get_all=True) == []


def test_what_happened_around_an_issue_is_read(shared, song, issues):
    issue, _ = issues
    issue.notes.create({"body": "yes"})
    output = {(each.action_name, each.target_type) for each in song.events.list(get_all=True)}
    assert {("opened", "Issue"), ("commented on", "Note")} <= output
    assert shared.events.list(action="commented", get_all=True)
    assert shared.users.get(shared.user.id).events.list(target_type="issue", get_all=True)
    assert issue.user_agent_detail()["user_agent"].startswith("python-gitlab/")
