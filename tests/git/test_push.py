"""Writing over HTTP: what moves, what is refused, and what is recorded of it."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from tests.git import wire
from tests.git.forge import on_sqlite

ZERO = "0" * 40
PROTECTED = "You are not allowed to push code to protected branches on this project."


def remote(forge, project, who):
    return forge.url(f"{project['path_with_namespace']}.git", who)


def test_the_first_branch_becomes_the_default_one_and_is_protected(forge):
    project = forge.project("first")
    copy = forge.copy()
    tip = copy.commit("Begin")
    copy.do("push", remote(forge, project, "master"), "HEAD:trunk")
    shown = forge.api("GET", f"/projects/{project['id']}")
    assert (shown["default_branch"], shown["empty_repo"]) == ("trunk", False)
    [protection] = forge.api("GET", f"/projects/{project['id']}/protected_branches")
    assert protection["name"] == "trunk"
    assert [level["access_level"] for level in protection["push_access_levels"]] == [40]
    assert forge.copy(remote(forge, project, "reporter")).do("branch", "--show-current") == "trunk"
    assert forge.events(project) == [{"refs/heads/trunk": [ZERO, tip]}]


@on_sqlite
@pytest.mark.parametrize(
    ("pushed", "default"),
    [
        (("zeta", "main", "alpha", "master"), "master"),
        (("zeta", "main", "alpha"), "main"),
        (("trunk",), "trunk"),
        (("zeta", "alpha"), "zeta"),
    ],
)
def test_one_of_several_first_branches_becomes_the_default(forge, pushed, default):
    project, copy = forge.project(f"several-{'-'.join(pushed)}"), forge.copy()
    tip = copy.commit("Begin")
    body = wire.request(*(f"{ZERO} {tip} refs/heads/{name}" for name in pushed), pack=wire.pack_of(copy, tip))
    assert wire.push(forge, project, "master", body).status == 200
    assert forge.api("GET", f"/projects/{project['id']}")["default_branch"] == default
    protected = forge.api("GET", f"/projects/{project['id']}/protected_branches")
    assert [branch["name"] for branch in protected] == [default]
    assert forge.repository(project).do("symbolic-ref", "HEAD") == f"refs/heads/{default}"
    counts = forge.values(
        "SELECT e.changes FROM events e WHERE e.project_id = :id AND e.kind = 'repository.pushed'", id=project["id"]
    )
    added = {event["ref"]: event["commit_count"] for event in map(json.loads, counts)}
    assert added == {f"refs/heads/{name}": int(name == default) for name in pushed}


@on_sqlite
def test_head_has_moved_when_the_change_of_the_default_branch_is_answered(forge):
    project, copy = forge.filled("new-default")
    copy.do("push", "-q", "origin", "HEAD:stable")
    for name in ("stable", "master") * 3:
        assert forge.api("PUT", f"/projects/{project['id']}", default_branch=name)["default_branch"] == name
        assert forge.repository(project).do("symbolic-ref", "HEAD") == f"refs/heads/{name}"


@on_sqlite
def test_a_developer_may_not_push_the_first_commit(forge):
    project, copy = forge.project("empty"), forge.copy()
    copy.commit()
    said = copy.git("push", remote(forge, project, "developer"), "master")
    assert PROTECTED in said
    assert forge.events(project) == []


def test_administrators_decide_how_default_branches_are_protected(forge):
    for protection, levels in ((0, None), (1, [30]), (2, [40])):
        forge.api("PUT", "/application/settings", default_branch_protection=protection)
        project, copy = forge.project(f"protected{protection}"), forge.copy()
        copy.commit()
        copy.git("push", remote(forge, project, "developer" if protection < 2 else "master"), "master")
        found = forge.api("GET", f"/projects/{project['id']}/protected_branches")
        pushing = [each["access_level"] for one in found for each in one["push_access_levels"]]
        assert (pushing or None) == levels
        assert len(forge.events(project)) == 1


def test_a_developer_pushes_other_branches_and_tags(forge):
    project, copy = forge.filled("second")
    tip = copy.commit("More")
    copy.do("tag", "v1")
    copy.do("push", remote(forge, project, "developer"), "HEAD:feature", "v1")
    assert forge.events(project)[1:] == [{"refs/heads/feature": [ZERO, tip]}, {"refs/tags/v1": [ZERO, tip]}]


def test_developers_push_notes_which_no_activity_shows(forge):
    project, copy = forge.filled("notes")
    before = forge.events(project)
    copy.do("notes", "--ref", "release-v1", "add", "-m", "channel", "HEAD")
    copy.do("push", remote(forge, project, "developer"), "refs/notes/release-v1")
    assert not copy.git("push", remote(forge, project, "reporter"), "refs/notes/release-v1:refs/notes/other").ok
    other = forge.copy(remote(forge, project, "reporter"))
    other.do("fetch", "-q", remote(forge, project, "reporter"), "refs/notes/*:refs/notes/*")
    assert other.do("notes", "--ref", "release-v1", "show", "HEAD") == "channel"
    copy.do("notes", "--ref", "release-v1", "add", "-f", "-m", "next", "HEAD")
    copy.do("push", "--force", remote(forge, project, "developer"), "refs/notes/release-v1")
    copy.do("push", remote(forge, project, "developer"), ":refs/notes/release-v1")
    assert forge.events(project) == before
    branches = forge.api("GET", f"/projects/{project['id']}/repository/branches")
    assert [branch["name"] for branch in branches] == ["master"]


@on_sqlite
@pytest.mark.parametrize("who", ["reporter", "guest", "shared"])
def test_a_push_by_a_reader_is_refused_before_anything_is_sent(forge, who):
    project, copy = forge.filled(f"readers-{who}", "public")
    said = copy.git("push", remote(forge, project, who), "HEAD:x")
    answer = forge.ask(
        "GET", f"/{project['path_with_namespace']}.git/info/refs?service=git-receive-pack", headers=forge.basic(who)
    )
    assert not said.ok
    assert (answer.status, answer.text) == (403, "You are not allowed to push code to this project.")


@on_sqlite
def test_an_empty_push_says_whether_a_large_one_would_be_let_in(forge):
    project = forge.project("asked-before")
    path = f"/{project['path_with_namespace']}.git/git-receive-pack"
    kind = {"Content-Type": "application/x-git-receive-pack-request"}
    told = {who: forge.ask("POST", path, b"0000", kind | forge.basic(who)) for who in ("developer", "reporter")}
    assert {who: answer.status for who, answer in told.items()} == {"developer": 200, "reporter": 403}
    assert (told["developer"].body, told["developer"].headers["Content-Type"]) == (
        b"",
        "application/x-git-receive-pack-result",
    )


def test_a_commit_of_a_year_that_no_clock_has_is_shown_all_the_same(forge):
    project, copy = forge.filled("far-away")
    tree, when = copy.do("rev-parse", "HEAD^{tree}"), "253402300800 +9959"
    text = f"tree {tree}\nauthor A <a@b> {when}\ncommitter A <a@b> {when}\n\nFar\n"
    tip = copy.output("hash-object", "-w", "-t", "commit", "--stdin", stdin=text.encode()).decode().strip()
    copy.do("push", "origin", f"{tip}:refs/heads/far")
    [shown] = forge.api("GET", f"/projects/{project['id']}/repository/commits?ref_name=far")
    assert shown["committed_date"] == "9999-12-31T00:00:00.000+00:00"


@on_sqlite
def test_an_archived_project_takes_nothing(forge):
    project, copy = forge.filled("archived")
    forge.api("POST", f"/projects/{project['id']}/archive")
    copy.commit("Too late")
    said = copy.git("push", "origin", "master")
    assert "403" in said
    forge.copy(remote(forge, project, "reporter"))


@on_sqlite
def test_history_of_a_protected_branch_is_not_rewritten(forge):
    project, copy = forge.filled("steady")
    before = forge.refs(project)
    copy.do("commit", "-q", "--amend", "-m", "Another beginning")
    said = copy.git("push", "--force", "origin", "master")
    assert "You are not allowed to force push code to a protected branch on this project." in said
    assert "GitLab" not in said
    assert forge.refs(project) == before
    copy.do("push", "-q", "origin", "master:side")
    copy.do("commit", "-q", "--amend", "-m", "Yet another")
    copy.do("push", "-q", "--force", "origin", "master:side")
    forge.api("PATCH", f"/projects/{project['id']}/protected_branches/master", allow_force_push=True)
    assert "not allowed to force push" in copy.git("push", "--force", remote(forge, project, "developer"), "master")
    copy.do("push", "-q", "--force", "origin", "master")


@on_sqlite
def test_a_developer_may_not_push_to_a_protected_branch(forge):
    project, copy = forge.filled("guarded")
    copy.commit("More")
    said = copy.git("push", remote(forge, project, "developer"), "master")
    assert PROTECTED in said
    copy.do("push", "-q", "origin", "master")


@on_sqlite
def test_protection_may_be_a_pattern_and_let_developers_through(forge):
    project, copy = forge.filled("patterns")
    here = f"/projects/{project['id']}/protected_branches"
    forge.api("POST", here, name="release/*", push_access_level=40)
    forge.api("POST", here, name="open-*-branch", push_access_level=30)
    forge.api("POST", here, name="closed", push_access_level=0)
    developer = remote(forge, project, "developer")
    assert PROTECTED in copy.git("push", developer, "HEAD:release/1")
    copy.do("push", "-q", developer, "HEAD:open-x-branch", "HEAD:release")
    assert PROTECTED in copy.git("push", remote(forge, project, "root"), "HEAD:closed")


@on_sqlite
def test_a_protected_branch_is_not_deleted_by_git(forge):
    project, copy = forge.filled("kept")
    copy.do("push", "-q", "origin", "HEAD:stable")
    forge.api("POST", f"/projects/{project['id']}/protected_branches", name="stable")
    said = copy.git("push", "origin", ":stable")
    assert "You can only delete protected branches using the web interface." in said
    said = copy.git("push", "origin", ":master")
    assert "The default branch of a project cannot be deleted." in said
    copy.do("push", "-q", "origin", "HEAD:gone")
    copy.do("push", "-q", "origin", ":gone")
    assert sorted(forge.refs(project)) == ["refs/heads/master", "refs/heads/stable"]


@on_sqlite
def test_only_a_master_moves_or_deletes_a_tag(forge):
    project, copy = forge.filled("tagged")
    copy.do("tag", "v1")
    copy.do("push", "-q", remote(forge, project, "developer"), "v1")
    copy.commit("More")
    developer = remote(forge, project, "developer")
    refused = "You are not allowed to change existing tags on this project."
    assert refused in copy.git("push", "--force", developer, "HEAD:refs/tags/v1")
    assert refused in copy.git("push", developer, ":refs/tags/v1")
    for never in (wire.ZERO, "1" * 40):  # git itself would delete whatever is there
        answer = wire.push(forge, project, "developer", wire.request(f"{never} {wire.ZERO} refs/tags/v1"))
        assert "'refs/tags/v1' was never where this push says that it was." in answer.text
    assert "refs/tags/v1" in forge.refs(project)
    copy.do("push", "-q", "--force", "origin", "HEAD:refs/tags/v1")
    tag = f"/projects/{project['id']}/repository/tags/v1"
    forge.api("POST", f"{tag}/release", description="The first version")
    copy.do("push", "-q", "origin", ":refs/tags/v1")
    assert "refs/tags/v1" not in forge.refs(project)
    copy.do("push", "-q", "origin", "HEAD:refs/tags/v1")
    assert forge.api("GET", tag)["release"] is None


def test_one_refusal_refuses_the_whole_push_and_leaves_nothing(forge):
    project, copy = forge.filled("together")
    repository = forge.repository(project)
    before = repository.do("count-objects", "-v")
    copy.commit("More", new="something new")
    said = copy.git("push", remote(forge, project, "developer"), "HEAD:fine", "HEAD:master")
    assert said.text.count("pre-receive hook declined") == 2
    assert repository.do("count-objects", "-v") == before
    assert list((repository.folder / "objects").glob("tmp_objdir*")) == []
    assert "refs/heads/fine" not in forge.refs(project)


@on_sqlite
def test_push_options_and_atomic_pushes_are_accepted(forge):
    project, copy = forge.filled("options")
    copy.do("push", "--atomic", "-o", "ci.skip", "-o", "a=b", "origin", "HEAD:a", "HEAD:b")
    assert {"refs/heads/a", "refs/heads/b"} <= set(forge.refs(project))


def test_work_goes_from_a_fork_back_to_its_source(forge):
    source, upstream = forge.filled("upstream", "public")
    fork = forge.api("POST", f"/projects/{source['id']}/fork", "stranger")
    forge.projects.append(fork)
    wait_until(lambda: forge.api("GET", f"/projects/{fork['id']}")["import_status"] == "finished")
    copy = forge.copy(remote(forge, fork, "stranger"))
    tip = copy.commit("Contribute", fix="x")
    copy.do("push", "-q", "origin", "HEAD:fix")
    assert not copy.git("push", remote(forge, source, "stranger"), "fix").ok
    assert forge.events(fork) == [{"refs/heads/fix": [ZERO, tip]}]
    latest = upstream.commit("Meanwhile", other="x")
    upstream.do("push", "-q", "origin", "master")
    copy.do("remote", "add", "upstream", remote(forge, source, "stranger"))
    copy.do("fetch", "-q", "upstream")
    copy.do("rebase", "-q", "upstream/master")
    copy.do("push", "-q", "--force", "origin", "HEAD:fix")
    upstream.do("fetch", "-q", remote(forge, fork, "developer"), "fix")
    upstream.do("push", "-q", remote(forge, source, "developer"), "FETCH_HEAD:refs/heads/fix")
    upstream.do("push", "-q", remote(forge, source, "master"), "FETCH_HEAD:refs/heads/master")
    fixed = copy.do("rev-parse", "HEAD")
    assert forge.refs(source) == {"refs/heads/master": fixed, "refs/heads/fix": fixed}
    assert forge.events(source)[2:] == [{"refs/heads/fix": [ZERO, fixed]}, {"refs/heads/master": [latest, fixed]}]


@on_sqlite
def test_a_push_to_a_project_that_is_not_there_is_told_so(forge):
    copy = forge.copy()
    copy.commit()
    path = "company/department/team/nowhere.git"
    said = copy.git("push", forge.url(path, "developer"), "master")
    assert "not found" in said
    answer = forge.ask("GET", f"/{path}/info/refs?service=git-receive-pack", headers=forge.basic("developer"))
    assert (answer.status, answer.text) == (404, "The project you were looking for could not be found.")
    assert forge.ask("GET", f"/{path}/info/refs?service=git-receive-pack").status == 401


@on_sqlite
def test_a_wiki_takes_pushes_of_developers_without_branch_rules(forge):
    project = forge.project("documented")
    copy = forge.copy()
    copy.commit("A page", **{"home.md": "# Home"})
    url = forge.url(f"{project['path_with_namespace']}.wiki.git", "developer")
    copy.do("push", "-q", url, "master")
    copy.do("commit", "-q", "--amend", "-m", "Anew")
    copy.do("push", "-q", "--force", url, "master")
    assert len(forge.events(project, "wiki.pushed")) == 2
    assert forge.api("GET", f"/projects/{project['id']}")["default_branch"] is None


def test_concurrent_pushes_each_get_a_true_answer(forge, thorough):
    project, base = forge.filled("crowded")
    base.do("push", "-q", "origin", "HEAD:shared")
    number = 20 if thorough else 8
    copies = [forge.copy(remote(forge, project, "developer"), "--branch=shared") for _ in range(number)]
    tips = [copy.commit(f"By number {n}") for n, copy in enumerate(copies)]
    with ThreadPoolExecutor(number) as crowd:
        said = list(crowd.map(lambda copy: copy.git("push", "origin", "shared"), copies))
    winners = [tip for tip, answer in zip(tips, said, strict=True) if answer.ok]
    assert winners == [forge.refs(project)["refs/heads/shared"]]
    assert [list(event["refs/heads/shared"])[1] for event in forge.events(project)[2:]] == winners


def test_each_push_that_follows_another_has_its_event(forge):
    project, copy = forge.filled("followed")
    tips = [forge.refs(project)["refs/heads/master"]]
    for number in range(3):
        tips.append(copy.commit(f"Step {number}"))
        copy.do("push", "-q", "origin", "master")
    assert forge.events(project)[1:] == [{"refs/heads/master": [old, new]} for old, new in pairwise(tips)]


def test_a_deleted_project_takes_its_repository_with_it(forge):
    project, _ = forge.filled("doomed")
    folder = forge.repository(project).folder
    assert folder.exists()
    forge.api("DELETE", f"/projects/{project['id']}")
    wait_until(lambda: not folder.exists())


def test_statistics_follow_the_push(forge):
    project, _ = forge.filled("measured")
    sql = "SELECT s.repository_size FROM project_statistics s WHERE s.project_id = :id AND s.commit_count = 1"
    wait_until(lambda: forge.values(sql, id=project["id"]))


def wait_until(happened):
    """Jobs run soon; a test that waits in vain is ended by its runner."""
    while not happened():
        time.sleep(0.05)


@on_sqlite
def test_a_protected_tag_is_created_by_grantees_and_never_moved(forge):
    project, copy = forge.filled("protected-tags")
    forge.api("POST", f"/projects/{project['id']}/protected_tags", "master", name="v*")
    copy.do("tag", "v1")
    refused = copy.git("push", remote(forge, project, "developer"), "v1")
    assert (refused.ok, "it is protected" in refused) == (False, True)
    copy.do("push", remote(forge, project, "master"), "v1")
    copy.commit("More")
    copy.do("tag", "-f", "v1")
    moved = copy.git("push", "-f", remote(forge, project, "master"), "v1")
    assert (moved.ok, "Protected tags cannot be updated." in moved) == (False, True)
    deleted = copy.git("push", remote(forge, project, "master"), ":v1")
    assert (deleted.ok, "using the web interface" in deleted) == (False, True)
    assert "refs/tags/v1" in forge.refs(project)


@on_sqlite
def test_a_deploy_token_clones_and_pushes_nothing(forge):
    project, _ = forge.filled("deployed")
    tokens = f"/projects/{project['id']}/deploy_tokens"
    made = forge.api("POST", tokens, "master", name="Reader", scopes=["read_repository"], username="reader")
    url = forge.url(f"{project['path_with_namespace']}.git", "reader", made["token"])
    clone = forge.copy(url)
    clone.commit("Try")
    assert not clone.git("push", url, "HEAD:topic").ok
    forge.api("DELETE", f"{tokens}/{made['id']}", "master")
    assert not clone.git("fetch", url).ok


def test_the_release_of_a_moved_tag_shows_the_new_commit(forge):
    project, copy = forge.filled("moved")
    releases = f"/projects/{project['id']}/releases"
    copy.do("tag", "v1")
    copy.do("push", "--quiet", "origin", "v1")
    forge.api("POST", releases, "developer", tag_name="v1")
    before = forge.api("GET", releases, "reporter")[0]["commit"]["id"]
    time.sleep(0.2)  # it is stored now, and read as it was stored
    assert forge.api("GET", releases, "reporter")[0]["commit"]["id"] == before
    copy.commit("A correction", mended="x")
    copy.do("tag", "--force", "v1")
    copy.do("push", "--quiet", "--force", "origin", "v1")
    assert forge.api("GET", releases, "reporter")[0]["commit"]["id"] == copy.do("rev-parse", "HEAD") != before
