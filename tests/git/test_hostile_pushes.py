"""What people try: each story ends with a repository that is as it was."""

import hashlib
import os
import random
import time
from pathlib import Path

import pytest

from tests.git import wire
from tests.git.forge import opened
from tests.git.wire import ZERO

ENGINES = ("sqlite",)
"""Git refuses these before they reach a database."""


@pytest.fixture(scope="module")
def target(forge):
    return forge.filled("target", "public")


@pytest.fixture
def unchanged(forge, target):
    """Whatever was tried, no ref moved, nothing is left behind, and nothing was announced."""
    project, _ = target
    repository = forge.repository(project)

    def state():
        files = {str(p.relative_to(repository.folder)) for p in repository.folder.rglob("*")}
        return forge.refs(project), files, len(forge.events(project))

    before = state()
    yield
    assert state() == before


@pytest.mark.parametrize(
    "ref",
    [
        "HEAD", "refs/merge-requests/1/head", "refs/mujina/keep", "refs/hooks/pre-receive",
        "refs/heads/../../config", "refs/../hooks/pre-receive", "config", "refs/heads/-option", "refs/heads/HEAD",
        "refs/heads/refs/heads/x", f"refs/heads/{'a' * 40}", "refs/tags/--upload-pack=x", "refs/heads/a..b",
        "refs/heads/x.lock", "refs/heads/sp ace", "refs/heads/@{1}", "refs/heads/", "refs/replace/1", "refs/stash",
    ],
)  # fmt: skip
def test_odd_refs_are_refused(forge, target, unchanged, ref):
    project, copy = target
    tip = copy.do("rev-parse", "HEAD")
    answer = wire.push(forge, project, "master", wire.request(f"{ZERO} {tip} {ref}", pack=wire.pack_of(copy, tip)))
    assert f"ok {ref}" not in answer.text
    assert "ng " in answer.text or "unpack" not in answer.text


def test_a_name_that_is_no_text_is_refused(forge, target, unchanged):
    project, copy = target
    tip = copy.do("rev-parse", "HEAD")
    body = wire.request(f"{ZERO} {tip} refs/heads/XX", pack=wire.pack_of(copy, tip)).replace(b"XX", b"\xff\xfe")
    assert "ng " in wire.push(forge, project, "master", body).text


@pytest.mark.parametrize("name", [".git", ".GIT", "..", ".", "git~1", ".gi\u200ct"])
def test_trees_that_would_write_where_they_must_not_are_refused(forge, target, unchanged, name):
    _, copy = target
    blob = wire.written(copy, "blob", b"[core]\n\tpager = evil\n")
    inner = wire.written(copy, "tree", wire.tree(("100644", "config", blob)))
    tip = wire.commit_of(copy, wire.written(copy, "tree", wire.tree(("40000", name, inner))))
    said = copy.git("push", "origin", f"{tip}:refs/heads/evil")
    assert not said.ok


def test_a_submodule_whose_address_is_an_option_is_refused(forge, target, unchanged):
    _, copy = target
    blob = wire.written(copy, "blob", b'[submodule "x"]\n\tpath = x\n\turl = --upload-pack=evil\n')
    tip = wire.commit_of(copy, wire.written(copy, "tree", wire.tree(("100644", ".gitmodules", blob))))
    assert "gitmodules" in copy.git("push", "origin", f"{tip}:refs/heads/evil")


def test_objects_that_are_not_whole_are_refused(forge, target, unchanged):
    project, copy = target
    tip = copy.commit("Incomplete", new="content")
    only_commit = copy.output("pack-objects", "--stdout", "-q", stdin=f"{tip}\n".encode())
    answer = wire.push(forge, project, "master", wire.request(f"{ZERO} {tip} refs/heads/half", pack=only_commit))
    assert "ok refs/heads/half" not in answer.text
    copy.do("reset", "-q", "--hard", "HEAD~1")


