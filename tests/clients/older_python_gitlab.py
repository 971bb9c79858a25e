"""Plays the cases of today's clients by python-gitlab 6, which runs in the environment of runners; the tests themselves have 8."""

import sys
from typing import Any

from gitlab import Gitlab, GitlabAuthenticationError, __version__

url, token = sys.argv[1:]
client = Gitlab(url, private_token=token)
client.auth()


def play_lists() -> None:
    keyset = Gitlab(url, private_token=token, pagination="keyset", order_by="id", per_page=2)
    project = client.projects.create({"name": "Lists", "visibility": "internal"})
    numbers = [project.issues.create({"title": f"Number {n}", "labels": ["one"]}).iid for n in range(5)]
    there = keyset.projects.get(project.id)
    assert sorted(issue.iid for issue in there.issues.list(iterator=True)) == numbers
    assert project.id in {each.id for each in keyset.projects.list(iterator=True)}
    for found in (keyset.users, keyset.groups, there.labels, there.members):
        assert all(each.id for each in found.list(iterator=True))
    statistics = project.issues_statistics.get().statistics
    assert statistics["counts"] == {"all": 5, "closed": 0, "opened": 5}


def play_repository() -> None:
    project = client.projects.create({"name": "Code", "initialize_with_readme": True})
    first = project.commits.list(get_all=False)[0]
    added = project.commits.create(
        {
            "branch": project.default_branch,
            "commit_message": "Add a file",
            "actions": [{"action": "create", "file_path": "a.txt", "content": "a\n"}],
        }
    )
    assert added.web_url
    base: Any = project.repository_merge_base([first.id, added.id])
    assert base["id"] == first.id
    assert project.files.head("a.txt", ref="HEAD")["X-Gitlab-Size"] == "2"
    [blamed] = project.files.blame("a.txt", ref="HEAD")
    assert blamed["lines"] == ["a"]
    added.revert(branch=project.default_branch)
    assert project.commits.list(get_all=False)[0].title == 'Revert "Add a file"'
    assert added.merge_requests() == []
    tag = project.protectedtags.create({"name": "v*", "create_access_level": 40})
    assert [each.name for each in project.protectedtags.list(get_all=True)] == [tag.name]
    tag.delete()
    release = project.releases.create({"tag_name": "v1", "ref": project.default_branch, "description": "One"})
    link = release.links.create({"name": "site", "url": "https://example.org/site"})
    assert release.links.get(link.id).url == "https://example.org/site"
    link.delete()
    project.releases.delete("v1")
    assert project.releases.list(get_all=True) == []


def play_packages() -> None:
    project = client.projects.create({"name": "Packages"})
    project.generic_packages.upload("tool", "1.0", "tool.txt", data=b"content")
    assert project.generic_packages.download("tool", "1.0", "tool.txt") == b"content"
    [package] = project.packages.list(get_all=True)
    assert [file.file_name for file in package.package_files.list(get_all=True)] == ["tool.txt"]
    package.delete()


def play_people() -> None:
    assert client.personal_access_tokens.get("self").active
    person = client.users.create(
        {"username": "older", "name": "Older", "email": "older@example.org", "reset_password": True}
    )
    made = person.personal_access_tokens.create({"name": "mine", "scopes": ["api"]})
    own = Gitlab(url, private_token=made.token)
    rotated = own.personal_access_tokens.get("self").rotate(self_rotate=True)
    try:
        own.auth()
    except GitlabAuthenticationError:
        pass
    else:
        raise AssertionError("the old token is valid")
    Gitlab(url, private_token=rotated["token"]).auth()
    assert person.status.get().message is None
    group = client.groups.create({"name": "Older", "path": "older-group"})
    project = client.projects.create({"name": "Shared", "namespace_id": group.id})
    assert [each.full_path for each in project.groups.list(get_all=True)] == ["older-group"]
    bot = project.access_tokens.create(
        {"name": "bot", "scopes": ["read_api"], "access_level": 30, "expires_at": "2099-01-01"}
    )
    assert Gitlab(url, private_token=bot.token).projects.get(project.id).id == project.id
    badge = project.badges.create({"link_url": "https://example.org", "image_url": "https://example.org/a.svg"})
    assert badge.rendered_link_url == "https://example.org"
    topic = client.topics.create({"name": "older", "title": "Older"})
    assert client.topics.get(topic.id).title == "Older"
    project.transfer(client.users.get(client.user.id).username)
    assert client.projects.get(project.id).namespace["kind"] == "user"


def play_planning() -> None:
    group = client.groups.create({"name": "Plans", "path": "plans"})
    project = client.projects.create({"name": "Plan", "namespace_id": group.id})
    label = project.labels.create({"name": "bug", "color": "#ff0000"})
    issue = project.issues.create({"title": "Plan it", "labels": ["bug"]})
    issue.state_event = "close"
    issue.save()
    assert [event.state for event in issue.resourcestateevents.list(get_all=True)] == ["closed"]
    assert [event.action for event in issue.resourcelabelevents.list(get_all=True)] == ["add"]
    label.promote()
    assert [each.name for each in group.labels.list(get_all=True)] == ["bug"]
    assert "<strong>bold</strong>" in client.markdown("**bold**")
    assert project.remote_mirrors.list(get_all=True) == []


for play in (play_lists, play_repository, play_packages, play_people, play_planning):
    play()
sys.stdout.write(f"{__version__}\n")
