"""What texts say they close, and what becomes of it once it is in the default branch."""

import pytest

from mujina.app import build_services
from mujina.kernel.jobs.tasks import Run
from mujina.planning.references.closing_keywords import closed_by
from mujina.planning.references.parsing import IssueReference
from mujina.planning.references.tasks import read_push
from mujina.settings import Settings
from tests.harness.creation import make_project

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
        ("Closes #4, #5, and #6", ["#4", "#5", "#6"]),
        ("Closes issue #4 and issue #5, issues #6", ["#4", "#5", "#6"]),
        ("Fixes #4,#5", ["#4", "#5"]),
        ("Fixes:\t#4", ["#4"]),
        ("Fixes : #4", []),
        ("Fixes\n#4", []),
        ("Fixes #4\n#5", ["#4"]),
        ("Fixes #4\nand closes #5", ["#4", "#5"]),
        ("`closes #4`", ["#4"]),
        ("```\ncloses #4\n```", ["#4"]),
        ("(closes #4)", ["#4"]),
        (f"fix {HERE}/g/p/issues/7#note_3, {HERE}/g/p/issues/8?a=b. Then #9", ["g/p#7", "g/p#8"]),
        (f"fix {HERE}/g/p/issues/7.", ["g/p#7"]),
        (f"fix {HERE}/g/p/merge_requests/7", []),
        ("fix https://elsewhere.example/g/p/issues/7 and #8", []),
        (f"fix {HERE}.evil.example/g/p/issues/7", []),
        ("Closes !4", []),
        ("Closes group/sub/project#4 project#5", ["group/sub/project#4", "project#5"]),
        ("closes #0", ["#0"]),
        ("mentions #4", []),
        ("prefixes #4", []),
        ("fixes#4", []),
        ("fixes #4th", []),
        ("CLOSES #4", []),
        ("fix " + "#1 " * 1000, ["#1"]),
    ],
)  # fmt: skip
def test_a_keyword_closes_the_issues_that_follow_it(text, closed):
    assert [f"{each.path or ''}#{each.iid}" for each in closed_by(text, HERE)] == closed


def test_a_single_name_is_a_project_beside():
    assert closed_by("fixes other#2", HERE) == [IssueReference("other", 2, sibling=True)]


@pytest.mark.parametrize("part", ["close ", "close a/", "close #1 ", f"fix {HERE}/a/", "fix: issue ", "fix #1, and "])
def test_hostile_text_is_searched_to_its_end(part):
    assert len(closed_by(part * 50_000, HERE)) <= 1


@pytest.fixture
def code(cast, stage):
    # The rows of the last test are rolled back and their ids used again; its repositories must go too.
    stage.forget_stored()
    for title in ("one", "two"):
        cast.reporter.post(f"/projects/{cast.private.id}/issues", title=title)

    def commit(message, person=cast.master, branch="master", at=cast.private, **params):
        path = f"/projects/{at.id}/repository/commits"
        actions = [{"action": "create", "file_path": message, "content": message}]
        made = person.post(path, branch=branch, commit_message=message, actions=actions, **params)
        assert made.status == 201, made
        return made.json["id"]

    commit("first")
    return commit


def state(cast, iid=None, place="private"):
    return cast.root.get(f"/projects/{getattr(cast, place).id}/issues/{iid or cast.open}").json["state"]


def test_a_commit_in_the_default_branch_closes_what_it_says(cast, code):
    id_ = code(f"Fixes #{cast.open}, closes {cast.public.path}#{cast.open}")
    assert state(cast) == state(cast, place="public") == "closed"
    note = cast.guest.get(f"/projects/{cast.private.id}/issues/{cast.open}/notes").json[0]
    assert (note["body"], note["system"], note["author"]["username"]) == (f"closed via commit {id_}", True, "master")
    again = len(cast.guest.get(f"/projects/{cast.private.id}/issues/{cast.open}/notes").json)
    code(f"Fixes #{cast.open} once more")
    assert len(cast.guest.get(f"/projects/{cast.private.id}/issues/{cast.open}/notes").json) == again


def test_a_commit_closes_by_the_address_that_mail_and_hooks_use(cast, code, stage, database, loop):
    settings = Settings(data=stage.folder, port=8123)
    assert settings.external_url is None
    code(f"Fixes {settings.url}/{cast.private.path}/issues/{cast.open}")
    assert state(cast) == "opened"  # the instance has another address
    loop.run_until_complete(read_newest_push(settings, database))
    assert state(cast) == "closed"


async def read_newest_push(settings, database):
    async with database.reading() as tx:
        push_id = await tx.value("SELECT max(id) FROM pushes")
    await read_push(Run(build_services(settings, database), 1), str(push_id))


def commit_notes(person, cast, place="private"):
    notes = person.get(f"/projects/{getattr(cast, place).id}/issues/{cast.open}/notes").json
    return [note["body"] for note in notes if "commit" in note["body"]]


def test_on_another_branch_it_closes_nothing_yet(cast, code):
    id_ = code(f"Fixes #{cast.open}", branch="side", start_branch="master")
    assert state(cast) == "opened"
    assert commit_notes(cast.reporter, cast) == [f"mentioned in commit {id_}"]


def test_an_issue_says_in_which_commits_it_is_mentioned_to_those_who_read_code(cast, code):
    first = code(f"About #{cast.open} and {cast.public.path}#{cast.open}, not `#{cast.confidential}`")
    second = code(f"Again #{cast.open}")
    assert commit_notes(cast.reporter, cast) == [f"mentioned in commit {second}", f"mentioned in commit {first}"]
    assert commit_notes(cast.guest, cast) == []
    assert commit_notes(cast.reporter, cast, "public") == [f"mentioned in commit {cast.private.path}@{first}"]
    assert commit_notes(cast.guest, cast, "public") == commit_notes(cast.stranger, cast, "public") == []
    assert state(cast) == "opened"


def test_a_push_that_is_read_again_writes_no_second_note(cast, code, stage, database, loop):
    code(f"About #{cast.open}, fixes #{cast.confidential}")
    before = commit_notes(cast.reporter, cast)
    settings = Settings(data=stage.folder, external_url="http://mujina.test")
    loop.run_until_complete(read_newest_push(settings, database))
    assert commit_notes(cast.reporter, cast) == before
    notes = cast.reporter.get(f"/projects/{cast.private.id}/issues/{cast.confidential}/notes").json
    assert len([note for note in notes if note["body"].startswith("closed via")]) == 1


def test_a_push_closes_only_issues_that_its_author_may_close(cast, code):
    theirs = make_project(cast.stranger, "theirs", visibility="public")
    cast.stranger.post(f"/projects/{theirs['id']}/issues", title="x")
    code(f"Fixes {theirs['path_with_namespace']}#1, #999 and nowhere/at-all#1, but closes #{cast.open}")
    assert cast.stranger.get(f"/projects/{theirs['id']}/issues/1").json["state"] == "opened"
    assert state(cast) == "closed"
