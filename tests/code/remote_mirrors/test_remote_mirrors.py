"""Push mirrors: what is pushed here is pushed there, by a real git."""

import shutil

import pytest

from mujina.adapters.mail import kept
from tests.code.remote_mirrors.conftest import FIELDS, FINGERPRINT, HOST_KEY
from tests.harness.cases import Case, Has, cases

MIRRORS = "/projects/{private.id}/remote_mirrors"


@cases([
    Case("anonymous", f"GET {MIRRORS}", 401),
    Case("stranger", f"GET {MIRRORS}", 404),
    Case("developer", f"GET {MIRRORS}", 401),
    Case("developer", f"POST {MIRRORS}", 401, params={"url": "https://example.org/x.git"}),
    Case("master", f"GET {MIRRORS}", 200, []),
    Case("master", f"GET {MIRRORS}/7", 404, {"message": "404 Remote Mirror Not Found"}),
    Case("master", f"POST {MIRRORS}", 400, Has(error="url is missing")),
    Case("master", f"POST {MIRRORS}", 400, {"message": {"url": ["is not an address that mirrors may push to"]}},
         {"url": "ssh://git@example.org/x.git"}),
    Case("master", f"POST {MIRRORS}", 400, Has(), {"url": "http://127.0.0.1/x.git"}),
    Case("master", f"POST {MIRRORS}", 400, Has(), {"url": "https://example.org/x.git", "auth_method": "ssh_public_key"}),
    Case("master", f"POST {MIRRORS}", 400, {"message": {"host_keys": ["are for SSH, at most 10"]}},
         {"url": "https://example.org/x.git", "host_keys": [HOST_KEY]}),
    Case("master", f"POST {MIRRORS}", 400, {"message": {"host_keys": ["are lines such as ssh-ed25519 AAAA…"]}},
         {"url": "ssh://git@example.org/x.git", "auth_method": "ssh_public_key", "host_keys": ["ssh-ed25519 AAAA"]}),
    Case("master", f"POST {MIRRORS}", 400, Has(), {"url": "ssh://git@example.org/x.git", "auth_method": "ssh_public_key"}),
    *(Case("master", f"POST {MIRRORS}", 400, {"message": {"url": ["is not an address that mirrors may push to"]}},
           {"url": f"ssh://{rest}", "auth_method": "ssh_public_key", "host_keys": [HOST_KEY]})
      for rest in ("git:secret@example.org/x.git", "example.org/x.git", "git@127.0.0.1/x.git", "git@[::1]:2222/x.git")),
    Case("master", f"POST {MIRRORS}", 201, Has(url="ssh://git@example.org/x.git", auth_method="ssh_public_key",
         host_keys=[{"fingerprint_sha256": FINGERPRINT}]),
         {"url": "ssh://git@example.org/x.git", "auth_method": "ssh_public_key", "host_keys": [HOST_KEY]}),
    Case("master", f"POST {MIRRORS}", 201, Has(enabled=False, url="https://*****:*****@example.org/x.git"),
         {"url": "https://me:mirror-secret@example.org/x.git"}, events=["remote_mirror.created"]),
    Case("master", f"POST {MIRRORS}", 201, Has(url="https://example.org/x.git"), {"url": "https://example.org/x.git"}),
])  # fmt: skip
def test_masters_manage_mirrors(case, cast):
    case.holds(cast)


def mirror(owner, project, target, **options):
    made = owner.post(f"{project}/remote_mirrors", url=target.url, enabled=True, **options)
    assert made.status == 201, made
    assert "mirror-secret" not in made.body.decode()
    return owner.get(f"{project}/remote_mirrors/{made.json['id']}").json


def test_everything_is_pushed_at_once_and_after_each_push(owner, project, target):
    made = mirror(owner, project, target)
    assert (list(made), made["update_status"], made["last_error"]) == (FIELDS, "finished", None)
    assert sorted(target.refs) == ["refs/heads/main", "refs/heads/work", "refs/tags/v1"]
    owner.post(f"{project}/repository/files/new", branch="work", content="x", commit_message="Add")
    tip = owner.get(f"{project}/repository/branches/work").json["commit"]["id"]
    assert target.refs["refs/heads/work"] == tip
    owner.delete(f"{project}/repository/branches/work")
    assert "refs/heads/work" in target.refs, "its commit is nowhere else"
    owner.post(f"{project}/repository/branches", branch="merged", ref="main")
    owner.delete(f"{project}/repository/branches/merged")
    assert "refs/heads/merged" not in target.refs


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_only_protected_branches(owner, project, target):
    mirror(owner, project, target, only_protected_branches=True)
    assert list(target.refs) == ["refs/heads/main"]
    owner.post(f"{project}/protected_branches", name="wo*")
    owner.post(f"{project}/repository/files/new", branch="work", content="x", commit_message="Add")
    assert sorted(target.refs) == ["refs/heads/main", "refs/heads/work"]


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
@pytest.mark.parametrize("keeps", [True, False])
def test_what_has_diverged_there_stays_only_if_it_shall(owner, project, target, keeps):
    made = mirror(owner, project, target, keep_divergent_refs=keeps)
    tree = target.git("rev-parse", "main^{tree}")
    who = ("-c", "user.name=Me", "-c", "user.email=me@example.org")
    other = target.git(*who, "commit-tree", "-m", "Elsewhere", tree)
    target.git("update-ref", "refs/heads/work", other)
    owner.post(f"{project}/repository/files/new", branch="work", content="x", commit_message="Add")
    owner.post(f"{project}/repository/files/new", branch="main", content="x", commit_message="Add")
    found = owner.get(f"{project}/remote_mirrors/{made['id']}").json
    assert target.refs["refs/heads/main"] == owner.get(f"{project}/repository/branches/main").json["commit"]["id"]
    if keeps:
        assert target.refs["refs/heads/work"] == other
        assert found["last_error"] == "Some refs have diverged and were left alone: refs/heads/work"
    else:
        assert target.refs["refs/heads/work"] != other
        assert found["last_error"] is None


