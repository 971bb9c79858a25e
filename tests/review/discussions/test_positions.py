"""Discussions on lines of the diff and on images: MR/discussions with a position."""

import base64
import hashlib

import pytest

from tests.harness.client import Raw

OLD = "".join(f"line {n}\n" for n in range(1, 21))
NEW = OLD.replace("line 3\n", "").replace("line 10\n", "line 10\nadded\n")
PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n\x00\x00").decode()


@pytest.fixture
def lines(cast, code):
    """A request that removes line 3 of a file, adds a line after line 10, renames a file, and adds an image."""
    code.commit(text=OLD, moved=OLD.replace("line", "row"), gone="one\ntwo\n")
    actions = [
        {"action": "update", "file_path": "text", "content": NEW},
        {
            "action": "move",
            "file_path": "renamed",
            "previous_path": "moved",
            "content": OLD.replace("line", "row") + "x\n",
        },
        {"action": "create", "file_path": "dot.png", "content": PIXEL, "encoding": "base64"},
        {"action": "delete", "file_path": "gone"},
    ]
    made = cast.owner.post(
        f"{code.path}/repository/commits", branch="lines", start_branch="master", commit_message="Edit", actions=actions
    )
    assert made.status == 201, made
    request = code.open(source_branch="lines").json
    return f"{code.requests}/{request['iid']}", request["diff_refs"]


def asked(person, lines, **position):
    path, refs = lines
    return person.post(
        f"{path}/discussions", body="why?", position={"position_type": "text", **refs, "new_path": "text", **position}
    )


def test_a_discussion_is_on_a_line(cast, lines):
    path, refs = lines
    made = asked(cast.guest, lines, new_line=10)
    assert made.status == 201, made
    [note] = made.json["notes"]
    assert (note["type"], note["resolvable"], note["resolved"]) == ("DiffNote", True, False)
    assert note["position"] == {
        "position_type": "text", **refs, "old_path": "text", "new_path": "text", "old_line": None, "new_line": 10,
    }  # fmt: skip
    reply = cast.developer.post(f"{path}/discussions/{made.json['id']}/notes", body="because").json
    assert (reply["type"], reply["position"]) == ("DiffNote", note["position"])
    here = f"{path}/discussions/{made.json['id']}/notes"
    assert cast.guest.get(f"{here}/{reply['id']}").json == reply
    assert cast.guest.get(f"{here.replace(made.json['id'], '0' * 40)}/{reply['id']}").json == {
        "message": "404 Note Not Found"
    }
    assert cast.guest.get(f"{path}/notes/{note['id']}").json["position"] == note["position"]
    assert "position" not in cast.guest.get(f"{path}/notes").json[0]
    assert cast.guest.get("/events", target_type="note").json[0]["target_type"] == "DiffNote"
    for note in cast.guest.get(f"{path}/discussions/{made.json['id']}").json["notes"]:
        cast.owner.delete(f"{path}/notes/{note['id']}")
    assert cast.guest.get(f"{path}/discussions/{made.json['id']}").json == {"message": "404 Discussion Not Found"}


def test_every_line_that_the_diff_shows_takes_a_discussion(cast, code, lines):
    def shown(**position):
        made = asked(cast.guest, lines, **position)
        if made.status != 201:
            return made.status
        position = made.json["notes"][0]["position"]
        return position["old_path"], position["new_path"], position["old_line"], position["new_line"]

    assert shown(old_line=3) == ("text", "text", 3, None)
    assert shown(old_line=4, new_line=3) == ("text", "text", 4, 3)
    assert shown(new_line=12) == ("text", "text", 12, 12)  # an unchanged line by one of its numbers
    assert shown(new_path="renamed", new_line=21) == ("moved", "renamed", None, 21)
    assert shown(new_path="", old_path="moved", new_line=21) == ("moved", "renamed", None, 21)
    assert shown(new_path="gone", old_path="gone", old_line=2) == ("gone", "gone", 2, None)
    assert [shown(new_line=n) for n in (19, 20, 1000)] == [400] * 3
    assert [shown(new_path="gone", new_line=1), shown(new_path="dot.png", new_line=1)] == [400] * 2
    assert [shown(old_line=3, new_line=3), shown(new_path="README", new_line=1), shown(new_path="none", new_line=1)] == [
        400, 400, 400,
    ]  # fmt: skip
    tip = code.commit(elsewhere="x\n")
    # Some clients compare with the tip of the target branch.
    assert shown(new_line=10, base_sha=tip, start_sha=tip) == ("text", "text", None, 10)


