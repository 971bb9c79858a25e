"""Notes, awards and todos around a merge request: the routes of notes and awards, with `MR` for what they are on."""

import pytest

from tests.planning.notes.storage import stored


@pytest.fixture
def request_path(code):
    return f"{code.requests}/{code.open().json['iid']}"


def test_a_request_is_commented_on(cast, code, request_path):
    notes = f"{request_path}/notes"
    made = cast.stranger.post(notes, body="hello")
    assert made.status == 201
    note = made.json
    assert (note["noteable_type"], note["noteable_iid"], note["system"]) == ("MergeRequest", 1, False)
    assert cast.anonymous.get(notes).status == 401
    shown = cast.developer.get(request_path).json
    assert (shown["user_notes_count"], note["noteable_id"]) == (1, shown["id"])
    assert cast.reporter.put(f"{notes}/{note['id']}", body="x").status == 403
    assert cast.stranger.put(f"{notes}/{note['id']}", body="again").json["body"] == "again"
    assert cast.master.put(f"{notes}/{note['id']}", body="mine").status == 200
    feed = cast.stranger.get("/events", target_type="note").json
    assert (feed[0]["target_title"], feed[0]["note"]["noteable_type"]) == ("Merge me", "MergeRequest")
    assert cast.stranger.delete(f"{notes}/{note['id']}").status == 204
    assert cast.developer.get(request_path).json["user_notes_count"] == 0
    assert cast.stranger.get("/events", target_type="note").json == []
    assert cast.stranger.post(f"{code.requests}/99/notes", body="x").json == {"message": "404 Merge Request Not Found"}


def test_members_alone_speak_where_the_discussion_is_locked(cast, request_path):
    notes = f"{request_path}/notes"
    note = cast.stranger.post(notes, body="hello").json
    assert cast.developer.put(request_path, discussion_locked=True).status == 200
    assert cast.stranger.post(notes, body="more").status == 403
    assert cast.stranger.put(f"{notes}/{note['id']}", body="more").status == 403
    assert cast.stranger.delete(f"{notes}/{note['id']}").status == 403
    assert cast.stranger.post(f"{request_path}/discussions", body="more").status == 403
    assert cast.guest.post(notes, body="more").status == 201
    assert [note["body"] for note in cast.stranger.get(notes).json] == ["more", "locked this merge request", "hello"]


def test_comments_are_hidden_with_their_merge_request(cast, code, request_path):
    cast.developer.post(f"{request_path}/notes", body="secret @guest")
    cast.owner.put(code.path, visibility="private")
    for path in (f"{request_path}/notes", f"{request_path}/award_emoji", f"{request_path}/discussions"):
        assert cast.guest.get(path).json == {"message": "404 Merge Request Not Found"}
        assert cast.stranger.get(path).json == {"message": "404 Project Not Found"}
    assert cast.guest.get(f"/users/{cast.developer.id}/events", target_type="note").json == []
    assert cast.guest.get("/todos").json == []


def test_emoji_are_given_to_a_request_and_its_notes(cast, request_path):
    awards = f"{request_path}/award_emoji"
    assert cast.developer.post(awards, name="thumbsup").status == 404  # the author
    made = cast.guest.post(awards, name="thumbsup").json
    assert made["awardable_type"] == "MergeRequest"
    assert cast.guest.post(awards, name="+1").status == 404
    assert cast.anonymous.get(request_path).json["upvotes"] == 1
    note = cast.developer.post(f"{request_path}/notes", body="hello").json
    given = cast.guest.post(f"{request_path}/notes/{note['id']}/award_emoji", name="tada").json
    assert (given["awardable_type"], given["awardable_id"]) == ("Note", note["id"])
    assert cast.developer.delete(f"{awards}/{made['id']}").status == 401
    assert cast.guest.delete(f"{awards}/{made['id']}").status == 204
    assert cast.anonymous.get(request_path).json["upvotes"] == 0


def test_a_mention_in_a_note_creates_a_todo(cast, request_path):
    cast.developer.post(f"{request_path}/notes", body="look @guest")
    [todo] = cast.guest.get("/todos", type="MergeRequest").json
    assert (todo["action_name"], todo["target_type"], todo["target"]["iid"]) == ("mentioned", "MergeRequest", 1)
    assert todo["target_url"].endswith(
        f"/merge_requests/1#note_{cast.guest.get(f'{request_path}/notes').json[0]['id']}"
    )
    cast.guest.post(f"{request_path}/notes", body="yes")
    assert cast.guest.get("/todos").json == []


def test_notes_are_deleted_with_their_merge_request(cast, request_path):
    note = cast.guest.post(f"{request_path}/notes", body="hello @developer").json
    cast.developer.post(f"{request_path}/notes/{note['id']}/award_emoji", name="tada")
    cast.guest.post(f"{request_path}/award_emoji", name="tada")
    assert cast.owner.delete(request_path).status == 204
    left = stored(cast)
    assert [left[name] for name in ("notes", "awards", "mentions", "todos")] == [0] * 4


def test_notes_of_a_deleted_user_go_to_the_ghost_or_are_erased(cast, request_path):
    made = cast.guest.post(f"{request_path}/discussions", body="mine").json
    cast.stranger.post(f"{request_path}/notes", body="stranger")
    cast.stranger.post(f"{request_path}/draft_notes", note="draft")
    cast.developer.put(f"{request_path}/discussions/{made['id']}", resolved=True)
    assert cast.guest.get(request_path).json["user_notes_count"] == 2
    assert cast.root.delete(f"/users/{cast.stranger.id}?hard_delete=true").status == 204
    shown = cast.guest.get(request_path).json
    assert shown["user_notes_count"] == 1
    # The author of the request, who resolved the discussion, goes too.
    assert cast.root.delete(f"/users/{cast.developer.id}").status == 204
    assert cast.guest.get(request_path).json["author"]["username"] == "ghost"
    [note] = cast.guest.get(f"{request_path}/discussions/{made['id']}").json["notes"]
    assert (note["resolved"], note["resolved_by"]["username"]) == (True, "ghost")