def test_a_mirror_that_fails_says_why_and_mails_once(owner, stage, project, target):
    shutil.rmtree(stage.folder / "mails", ignore_errors=True)
    target.url = target.url.replace("mirror-secret", "wrong-secret")
    made = mirror(owner, project, target)
    assert (made["update_status"], made["last_error"]) == ("failed", "The credentials are missing or were not accepted")
    assert owner.post(f"{project}/remote_mirrors/{made['id']}/sync").status == 204
    assert [message["Subject"] for _, message in kept(stage.folder)] == ["A mirror could not be updated"]
    assert owner.get(f"{project}/remote_mirrors/{made['id']}").json["last_successful_update_at"] is None


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_no_redirect_is_followed_and_no_credential_sent_elsewhere(owner, project, target):
    target.url = target.url.replace("/target.git", "/moved.git")
    made = mirror(owner, project, target)
    assert made["update_status"] == "failed"
    assert all(path.startswith("/moved.git") for path, _ in target.seen)


def test_the_public_key_is_for_those_who_manage_mirrors(cast):
    here = f"/projects/{cast.private.id}/remote_mirrors"
    [plain, keyed] = [
        cast.master.post(here, url="https://example.org/x.git").json["id"],
        cast.master.post(
            here, url="ssh://git@example.org/x.git", auth_method="ssh_public_key", host_keys=[HOST_KEY]
        ).json["id"],
    ]
    assert cast.master.get(f"{here}/{plain}/public_key").status == 404
    assert cast.developer.get(f"{here}/{keyed}/public_key").status == 401
    assert list(cast.master.get(f"{here}/{keyed}/public_key").json) == ["public_key"]
    kept = cast.value("SELECT private_key FROM remote_mirrors WHERE id = :id", id=keyed)
    assert "PRIVATE KEY" not in kept


def test_a_mirror_is_switched_off_and_removed(owner, project, target):
    made = mirror(owner, project, target)
    at = f"{project}/remote_mirrors/{made['id']}"
    assert owner.put(at, enabled=False).json["enabled"] is False
    before = target.refs
    owner.post(f"{project}/repository/files/new", branch="main", content="x", commit_message="Add")
    assert (target.refs, owner.post(f"{at}/sync").status) == (before, 400)
    assert (owner.delete(at).status, owner.get(at).status) == (204, 404)
    assert owner.get(f"{project}/remote_mirrors").json == []


def test_a_project_has_few_mirrors(cast):
    here = f"/projects/{cast.private.id}/remote_mirrors"
    made = [cast.owner.post(here, url=f"https://example.org/{number}.git").status for number in range(11)]
    assert made == [*[201] * 10, 400]


def test_masters_add_and_remove_mirrors_on_the_page(browse, cast):
    path = f"/{cast.private.path}"
    master = browse("master")
    master.open(f"{path}/settings/repository")
    refused = master.send(f"{path}/remote_mirrors", remote_mirror={"url": "https://127.0.0.1/x.git"})
    assert (refused.status, 'id="remote_mirror_url-problem"' in refused.text) == (422, True)
    with_password = {"url": "https://me:mirror-secret@example.org/x.git"}
    assert master.send(f"{path}/remote_mirrors", remote_mirror=with_password).status == 303
    [made] = cast.master.get(f"/projects/{cast.private.id}/remote_mirrors").json
    shown = master.open(f"{path}/settings/repository").text
    assert ("https://*****:*****@example.org/x.git" in shown, "mirror-secret" in shown) == (True, False)
    without_key = {"url": "ssh://git@example.org/x.git"}
    assert master.send(f"{path}/remote_mirrors", remote_mirror=without_key).status == 422
    with_key = without_key | {"host_keys": f"{HOST_KEY}\r\n"}
    assert master.send(f"{path}/remote_mirrors", remote_mirror=with_key).status == 303
    keyed = cast.master.get(f"/projects/{cast.private.id}/remote_mirrors").json[1]["id"]
    key = cast.master.get(f"/projects/{cast.private.id}/remote_mirrors/{keyed}/public_key").json["public_key"]
    assert key in master.open(f"{path}/settings/repository").text
    assert master.send(f"{path}/remote_mirrors/{keyed}/delete").status == 303
    assert master.send(f"{path}/remote_mirrors/{made['id']}/sync").status == 303
    assert master.send(f"{path}/remote_mirrors/{made['id']}/delete").status == 303
    assert cast.master.get(f"/projects/{cast.private.id}/remote_mirrors").json == []
