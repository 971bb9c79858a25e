"""Archives of GitLab, Gitea and GitHub become projects that show what the archives have."""

import json

import pytest

from mujina.moving.archives.unpacking import UnusableArchive
from mujina.moving.sources.exports.documents import MAX_RAW_VALUES, read_parts
from tests.cli.command import mujina
from tests.harness.creation import drain
from tests.moving.exports import (
    AT,
    LATER,
    LFS,
    LFS_OID,
    Code,
    gitea_dump,
    github_archive,
    github_repository,
    gitlab_export,
    old_gitlab_export,
    packed,
    yaml_list,
)
from tests.moving.test_archives import place
from tests.moving.test_project_archives import imported
from tests.moving.world import add_people, admin


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    return Code(tmp_path_factory.mktemp("exported"))


def became(cast, members, path="app"):
    """The path of the project in the API that an archive of these members became."""
    made = imported(cast.stranger, packed(members), path=path)
    assert made.status == 201, made
    drain(cast)
    state = cast.stranger.get(f"/projects/{made.json['id']}/import").json
    assert (state["import_status"], state["import_error"]) == ("finished", None)
    return f"/projects/{made.json['id']}"


def refused(cast, members, path="app"):
    """Why an archive of these members was not read."""
    made = imported(cast.stranger, packed(members), path=path)
    drain(cast)
    state = cast.stranger.get(f"/projects/{made.json['id']}/import").json
    assert state["import_status"] == "failed"
    return state["import_error"]


def dates(shown):
    return shown["created_at"][:19], shown["updated_at"][:19]


