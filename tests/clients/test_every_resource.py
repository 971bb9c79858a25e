"""The published client creates, saves and deletes one of each resource, and knows every refusal by its own exceptions."""

import gitlab
import pytest
from gitlab.exceptions import (
    GitlabAuthenticationError,
    GitlabCreateError,
    GitlabDeleteError,
    GitlabGetError,
    GitlabInvitationError,
    GitlabUpdateError,
)


@pytest.fixture
def ann(published, running_server):
    """An ordinary person with a token of her own."""
    person = published.users.create(
        {
            "email": "ann@example.org",
            "username": "ann",
            "name": "Ann",
            "password": "long-enough-word",
            "skip_confirmation": True,
        }
    )
    token = person.impersonationtokens.create({"name": "t", "scopes": ["api"]}).token
    with gitlab.Gitlab(running_server.url, private_token=token) as client:
        client.auth()
        yield client


def saved(thing, manager, **change):
    """The thing as the server has it after a save."""
    for name, value in change.items():
        setattr(thing, name, value)
    thing.save()
    again = manager.get(thing.get_id())
    assert {name: getattr(again, name) for name in change} == change
    return again


def test_each_resource_is_created_saved_and_deleted(published):
    group = published.groups.create({"name": "Band", "path": "band", "visibility": "internal"})
    saved(group, published.groups, description="Loud")
    inner = published.groups.create({"name": "Inner", "path": "inner", "parent_id": group.id})
    assert inner.full_path == "band/inner"
    assert [each.id for each in group.subgroups.list(get_all=True)] == [inner.id]
    person = published.users.create(
        {"email": "b@example.org", "username": "bob", "name": "Bob", "reset_password": True}
    )
    saved(person, published.users, bio="plays bass")
    member = group.members.create({"user_id": person.id, "access_level": 30})
    saved(member, group.members, access_level=40)
    project = published.projects.create({"name": "Song", "namespace_id": inner.id})
    saved(project, published.projects, description="three chords")
    assert person.username in [each.username for each in project.members_all.list(get_all=True)]
    label = project.labels.create({"name": "fast", "color": "#ff0000"})
    label.description = "allegro"
    label.save()
    milestone = project.milestones.create({"title": "Take one"})
    saved(milestone, project.milestones, due_date="2030-01-01")
    issue = project.issues.create(
        {"title": "Louder", "labels": ["fast"], "milestone_id": milestone.id, "assignee_ids": [person.id]}
    )
    saved(issue, project.issues, title="Even louder")
    note = issue.notes.create({"body": "yes"})
    saved(note, issue.notes, body="no")
    issue.time_estimate("1h30m")
    assert project.issues.get(issue.iid).time_stats()["human_time_estimate"] == "1h 30m"
    for thing in (note, issue, milestone, label, member, project, inner, group, person):
        thing.delete()
    with pytest.raises(GitlabGetError) as gone:
        published.projects.get(project.id)
    assert gone.value.response_code == 404


def test_people_are_invited_and_a_project_is_transferred(published):
    group = published.groups.create({"name": "Band", "path": "band"})
    project = published.projects.create({"name": "Song"})
    project.invitations.create({"email": ["c@example.org", "d@example.org"], "access_level": 30})
    with pytest.raises(GitlabInvitationError):
        project.invitations.create({"email": "c@example.org,nothing", "access_level": 30})
    project.invitations.update("c@example.org", {"access_level": 20})
    project.invitations.delete("d@example.org")
    assert [(each.invite_email, each.access_level) for each in project.invitations.list(get_all=True)] == [
        ("c@example.org", 20)
    ]
    project.transfer(group.full_path)
    assert published.projects.get(project.id).path_with_namespace == "band/song"


def test_a_list_is_followed_over_five_pages(published):
    for n in range(23):
        published.groups.create({"name": f"Group {n}", "path": f"group-{n}"})
    groups = published.groups.list(iterator=True, per_page=5)
    assert (groups.total, groups.total_pages) == (23, 5)
    assert len({group.id for group in groups}) == 23
    by_id = published.groups.list(iterator=True, per_page=10, pagination="keyset", order_by="id")
    assert [group.name for group in by_id] == [f"Group {n}" for n in range(23)]


def test_lists_are_followed_by_ids(published):
    projects = [published.projects.create({"name": f"Song {n}", "initialize_with_readme": n == 0}) for n in range(3)]
    query = {"pagination": "keyset", "order_by": "id", "sort": "asc", "per_page": 1, "iterator": True}
    assert [project.id for project in published.projects.list(**query)] == [project.id for project in projects]
    first = projects[0]
    for title in ("One", "Two"):
        first.issues.create({"title": title, "labels": [title]})
    assert [issue.title for issue in first.issues.list(**query)] == ["One", "Two"]
    for manager in (published.users, first.labels, first.members, first.issues.get(1).notes, first.branches):
        assert len(list(manager.list(**query))) <= 2
    published.pagination, published.order_by = "keyset", "id"
    for manager in (published.projects, published.users, published.groups, first.issues, first.labels, first.members):
        assert len(manager.list(get_all=True, per_page=1)) == len({each.id for each in manager.list(get_all=True)})
    assert len(first.repository_tree(get_all=True, recursive=True, per_page=1)) == 1
    assert first.issues.list(updated_after="2999-01-01", get_all=True) == []
    assert first.issues_statistics.get().statistics["counts"]["opened"] == 2
    assert first.files.head("README.md", "master")["X-Gitlab-File-Name"] == "README.md"


def test_notes_of_an_epic_are_on_that_epic(published):
    epics = [
        published.groups.create({"name": name, "path": name}).epics.create({"title": name}) for name in ("low", "high")
    ]
    assert (epics[1].iid, epics[1].id) == (1, 2)
    epics[1].notes.create({"body": "On high"})
    assert [[note.body for note in epic.notes.list(get_all=True)] for epic in epics] == [[], ["On high"]]


def test_refusals_are_known_by_their_exceptions(published, ann, running_server):
    with (
        gitlab.Gitlab(running_server.url, private_token="nonsense") as stranger,
        pytest.raises(GitlabAuthenticationError),
    ):
        stranger.auth()
    secret = published.projects.create({"name": "secret"})
    with pytest.raises(GitlabGetError) as hidden:
        ann.projects.get(secret.id)
    assert hidden.value.response_code == 404
    shown = published.projects.create({"name": "shown", "visibility": "public"})
    with pytest.raises(GitlabDeleteError) as forbidden:
        ann.projects.delete(shown.id)
    assert forbidden.value.response_code == 403
    with pytest.raises(GitlabCreateError) as taken:
        published.projects.create({"name": "shown"})
    assert taken.value.response_code == 409
    issue = shown.issues.create({"title": "x"})
    with pytest.raises(GitlabUpdateError) as refused:
        ann.projects.get(shown.id).issues.update(issue.iid, {"title": "y"})
    assert refused.value.response_code == 403
