"""The published client works on issues as people do: it talks, reacts, follows, relates, and reads what there is to do."""

import pytest
from gitlab.exceptions import GitlabCreateError


def test_the_tracker_around_issues(published):
    project = published.projects.create({"name": "Song"})
    issue, other = (project.issues.create({"title": title}) for title in ("Louder", "Softer"))
    me = published.user.username

    note = issue.notes.create({"body": f"like #{other.iid}, @{me}"})
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

    issue.unsubscribe()
    assert project.issues.get(issue.iid).subscribed is False
    issue.subscribe()
    assert [each["username"] for each in issue.participants()] == [me]

    issue.todo()
    (todo,) = published.todos.list(get_all=True)
    assert (todo.action_name, todo.target["iid"]) == ("marked", issue.iid)
    todo.mark_as_done()
    issue.todo()
    published.todos.mark_all_as_done()
    assert published.todos.list(get_all=True) == []

    issue.links.create({"target_project_id": project.id, "target_issue_iid": other.iid})
    (link,) = issue.links.list(get_all=True)
    assert link.iid == other.iid
    issue.links.delete(link.issue_link_id)
    assert issue.links.list(get_all=True) == []

    label = project.labels.create({"name": "doing", "color": "#ff0000"})
    board = project.boards.create({"name": "Stage"})
    column = board.lists.create({"label_id": label.id})
    assert [each.label["name"] for each in board.lists.list(get_all=True)] == ["doing"]
    column.delete()
    board.delete()
    assert project.boards.list(get_all=True) == []

    output = {(each.action_name, each.target_type) for each in project.events.list(get_all=True)}
    assert {("opened", "Issue"), ("commented on", "Note")} <= output
    assert published.events.list(action="commented", get_all=True)
    assert published.users.get(published.user.id).events.list(target_type="issue", get_all=True)
    assert issue.user_agent_detail()["user_agent"].startswith("python-gitlab/")
