"""Discussing a commit in the browser."""

import re

import pytest

from mujina.planning.discussions import timeline
from tests.code.pages.test_code_pages import HOSTILE


@pytest.fixture
def here(cast, shelf):
    return f"/{cast.public.path}/commit/{shelf[1]}"


@pytest.fixture
def discussions(cast, shelf):
    return f"/projects/{cast.public.id}/repository/commits/{shelf[1]}/discussions"


def written(answer):
    assert answer.status == 303, answer
    return int(answer.headers["Location"].split("#note_")[1])


def bodies(cast, discussions):
    return [[note["body"] for note in each["notes"]] for each in cast.owner.get(discussions).json]


def test_a_comment_on_a_commit_is_answered_edited_and_deleted(browse, cast, here, discussions):
    stranger, developer, master = browse("stranger"), browse("developer"), browse("master")
    assert 'name="discussion_id"' in stranger.open(here).text
    note = written(stranger.send(f"{here}/notes", body="Is *this* right?"))
    whole = cast.owner.get(discussions).json[1]
    developer.open(here)
    reply = written(developer.send(f"{here}/notes", body="It is", discussion_id=whole["id"]))
    assert bodies(cast, discussions) == [["Why *this*?"], ["Is *this* right?", "It is"]]
    page = stranger.open(here).text
    assert f"{here}/notes/{note}/edit" in page
    assert f"{here}/notes/{reply}/edit" not in page
    assert "Is *this* right?" in stranger.open(f"{here}/notes/{note}/edit").text
    for verb in ("", "/delete"):
        assert stranger.send(f"{here}/notes/{reply}{verb}", body="No").status == 403
    preview = stranger.send(f"{here}/notes/{note}", body="Is it **so**?", preview="true")
    assert "<strong>so</strong>" in preview.text
    edited = stranger.send(f"{here}/notes/{note}", body="Is it so?")
    assert edited.headers["Location"] == f"{here}?note={note}#note_{note}"
    master.open(here)
    assert master.send(f"{here}/notes/{reply}/delete").headers["Location"] == here
    assert bodies(cast, discussions) == [["Why *this*?"], ["Is it so?"]]


def test_replies_to_a_comment_on_a_line_are_about_the_line(browse, cast, here, discussions):
    [thread] = cast.owner.get(discussions).json
    developer = browse("developer")
    page = developer.open(here, view="parallel").text
    assert f'action="{here}/notes?view=parallel"' in page
    reply = written(developer.send(f"{here}/notes?view=parallel", body="Because", discussion_id=thread["id"]))
    [thread] = cast.owner.get(discussions).json
    assert [note["position"]["new_line"] for note in thread["notes"]] == [4, 4]
    page = developer.open(here).text
    assert page.index("Because") < page.index('id="comments"')
    target = f"{here}?view=parallel"
    assert developer.send(f"{here}/notes/{reply}", body="Hence", target=target).headers["Location"].startswith(target)
    assert developer.send(f"{here}/notes/{reply}/delete", target=target).headers["Location"] == target
    assert bodies(cast, discussions) == [["Why *this*?"]]


def test_refused_comments_are_shown_again_and_previews_write_nothing(browse, cast, here, discussions):
    [thread] = cast.owner.get(discussions).json
    developer = browse("developer")
    developer.open(here)
    blank = developer.send(f"{here}/notes", body=" ", discussion_id=thread["id"])
    assert (blank.status, blank.text.count("aria-invalid")) == (422, 1)
    assert f'id="reply-{thread["id"]}-problem"' in blank.text
    preview = developer.send(f"{here}/notes", body=f"**new** {HOSTILE}", preview="true")
    assert "<strong>new</strong>" in preview.text
    assert "<img src=x" not in preview.text
    assert developer.send(f"{here}/notes", body="x", discussion_id="0" * 40).status == 404
    assert bodies(cast, discussions) == [["Why *this*?"]]


def test_a_note_is_reached_by_the_page_of_its_own_commit_only(browse, cast, shelf, here, discussions):
    owner, project = browse("owner"), f"/{cast.public.path}"
    [thread] = cast.owner.get(discussions).json
    note = thread["notes"][0]["id"]
    on_issue = cast.owner.post(f"/projects/{cast.public.id}/issues/{cast.open}/notes", body="On an issue").json["id"]
    owner.open(here)
    first = f"{project}/commit/{shelf[0]}"
    strange = [f"{first}/notes/{note}", f"{here}/notes/{on_issue}", f"{project}/commit/feature%2Fx/notes/{note}"]
    for path in [*strange, f"{here}/notes/{2**62}", f"{project}/commit/%00/notes/{note}"]:
        assert owner.open(f"{path}/edit").status == 404, path
        for verb in ("", "/delete"):
            assert owner.send(f"{path}{verb}", body="x").status == 404, path
    assert owner.send(f"{first}/notes", body="x", discussion_id=thread["id"]).status == 404
    assert cast.owner.get(f"/projects/{cast.public.id}/repository/commits/{shelf[0]}/discussions").json == []
    assert bodies(cast, discussions) == [["Why *this*?"]]


def test_those_who_no_longer_read_the_code_change_nothing(browse, cast, here, discussions):
    [thread] = cast.owner.get(discussions).json
    note, stranger = thread["notes"][0]["id"], browse("stranger")
    stranger.open(here)
    own = written(stranger.send(f"{here}/notes", body="Mine"))
    assert cast.owner.put(f"/projects/{cast.public.id}", visibility="private").status == 200
    for path in (f"{here}/notes", f"{here}/notes/{note}", f"{here}/notes/{own}", f"{here}/notes/{own}/delete"):
        assert stranger.send(path, body="x").status == 404, path
    assert stranger.open(f"{here}/notes/{own}/edit").status == 404
    assert bodies(cast, discussions) == [["Why *this*?"], ["Mine"]]


def test_the_page_shows_a_part_of_a_long_discussion(browse, cast, here, discussions, monkeypatch):
    for name, value in {"MAX_NOTES": 3, "_FIRST": "1", "_MIDDLE": "2", "_LAST": "1"}.items():
        monkeypatch.setattr(timeline, name, value)
    [thread] = cast.owner.get(discussions).json
    for n in range(5):
        cast.owner.post(f"{discussions}/{thread['id']}/notes", body=f"Note {n}")
    page = browse("developer").open(here).text
    [(more, hidden)] = re.findall(rf'href="({here}\?note=\d+)#note_\d+"[^>]*>Show (\d+) more', page)
    assert (hidden, "Note 1<" in page, "Note 4<" in page) == ("4", False, True)
    assert "Note 1<" in browse("developer").open(more).text
