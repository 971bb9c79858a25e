"""GET /projects/:id/search in what a repository holds: files by what they say and how they are called, commits, the wiki."""

import pytest

from mujina.adapters.git.reading import grep
from tests.harness.creation import make_project


@pytest.fixture
def here(cast, stage):
    """A project of the team with a few files, and a wiki."""
    stage.forget_stored()
    path = f"/projects/{make_project(cast.owner, 'code', namespace_id=cast.team.id)['id']}"
    files = {
        "src/main.c": "".join(f"line {number}\n" for number in range(1, 9)) + "int Needle;\n",
        "docs/needle.txt": "what is looked for\n",
        "odd:name-7.txt": "a needle\n" + "hay\n" * 9 + "another NEEDLE\n",
    }
    actions = [{"action": "create", "file_path": name, "content": text} for name, text in files.items()]
    actions.append({"action": "create", "file_path": "binary", "content": "AG5lZWRsZQ==", "encoding": "base64"})
    made = cast.owner.post(
        f"{path}/repository/commits", branch="master", commit_message="Add a *Needle*", actions=actions
    )
    assert made.status == 201, made
    cast.owner.post(f"{path}/wikis", title="Sewing", content="needle and thread")
    return path


@pytest.fixture
def found(cast, here):
    def search(scope, search, **more):
        answer = cast.owner.get(f"{here}/search", scope=scope, search=search, **more)
        assert answer.status == 200, answer
        return answer

    return search


def test_files_are_found_by_what_they_say_and_then_by_their_names(here, found):
    answer = found("blobs", "nEEDLE")
    project_id = int(here.rpartition("/")[2])
    assert answer.json == [
        {"basename": name.rpartition(".")[0], "data": data, "path": name, "filename": name, "id": None, "ref": "master",
         "startline": line, "project_id": project_id}
        for name, line, data in [
            ("odd:name-7.txt", 1, "a needle\nhay\nhay\n"),
            ("odd:name-7.txt", 9, "hay\nhay\nanother NEEDLE\n"),
            ("src/main.c", 7, "line 7\nline 8\nint Needle;\n"),
            ("docs/needle.txt", 1, "what is looked for\n"),
        ]
    ]  # fmt: skip
    assert answer.headers["X-Total"] == "4"
    second = found("blobs", "needle", per_page=1, page=2)
    assert (second.json[0]["startline"], second.headers["X-Total"]) == (9, "4")


def test_words_are_words_and_neither_patterns_nor_options(found):
    for words in ("n.edle", "--open-files-in-pager=true", "-f/etc/passwd", "nothing at all", " "):
        assert found("blobs", words).json == found("commits", words).json == []
    assert [commit["title"] for commit in found("commits", "a *needle*").json] == ["Add a *Needle*"]


def test_a_commit_is_found_by_its_message_and_by_its_id(here, found):
    (commit,) = found("commits", "NEEDLE").json
    assert commit["project_id"] == int(here.rpartition("/")[2])
    for words in (commit["id"], commit["short_id"]):
        assert found("commits", words).json == [commit]
    past = found("commits", "needle", page=2)
    assert (past.json, past.headers["X-Total"]) == ([], "1")


def test_the_wiki_is_searched_by_itself(cast, here, found):
    (passage,) = found("wiki_blobs", "thread").json
    assert (passage["filename"], passage["basename"]) == ("Sewing.md", "Sewing")
    assert found("blobs", "thread").json == []
    cast.owner.put(here, wiki_enabled=False)
    assert cast.owner.get(f"{here}/search", scope="wiki_blobs", search="thread").status == 403


def test_no_more_of_a_long_line_is_held_than_its_beginning(cast, here):
    text = "x" * 300_000 + " needle\nshort needle\n"
    body = {"branch": "master", "commit_message": "m", "content": text}
    assert cast.owner.post(f"{here}/repository/files/long", **body).status == 201
    (passage,) = cast.owner.get(f"{here}/search", scope="blobs", search="short needle").json
    assert passage["data"].endswith("short needle\n")
    assert len(passage["data"]) < grep.MAX_LINE_BYTES + 100


def test_another_branch_is_searched_on_request(cast, here, found):
    change = {"action": "create", "file_path": "new.txt", "content": "a thimble\n"}
    cast.owner.post(
        f"{here}/repository/commits", branch="side", start_branch="master", commit_message="Thimble", actions=[change]
    )
    assert found("blobs", "thimble").json == found("commits", "thimble").json == []
    [blob] = found("blobs", "thimble", ref="side").json
    assert (blob["path"], blob["ref"]) == ("new.txt", "side")
    assert [commit["title"] for commit in found("commits", "thimble", ref="side").json] == ["Thimble"]
    for scope in ("blobs", "commits"):
        assert cast.owner.get(f"{here}/search", scope=scope, search="thimble", ref="nowhere").status == 404
