"""A set that is damaged, incomplete, newer or not ours is refused by name, and nothing is touched."""

import hashlib
import re
import shutil
from pathlib import Path

import msgspec
import pytest

from mujina.adapters.git.storage import RepositoryStorage
from mujina.backups.encryption import BackupCredentials, Plain
from mujina.backups.manifest import FORMAT, Manifest, list_sets, open_header, part_path, read_manifest, write_manifest
from mujina.backups.parts import PartReader
from mujina.backups.targets import open_target
from tests.backups.small_instance import SmallInstance


def flip(path: Path, position: int) -> None:
    data = bytearray(path.read_bytes())
    data[position] ^= 1
    path.write_bytes(data)


def test_a_flipped_byte_anywhere_is_found_and_named(instance: SmallInstance):
    paths = [path for path in instance.target.rglob("*") if path.is_file() and path.stat().st_size]
    assert len(paths) == 4  # the header, the manifest, the shared part and the large file
    for path in paths:
        content = path.read_bytes()
        for position in (0, len(content) // 2, len(content) - 1):
            flip(path, position)
            found = instance.read("verify")
            assert found.code != 0, path
            name = {"sets": "The manifest of the set ", "parts": f"PROBLEM  The part {path.name} of the set "}
            output = found.out + found.err
            assert name.get(path.relative_to(instance.target).parts[0], "The file mujina-backup of ") in output
            assert instance.restore().error
            assert not instance.restored.exists()
            path.write_bytes(content)
    assert instance.read("verify").code == 0


def test_a_damaged_part_is_named_with_what_needs_it(instance: SmallInstance):
    large = max(instance.target.glob("parts/*/*"), key=lambda path: path.stat().st_size)
    flip(large, 100)
    assert f"PROBLEM  The part {large.name} of the set " in instance.read("verify").out
    assert "with files/uploads/large, is damaged.\n" in instance.read("verify").out


def test_a_set_that_was_cut_off_is_refused(instance: SmallInstance):
    (manifest,) = instance.target.glob("sets/*")
    content = manifest.read_bytes()
    manifest.write_bytes(content[:-10])
    assert instance.restore().error == f"The manifest of the set {manifest.name} is damaged or cut off."
    manifest.write_bytes(content)
    next(instance.target.glob("parts/*/*")).unlink()
    assert instance.restore().error.endswith(" is missing: the set is incomplete.")
    manifest.unlink()
    assert instance.restore().error == f"There is no complete set in {instance.target}."
    assert not instance.restored.exists()


def manifest_of(instance: SmallInstance) -> Manifest:
    return read_manifest(open_target(str(instance.target)), Plain(), list_sets(open_target(str(instance.target)))[-1])


def test_a_newer_set_is_refused(instance: SmallInstance):
    target = open_target(str(instance.target))
    manifest = manifest_of(instance)
    write_manifest(target, Plain(), msgspec.structs.replace(manifest, revisions=["0001", "9999"], version="9.9"))
    assert instance.restore().error.startswith(
        f"The set {manifest.id} has the schema 9999 of Mujina 9.9, which is newer"
    )
    write_manifest(target, Plain(), msgspec.structs.replace(manifest, format=FORMAT + 1))
    assert instance.restore().error == (
        f"The set {manifest.id} was written by a newer version of Mujina: install that version to read it."
    )


def test_a_set_does_not_write_outside_the_data_folder(instance: SmallInstance):
    manifest = manifest_of(instance)
    manifest.files[0].path = "../escaped"
    write_manifest(open_target(str(instance.target)), Plain(), manifest)
    assert "which is not in the data folder" in instance.restore().error
    assert not instance.restored.exists()


def test_what_exists_is_not_overwritten(instance: SmallInstance):
    instance.restored.mkdir()
    (instance.restored / "mine").write_text("Mine.")
    assert instance.restore().error.startswith(f"The data folder {instance.restored} is not empty")
    assert [path.name for path in instance.restored.iterdir()] == ["mine"]
    (instance.data.parent / "other").mkdir()
    (instance.data.parent / "other" / "mine").write_text("Mine.")
    other = SmallInstance(instance.data, instance.data.parent / "other", instance.restored)
    assert other.backup().error == f"{other.target} is neither empty nor a target of backups: give an empty one."
    assert [path.name for path in other.target.iterdir()] == ["mine"]


def test_everything_is_restored(instance: SmallInstance):
    done = instance.restore()
    assert done.code == 0, done.out + done.err
    restored, original = instance.content(instance.restored), instance.content(instance.data)
    assert restored.pop("mujina.toml").startswith(b"# Of the instance that was backed up: storage_url = ")
    original.pop("mujina.toml")
    ref = next(name for name in original if name.endswith("refs/heads/master"))
    tip = original.pop(ref)
    packed = ref.replace("refs/heads/master", "packed-refs")
    assert restored.pop(packed) == b"# pack-refs with: sorted \n" + tip.strip() + b" refs/heads/master\n"
    original.pop(packed, None)
    assert restored == original


def test_only_the_newest_sets_are_kept_with_what_they_need(instance: SmallInstance):
    (instance.data / "files" / "uploads" / "large").write_bytes(b"other" * 300_000)
    instance.backup()
    assert len(list(instance.target.glob("parts/*/*"))) == 3
    (instance.data / "files" / "uploads" / "large").unlink()
    assert instance.backup("--keep", "1").code == 0
    assert len(list(instance.target.glob("sets/*"))) == 1
    assert all(path.stat().st_size < 1_000_000 for path in instance.target.glob("parts/*/*"))
    assert instance.read("verify").code == 0
    assert instance.restore().code == 0


def test_the_parts_of_a_target_have_the_names_of_their_content(instance: SmallInstance):
    for path in instance.target.glob("parts/*/*"):
        assert hashlib.blake2b(path.read_bytes(), digest_size=32).hexdigest() == path.name


def test_a_set_with_the_checksums_of_the_first_format_is_read_and_its_target_goes_on(instance: SmallInstance):
    target = open_target(str(instance.target))
    (id,) = list_sets(target)
    manifest = read_manifest(target, Plain(), id)
    reader = PartReader(target, Plain(), manifest)
    for piece in (piece for each in (*manifest.files, *manifest.tables) for piece in each.pieces):
        piece.checksum = hashlib.sha256(reader.read(piece)).hexdigest()
    for part in manifest.parts:
        content = target.get(part_path(part.name)) or b""
        target.remove(part_path(part.name))
        part.name = hashlib.sha256(content).hexdigest()
        target.put(part_path(part.name), content)
    manifest.format = 1
    write_manifest(target, Plain(), manifest)
    assert instance.read("verify").code == 0
    assert instance.backup().code == 0
    assert instance.read("verify").code == 0
    assert instance.restore("--at", id).code == 0


def test_two_backups_to_a_target_do_not_run_at_once(instance: SmallInstance):
    with open_target(str(instance.target)).locked():
        assert instance.backup().error.startswith(f"Another `mujina backup` is writing to {instance.target}")


PASSPHRASE = {"MUJINA_BACKUP_PASSPHRASE": "a passphrase of tests"}


@pytest.fixture
def cheap_scrypt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passphrases that are cheap to guess."""
    monkeypatch.setattr("mujina.backups.encryption.SCRYPT_N", 16)


@pytest.mark.usefixtures("cheap_scrypt")
def test_an_encrypted_set_has_no_plain_text(instance: SmallInstance, tmp_path: Path):
    encrypted = SmallInstance(instance.data, tmp_path / "encrypted", instance.restored)
    assert encrypted.backup("--encrypt", **PASSPHRASE).code == 0
    stored = b"".join(path.read_bytes() for path in encrypted.target.rglob("*") if path.is_file())
    for text in (b"uploads", b"master", b"a passphrase", bytes(range(256)), b"tables"):
        assert text not in stored, text
    assert encrypted.read("verify", **PASSPHRASE).code == 0
    assert encrypted.restore().error.startswith("These backups need a passphrase")
    wrong = encrypted.restore(MUJINA_BACKUP_PASSPHRASE="another passphrase")
    assert wrong.error == "The passphrase is not the one that these backups are encrypted with."
    assert not encrypted.restored.exists()
    before = len(list(encrypted.target.glob("parts/*/*")))
    assert encrypted.backup(**PASSPHRASE).code == 0  # what is encrypted stays so, and is stored once
    assert len(list(encrypted.target.glob("parts/*/*"))) == before
    assert encrypted.restore(**PASSPHRASE).code == 0
    assert instance.content(encrypted.restored)["files/uploads/a"] == instance.content(instance.data)["files/uploads/a"]


def test_a_key_file_encrypts(instance: SmallInstance, tmp_path: Path):
    encrypted = SmallInstance(instance.data, tmp_path / "encrypted", instance.restored)
    (tmp_path / "key").write_bytes(b"short")
    assert "is too short" in encrypted.backup("--key-file", str(tmp_path / "key")).error
    (tmp_path / "key").write_bytes(bytes(range(32)))
    assert encrypted.backup("--key-file", str(tmp_path / "key")).code == 0
    assert "give it with --key-file" in encrypted.read("list").error
    assert encrypted.read("list", "--key-file", str(tmp_path / "key")).out.count("\n") == 2
    assert instance.backup("--key-file", str(tmp_path / "key")).error.endswith("need a target of their own.")
    with pytest.raises(Exception, match="is not the one that"):
        open_header(open_target(str(encrypted.target)), BackupCredentials(lambda: "", Path(__file__)))


def test_a_damaged_repository_is_backed_up_as_it_is(instance: SmallInstance):
    """It does not keep the rest of the instance from being backed up."""
    repository = RepositoryStorage.of(instance.data).repo_path(1)
    (repository / "config").unlink()
    shutil.rmtree(repository / "objects" / "pack")
    assert instance.backup().code == 0
    assert instance.restore().code == 0
    name = repository.relative_to(instance.data).as_posix()
    assert f"{name}/packed-refs" in instance.content(instance.restored)


def test_what_cannot_be_read_is_named(instance: SmallInstance):
    loop = instance.data / "secrets" / "loop"
    loop.symlink_to(loop)
    assert instance.backup().error == f"Too many levels of symbolic links: {loop}."


def test_a_target_that_cannot_be_written_is_named(instance: SmallInstance):
    (instance.data / "file").touch()
    below = SmallInstance(instance.data, instance.data / "file" / "target", instance.restored)
    assert below.backup().error == f"Not a directory: {below.target}."


def test_what_was_damaged_and_is_deleted_is_stored_anew(instance: SmallInstance):
    large = max(instance.target.glob("parts/*/*"), key=lambda path: path.stat().st_size)
    flip(large, 100)
    assert f"Delete what is damaged in {instance.target}: " in instance.read("verify").out
    large.unlink()
    assert instance.backup().code == 0
    assert instance.read("verify").code == 0  # a large file is a part of its own: the first set is whole again, too


def test_a_damaged_manifest_is_named_by_the_backup_that_keeps_it(instance: SmallInstance):
    (damaged,) = instance.target.glob("sets/*")
    flip(damaged, 100)
    error = instance.backup("--keep", "2").error
    assert re.match(r"The set \w+ is complete, but no older one was removed: The manifest of the set ", error)
    damaged.unlink()
    assert instance.backup("--keep", "1").code == 0
    assert instance.restore().code == 0


def test_a_target_without_a_set_is_no_sound_one(instance: SmallInstance):
    for path in (instance.target / "sets").iterdir():
        path.unlink()
    assert instance.read("verify").error == f"There is no complete set in {instance.target}."
