"""What texts say they close, and what becomes of it once it is in the default branch."""

import shutil

import pytest

from mujina.domains.references.closing import closed_by
from mujina.domains.references.reading import IssueReference

HERE = "https://forge.example"


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        (f"{word} #4", ["#4"])
        for word in (
            "close", "Closes", "closed", "Closing", "fix", "Fixes", "fixed", "fixing", "resolve", "resolves",
            "Resolved", "resolving", "implement", "Implements", "implemented", "implementing", "Fixes:",
        )
    ]
    + [
        ("Closes #4, #5 and #6", ["#4", "#5", "#6"]),
        ("closes issues #4 #5", ["#4", "#5"]),
        ("Fixes issue group/project#4, and other#2", ["group/project#4", "other#2"]),
        (f"fix {HERE}/group/project/issues/7", ["group/project#7"]),
        (f"fix {HERE}/group/project/-/issues/7 and #8", ["group/project#7", "#8"]),
        ("This fixes #1.\n\nCloses #2 but not: #3", ["#1", "#2"]),
        ("Fixes #1, see #2; closes #1", ["#1"]),
        ("mentions #4", []),
        ("prefixes #4", []),
        ("fixes#4", []),
        ("fixes #4th", []),
        ("CLOSES #4", []),
        ("fix " + "#1 " * 1000, ["#1"]),
    ],
)  # fmt: skip
def test_closing_words(text, closed):
    assert [f"{each.path or ''}#{each.iid}" for each in closed_by(text, HERE)] == closed


def test_a_single_name_is_a_project_beside():
    assert closed_by("fixes other#2", HERE) == [IssueReference("other", 2, beside=True)]


@pytest.fixture
def code(cast, stage):
    # The rows of the last test are rolled back and their ids used again; its repositories must go too.
    shutil.rmtree(stage.folder / "repositories", ignore_errors=True)
    for title in ("one", "two"):
        cast.reporter.post(f"/projects/{cast.private.id}/issues", title=title)

    def commit(message, person=cast.master, branch="master", at=cast.private, **said):
        path = f"/projects/{at.id}/repository/commits"
        actions = [{"action": "create", "file_path": message, "content": message}]
        made = person.post(path, branch=branch, commit_message=message, actions=actions, **said)
        assert made.status == 201, made
        return made.json["id"]

    commit("first")
    return commit


def state(cast, iid=None, place="private"):
    return cast.root.get(f"/projects/{getattr(cast, place).id}/issues/{iid or cast.open}").json["state"]


def test_a_commit_in_the_default_branch_closes_what_it_says(cast, code):
    id_ = code(f"Fixes #{cast.open}, closes {cast.public.path}#{cast.open}")
    assert state(cast) == state(cast, place="public") == "closed"
    told = cast.guest.get(f"/projects/{cast.private.id}/issues/{cast.open}/notes").json[0]
    assert (told["body"], told["system"], told["author"]["username"]) == (f"closed via commit {id_}", True, "master")
    again = len(cast.guest.get(f"/projects/{cast.private.id}/issues/{cast.open}/notes").json)
    code(f"Fixes #{cast.open} once more")
    assert len(cast.guest.get(f"/projects/{cast.private.id}/issues/{cast.open}/notes").json) == again


def test_on_another_branch_it_closes_nothing_yet(cast, code):
    code(f"Fixes #{cast.open}", branch="side", start_branch="master")
    assert state(cast) == "opened"


def test_only_what_whoever_pushed_it_may_close_is_closed(cast, code):
    theirs = cast.stranger.post("/projects", name="theirs", visibility="public").json
    cast.stranger.post(f"/projects/{theirs['id']}/issues", title="x")
    code(f"Fixes {theirs['path_with_namespace']}#1, #999 and nowhere/at-all#1, but closes #{cast.open}")
    assert cast.stranger.get(f"/projects/{theirs['id']}/issues/1").json["state"] == "opened"
    assert state(cast) == "closed"
