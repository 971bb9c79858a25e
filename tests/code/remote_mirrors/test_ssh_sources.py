"""Imports and pull mirrors over SSH, from OpenSSH with git's own programs behind it."""

import shutil

import pytest

from mujina.adapters.mail import kept
from mujina.kernel.jobs.queue import enqueue
from tests.code.remote_mirrors.conftest import HOST_KEY, client_of
from tests.code.remote_mirrors.sources import add_commit, state
from tests.harness.sshd import PASSWORD, USER

one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
"""SSH is the same on both; `test_ssh_mirrors.py` tells a story on the other."""
WRONG_HOST = "The server has none of the host keys that were given for it"
WRONG_KEY = "The key was not accepted: the other server has to know its public half"


@pytest.fixture
def source(ssh_target):
    """The repository behind the server has a commit."""
    add_commit(ssh_target, "First")
    return ssh_target


def made(owner, source, **options):
    """The address of a project that is fetched from the source; its key is not accepted yet."""
    options = {"import_url": source.url, "import_host_keys": [source.host_key], "name": "fetched", **options}
    created = owner.post("/projects", **options)
    assert (created.status, created.json["import_status"]) == (201, "scheduled"), created
    return f"/projects/{created.json['id']}"


def accept(owner, source, at):
    key = owner.get(f"{at}/mirror/public_key").json["public_key"]
    assert key.startswith("ssh-ed25519 ")
    source.accept(key)
    return key


@one_engine
def test_a_mirror_over_ssh_follows_its_source_with_a_key_of_its_own(cast, stage, ssh_owner, source):
    shutil.rmtree(stage.folder / "mails", ignore_errors=True)
    at = made(ssh_owner, source, mirror=True)
    assert state(ssh_owner, at) == ("failed", WRONG_KEY)
    cast.transact(lambda tx: enqueue(tx, "mirrors.refresh", ""))  # half an hour passes
    assert ssh_owner.post(f"{at}/housekeeping").status == 201  # runs all enqueued jobs
    assert (state(ssh_owner, at), len(source.tried)) == (("failed", WRONG_KEY), 2)
    assert [message["Subject"] for _, message in kept(stage.folder)] == ["A mirror could not be updated"]
    accept(ssh_owner, source, at)
    assert ssh_owner.post(f"{at}/mirror/pull").status == 200
    assert state(ssh_owner, at) == ("finished", None)
    tip = add_commit(source, "Second")
    assert ssh_owner.post(f"{at}/mirror/pull").status == 200
    assert ssh_owner.get(f"{at}/repository/branches/main").json["commit"]["id"] == tip
    assert set(source.tried) == {USER}


@one_engine
def test_a_source_with_another_host_key_gets_no_key(ssh_owner, source):
    at = made(ssh_owner, source, mirror=True, import_host_keys=[HOST_KEY])
    accept(ssh_owner, source, at)
    assert (state(ssh_owner, at), source.tried) == (("failed", WRONG_HOST), [])
    assert ssh_owner.put(at, import_host_keys=[HOST_KEY, source.host_key], mirror=True).status == 200
    assert state(ssh_owner, at) == ("finished", None)


@one_engine
def test_another_url_gets_nothing_that_belongs_to_the_former(ssh_owner, source):
    at = made(ssh_owner, source)
    first = accept(ssh_owner, source, at)
    assert ssh_owner.put(at, import_url=source.url).status == 200
    assert ssh_owner.get(f"{at}/mirror/public_key").json["public_key"] == first
    blank = ssh_owner.put(at, import_url=f"{source.url}/other")
    assert (blank.status, list(blank.json["message"])) == (400, ["import_host_keys"])
    other = f"ssh://{USER}@{source.authority}/other.git"
    assert ssh_owner.put(at, import_url=other, import_host_keys=[source.host_key]).status == 200
    assert ssh_owner.get(f"{at}/mirror/public_key").json["public_key"] != first
    assert ssh_owner.put(at, import_url="https://example.org/a.git").status == 200
    assert ssh_owner.get(f"{at}/mirror/public_key").status == 404
    assert ssh_owner.put(at, import_host_keys=[HOST_KEY]).status == 400


@one_engine
def test_a_password_opens_what_it_opens_and_is_not_shown(ssh_owner, source):
    for name, password, expected in (
        ("right", PASSWORD, ("finished", None)),
        ("wrong", "other-secret", ("failed", "The credentials were not accepted")),
    ):
        at = made(ssh_owner, source, import_url=source.url.replace("@", f":{password}@"), name=name)
        assert state(ssh_owner, at) == expected
        assert ssh_owner.get(f"{at}/mirror/public_key").status == 404
        assert password not in ssh_owner.get(at).text


@one_engine
def test_only_what_the_operator_allows_is_fetched_over_ssh(cast, stage, database, ssh_owner, source):
    narrower = client_of(cast, stage, database)
    for url in (source.url, "git@127.0.0.1:target.git", "ssh://127.0.0.1/target.git"):
        refused = narrower.post("/projects", name="x", import_url=url, import_host_keys=[source.host_key])
        assert refused.json == {"message": {"import_url": ["imports are not allowed from that URL"]}}
    at = made(ssh_owner, source, mirror=True)
    accept(ssh_owner, source, at)
    tried = source.tried
    assert narrower.post(f"{at}/mirror/pull").status == 200
    assert (state(narrower, at), source.tried) == (("failed", "imports are not allowed from that URL"), tried)


@one_engine
def test_the_short_form_is_a_url_of_ssh(ssh_owner, source, cast):
    refused = ssh_owner.post("/projects", name="x", import_url="git@git.example.org:group/project.git")
    assert list(refused.json["message"]) == ["import_host_keys"]
    assert ssh_owner.post("/projects", name="x", import_url=source.url, import_host_keys=["nonsense"]).status == 400