def test_a_bad_position_is_refused(cast, code, lines):
    for position, answer in (
        ({"position_type": "face"}, {"error": "position[position_type] does not have a valid value"}),
        ({"new_line": "x"}, {"error": "position[new_line] is invalid"}),
        ({"new_line": -1}, {"error": "position[new_line] is invalid"}),
        ({}, {"message": {"position": ["is invalid"]}}),
        ({"new_line": 10, "head_sha": "0" * 40}, {"message": {"position": ["is invalid"]}}),
        ({"new_line": 10, "head_sha": "master"}, {"message": {"position": ["is invalid"]}}),
        ({"new_line": 20}, {"message": {"line_code": ["can't be blank", "must be a valid line code"]}}),
    ):
        refused = asked(cast.guest, lines, **position)
        assert (refused.status, refused.json) == (400, answer), position
    for name in ("base_sha", "head_sha", "old_path", "new_path", "old_line", "new_line", "position_type"):
        for value in ("a\0b", [1], {"a": 1}, 10**400, 1.5, True, "x" * 5000, "\udc80", -1):
            assert asked(cast.guest, lines, **{"new_line": 20, name: value}).status == 400, (name, value)
    cast.owner.post(f"{code.path}/repository/branches", branch="empty", ref="master")
    empty = code.open(source_branch="empty").json
    refused = asked(cast.guest, (f"{code.requests}/{empty['iid']}", lines[1]), new_line=10)
    assert refused.json == {"message": {"noteable": ["doesn't support new-style diff notes"]}}
    assert cast.guest.get(f"{lines[0]}/discussions").json == []
    body = "&".join([
        "body=form", "position[position_type]=text", "position[new_path]=text", "position[new_line]=10",
        *(f"position[{name}]={sha}" for name, sha in lines[1].items()),
    ])  # fmt: skip
    form = Raw(body=body.encode(), type="application/x-www-form-urlencoded")
    assert cast.guest.post(f"{lines[0]}/discussions", raw=form).status == 201


def test_a_discussion_is_on_a_point_of_an_image(cast, lines):
    point = {"width": 100, "height": 80, "x": 3, "y": 4}
    made = asked(cast.guest, lines, position_type="image", new_path="dot.png", **point).json
    assert made["notes"][0]["position"] == {
        "position_type": "image", **lines[1], "old_path": "dot.png", "new_path": "dot.png", **point,
    }  # fmt: skip
    assert asked(cast.guest, lines, position_type="image", new_path="dot.png", width=1).status == 400


@pytest.fixture
def blocking(cast, code, lines):
    """The paths of two discussions, of a guest and of a stranger, that have to be resolved before the request is merged."""
    path, _ = lines
    first = asked(cast.guest, lines, new_line=10).json
    second = cast.stranger.post(f"{path}/discussions", body="and?").json
    cast.owner.put(code.path, only_allow_merge_if_all_discussions_are_resolved=True)
    return [f"{path}/discussions/{discussion['id']}" for discussion in (first, second)]


def test_a_request_is_merged_once_its_discussions_are_resolved(cast, lines, blocking):
    path, _ = lines
    cast.anonymous.get(path)
    shown = cast.anonymous.get(path).json
    assert (shown["blocking_discussions_resolved"], shown["detailed_merge_status"]) == (
        False,
        "discussions_not_resolved",
    )
    assert cast.master.put(f"{path}/merge").status == 405
    for discussion in blocking:
        assert cast.developer.put(discussion, resolved=True).status == 200
    assert cast.anonymous.get(path).json["blocking_discussions_resolved"] is True
    # A reply turns a plain comment into a discussion.
    cast.guest.post(f"{path}/notes", body="plain")
    alone = next(each for each in cast.guest.get(f"{path}/discussions").json if each["notes"][0]["body"] == "plain")
    cast.developer.post(f"{path}/discussions/{alone['id']}/notes", body="reply")
    assert cast.anonymous.get(path).json["blocking_discussions_resolved"] is False
    cast.developer.put(f"{path}/discussions/{alone['id']}", resolved=True)
    assert cast.master.put(f"{path}/merge").status == 200


