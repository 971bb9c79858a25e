"""What people say and do around an epic: notes, discussions, awards, todos, subscriptions, references, search."""

import pytest

from tests.harness.creation import make_project


@pytest.fixture
def epic(cast, team):
    """The path of an epic of the private team, written by its reporter."""
    cast.reporter.post(team, title="Launch", description="The plan")
    return f"{team}/1"


def bodies(who, path):
    answer = who.get(f"{path}/notes", sort="asc")
    assert answer.status == 200, answer
    assert answer.headers["X-Total"] == str(len(answer.json))
    return [note["body"] for note in answer.json]


def test_readers_comment_reply_and_award(cast, team, epic):
    assert cast.stranger.post(f"{epic}/notes", body="x").status == 404
    note = cast.guest.post(f"{epic}/notes", body="A note").json
    assert (note["noteable_type"], note["noteable_iid"], note["author"]["id"]) == ("Epic", 1, cast.guest.id)
    later = epic.replace("/-/", "/")
    assert cast.reporter.put(f"{epic}/notes/{note['id']}", body="Not mine").status == 403
    assert cast.owner.put(f"{epic}/notes/{note['id']}", body="Moderated").status == 200
    question = cast.reporter.post(f"{epic}/discussions", body="Why?").json
    assert cast.guest.post(f"{epic}/discussions/{question['id']}/notes", body="Because").status == 201
    assert bodies(cast.guest, epic) == ["Moderated", "Why?", "Because"]
    assert cast.guest.post(f"{epic}/notes", body="/title No command").json["body"] == "/title No command"
    assert cast.guest.post(f"{epic}/award_emoji", name="thumbsup").status == 201
    assert cast.guest.post(f"{epic}/notes/{note['id']}/award_emoji", name="tada").status == 201
    assert [award["awardable_type"] for award in cast.guest.get(f"{later}/award_emoji").json] == ["Epic"]
    assert {person["id"] for person in cast.guest.get(f"{epic}/participants").json} == {
        cast.reporter.id, cast.guest.id,
    }  # fmt: skip
    assert cast.guest.delete(f"{epic}/notes/{note['id']}").status == 204
    assert cast.owner.delete(epic).status == 204
    assert cast.owner.post(team, title="Another").json["iid"] == 2
    assert bodies(cast.guest, f"{team}/2") == []


def test_the_familys_clients_name_the_epic_of_a_note_by_its_id(cast, team, epic):
    assert cast.root.post(f"/groups/{cast.company.id}/-/epics", title="Of the group above").status == 201
    cast.reporter.post(team, title="Other")
    second = cast.reporter.post(team, title="Second").json
    assert second["id"] != second["iid"]
    here = f"/groups/{cast.team.id}/epics/{second['id']}"
    note = cast.guest.post(f"{here}/notes", body="By id").json
    assert (note["noteable_id"], note["noteable_iid"]) == (second["id"], second["iid"])
    assert cast.guest.put(f"{here}/notes/{note['id']}", body="Edited").json["body"] == "Edited"
    question = cast.guest.post(f"{here}/discussions", body="Why?").json
    assert cast.guest.get(f"{here}/discussions/{question['id']}").status == 200
    assert bodies(cast.guest, here) == bodies(cast.guest, f"{team}/{second['iid']}") == ["Edited", "Why?"]
    awards = f"/groups/{cast.team.id}/epics/{second['iid']}/notes/{note['id']}/award_emoji"
    assert cast.guest.post(awards, name="tada").status == 201
    above = f"/groups/{cast.company.id}/epics/{second['id']}/notes"
    assert cast.root.get(above).json == {"message": "404 Epic Not Found"}
    assert cast.stranger.get(f"{here}/notes").json == {"message": "404 Group Not Found"}


def test_todos_about_epics_follow_the_edition_at_once(cast, epic, set_edition):
    cast.reporter.put(epic, description=f"For @{cast.guest.username}")
    shown = []
    for edition in ("ultimate", "core", "ultimate"):
        set_edition(edition)
        shown.append(len(cast.guest.get("/todos").json))
    assert shown == [1, 0, 1]


def test_mentions_make_todos_for_those_who_may_read(cast, team, epic):
    cast.reporter.put(epic, description=f"For @{cast.guest.username} and @{cast.stranger.username}")
    [todo] = cast.guest.get("/todos", type="Epic").json
    assert (todo["action_name"], todo["target_type"], todo["target"]["title"]) == ("mentioned", "Epic", "Launch")
    assert todo["target_url"] == f"http://mujina.test/groups/{cast.team.path}/-/epics/1"
    assert "project" not in todo
    assert cast.stranger.get("/todos").json == []
    cast.reporter.post(f"{epic}/notes", body="@all look")
    assert [todo["action_name"] for todo in cast.owner.get("/todos").json] == ["directly_addressed"]
    assert cast.guest.post(f"{epic}/todo").status == 304
    assert cast.guest.post(f"{epic}/award_emoji", name="tada").status == 201
    assert cast.guest.get("/todos").json == []
    assert cast.guest.post(f"{epic}/todo").json["action_name"] == "marked"
    cast.owner.delete(f"/groups/{cast.team.id}/members/{cast.guest.id}")
    assert cast.guest.get("/todos").json == []


