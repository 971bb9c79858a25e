import pytest

from tests.harness.creation import make_group


@pytest.fixture
def issue(cast):
    return f"/projects/{cast.private.id}/issues/{cast.open}"


def taking_part(cast, issue):
    return [user["username"] for user in cast.reporter.get(f"{issue}/participants").json]


def test_a_user_mentioned_by_a_comment_takes_part_and_is_subscribed(cast, issue):
    note = cast.reporter.post(f"{issue}/notes", body="what do you think, @guest?").json
    assert taking_part(cast, issue) == ["reporter", "guest"]
    assert cast.guest.get(issue).json["subscribed"] is True
    cast.reporter.put(f"{issue}/notes/{note['id']}", body="what does @Developer think?")
    assert taking_part(cast, issue) == ["reporter", "developer"]
    cast.reporter.delete(f"{issue}/notes/{note['id']}")
    assert taking_part(cast, issue) == ["reporter"]


def test_users_mentioned_by_title_or_description_take_part(cast, issue):
    cast.reporter.put(issue, description="@guest and @developer", title="For @master")
    assert taking_part(cast, issue) == ["reporter", "master", "developer", "guest"]
    cast.reporter.put(issue, description="nobody")
    assert taking_part(cast, issue) == ["reporter", "master"]
    made = cast.reporter.post(f"/projects/{cast.private.id}/issues", title="x", description="hello @guest").json
    assert taking_part(cast, f"/projects/{cast.private.id}/issues/{made['iid']}") == ["reporter", "guest"]


def test_users_who_cannot_read_the_issue_do_not_participate(cast, issue):
    cast.reporter.put(issue, description="@stranger @nobody @expired")
    assert taking_part(cast, issue) == ["reporter"]
    assert cast.stranger.get("/todos").json == []


def pending(person):
    return [(todo["action_name"], todo["body"]) for todo in person.get("/todos").json]


def test_a_group_is_called_by_its_path(cast, issue):
    cast.reporter.post(f"{issue}/notes", body=f"for @{cast.team.path}.")
    direct = {member["username"] for member in cast.root.get(f"/groups/{cast.team.id}/members").json}
    everybody = {*taking_part(cast, issue)} - {"reporter"}
    assert everybody
    assert everybody <= direct
    for name in everybody:
        assert pending(getattr(cast, name)) == [("mentioned", f"for @{cast.team.path}.")]
    assert pending(cast.stranger) == []


def test_all_mentions_the_team_except_the_author(cast, issue):
    cast.reporter.post(f"{issue}/notes", body="@all: lunch is ready")
    for person in (cast.guest, cast.developer, cast.master, cast.owner, cast.inherited, cast.shared):
        assert pending(person) == [("directly_addressed", "@all: lunch is ready")]
    assert pending(cast.reporter) == pending(cast.stranger) == pending(cast.expired) == []
    assert {"guest", "developer", "owner"} < {*taking_part(cast, issue)}


def test_a_confidential_issue_calls_only_those_who_may_read_it(cast):
    path = f"/projects/{cast.private.id}/issues/{cast.confidential}"
    cast.reporter.post(f"{path}/notes", body="look, @all")
    assert pending(cast.guest) == []
    assert pending(cast.developer) == [("mentioned", "look, @all")]
    assert "guest" not in taking_part(cast, path)


def test_users_outside_the_team_do_not_mention_it(cast):
    path = f"/projects/{cast.public.id}/issues/{cast.open}"
    assert cast.stranger.post(f"{path}/notes", body="@all, and @guest").status == 201
    assert pending(cast.developer) == []
    assert pending(cast.guest) == [("directly_addressed", "@all, and @guest")]


def test_a_group_one_may_not_see_is_not_called(cast):
    hidden = make_group(cast.owner, "hidden", name="Hidden", visibility="private")
    cast.owner.post(f"/groups/{hidden['id']}/members", user_id=cast.developer.id, access_level=30)
    path = f"/projects/{cast.public.id}/issues/{cast.open}"
    cast.stranger.post(f"{path}/notes", body="@hidden")
    assert pending(cast.developer) == []
    cast.owner.post(f"{path}/notes", body="hello @hidden")
    assert pending(cast.developer) == [("mentioned", "hello @hidden")]