def test_a_few_bytes_that_stand_for_more_than_the_machine_has_are_refused(forge, target, unchanged):
    base = bytes(1000)
    name = hashlib.sha1(b"blob 1000\0" + base, usedforsecurity=False).digest()
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    delta = wire.count(len(base)) + wire.count(memory * 3 // 4) + b"\xb0\xe8\x03"  # and no more than its beginning
    pack = wire.packed((3, b"", base), (7, name, delta))
    answer = wire.push(forge, target[0], "master", wire.request(f"{ZERO} {'1' * 40} refs/heads/bomb", pack=pack))
    assert "Out of memory" in answer.text


def test_a_push_sent_to_the_reading_service_moves_nothing(forge, target, unchanged):
    project, copy = target
    tip = copy.do("rev-parse", "HEAD")
    body = wire.request(f"{ZERO} {tip} refs/heads/sneaky", pack=wire.pack_of(copy, tip))
    path = f"/{project['path_with_namespace']}.git/git-upload-pack"
    for kind in (wire.TYPE, "application/x-git-upload-pack-request"):
        answer = forge.ask("POST", path, body, {"Content-Type": kind})
        assert b"ok refs/heads/sneaky" not in answer.body


def test_permission_to_read_does_not_permit_pushing(forge, target, unchanged):
    project, copy = target
    tip = copy.do("rev-parse", "HEAD")
    body = wire.request(f"{ZERO} {tip} refs/heads/sneaky", pack=wire.pack_of(copy, tip))
    assert wire.push(forge, project, "reporter", body).status == 403
    path = f"/{project['path_with_namespace']}.git/git-receive-pack"
    assert forge.ask("POST", path, body, {"Content-Type": wire.TYPE}).status == 401
    answer = forge.ask("POST", f"{path}?service=git-upload-pack", body, {"Content-Type": wire.TYPE})
    assert answer.status == 401


@pytest.mark.parametrize(
    "path",
    [
        "../../../etc", "company/../company/department/team/target", "%2e%2e/%2e%2e/etc", "company%2Fdepartment",
        "@hashed/6b/86/6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b", "1", "4", "--upload-pack=x/y",
        "%00", "%ff%fe", "a" * 5000, "target%0a", "x/.git/y",
    ],
)  # fmt: skip
def test_an_address_is_a_name_and_never_a_path(forge, target, path):
    answer = forge.ask("GET", f"/{path}.git/info/refs?service=git-upload-pack", headers=forge.basic("root"))
    assert answer.status == 404
    assert forge.ask("GET", f"/{path}.git/info/refs?service=git-upload-pack").status == 401


def test_a_push_that_is_too_large_is_refused(monkeypatch, tmp_path, one_stage):
    monkeypatch.setenv("MUJINA_MAX_PUSH_MEGABYTES", "1")
    with opened(one_stage, tmp_path) as forge:
        project, copy = forge.filled("narrow")
        before = forge.refs(project)
        copy.commit("Large", **{"noise.bin": noise(2)})
        said = copy.git("push", "origin", "HEAD:large")
        assert "exceeds maximum allowed size" in said, said.text
        assert forge.refs(project) == before


def test_a_request_that_is_too_large_is_read_and_answered_413(forge, target):
    project, _ = target
    headers = {"Private-Token": forge.token("master"), "Content-Type": "application/json"}
    answer = forge.ask("POST", f"/api/v4/projects/{project['id']}/issues", b" " * 11 * 1024 * 1024, headers)
    assert answer.status == 413


def test_a_hundred_megabytes_go_through_without_being_held(tmp_path, one_stage):
    with opened(one_stage, tmp_path) as forge:
        project, copy = forge.filled("wide")
        tip = copy.commit("Large", **{f"noise-{n}.bin": noise(10) for n in range(10)})
        copy.do("-c", "core.compression=0", "push", "-q", "origin", "HEAD:large")
        assert forge.refs(project)["refs/heads/large"] == tip
        memory = Path(f"/proc/{forge.server.process.pid}/status").read_text()
        peak = next(int(line.split()[1]) for line in memory.splitlines() if line.startswith("VmHWM"))
        assert peak < 200_000, "kilobytes of the server at its largest"


def noise(megabytes):
    """Bytes that do not get smaller, the same each time."""
    return random.Random(megabytes).randbytes(megabytes * 1024 * 1024)


def test_a_user_who_is_blocked_during_a_push_pushes_nothing(forge):
    project, copy = forge.filled("blocked-since")
    tip = copy.do("rev-parse", "HEAD")
    body = wire.request(f"{ZERO} {tip} refs/heads/late", pack=wire.pack_of(copy, tip))
    user = f"/users/{forge.stage.roster.people['developer'][0]}"

    def block():
        begun = forge.repository(project).folder / "objects"
        while not list(begun.glob("tmp_objdir*")):  # until git is at work, and whoever pushes was let in
            time.sleep(0.01)
        forge.api("POST", f"{user}/block")

    answer = wire.push_half(forge, project, "developer", body, block)
    forge.api("POST", f"{user}/unblock")
    assert b"Your account has been blocked." in answer
    assert list(forge.refs(project)) == ["refs/heads/master"]


def test_a_user_who_lost_access_since_authentication_pushes_nothing(forge):
    project, copy = forge.filled("lost-since")
    tip = copy.do("rev-parse", "HEAD")
    body = wire.request(f"{ZERO} {tip} refs/heads/late", pack=wire.pack_of(copy, tip))
    path = f"/{project['path_with_namespace']}.git/info/refs?service=git-receive-pack"
    assert forge.ask("GET", path, headers=forge.basic("developer")).status == 200
    forge.api("POST", f"/projects/{project['id']}/archive")
    answer = wire.push(forge, project, "developer", body)
    assert b"ok refs/heads/late" not in answer.body
    assert list(forge.refs(project)) == ["refs/heads/master"]