def test_subscriptions_are_chosen(cast, epic):
    assert cast.reporter.post(f"{epic}/subscribe").status == 304
    assert cast.guest.post(f"{epic}/unsubscribe").status == 304
    subscribed = cast.guest.post(f"{epic}/subscribe")
    assert (subscribed.status, subscribed.json["title"]) == (201, "Launch")
    assert cast.guest.post(f"{epic}/subscribe").status == 304
    assert cast.guest.post(f"{epic}/unsubscribe").status == 201
    assert cast.stranger.post(f"{epic}/subscribe").status == 404


def test_references_to_and_from_epics_are_noted_for_those_who_may_read_both(cast, team, epic):
    issues = f"/projects/{cast.private.id}/issues"
    url = f"http://mujina.test/groups/{cast.team.path}/-/epics/1"
    for text in ("&1", f"{cast.team.path}&1", url, "a&1 &x `&1`", "&2"):
        cast.developer.post(issues, title="Issue", description=text)
    secret = cast.developer.post(issues, title="Secret", description="&1", confidential=True).json["iid"]
    at = cast.private.path
    expected = [f"mentioned in issue {at}#{iid}" for iid in (4, 5, 6, secret)]
    assert bodies(cast.owner, epic) == expected
    assert bodies(cast.guest, epic) == expected[:-1]
    cast.reporter.put(epic, description=f"private#{cast.open} and {at}#{secret} and #{cast.open}")
    here = f"{issues}/{cast.open}"
    assert bodies(cast.reporter, here) == [f"mentioned in epic {cast.team.path}&1"]
    project_only = f"/projects/{cast.private.id}/members"
    assert cast.root.post(project_only, user_id=cast.stranger.id, access_level=10).status == 201
    assert bodies(cast.stranger, here) == [f"mentioned in epic {cast.team.path}&1"]


def test_a_moved_text_refers_to_the_same_epic(cast, team, epic):
    issues = f"/projects/{cast.private.id}/issues"
    iid = cast.owner.post(issues, title="Issue", description="See &1, `&1` and &9").json["iid"]
    elsewhere = make_project(cast.owner, "elsewhere")["id"]
    moved = cast.owner.post(f"{issues}/{iid}/move", to_project_id=elsewhere).json
    assert moved["description"] == f"See {cast.team.path}&1, `&1` and &9"


def test_changes_and_issues_of_an_epic_are_noted(cast, team, epic):
    issue = cast.owner.get(f"/projects/{cast.private.id}/issues/{cast.open}").json
    here, name = f"/projects/{cast.private.id}/issues/{cast.open}", f"{cast.private.path}#{cast.open}"
    cast.reporter.put(epic, title="Lift-off", end_date="2018-03-01")
    cast.reporter.put(epic, description="Another plan")
    link = cast.owner.post(f"{epic}/issues/{issue['id']}").json["id"]
    cast.owner.post(team, title="Second")
    cast.owner.post(f"{team}/2/issues/{issue['id']}")
    cast.owner.delete(f"{team}/2/issues/{link}")
    assert bodies(cast.guest, epic)[1:] == ["changed the description", f"added issue {name}", f"removed issue {name}"]
    assert bodies(cast.guest, epic)[0].startswith("changed title from")
    assert bodies(cast.guest, f"{team}/2") == [f"added issue {name}", f"removed issue {name}"]
    path = cast.team.path
    assert bodies(cast.guest, here) == [
        f"added to epic {path}&1", f"changed epic to {path}&2", f"removed from epic {path}&2",
    ]  # fmt: skip
    secret = f"/projects/{cast.private.id}/issues/{cast.confidential}"
    cast.owner.post(f"{epic}/issues/{cast.owner.get(secret).json['id']}")
    assert f"added issue {cast.private.path}#{cast.confidential}" in bodies(cast.reporter, epic)
    assert f"added issue {cast.private.path}#{cast.confidential}" not in bodies(cast.guest, epic)


def test_epics_are_found_by_search(cast, team, epic, set_edition):
    def found(who, place):
        answer = who.get(f"{place}/search", scope="epics", search="launch")
        return answer.status, [each["title"] for each in answer.json] if answer.status == 200 else answer.json

    for place in ("", f"/groups/{cast.company.id}"):
        assert found(cast.guest, place) == (200, ["Launch"])
        assert found(cast.stranger, place) == (200, [])
    assert found(cast.stranger, f"/groups/{cast.team.id}") == (404, {"message": "404 Group Not Found"})
    set_edition("standard")
    assert found(cast.guest, "") == (403, {"message": "403 Forbidden"})
