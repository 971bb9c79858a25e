"""MR/draft_notes."""

import asyncio

import pytest


def test_a_review_is_written_and_published_at_once(cast, code):
    request = code.open().json
    path = f"{code.requests}/{request['iid']}"
    drafts = f"{path}/draft_notes"
    asked = cast.developer.post(f"{path}/discussions", body="ok?").json
    position = {"position_type": "text", **request["diff_refs"], "new_path": "topic", "new_line": 1}
    made = cast.reporter.post(drafts, note="here", position=position)
    assert made.status == 201, made
    assert made.json == {
        "id": made.json["id"], "author_id": cast.reporter.id, "merge_request_id": request["id"],
        "resolve_discussion": False, "discussion_id": None, "note": "here", "commit_id": None,
        "line_code": made.json["line_code"],
        "position": {**position, "old_path": "topic", "old_line": None},
    }  # fmt: skip
    assert made.json["line_code"].endswith("_0_1")
    reply = cast.reporter.post(drafts, note="no", in_reply_to_discussion_id=asked["id"], resolve_discussion=True).json
    plain = cast.reporter.post(drafts, note="by the way").json
    assert cast.reporter.get(drafts, per_page=1).headers["x-total"] == "3"
    # Nobody else sees them.
    assert cast.owner.get(drafts).json == []
    assert cast.owner.get(f"{drafts}/{plain['id']}").json == {"message": "404 Draft Note Not Found"}
    assert cast.owner.put(f"{drafts}/{plain['id']}/publish").status == 404
    assert cast.guest.get(path).json["user_notes_count"] == 1
    assert cast.reporter.put(f"{drafts}/{plain['id']}", note="also").json["note"] == "also"
    assert cast.reporter.put(f"{drafts}/{plain['id']}/publish").status == 204
    assert [note["body"] for note in cast.guest.get(f"{path}/notes").json] == ["also", "ok?"]
    assert cast.reporter.post(f"{drafts}/bulk_publish").status == 204
    assert cast.reporter.get(drafts).json == []
    discussions = {each["notes"][-1]["body"]: each for each in cast.guest.get(f"{path}/discussions").json}
    assert discussions["no"]["id"] == asked["id"]
    # A reporter may not resolve the discussion of another.
    assert [note["resolved"] for note in discussions["no"]["notes"]] == [False, False]
    assert discussions["here"]["notes"][0]["position"]["new_line"] == 1
    assert discussions["also"]["individual_note"] is True
    cast.master.post(drafts, note="done", in_reply_to_discussion_id=asked["id"], resolve_discussion=True)
    assert cast.master.post(f"{drafts}/bulk_publish").status == 204
    notes = cast.guest.get(f"{path}/discussions/{asked['id']}").json["notes"]
    assert all(note["resolved"] for note in notes if not note["system"])
    assert cast.reporter.delete(f"{drafts}/{reply['id']}").status == 404


def test_a_draft_is_refused_like_a_note(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    drafts = f"{path}/draft_notes"
    assert cast.anonymous.get(drafts).status == 401
    assert cast.guest.post(drafts, note="").json == {"message": {"note": ["can't be blank"]}}
    assert cast.guest.post(drafts).status == 400
    assert cast.guest.post(drafts, note="x", in_reply_to_discussion_id="0" * 40).status == 404
    assert cast.guest.post(drafts, note="x", position={"position_type": "text"}).status == 400
    kept = cast.stranger.post(drafts, note="x").json
    assert cast.stranger.put(f"{drafts}/{kept['id']}", note=None).json == {"message": {"note": ["can't be blank"]}}
    cast.developer.put(path, discussion_locked=True)
    assert cast.stranger.post(drafts, note="x").status == 403
    assert cast.stranger.put(f"{drafts}/{kept['id']}/publish").status == 403
    assert cast.stranger.delete(f"{drafts}/{kept['id']}").status == 204
    assert cast.stranger.get(drafts).json == []


@pytest.mark.commits
@pytest.mark.parametrize("engine", ["postgres"], indirect=True)
def test_requests_that_publish_the_same_drafts_do_not_wait_for_each_other(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    drafts = f"{path}/draft_notes"
    made = [cast.reporter.post(drafts, note=f"note {n}").json["id"] for n in range(12)]

    async def all_at_once():
        each = [("PUT", f"{drafts}/{id_}/publish") for id_ in reversed(made)]
        asked = [*each[:6], ("POST", f"{drafts}/bulk_publish"), *each[6:], ("POST", f"{drafts}/bulk_publish")]
        return await asyncio.gather(*(cast.reporter.exchange(*request) for request in asked))

    assert {answer.status for answer in cast.root.loop.run_until_complete(all_at_once())} <= {204, 404}
    bodies = [note["body"] for note in cast.reporter.get(f"{path}/notes", per_page=100).json]
    assert sorted(bodies) == sorted(f"note {n}" for n in range(12))