@pytest.mark.parametrize("build", [gitlab_export, old_gitlab_export])
def test_a_gitlab_export_becomes_a_project(cast, code, build):
    here, get = became(cast, build(code)), lambda path="": cast.stranger.get(f"{here}{path}").json
    project = get()
    assert (project["description"], project["visibility"], project["default_branch"]) == ("It", "private", "main")
    assert (project["merge_method"], project["jobs_enabled"], project["wiki_enabled"]) == ("ff", False, True)
    assert project["avatar_url"]
    first = get("/issues/7")
    assert (first["title"], first["author"]["username"], first["author"]["name"]) == (
        "It fails",
        "anna-imported",
        "Anna A",
    )
    assert (first["confidential"], first["weight"], first["due_date"], dates(first)) == (
        True,
        5,
        "2030-01-15",
        (AT[:19], LATER[:19]),
    )
    assert (first["labels"], first["milestone"]["title"], first["milestone"]["iid"]) == (
        ["bug", "from above"],
        "1.0",
        3,
    )
    assert [each["username"] for each in first["assignees"]] == ["user-2-imported"]
    assert (first["time_stats"]["time_estimate"], first["time_stats"]["total_time_spent"]) == (3600, 60)
    link, references = first["description"].removeprefix("See ![a](").split("), ")
    assert (link.startswith("/uploads/"), link[41:], "a" * 32 in link, references) == (
        True,
        "/a.png",
        False,
        "#9 and !2",
    )
    threads = [each["notes"] for each in get("/issues/7/discussions") if not each["notes"][0]["system"]]
    bodies = [[note["body"] for note in notes if not note["system"]] for notes in threads]
    assert bodies == [["A comment"], ["Why?", "Because."]]
    assert [each["name"] for each in get("/issues/7/award_emoji")] == ["thumbsup"]
    second = get("/issues/9")
    assert (second["state"], second["closed_at"][:19], second["milestone"]["title"]) == ("closed", LATER[:19], "of all")
    assert second["author"]["username"] == "user-77-imported"


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_merge_requests_of_a_gitlab_export_come_with_threads_about_lines(cast, code):
    here, get = became(cast, gitlab_export(code)), lambda path="": cast.stranger.get(f"{here}{path}").json
    request = get("/merge_requests/2")
    assert (request["state"], request["source_branch"], request["sha"]) == ("opened", "topic", code.head)
    assert [each["username"] for each in request["reviewers"]] == ["user-2-imported"]
    [thread] = get("/merge_requests/2/discussions")
    [note] = thread["notes"]
    assert (note["position"]["new_line"], note["resolved"], note["resolved_by"]["name"]) == (2, True, "Anna A")
    assert [each["user"]["name"] for each in get("/merge_requests/2/approvals")["approved_by"]] == ["Ben B"]


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_everything_else_of_a_gitlab_export_comes_too(cast, code):
    here, get = became(cast, gitlab_export(code)), lambda path="": cast.stranger.get(f"{here}{path}").json
    [release] = get("/releases")
    assert (release["tag_name"], release["released_at"][:19], release["assets"]["links"][0]["name"]) == (
        "v1",
        LATER[:19],
        "binary",
    )
    assert [each["name"] for each in get("/protected_tags")] == ["v*"]
    assert "stable-*" in [each["name"] for each in get("/protected_branches")]
    [board] = [each for each in get("/boards") if each["name"] == "Work"]
    assert [each["label"]["name"] for each in board["lists"]] == ["bug"]
    [snippet] = get("/snippets")
    assert cast.stranger.get(f"{here}/snippets/{snippet['id']}/raw").body == b"x = 1\n"
    assert [each["slug"] for each in get("/wikis")] == ["home"]
    assert [each["username"] for each in get("/members")] == [cast.stranger.username]
    assert {each["name"]: each["priority"] for each in get("/labels")} == {"bug": 2, "from above": None}
    assert get("?statistics=true")["statistics"]["lfs_objects_size"] == len(LFS)


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_gitlab_export_that_is_broken_brings_the_rest(cast, code):
    wrong = [
        {"iid": 7, "title": "Good", "author_id": 1, "state": "opened", "created_at": AT, "updated_at": AT, "notes": "none",
         "label_links": {"x": 1}, "milestone": [], "issue_assignees": [{"user_id": {}}], "award_emoji": 7},
        {"iid": "8"}, {"iid": 9, "title": [], "notes": [7, {"note": {}, "position": "{"}]}, [], 7,
    ]  # fmt: skip
    members = gitlab_export(
        code,
        issues=wrong,
        merge_requests=[{"iid": {}, "merge_request_diff": {"head_commit_sha": []}}],
        boards=[{"lists": [{}]}],
    )
    members["tree/project/labels.ndjson"] = b'{"title": "x"\n[' + b"[" * 100_000 + b"\n\xff\n" + b'{"title": ["y"]}\n'
    members["tree/project.json"] = b'{"visibility_level": {}, "description": "It"}'
    members["project.bundle"] = b"gitdir: /etc\n"
    members["documents/1.ndjson"] = b'{"path": "/api/v4/projects/1/issues", "body": [{"iid": 1}]}\n'
    members[f"uploads/{'a' * 32}/../../x"] = b"x"
    members |= {f"uploads/{'a' * 32}/\udcff": b"x", "./": b"x", ".": b"x", "tree/project//./odd.ndjson": b"{}\n"}
    here = became(cast, members)
    assert [each["title"] for each in cast.stranger.get(f"{here}/issues").json] == ["Good"]
    assert cast.stranger.get(f"{here}/repository/branches").json == []
    assert "cannot be read" in refused(cast, {**members, "tree/project.json": b"[]"}, "broken")
    assert "It is no archive of `mujina export`" in refused(cast, {"x": b""}, "other")


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_gitea_dump_becomes_a_project(cast, code):
    here, get = became(cast, gitea_dump(code)), lambda path="": cast.stranger.get(f"{here}{path}").json
    project = get()
    assert (project["description"], project["default_branch"], project["visibility"]) == ("It", "main", "private")
    issue = get("/issues/1")
    assert (issue["state"], issue["author"]["username"], dates(issue)) == (
        "closed",
        "anna-imported",
        (AT[:19], LATER[:19]),
    )
    assert (issue["labels"], issue["milestone"]["title"], issue["discussion_locked"]) == (["bug"], "1.0", True)
    first, _, rest = issue["description"].partition(" and ")
    assert (first, rest.partition("\n")[0].endswith("/app/merge_requests/2")) == ("See !2, #3", True), issue[
        "description"
    ]
    assert [each["username"] for each in issue["assignees"]] == ["ben-imported"]
    assert [each["body"] for each in get("/issues/1/notes") if not each["system"]] == ["A comment"]
    assert [each["name"] for each in get("/issues/1/award_emoji")] == ["thumbsup"]
    request = get("/merge_requests/2")
    assert (request["title"], request["description"], request["sha"]) == ("Shout", "Fixes #1", code.head)
    notes = [note for each in get("/merge_requests/2/discussions") for note in each["notes"]]
    [line] = [note for note in notes if note.get("position")]
    assert (line["body"], line["position"]["new_line"], line["author"]["username"]) == ("So loud", 2, "anna-imported")
    assert "Good" in [note["body"] for note in notes]
    assert [each["user"]["username"] for each in get("/merge_requests/2/approvals")["approved_by"]] == ["anna-imported"]
    [release] = get("/releases")
    assert (release["tag_name"], "/uploads/" in release["assets"]["links"][0]["url"]) == ("v1", True)
    assert [each["slug"] for each in get("/wikis")] == ["home"]


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_bare_repository_of_a_dump_gives_objects_and_refs_and_nothing_else(cast, code, tmp_path):
    touched = tmp_path / "touched"
    command = f"touch {touched}"
    members = gitea_dump(code, "")
    members |= {
        "git/config": f'[core]\n\tbare = true\n\tfsmonitor = "{command}"\n\tsshCommand = "{command}"\n'
        f'[uploadpack]\n\tpackObjectsHook = "{command}"\n[include]\n\tpath = /etc/passwd\n'.encode(),
        "git/hooks/post-checkout": f"#!/bin/sh\n{command}\n".encode(), "git/objects/info/alternates": b"/etc\n",
        "git/commondir": b"../../elsewhere\n", "git/gitdir": b"/etc\n", "git/shallow": code.main.encode(),
        "git/HEAD": b"ref: ../../x",
        "git/refs/heads/../../../out": code.main.encode(), "git/refs/heads/a..b": code.main.encode(),
        "git/refs/heads/link": b"ref: refs/heads/main", "git/refs/heads/gone": b"1" * 40,
        "git/refs/heads/x.lock": code.main.encode(),
        "git/objects/pack/pack-x.pack": b"no pack", f"git/objects/pack/pack-{'0' * 40}.idx": b"no index",
        "git/objects/00/" + "0" * 38: b"no object",
    }  # fmt: skip
    here = became(cast, members)
    branches = [each["name"] for each in cast.stranger.get(f"{here}/repository/branches").json]
    assert (branches, touched.exists()) == (["main", "topic"], False)
    assert cast.stranger.get(here).json["default_branch"] == "main"


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_dump_that_is_broken_brings_the_rest(cast, code):
    bomb = b"- &a {x: y}\n" + b"- number: 8\n  title: [" + b"*a, " * 50 + b"]\n"
    good = yaml_list({"number": 1, "title": "Good", "state": "open", "created": AT, "updated": AT})
    wrong = yaml_list(
        {"number": 2, "title": {"a": "b"}}, {"number": "x"}, 7, [],
        {"number": 3, "assignees": 7, "labels": "bug", "reactions": {"a": 1}, "assets": [{"download_url": "http://["}]},
    )  # fmt: skip
    members = gitea_dump(code, "") | {
        "issue.yml": b"[]\n" + bomb + b"- [\n- !!python/object:os.system {}\n\xff\n" + wrong + good + b"- " + b"x" * 2_000_000,
        "pull_request.yml": yaml_list({"number": 4, "head": 7, "base": []}), "label.yml": b"\0", "comments/1.yml": b"7\n",
        "release.yml": yaml_list({"tag_name": "v1", "created": AT, "assets": [{"name": "x", "download_url": "../../etc/passwd"}]}),
        "reviews/99999999999999999999.yml": yaml_list({"comments": [{"line": "x"}]}),
    }  # fmt: skip
    here = became(cast, members)
    assert [each["title"] for each in cast.stranger.get(f"{here}/issues").json] == ["Good"]
    assert "names no repository" in refused(cast, {**members, "repo.yml": b"owner: ../x\nname: app\n"}, "unnamed")


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_migration_archive_of_github_becomes_a_project(cast, code):
    here, get = became(cast, github_archive(code)), lambda path="": cast.stranger.get(f"{here}{path}").json
    issue = get("/issues/1")
    assert (issue["state"], issue["author"]["name"], dates(issue)) == ("closed", "Anna A", (AT[:19], LATER[:19]))
    assert (issue["labels"], issue["milestone"]["iid"]) == (["good first"], 4)
    assert [each["username"] for each in issue["assignees"]] == ["ben-imported"]
    assert issue["description"].startswith("See !2, ")
    assert "/app/merge_requests/2 and ![](/uploads/" in issue["description"]
    assert [each["body"] for each in get("/issues/1/notes?sort=asc") if not each["system"]] == ["A comment", "Another"]
    assert [each["name"] for each in get("/issues/1/award_emoji")] == ["thumbsup"]
    request = get("/merge_requests/2")
    assert (request["title"], request["description"], request["sha"]) == ("Shout", "Fixes #1", code.head)
    threads = [[note["body"] for note in each["notes"]] for each in get("/merge_requests/2/discussions")]
    assert (["So loud", "Yes"] in threads, ["Good"] in threads) == (True, True)
    assert [each["user"]["name"] for each in get("/merge_requests/2/approvals")["approved_by"]] == ["Anna A"]
    [release] = get("/releases")
    assert (release["tag_name"], "/uploads/" in release["assets"]["links"][0]["url"]) == ("v1", True)
    assert [each["slug"] for each in get("/wikis")] == ["home"]
    [branch] = get("/protected_branches")
    assert (branch["name"], branch["push_access_levels"][0]["access_level"]) == ("main", 0)


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_migration_archive_that_is_broken_brings_the_rest(cast, code):
    app = "https://github.com/team/app"
    good = {"url": f"{app}/issues/1", "repository": app, "user": None, "title": "Good", "created_at": AT}
    wrong = [
        {"url": f"{app}/issues/2", "repository": app, "title": {}, "labels": 7, "assignees": [{}], "reactions": [7]},
        {"url": [], "repository": app}, {"repository": {}}, {"repository": "https://github.com/../.."}, 7, None,
    ]  # fmt: skip
    folders = [
        {"url": f"https://github.com/lfs/{LFS_OID}", "asset_url": f"tarball://root/new-{number}"}
        for number in range(30)
    ]
    members = github_archive(
        code, issues=[*wrong, good], pull_requests=[{"url": f"{app}/pull/3", "repository": app, "head": 7}],
        issue_comments=[{"issue": f"{app}/issues/99999999999"}, {"issue": []}], users=[{"url": "/"}, {"url": 7, "emails": 7}],
        pull_request_reviews=[{"state": {}}],
        attachments=[{"url": "http://[", "asset_url": "tarball://root/../../etc/passwd"}, *folders],
        releases=[{"repository": app, "tag_name": "v1", "created_at": AT, "release_assets": [{"name": "../x", "asset_url": 7}]}],
    )  # fmt: skip
    members["./milestones_000001.json"] = b"{" * 1000
    here = became(cast, members)
    assert [each["title"] for each in cast.stranger.get(f"{here}/issues").json] == ["Good"]
    two = [
        github_repository("app"),
        github_repository("other"),
        github_repository("app"),
        {"url": "https://github.com/../x"},
    ]
    assert refused(cast, github_archive(code, repositories=two), "two") == "It has no project, or several."


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_the_command_reads_archives_of_others_and_says_what_they_are(code, running_server, tmp_path):
    add_people(running_server, "anna")
    file, report, people = tmp_path / "migration.tar.gz", tmp_path / "report.json", tmp_path / "people.json"
    file.write_bytes(packed(github_archive(code, repositories=[github_repository("app", collaborators=[
        {"user": "https://github.com/anna", "permission": "write"}]), github_repository("other")])))  # fmt: skip
    flags = ("--people", str(people), "--report", str(report), *place(running_server))
    assert mujina("move-in", str(file), "--dry-run", *flags).code == 0
    assert json.loads(people.read_text()) == {"anna": "anna", "ben": None}
    moved = mujina("move-in", str(file), *flags)
    assert moved.code == 0, moved.out + moved.err
    shown = json.loads(report.read_text())
    assert (shown["archive"], shown["complete"], shown["created"]["projects"]) == ("GitHub", True, 2)
    assert "commit_comments_000001.json" in " ".join(problem["address"] for problem in shown["problems"])
    api = admin(running_server)
    assert {each["username"]: each["access_level"] for each in api.request("GET", "/projects/team%2Fapp/members")} == {
        "anna": 30
    }
    assert api.request("GET", "/projects/team%2Fapp/issues/1")["author"]["username"] == "anna"
    again = mujina("move-in", str(file), *flags)
    assert (again.code, "Nothing to move." in again.out) == (0, True), again.out
    for name, content in gitea_dump(code).items():
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    (tmp_path / "dump/link").symlink_to("/etc/passwd")
    moved = mujina("move-in", str(tmp_path / "dump"), "--into", "root", "--report", str(report), *place(running_server))
    assert (moved.code, json.loads(report.read_text())["archive"]) == (0, "Gitea"), moved.err
    assert api.request("GET", "/projects/root%2Fapp/issues/1")["title"] == "It fails"


def test_a_json_document_of_an_archive_has_a_limit(tmp_path):
    file = tmp_path / "project.json"
    file.write_bytes(b'{"labels": [ {"title": "bug"}, 7 ], "description": "It"}')
    assert sorted(read_parts(file, 1_000)) == ["description", "labels"]
    with pytest.raises(UnusableArchive, match="more than 0 MB"):
        read_parts(file, 10)
    file.write_bytes(b'{"labels": [' + b"7," * (MAX_RAW_VALUES + 1) + b"7]}")
    with pytest.raises(UnusableArchive, match="cannot be read"):
        read_parts(file, 1 << 30)
