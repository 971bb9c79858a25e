"""Large files, with the real `git lfs` where it goes, and by hand where it would not."""

import hashlib
import json
import os
import time

import pytest

from tests.git import wire
from tests.git.forge import on_sqlite

CONTENT = b"large " * 1000
OID = hashlib.sha256(CONTENT).hexdigest()
KIND = {"Content-Type": "application/vnd.git-lfs+json"}


@pytest.fixture(scope="module")
def project(forge):
    """A project with one large file, sent by `git lfs` itself."""
    project, copy = forge.filled("heavy")
    copy.do("lfs", "install", "--local")
    copy.do("lfs", "track", "*.bin")
    copy.write("large.bin", CONTENT)
    copy.commit("Add a large file", other="x")
    copy.do("push", "-q", "origin", "master")
    return project


def ask(forge, project, verb, rest, who="developer", said=None):
    path = f"/{project['path_with_namespace']}.git/{rest}"
    headers = KIND | (forge.basic(who) if who else {})
    body = said if isinstance(said, bytes) else None if said is None else json.dumps(said).encode()
    answer = forge.ask(verb, path, body, headers)
    return answer.status, json.loads(answer.body) if answer.body else None


def batch(forge, project, operation, *objects, who="developer"):
    wanted = [{"oid": oid, "size": size} for oid, size in objects]
    return ask(forge, project, "POST", "info/lfs/objects/batch", who, {"operation": operation, "objects": wanted})


@on_sqlite
def test_a_clone_brings_the_large_files(forge, project):
    url = forge.url(f"{project['path_with_namespace']}.git", "reporter")
    clone = forge.copy(url)
    assert (clone.folder / "large.bin").read_bytes().startswith(b"version https://git-lfs")
    clone.do("lfs", "install", "--local")
    clone.do("lfs", "pull")
    assert (clone.folder / "large.bin").read_bytes() == CONTENT


def test_their_size_is_in_the_statistics(forge, project):
    sql = "SELECT s.lfs_objects_size FROM project_statistics s WHERE s.project_id = :id"
    assert forge.values(sql, id=project["id"]) == [len(CONTENT)]


def test_existing_objects_are_offered_and_missing_ones_reported(forge, project):
    status, said = batch(forge, project, "download", (OID, len(CONTENT)), ("0" * 64, 1), ("short", 1))
    there, missing, odd = said["objects"]
    assert status == 200
    assert there["actions"]["download"]["href"].endswith(f"/heavy.git/gitlab-lfs/objects/{OID}")
    assert there["actions"]["download"]["header"]["Authorization"] == forge.basic("developer")["Authorization"]
    assert missing["error"]["code"] == 404
    assert odd["error"]["code"] == 422


def test_invalid_text_is_refused(forge, project):
    _, said = batch(forge, project, "download", ("\0" * 64, 1))
    assert said["objects"][0]["error"]["code"] == 422
    assert ask(forge, project, "POST", "info/lfs/objects/batch", said=b'{"operation": "\xff"}')[0] == 422
    assert ask(forge, project, "GET", "info/lfs/locks?path=%00")[0] == 422


def test_an_object_sent_to_a_project_deleted_meanwhile_is_not_kept(forge):
    project, content = forge.project("short-lived"), b"on its way"
    oid = hashlib.sha256(content).hexdigest()

    def delete():
        while not forge.server.files_in_use("lfs"):  # until whoever sends it was let in
            time.sleep(0.01)
        forge.api("DELETE", f"/projects/{project['id']}")

    line = f"PUT /{project['path_with_namespace']}.git/gitlab-lfs/objects/{oid}/{len(content)}"
    assert b" 404 " in wire.send_half(forge, line, "developer", content, delete).split(b"\r\n")[0]
    assert stored(forge, oid) == []


def test_a_stored_object_need_not_be_sent_again(forge, project):
    _, said = batch(forge, project, "upload", (OID, len(CONTENT)), ("0" * 64, 1))
    assert "actions" not in said["objects"][0]
    assert said["objects"][1]["actions"]["upload"]["href"].endswith(f"gitlab-lfs/objects/{'0' * 64}/1")
    assert "verify" not in said["objects"][1]["actions"]


