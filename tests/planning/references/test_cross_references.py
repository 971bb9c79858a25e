import pytest


@pytest.fixture
def issues(cast):
    return f"/projects/{cast.private.id}/issues"


def note_bodies(person, issue):
    answer = person.get(f"{issue}/notes", sort="asc")
    assert answer.headers["X-Total"] == str(len(answer.json))
    return [note["body"] for note in answer.json]


def test_an_issue_says_where_it_is_mentioned(cast, issues):
    made = cast.guest.post(issues, title="x", description=f"like #{cast.open}").json
    assert note_bodies(cast.guest, f"{issues}/{cast.open}") == [f"mentioned in issue #{made['iid']}"]
    (note,) = cast.guest.get(f"{issues}/{cast.open}/notes").json
    assert (note["system"], note["author"]["username"]) == (True, "guest")
    assert cast.guest.get(f"{issues}/{cast.open}").json["user_notes_count"] == 0
    assert note_bodies(cast.guest, f"{issues}/{made['iid']}") == []


def test_a_reference_is_noted_once_for_each_place(cast, issues):
    made = cast.guest.post(issues, title="x", description=f"#{cast.open} #{cast.open}").json
    cast.guest.post(f"{issues}/{made['iid']}/notes", body=f"again #{cast.open}")
    cast.guest.put(f"{issues}/{made['iid']}", description=f"still #{cast.open}")
    cast.guest.post(f"{issues}/{cast.open}/notes", body=f"myself #{cast.open}")
    assert note_bodies(cast.guest, f"{issues}/{cast.open}") == [
        f"mentioned in issue #{made['iid']}",
        f"myself #{cast.open}",
    ]


def test_an_edit_mentions_too(cast, issues):
    made = cast.guest.post(issues, title="x").json
    cast.guest.put(f"{issues}/{made['iid']}", title=f"after #{cast.open}")
    assert note_bodies(cast.guest, f"{issues}/{cast.open}") == [f"mentioned in issue #{made['iid']}"]


@pytest.mark.parametrize("how", ["{path}#{iid}", "{name}#{iid}", "http://mujina.test/{path}/issues/{iid}"])
def test_a_reference_from_another_project_shows_the_full_path(cast, issues, how):
    reference = how.format(path=cast.public.path, name=cast.public.path.rpartition("/")[2], iid=cast.open)
    cast.reporter.post(f"{issues}/{cast.open}/notes", body=f"see {reference}")
    there = f"/projects/{cast.public.id}/issues/{cast.open}"
    assert note_bodies(cast.reporter, there) == [f"mentioned in issue {cast.private.path}#{cast.open}"]


def test_a_mention_is_hidden_from_users_who_may_not_read_its_source(cast, issues):
    there = f"/projects/{cast.public.id}/issues/{cast.open}"
    cast.developer.post(f"{issues}/{cast.open}/notes", body=f"see {cast.public.path}#{cast.open}")
    hidden = cast.developer.get(f"{there}/notes").json[0]["id"]
    assert note_bodies(cast.guest, there) != []
    assert note_bodies(cast.stranger, there) == []
    assert cast.stranger.get(f"{there}/notes/{hidden}").json == {"message": "404 Note Not Found"}
    assert cast.stranger.get(f"{there}/notes/{hidden}/award_emoji").status == 404
    named = [user["username"] for user in cast.stranger.get(f"{there}/participants").json]
    assert named == ["reporter"]
    assert [user["username"] for user in cast.guest.get(f"{there}/participants").json] == ["reporter", "developer"]


def test_a_mention_in_a_confidential_issue_is_for_those_who_may_read_it(cast, issues):
    cast.developer.put(f"{issues}/{cast.confidential}", description=f"see #{cast.open}")
    assert note_bodies(cast.reporter, f"{issues}/{cast.open}") == [f"mentioned in issue #{cast.confidential}"]
    assert note_bodies(cast.guest, f"{issues}/{cast.open}") == []
    cast.developer.put(f"{issues}/{cast.confidential}", confidential=False)
    assert note_bodies(cast.guest, f"{issues}/{cast.open}") == [f"mentioned in issue #{cast.confidential}"]
    cast.owner.delete(f"{issues}/{cast.confidential}")
    assert note_bodies(cast.reporter, f"{issues}/{cast.open}") == []


def test_issues_that_the_author_may_not_read_get_no_reference(cast, issues):
    cast.guest.post(f"{issues}/{cast.open}/notes", body=f"is there #{cast.confidential}? or #99999?")
    assert note_bodies(cast.developer, f"{issues}/{cast.confidential}") == []
