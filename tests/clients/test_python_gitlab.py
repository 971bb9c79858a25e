"""A published client of this API family, driven against the running program."""

import pytest
from gitlab.const import AccessLevel
from gitlab.exceptions import GitlabGetError


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_a_first_morning_with_the_published_client(published):
    assert published.user.username == "root"
    assert published.version()[0] == "10.5.0-ee"
    project = published.projects.create({"name": "First", "visibility": "internal"})
    issue = project.issues.create({"title": "Works", "labels": ["bug", "ui"]})
    issue.state_event = "close"
    issue.save()
    assert project.issues.get(issue.iid).state == "closed"
    assert [each.title for each in project.issues.list(state="closed", iterator=True)] == ["Works"]
    person = published.users.create(
        {"email": "a@example.org", "username": "ann", "name": "Ann", "reset_password": True}
    )
    project.members.create({"user_id": person.id, "access_level": AccessLevel.DEVELOPER})
    assert {member.username for member in project.members.list(get_all=True)} >= {"ann"}
    project.members.delete(person.id)
    project.delete()
    with pytest.raises(GitlabGetError, match="404"):
        published.projects.get(project.id)


def test_the_published_client_follows_pages_to_the_end(published):
    project = published.projects.create({"name": "Many"})
    for n in range(25):
        project.issues.create({"title": f"Number {n}"})
    found = project.issues.list(iterator=True, per_page=10)
    assert found.total == 25
    assert len(list(found)) == 25