def test_knowing_the_digest_of_another_project_s_file_is_not_having_it(forge, project):
    other = forge.project("curious")
    _, said = batch(forge, other, "download", (OID, len(CONTENT)))
    assert said["objects"][0]["error"]["code"] == 404
    assert ask(forge, other, "GET", f"gitlab-lfs/objects/{OID}")[0] == 404
    _, said = batch(forge, other, "upload", (OID, len(CONTENT)))
    assert "upload" in said["objects"][0]["actions"]


@on_sqlite
@pytest.mark.parametrize(
    ("oid", "size", "content"),
    [("0" * 64, 6, b"differ"), (hashlib.sha256(b"six by").hexdigest(), 7, b"six by")],
)
def test_content_that_is_not_what_it_says_is_refused(forge, project, oid, size, content):
    status, said = ask(forge, project, "PUT", f"gitlab-lfs/objects/{oid}/{size}", said=content)
    assert (status, list(said)) == (422, ["message"])
    assert batch(forge, project, "download", (oid, size))[1]["objects"][0]["error"]["code"] == 404
    assert stored(forge, oid) == []


@on_sqlite
@pytest.mark.parametrize(
    ("who", "operation", "status", "message"),
    [
        ("guest", "download", 403, "Access forbidden. Check your access level."),
        ("reporter", "upload", 403, "Access forbidden. Check your access level."),
        ("stranger", "download", 404, "Not found."),
        ("blocked", "download", 403, "Your account has been blocked."),
        (None, "download", 401, "Credentials needed."),
    ],
)
def test_a_batch_without_permission_is_refused(forge, project, who, operation, status, message):
    assert batch(forge, project, operation, (OID, 1), who=who) == (status, {"message": message})


@on_sqlite
def test_a_project_without_large_files_says_so(forge):
    project = forge.project("light", lfs_enabled=False)
    off = {"message": "Git LFS is not enabled on this Mujina server, contact your admin."}
    assert batch(forge, project, "download", (OID, 1)) == (501, off)


@on_sqlite
@pytest.mark.parametrize(
    ("verb", "rest", "said", "status"),
    [
        ("POST", "info/lfs/objects/batch", {"operation": "download", "objects": []}, 404),
        ("POST", "info/lfs/objects/batch", {"operation": "destroy", "objects": []}, 422),
        ("POST", "info/lfs/objects/batch", b"no json", 422),
        ("POST", "info/lfs/objects", {}, 501),
        ("GET", f"info/lfs/objects/{OID}", None, 501),
        ("GET", "gitlab-lfs/objects/../../secrets/instance.key", None, 404),
        ("PUT", "gitlab-lfs/objects/short/1", b"x", 404),
        ("GET", "info/lfs/nothing", None, 404),
    ],
)
def test_odd_requests_are_refused(forge, project, verb, rest, said, status):
    assert ask(forge, project, verb, rest, said=said)[0] == status


def test_a_file_is_locked_by_one_person_at_a_time(forge, project):
    status, made = ask(forge, project, "POST", "info/lfs/locks", said={"path": "a/b.psd"})
    assert status == 201
    assert made["lock"]["path"] == "a/b.psd"
    assert made["lock"]["owner"] == {"name": "Developer"}
    status, again = ask(forge, project, "POST", "info/lfs/locks", "master", {"path": "a/b.psd"})
    assert status == 409
    assert (again["lock"], again["message"]) == (made["lock"], "already locked")
    assert ask(forge, project, "GET", "info/lfs/locks?path=a/b.psd", "reporter") == (200, {"locks": [made["lock"]]})
    assert ask(forge, project, "POST", "info/lfs/locks/verify", "master", {})[1] == {
        "ours": [],
        "theirs": [made["lock"]],
    }
    assert ask(forge, project, "POST", "info/lfs/locks/verify", said={})[1] == {"ours": [made["lock"]], "theirs": []}
    here = f"info/lfs/locks/{made['lock']['id']}/unlock"
    assert ask(forge, project, "POST", here, "master", {})[0] == 403
    assert ask(forge, project, "POST", here, "master", {"force": True})[0] == 200
    assert ask(forge, project, "POST", here, said={})[0] == 404
    assert ask(forge, project, "POST", "info/lfs/locks", "reporter", {"path": "x"})[0] == 403


