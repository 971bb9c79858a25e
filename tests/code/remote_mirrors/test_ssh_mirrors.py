"""Push mirrors over SSH, to OpenSSH with git's own programs behind it."""

import pytest

from tests.code.remote_mirrors.conftest import FIELDS, HOST_KEY, client_of
from tests.harness.sshd import USER

one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
"""SSH is the same on both: one story is told on the other."""


def over_ssh(owner, project, target, **options):
    """A mirror whose key the target accepts, pushed to once: what is shown of it."""
    options = {"auth_method": "ssh_public_key", "host_keys": [target.host_key], **options}
    made = owner.post(f"{project}/remote_mirrors", url=target.url, **options)
    assert made.status == 201, made
    at = f"{project}/remote_mirrors/{made.json['id']}"
    key = owner.get(f"{at}/public_key").json["public_key"]
    assert key.startswith("ssh-ed25519 ")
    target.accept(key)
    assert owner.put(at, enabled=True).status == 200
    return owner.get(at).json


@pytest.mark.parametrize("engine", ["postgres"], indirect=True)
def test_a_mirror_over_ssh_signs_in_with_a_key_of_its_own(ssh_owner, project, ssh_target):
    made = over_ssh(ssh_owner, project, ssh_target)
    assert (list(made), made["update_status"], made["last_error"]) == (FIELDS, "finished", None)
    assert made["url"] == ssh_target.url
    assert sorted(ssh_target.refs) == ["refs/heads/main", "refs/heads/work", "refs/tags/v1"]
    ssh_owner.post(f"{project}/repository/files/new", branch="work", content="x", commit_message="Add")
    tip = ssh_owner.get(f"{project}/repository/branches/work").json["commit"]["id"]
    assert ssh_target.refs["refs/heads/work"] == tip
    ssh_target.accept()
    at = f"{project}/remote_mirrors/{made['id']}"
    assert ssh_owner.post(f"{at}/sync").status == 204
    assert (
        ssh_owner.get(at).json["last_error"] == "The key was not accepted: the other server has to know its public half"
    )
    assert ssh_owner.put(at, auth_method="password").status == 400
    assert set(ssh_target.tried) == {USER}


@one_engine
def test_a_server_with_another_host_key_gets_neither_key_nor_commits(ssh_owner, project, ssh_target):
    other = over_ssh(ssh_owner, project, ssh_target, host_keys=[HOST_KEY])
    assert (other["update_status"], other["last_error"]) == (
        "failed", "The server has none of the host keys that were given for it",
    )  # fmt: skip
    assert (ssh_target.refs, ssh_target.tried) == ({}, [])
    at = f"{project}/remote_mirrors/{other['id']}"
    assert ssh_owner.put(at, host_keys=[HOST_KEY, ssh_target.host_key]).status == 200
    assert ssh_owner.get(at).json["update_status"] == "finished"
    assert ssh_owner.put(at, host_keys=["nonsense"]).status == 400


@one_engine
def test_ssh_reaches_only_what_the_operator_allows(cast, ssh_target, project, ssh_owner, stage, database):
    refused = client_of(cast, stage, database).post(
        f"{project}/remote_mirrors", url=ssh_target.url, auth_method="ssh_public_key", host_keys=[ssh_target.host_key]
    )
    assert refused.json == {"message": {"url": ["is not an address that mirrors may push to"]}}
    made = over_ssh(ssh_owner, project, ssh_target)
    tried = ssh_target.tried
    at = f"{project}/remote_mirrors/{made['id']}"
    narrower = client_of(cast, stage, database)
    assert narrower.post(f"{at}/sync").status == 204
    assert narrower.get(at).json["last_error"] == "Mirrors may not push to this address"
    assert ssh_target.tried == tried
