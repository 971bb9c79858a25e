"""Snippets of a project are talked about like issues: notes, discussions and emoji come without a line of their own."""

import pytest

SNIPPET = {"title": "Hello", "file_name": "hello.py", "code": "print()", "visibility": "private"}


@pytest.fixture
def snippet(cast):
    made = cast.reporter.post(f"/projects/{cast.public.id}/snippets", **SNIPPET).json
    return f"/projects/{cast.public.id}/snippets/{made['id']}"


def test_a_snippet_is_commented_on(cast, snippet):
    made = cast.guest.post(f"{snippet}/notes", body="Nice\n/close")
    assert made.status == 201
    note = made.json
    assert (note["body"], note["author"]["username"]) == ("Nice\n/close", "guest")
    assert (note["noteable_type"], note["noteable_iid"]) == ("Snippet", None)
    assert str(note["noteable_id"]) == snippet.rpartition("/")[2]
    here = f"{snippet}/notes/{note['id']}"
    assert cast.developer.get(here).json == note
    assert cast.developer.put(here, body="No").status == 403
    assert cast.master.put(here, body="Yes").json["body"] == "Yes"
    assert [each["body"] for each in cast.guest.get(f"{snippet}/notes").json] == ["Yes"]
    assert cast.guest.delete(here).status == 204
    assert cast.events()[-3:] == ["note.created", "note.updated", "note.deleted"]


def test_a_snippet_is_discussed_and_given_emoji(cast, snippet):
    asked = cast.guest.post(f"{snippet}/discussions", body="Why?").json
    cast.reporter.post(f"{snippet}/discussions/{asked['id']}/notes", body="Why not")
    (discussion,) = cast.guest.get(f"{snippet}/discussions").json
    assert [note["body"] for note in discussion["notes"]] == ["Why?", "Why not"]
    award = cast.guest.post(f"{snippet}/award_emoji", name="thumbsup")
    assert (award.status, award.json["awardable_type"]) == (201, "Snippet")
    assert cast.reporter.post(f"{snippet}/award_emoji", name="thumbsup").status == 404  # of their own
    note = f"{snippet}/notes/{discussion['notes'][0]['id']}"
    assert cast.reporter.post(f"{note}/award_emoji", name="heart").json["awardable_type"] == "Note"


def test_comments_are_for_readers_of_the_snippet(cast, snippet):
    cast.guest.post(f"{snippet}/notes", body="Nice")
    feed = f"/projects/{cast.public.id}/events?target_type=note"
    (event,) = cast.guest.get(feed).json
    assert (event["target_title"], event["note"]["noteable_type"]) == ("Hello", "Snippet")
    missing = {"message": "404 Snippet Not Found"}
    assert cast.stranger.get(f"{snippet}/notes").json == missing
    assert cast.stranger.post(f"{snippet}/notes", body="x").json == missing
    assert cast.stranger.get(feed).json == []
    cast.reporter.put(snippet, visibility="public")
    assert cast.stranger.post(f"{snippet}/notes", body="x").status == 201
    assert len(cast.stranger.get(feed).json) == 2
    assert cast.anonymous.post(f"{snippet}/notes", body="x").status == 401


def test_comments_and_emoji_are_deleted_with_the_snippet(cast, snippet):
    note = cast.guest.post(f"{snippet}/notes", body="Nice").json
    cast.reporter.post(f"{snippet}/notes/{note['id']}/award_emoji", name="heart")
    cast.guest.post(f"{snippet}/award_emoji", name="heart")
    assert cast.reporter.delete(snippet).status == 204
    assert cast.rows("SELECT id FROM notes WHERE noteable_kind = 'snippet'") == []
    assert cast.rows("SELECT id FROM awards WHERE name = 'heart'") == []