def test_developers_and_the_author_of_a_note_resolve_its_discussion(cast, lines, blocking):
    path, _ = lines
    assert cast.guest.put(blocking[0], resolved=True).status == 403
    assert cast.reporter.put(blocking[0], resolved=True).status == 403
    resolved = cast.developer.put(blocking[0], resolved=True)
    assert resolved.status == 200
    note = resolved.json["notes"][0]
    assert (note["resolved"], note["resolved_by"]["id"]) == (True, cast.developer.id)
    assert note["resolved_at"]
    own = f"{blocking[1]}/notes/{cast.stranger.get(blocking[1]).json['notes'][0]['id']}"
    assert cast.guest.put(own, resolved=True).status == 403
    assert cast.stranger.put(own, resolved=True, body="x").status == 400
    assert cast.stranger.put(own, resolved=True).json["resolved"] is True
    assert cast.stranger.put(own, body="again").json["body"] == "again"
    cast.developer.put(path, discussion_locked=True)
    assert cast.stranger.put(own, resolved=False).status == 403


def test_a_plain_comment_cannot_be_resolved(cast, lines, blocking):
    path, _ = lines
    plain = cast.guest.post(f"{path}/notes", body="plain").json
    [alone] = [
        each
        for each in cast.guest.get(f"{path}/discussions").json
        if each["individual_note"] and each["notes"][0]["id"] == plain["id"]
    ]
    refused = cast.guest.put(f"{path}/discussions/{alone['id']}/notes/{plain['id']}", resolved=True)
    assert (refused.status, refused.json) == (400, {"message": "Note is not resolvable"})
    assert cast.developer.put(f"{path}/discussions/{alone['id']}", resolved=True).status == 400
    assert cast.developer.put(f"{path}/discussions/{'0' * 40}", resolved=True).status == 404
    assert cast.developer.put(blocking[0]).status == 400


def test_the_last_discussion_that_is_resolved_is_announced(cast, lines, blocking):
    path, _ = lines

    def announced():
        return [note["body"] for note in cast.guest.get(f"{path}/notes").json if note["system"]].count(
            "resolved all discussions"
        )

    for discussion in blocking:
        assert announced() == 0
        assert cast.developer.put(discussion, resolved=True).status == 200
    assert announced() == 1
    assert cast.developer.put(blocking[0], resolved=True).status == 200
    assert announced() == 1
    assert cast.developer.put(blocking[0], resolved=False).json["notes"][0]["resolved_by"] is None
    assert cast.developer.put(blocking[0], resolved=True).status == 200
    assert announced() == 2


def test_the_line_code_is_the_anchor_of_the_line(cast, lines):
    for position in ({"new_line": 10}, {"old_line": 3}, {"old_line": 4, "new_line": 3}):
        assert asked(cast.guest, lines, **position).status == 201
    path = hashlib.sha1(b"text").hexdigest()
    codes = {code for (code,) in cast.rows("SELECT at.line_code FROM diff_positions at")}
    assert codes == {f"{path}_11_10", f"{path}_3_3", f"{path}_4_3"}


def test_authors_who_may_not_read_the_code_comment_on_what_their_request_changes(cast, code, lines):
    path, refs = lines
    tip = code.commit(action="update", text=f"secret\n{OLD}")
    cast.owner.put(code.path, visibility="private")
    cast.owner.delete(f"/groups/{cast.team.id}/members/{cast.developer.id}")
    cast.owner.put(f"{code.path}/members/{cast.developer.id}", access_level=10)
    hidden = {"base_sha": refs["base_sha"], "start_sha": refs["base_sha"], "head_sha": tip}
    for ids in (hidden, {"base_sha": tip, "start_sha": tip}, {"start_sha": tip}):
        refused = asked(cast.developer, lines, new_line=1 if ids is hidden else 10, **ids)
        assert (refused.status, refused.json) == (400, {"message": {"position": ["is invalid"]}}), ids
    draft = {"position_type": "text", **hidden, "new_path": "text", "new_line": 1}
    assert cast.developer.post(f"{path}/draft_notes", note="x", position=draft).status == 400
    assert asked(cast.developer, lines, new_line=10).status == 201
    assert asked(cast.reporter, lines, new_line=1, **hidden).status == 201