def test_locks_are_listed_in_pages_as_long_as_the_client_wants(forge, project):
    made = [ask(forge, project, "POST", "info/lfs/locks", said={"path": path})[1]["lock"] for path in ("one", "two")]
    listing = "info/lfs/locks?limit=1"
    _, first = ask(forge, project, "GET", listing)
    assert first == {"locks": made[:1], "next_cursor": made[0]["id"]}
    assert ask(forge, project, "GET", f"{listing}&cursor={made[0]['id']}")[1]["locks"] == made[1:]
    for limit in ("0", "-1", "x", "1000", ""):
        assert ask(forge, project, "GET", f"info/lfs/locks?limit={limit}")[1] == {"locks": made}, limit
    for lock in made:
        assert ask(forge, project, "POST", f"info/lfs/locks/{lock['id']}/unlock", said={})[0] == 200


def test_only_a_master_breaks_the_lock_of_another(forge, project):
    _, made = ask(forge, project, "POST", "info/lfs/locks", "master", {"path": "mine"})
    here = f"info/lfs/locks/{made['lock']['id']}/unlock"
    assert ask(forge, project, "POST", here, "developer", {"force": True})[0] == 403
    assert ask(forge, project, "POST", here, "master", {})[0] == 200


def test_a_push_of_missing_lfs_objects_is_refused_at_every_entry_point(forge):
    project, copy = forge.filled("hollow")
    copy.do("lfs", "install", "--local")
    copy.do("lfs", "track", "*.bin")
    copy.commit("Add a large file", **{"a.bin": "a" * 5000})
    said = copy.git("push", "--no-verify", "origin", "master")  # the content stays behind
    assert 'LFS objects are missing. Ensure LFS is properly set up or try a manual "git lfs push --all".' in said
    pointer = copy.output("show", "HEAD:a.bin").decode()
    files = f"/projects/{project['id']}/repository/files"
    body = json.dumps({"branch": "master", "commit_message": "By hand", "content": pointer}).encode()
    headers = {"Private-Token": forge.token("master"), "Content-Type": "application/json"}
    answer = forge.ask("POST", f"/api/v4{files}/a.bin", body, headers)
    assert (answer.status, "LFS objects are missing" in answer.text) == (400, True)
    assert len(forge.events(project)) == 1
    copy.do("push", "-q", "origin", "master")
    assert forge.api("GET", f"{files}/a.bin?ref=master")["size"] == len(pointer)
    forge.api("PUT", f"/projects/{project['id']}", lfs_enabled=False)
    copy.commit("Nobody cares", **{"b.bin": "b" * 5000})
    copy.do("push", "-q", "--no-verify", "origin", "master")


@on_sqlite
def test_a_locked_file_is_left_alone_by_others(forge):
    project, copy = forge.filled("locked")
    forge.api("PUT", f"/projects/{project['id']}/repository/branches/master/unprotect")
    url = forge.url(f"{project['path_with_namespace']}.git", "developer")
    copy.do("lfs", "install", "--local")
    copy.commit("Add a plan", **{"plan.bin": "plan"})
    copy.do("push", "-q", "origin", "master")
    assert "Locked plan.bin" in copy.do("lfs", "lock", "plan.bin")
    other = forge.copy(url)
    other.do("lfs", "install", "--local")
    other.commit("Take it away", **{"plan.bin": "mine"})
    said = other.git("push", "origin", "master")
    assert "plan.bin - Master" in said  # their own client only warns
    assert "The path 'plan.bin' is locked in Git LFS by Master" in said
    other.do("reset", "-q", "--hard", "HEAD^")
    other.do("rm", "-q", "plan.bin")
    other.do("commit", "-q", "-m", "Delete it")
    assert "The path 'plan.bin' is locked in Git LFS by Master" in other.git("push", "--no-verify", "origin", "master")
    copy.commit("Go on", **{"plan.bin": "better"})
    copy.do("push", "-q", "origin", "master")
    other.do("reset", "-q", "--hard", "HEAD^")
    other.commit("Something else", other="x")
    other.do("pull", "-q", "--no-rebase", "--no-edit", "origin", "master")
    other.do("push", "-q", "--no-verify", "origin", "master")  # a merge brings the owner's change, and none of its own
    copy.do("lfs", "unlock", "plan.bin")
    other.commit("Now it is free", **{"plan.bin": "mine"})
    other.do("push", "-q", "origin", "master")


