"""Large files, with the real `git lfs` where it goes, and by hand where it would not."""

import hashlib
import json

import pytest

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


def test_what_is_here_is_offered_and_what_is_not_is_said_so(forge, project):
    status, said = batch(forge, project, "download", (OID, len(CONTENT)), ("0" * 64, 1), ("short", 1))
    there, missing, odd = said["objects"]
    assert status == 200
    assert there["actions"]["download"]["href"].endswith(f"/heavy.git/gitlab-lfs/objects/{OID}")
    assert there["actions"]["download"]["header"]["Authorization"] == forge.basic("developer")["Authorization"]
    assert missing["error"]["code"] == 404
    assert odd["error"]["code"] == 422


def test_what_is_here_need_not_be_sent_again(forge, project):
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


@pytest.mark.parametrize(
    ("oid", "size", "content"),
    [("0" * 64, 6, b"differ"), (hashlib.sha256(b"six by").hexdigest(), 7, b"six by")],
)
def test_content_that_is_not_what_it_says_is_refused(forge, project, oid, size, content):
    status, said = ask(forge, project, "PUT", f"gitlab-lfs/objects/{oid}/{size}", said=content)
    assert (status, list(said)) == (422, ["message"])
    assert batch(forge, project, "download", (oid, size))[1]["objects"][0]["error"]["code"] == 404
    assert not list((forge.server.data / "files").rglob(f"*{oid}*"))


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
def test_who_may_not_is_told_so(forge, project, who, operation, status, message):
    assert batch(forge, project, operation, (OID, 1), who=who) == (status, {"message": message})


def test_a_project_without_large_files_says_so(forge):
    project = forge.project("light", lfs_enabled=False)
    off = {"message": "Git LFS is not enabled on this Mujina server, contact your admin."}
    assert batch(forge, project, "download", (OID, 1)) == (501, off)


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


def test_only_a_master_breaks_the_lock_of_another(forge, project):
    _, made = ask(forge, project, "POST", "info/lfs/locks", "master", {"path": "mine"})
    here = f"info/lfs/locks/{made['lock']['id']}/unlock"
    assert ask(forge, project, "POST", here, "developer", {"force": True})[0] == 403
    assert ask(forge, project, "POST", here, "master", {})[0] == 200
