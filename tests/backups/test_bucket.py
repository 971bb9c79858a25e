"""Backups to object storage, and of files that are in object storage, with a real S3 server."""

import socket
from pathlib import Path

import pytest

from mujina.backups import buckets, targets
from mujina.backups.targets import open_target
from tests.backups.small_instance import SmallInstance, make_instance
from tests.cli.command import Result, mujina
from tests.harness.object_store import ObjectStore

PASSPHRASE = {"MUJINA_BACKUP_PASSPHRASE": "a passphrase of tests"}


@pytest.fixture
def instance(tmp_path: Path, sqlite_schema: str, store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> SmallInstance:
    monkeypatch.setattr("mujina.backups.encryption.SCRYPT_N", 16)
    for name, value in store.environment.items():
        if name.startswith("AWS_"):
            monkeypatch.setenv(name, value)
    return make_instance(tmp_path, sqlite_schema)


def backup(instance: SmallInstance, url: str, *flags: str, **environment: str) -> Result:
    done = mujina("backup", url, *flags, "--data", str(instance.data), **environment)
    assert done.code == 0, done.err
    return done


def restore(instance: SmallInstance, url: str, **environment: str) -> Result:
    return mujina("restore", url, "--data", str(instance.restored), **environment)


def test_a_set_in_a_bucket_is_restored(instance: SmallInstance):
    url = "s3://mujina/plain"
    backup(instance, url)
    backup(instance, url, "--keep", "1")
    assert mujina("backup", "list", url, "--data", str(instance.data)).out.count("\n") == 2
    assert mujina("backup", "verify", url, "--data", str(instance.data)).code == 0
    done = restore(instance, url)
    assert done.code == 0, done.out + done.err
    large = instance.content(instance.data)["files/uploads/large"]
    assert instance.content(instance.restored)["files/uploads/large"] == large


def test_damage_in_a_bucket_is_named(instance: SmallInstance):
    url = "s3://mujina/damaged"
    backup(instance, url, "--encrypt", **PASSPHRASE)
    target = open_target(url)
    for path in target.sizes("parts/"):
        content = target.get(f"parts/{path}") or b""
        assert b"uploads" not in content
        target.put(f"parts/{path}", content[:-1] + bytes([content[-1] ^ 1]))
        found = mujina("backup", "verify", url, "--data", str(instance.data), **PASSPHRASE)
        assert f"PROBLEM  The part {path.rpartition('/')[2]} of the set " in found.out
        assert "is damaged" in restore(instance, url, **PASSPHRASE).error
        target.remove(f"parts/{path}")
        assert "is missing: the set is incomplete." in restore(instance, url, **PASSPHRASE).error
        target.put(f"parts/{path}", content)
    assert not instance.restored.exists()
    assert restore(instance, url, **PASSPHRASE).code == 0


def test_two_backups_to_a_bucket_do_not_run_at_once(instance: SmallInstance, monkeypatch: pytest.MonkeyPatch):
    url = "s3://mujina/locked"
    with open_target(url).locked():
        error = mujina("backup", url, "--data", str(instance.data)).error
        assert error.startswith(f"Another `mujina backup` is writing to {url}")
        monkeypatch.setattr(targets, "STALE_SECONDS", 0)  # as the lock of a process that was killed is, in ten minutes
        backup(instance, url)


def test_a_set_that_is_read_from_a_bucket_is_not_removed(instance: SmallInstance):
    url = "s3://mujina/read"
    backup(instance, url)
    with open_target(url).reading():
        kept = mujina("backup", url, "--keep", "1", "--data", str(instance.data))
        assert kept.error.startswith(f"The new set in {url} is complete, but no older one was removed")
    with open_target(url).removing():
        assert restore(instance, url).error.startswith(f"`mujina backup` is removing old sets from {url}")
    assert restore(instance, url).code == 0
    backup(instance, url, "--keep", "1")
    assert list(open_target(url).sizes("locks/")) == []


def test_files_in_a_bucket_are_in_a_set_and_restored_to_a_bucket(instance: SmallInstance):
    files = open_target("s3://mujina/files")
    for path in sorted((instance.data / "files").rglob("*")):
        if path.is_file():
            files.put(path.relative_to(instance.data / "files").as_posix(), path.read_bytes())
    backup(instance, str(instance.target), MUJINA_STORAGE_URL="s3://mujina/files")
    assert restore(instance, str(instance.target), MUJINA_STORAGE_URL="s3://mujina/files").error.endswith(
        "is not empty: set storage_url to an empty place."
    )
    assert restore(instance, str(instance.target), MUJINA_STORAGE_URL="s3://mujina/copied").code == 0
    assert open_target("s3://mujina/copied").sizes("") == files.sizes("")
    assert not (instance.restored / "files").exists()


def test_a_bucket_that_is_silent_is_given_up(instance: SmallInstance, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(buckets, "ANSWER_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # it accepts connections, and nobody reads them
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        for command in (("backup",), ("backup", "list"), ("backup", "verify"), ("restore",)):
            error = mujina(*command, "s3://mujina/silent", "--data", str(instance.data)).error
            assert error == "s3://mujina/silent does not answer: check AWS_ENDPOINT_URL, and that the store runs."


def test_a_bucket_that_cannot_be_used_is_named(instance: SmallInstance):
    refused = mujina("backup", "s3://mujina/refused", "--data", str(instance.data), AWS_SECRET_ACCESS_KEY="wrong")
    assert refused.error.startswith("s3://mujina/refused refuses the credentials")
