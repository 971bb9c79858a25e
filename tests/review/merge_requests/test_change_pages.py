"""The changes of a merge request in the browser: threads on lines, versions, and files that are too large."""

import re
from dataclasses import replace

import pytest
from selectolax.lexbor import LexborHTMLParser

EDITED = {"branch": "edited", "message": "Lines", "action": "update"}
WHY = "Why <strong>2</strong>?"


@pytest.fixture
def changes(code):
    """The page of the changes of a request that edits three lines of a file."""
    code.commit(message="Text", lines="one\ntwo\nthree\n")
    code.commit(start_branch="master", lines="one\n2\nthree  \nfour\n", **EDITED)
    code.open(source_branch="edited")
    return f"/{code.project['path_with_namespace']}/merge_requests/1/diffs"


@pytest.fixture
def place(changes):
    return changes.removesuffix("/diffs")


@pytest.fixture
def thread(code, cast, changes):
    """A thread on the second line."""
    version = cast.owner.get(f"{code.requests}/1/versions").json[0]
    shas = {f"{name}_sha": version[f"{name}_commit_sha"] for name in ("base", "start", "head")}
    position = {"position_type": "text", "old_path": "lines", "new_path": "lines", "new_line": 2, **shas}
    made = cast.developer.post(f"{code.requests}/1/discussions", body="Why **2**?", position=position)
    assert made.status == 201, made
    return made.json


def anchor_of_line(page):
    """The anchor of the second line."""
    return re.search(r"<tr class=add id=(\w+_2)>", page)[1]


def changed_lines(page):
    """The lines of a diff that were added or removed."""
    return "".join(re.findall(r"<tr class=(?:add|del).*?(?=<tr|</table)", page, re.DOTALL))


def test_a_thread_is_started_on_a_line(browse, changes, place):
    developer = browse("developer")
    page = developer.open(changes).text
    assert ("1 changed file," in page, "Side by side" in page) == (True, True)
    line = anchor_of_line(page)
    fields = dict(re.findall(r'name="position\[(\w+)\]" value="([^"]*)"', developer.open(changes, line=line).text))
    refused = developer.send(f"{place}/discussions", body=" ", line=line, position=fields)
    assert (refused.status, "Comment on line 2" in refused.text) == (422, True)
    made = developer.send(f"{place}/discussions", body="Why **2**?", position=fields)
    assert (made.status, "/diffs#note_" in made.headers["Location"]) == (303, True)
    for view in ({}, {"view": "parallel"}):
        page = developer.open(changes, **view).text
        assert (WHY in page, "1 unresolved thread" in page) == (True, True), view


def test_a_refused_reply_is_shown_where_it_was_written(browse, changes, place, thread):
    developer = browse("developer")
    file, reply = anchor_of_line(developer.open(changes).text)[:40], {"discussion_id": thread["id"]}
    answer = developer.send(f"{place}/notes", body="Because", target=changes, **reply)
    assert (answer.status, answer.headers["Location"].startswith(f"{changes}#note_")) == (303, True)
    assert developer.send(f"{place}/notes", body="x", discussion_id="f" * 40).status == 404
    refused = developer.send(f"{changes}/notes?view=parallel", body=" ", **reply)
    problem = f'id="reply-{thread["id"]}-problem"'
    assert [words in refused.text for words in ("1 changed file,", problem, "parallel")] == [True] * 3
    part = replace(developer, headers={"hx-request": "true", "hx-target": file})
    refused = part.send(f"{changes}/notes", body=" ", **reply)
    shown = [words in refused.text for words in (f'id="{file}"', problem, 'id="unresolved"', "<html")]
    assert (refused.status, shown) == (422, [True, True, True, False])