@pytest.fixture(scope="module")
def fork(forge, project):
    made = forge.api("POST", f"/projects/{project['id']}/fork", "developer")
    settle(lambda: forge.api("GET", f"/projects/{made['id']}")["import_status"] == "finished")
    return made


def test_a_fork_has_the_large_files_of_its_source(forge, project, fork):
    clone = forge.copy(forge.url(f"{fork['path_with_namespace']}.git", "developer"))
    clone.do("lfs", "install", "--local")
    clone.do("lfs", "pull")
    assert (clone.folder / "large.bin").read_bytes() == CONTENT
    sql = "SELECT s.lfs_objects_size FROM project_statistics s WHERE s.project_id = :id"
    assert forge.values(sql, id=fork["id"]) == [len(CONTENT)]


def test_a_merged_request_brings_the_large_files_of_its_fork(forge, project, fork):
    content = b"asked for " * 1000
    oid = hashlib.sha256(content).hexdigest()
    clone = forge.copy(forge.url(f"{fork['path_with_namespace']}.git", "developer"))
    clone.do("lfs", "install", "--local")
    clone.do("checkout", "--quiet", "-b", "asked")
    clone.write("asked.bin", content)
    clone.commit("Add another large file", more="x")
    clone.do("push", "-q", "origin", "asked")
    request = forge.api(
        "POST", f"/projects/{fork['id']}/merge_requests", "developer", title="Take it", source_branch="asked",
        target_branch="master", target_project_id=project["id"],
    )  # fmt: skip
    assert "actions" not in batch(forge, project, "download", (oid, len(content)))[1]["objects"][0]
    here = f"/projects/{project['id']}/merge_requests/{request['iid']}"
    assert forge.api("PUT", f"{here}/merge", "master")["state"] == "merged"
    assert "actions" in batch(forge, project, "download", (oid, len(content)))[1]["objects"][0]


def test_a_fork_gets_what_its_source_got_later_from_those_who_may_read_it_there(forge, project, fork):
    upstream = forge.copy(forge.url(f"{project['path_with_namespace']}.git", "master"))
    upstream.do("lfs", "install", "--local")
    tips = [upstream.commit(f"Add {name}", **{f"{name}.bin": name * 5000}) for name in ("later", "secret")]
    upstream.do("push", "-q", "origin", "master")
    copy = forge.copy(forge.url(f"{project['path_with_namespace']}.git", "developer"))
    here = forge.url(f"{fork['path_with_namespace']}.git", "developer")
    copy.do("push", "-q", here, f"{tips[0]}:master")
    oid = hashlib.sha256(b"later" * 5000).hexdigest()
    assert "actions" in batch(forge, fork, "download", (oid, 25000))[1]["objects"][0]
    forge.api("DELETE", f"/projects/{project['id']}/members/{forge.stage.roster.people['developer'][0]}")
    assert "LFS objects are missing" in copy.git("push", here, f"{tips[1]}:master")


def test_content_goes_with_the_last_project_that_has_it(forge):
    content = b"short-lived " * 500
    oid = hashlib.sha256(content).hexdigest()
    projects = [forge.project(f"mortal-{number}") for number in range(2)]
    for project in projects:
        assert ask(forge, project, "PUT", f"gitlab-lfs/objects/{oid}/{len(content)}", said=content)[0] == 200
    assert len(stored(forge, oid)) == 1
    forge.api("DELETE", f"/projects/{projects[0]['id']}")
    forge.api("DELETE", f"/projects/{projects[1]['id']}")
    settle(lambda: not stored(forge, oid))


def stored(forge, oid):
    """The files with this content. Unlike a glob, a walk takes it well when a folder goes away meanwhile."""
    return [name for _, _, names in os.walk(forge.server.data / "files") for name in names if oid in name]


def settle(happened):
    while not happened():
        time.sleep(0.05)
