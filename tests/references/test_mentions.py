import pytest


@pytest.fixture
def issue(cast):
    return f"/projects/{cast.private.id}/issues/{cast.open}"


def taking_part(cast, issue):
    return [user["username"] for user in cast.reporter.get(f"{issue}/participants").json]


def test_whom_a_comment_mentions_takes_part_and_is_subscribed(cast, issue):
    note = cast.reporter.post(f"{issue}/notes", body="what do you think, @guest?").json
    assert taking_part(cast, issue) == ["reporter", "guest"]
    assert cast.guest.get(issue).json["subscribed"] is True
    cast.reporter.put(f"{issue}/notes/{note['id']}", body="what does @Developer think?")
    assert taking_part(cast, issue) == ["reporter", "developer"]
    cast.reporter.delete(f"{issue}/notes/{note['id']}")
    assert taking_part(cast, issue) == ["reporter"]


def test_whom_the_description_or_the_title_mentions_takes_part(cast, issue):
    cast.reporter.put(issue, description="@guest and @developer", title="For @master")
    assert taking_part(cast, issue) == ["reporter", "master", "developer", "guest"]
    cast.reporter.put(issue, description="nobody")
    assert taking_part(cast, issue) == ["reporter", "master"]
    made = cast.reporter.post(f"/projects/{cast.private.id}/issues", title="x", description="hello @guest").json
    assert taking_part(cast, f"/projects/{cast.private.id}/issues/{made['iid']}") == ["reporter", "guest"]


def test_whoever_may_not_read_the_issue_takes_no_part(cast, issue):
    cast.reporter.put(issue, description="@stranger @nobody @expired")
    assert taking_part(cast, issue) == ["reporter"]
    assert cast.stranger.get("/todos").json == []