def test_editing_and_deleting_a_reply_leads_back_to_the_changes(browse, code, cast, changes, place, thread):
    developer = browse("developer")
    reply = cast.developer.post(f"{code.requests}/1/discussions/{thread['id']}/notes", body="Because").json["id"]
    edit, back = f"{place}/notes/{reply}", {"target": f"{changes}?view=parallel"}
    assert f'value="{back["target"]}"' in developer.open(f"{edit}/edit", **back).text
    assert developer.send(edit, body="So", **back).headers["Location"] == f"{back['target']}#note_{reply}"
    assert developer.send(f"{edit}/delete", **back).headers["Location"] == back["target"]
    assert "So</p>" not in developer.open(changes).text


def test_a_thread_is_resolved_and_continued_by_an_issue(browse, changes, place, thread):
    developer, resolve = browse("developer"), f"{place}/discussions/{thread['id']}/resolve"
    developer.open(changes)
    assert browse("reporter").send(resolve).status == 422
    assert developer.send(resolve, target=changes).status == 303
    assert "Resolved by" in developer.open(changes).text
    assert developer.send(f"{place}/discussions/{thread['id']}/unresolve").status == 303
    made = developer.send(f"{place}/follow_up")
    assert (made.status, "/issues/" in made.headers["Location"]) == (303, True)
    page = developer.open(place).text
    assert ("lines:2" in page, "Resolved by" in page) == (True, True)


def test_lines_stand_side_by_side_with_what_was_removed_on_the_left(browse, changes):
    page = LexborHTMLParser(browse("developer").open(changes, view="parallel").text)
    rows = [row.css("td") for row in page.css(".parallel tr:not(.hunk)")]
    assert [[(cell.attributes["class"], cell.text()) for cell in row] for row in rows] == [
        [("n", "1"), ("c", "one"), ("n", "1"), ("c", "one")],
        [("n del", "2"), ("c del", "removed two"), ("n add", "2"), ("c add", "added 2")],
        [("n del", "3"), ("c del", "removed three"), ("n add", "3"), ("c add", "added three  ")],
        [("n", ""), ("c none", ""), ("n add", "4"), ("c add", "added four")],
    ]


def test_changes_are_shown_without_whitespace_as_files_and_by_commit(browse, changes, place):
    developer = browse("developer")
    assert "three" in changed_lines(developer.open(changes).text)
    assert "three" not in changed_lines(developer.open(changes, w="1").text)
    for suffix, start in ((".diff", "diff --git"), (".patch", "From ")):
        assert developer.open(f"{place}{suffix}").text.startswith(start)
    assert "Lines" in developer.open(f"{place}/commits").text


@pytest.mark.usefixtures("thread")
def test_a_thread_whose_line_changed_is_shown_in_its_version(browse, code, cast, changes):
    developer = browse("developer")
    code.commit(lines="one\nII\nthree\nfour\n", **EDITED)
    newest, first = cast.owner.get(f"{code.requests}/1/versions").json
    page = developer.open(changes).text
    assert (WHY in page, "latest version" in page) == (False, True)
    assert WHY in developer.open(changes, diff_id=first["id"]).text
    page = developer.open(changes, diff_id=newest["id"], start_sha=first["head_commit_sha"]).text
    assert ("four" in changed_lines(page), "II" in page, "not viewing the latest" in page) == (False, True, True)
    assert developer.open(changes, diff_id=newest["id"], start_sha="0" * 40).status == 404
    assert developer.open(changes, diff_id=10**9).status == 404


@pytest.mark.parametrize(("width", "shown"), [(400, (False, True, False)), (1000, (False, False, True))])
def test_a_file_of_long_lines_is_collapsed_and_shown_alone_up_to_a_limit(browse, code, changes, width, shown):
    code.commit("edited", message="Long", long=f"{'y' * width}\n" * 300)
    developer = browse("developer")
    page = developer.open(changes).text
    file = re.search(r'file=([0-9a-f]{40})"? hx-target', page)[1]
    alone = developer.open(changes, file=file).text
    assert ("yyyy" in page, "yyyy" in alone, "too large to show" in alone) == shown
