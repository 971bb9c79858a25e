"""`mujina export`, and `mujina move-in` from what it wrote, or from what somebody made up."""

import gzip
import io
import json
import os
import tarfile
from pathlib import Path
from typing import Any

import pytest

from mujina.moving.archives.unpacking import MAX_HEADER_BYTES, UnusableArchive, unpack
from mujina.moving.archives.writing import MANIFEST
from mujina.moving.move_in.commands import NOT_THERE
from mujina.moving.sources.opening import open_archive
from tests.cli.command import mujina
from tests.harness.running import RunningServer
from tests.moving.test_hostile_sources import AT, PROJECT, issue
from tests.moving.test_move_in import people_file
from tests.moving.world import PEOPLE, World, add_people, admin, differences, refs, shown


def place(server: RunningServer) -> tuple[str, ...]:
    return "--data", str(server.data), "--database-url", server.database_url


def exported(world: World, file: Path) -> Path:
    result = mujina("export", "team/app", str(file), *place(world.server))
    assert (result.code, result.err) == (0, ""), result.out + result.err
    return file


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_project_is_equal_after_export_and_import(world: World, running_server: RunningServer, tmp_path: Path):
    add_people(running_server, *PEOPLE)
    file = exported(world, tmp_path / "app.tar.gz")
    moved = mujina("move-in", str(file), "--people", people_file(tmp_path, *PEOPLE), *place(running_server))
    assert moved.code == 0, moved.out + moved.err
    before, after = shown(world.server), shown(running_server)
    before["variables"][0]["value"] = ""
    for of_the_group in ("avatar", "variables", "epics", "epics/1/issues", "epic discussions", "epic awards"):
        for found in (before, after):
            found.pop(f"/groups/team {of_the_group}", None)
    assert not (lines := differences(before, after)), "\n".join(lines)
    assert refs(running_server) == refs(world.server)
    again = mujina("move-in", str(file), "--people", people_file(tmp_path, *PEOPLE), *place(running_server))
    assert (again.code, again.out) == (0, moved_nothing(again.out)), again.err
    assert shown(running_server) | after == shown(running_server)


@pytest.mark.parametrize("engine", ["postgres"], indirect=True)
def test_a_group_is_equal_after_export_and_import(world: World, running_server: RunningServer, tmp_path: Path):
    add_people(running_server, *PEOPLE)
    file, report = tmp_path / "team.tar.gz", tmp_path / "report.json"
    result = mujina("export", "team", str(file), "--group", *place(world.server))
    assert (result.code, result.err) == (0, ""), result.out + result.err
    flags = ("--people", people_file(tmp_path, *PEOPLE), "--report", str(report), *place(running_server))
    assert mujina("move-in", str(file), *flags).code == 0
    before, after = shown(world.server), shown(running_server)
    for name in ("variables", "/groups/team variables"):
        before[name][0]["value"] = ""
    assert not (lines := differences(before, after)), "\n".join(lines)
    assert refs(running_server) == refs(world.server)


def moved_nothing(out: str) -> str:
    """What the command prints, if it says that nothing was moved."""
    assert "Nothing to move." in out
    return out


def test_an_archive_has_no_secret_and_no_address(world: World, tmp_path: Path):
    content = gzip.decompress(exported(world, tmp_path / "app.tar.gz").read_bytes())
    assert b"DEPLOY_KEY" in content
    for secret in (b"variable-secret", b'@example.com"', b"runners_token", world.server.token.encode()):
        assert secret not in content


def test_an_export_that_fails_leaves_no_draft_and_replaces_only_a_file(world: World, tmp_path: Path):
    pipe, link, inside = tmp_path / "pipe", tmp_path / "link", tmp_path / "inside"
    os.mkfifo(pipe)
    link.symlink_to("/dev/null")
    inside.mkdir()
    refused = {
        ("team/app", pipe): f"{pipe} is not a regular file: name another.",
        ("team/app", link): f"{link} is not a regular file: name another.",
        ("team/app", tmp_path): f"{tmp_path} is not a regular file: name another.",
        ("team/app", ""): ". is not a regular file: name another.",
        ("team/app", tmp_path / "none" / "file"): f"{tmp_path}/none/file cannot be written: No such file or directory.",
        ("team/none", inside / "a"): "There is no project team/none: check the path, or run this with --group.",
        ("team", inside / "a"): "There is no project team: check the path, or run this with --group.",
    }
    for (path, file), sentence in refused.items():
        assert mujina("export", path, str(file), *place(world.server)).error == sentence
    missing = mujina("export", "team/app", str(inside / "a"), "--group", *place(world.server))
    assert missing.error == "There is no group team/app: check the path, or run this without --group."
    assert (link.is_symlink(), pipe.is_fifo(), [*inside.iterdir()]) == (True, True, [])


def test_a_move_that_cannot_begin_says_what_to_check_before_it_moves(world: World, tmp_path: Path):
    archive, where = str(exported(world, tmp_path / "app.tar.gz")), place(world.server)
    for words in ((archive, "--project", "team/none"), ("http://127.0.0.1:1", "--group", "team")):
        result = mujina("move-in", *words, *where, MUJINA_MOVE_IN_TOKEN="token")
        assert (result.code, result.err) == (1, f"{NOT_THERE}\n")
    for file in (tmp_path, tmp_path / "none" / "report.json"):
        sentence = f"{file} cannot be written: name a file in a folder that exists and is yours."
        assert mujina("move-in", archive, "--report", str(file), *where).error == sentence
        assert mujina("move-in", archive, "--dry-run", "--people", str(file), *where).error == sentence


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_an_empty_project_is_no_problem(world: World, running_server: RunningServer, tmp_path: Path):
    world.ask("POST", "/projects", path="empty", name="Empty")
    file, report = tmp_path / "empty.tar.gz", tmp_path / "report.json"
    assert mujina("export", "root/empty", str(file), *place(world.server)).code == 0
    flags = ("--people", people_file(tmp_path), "--report", str(report), *place(running_server))
    assert mujina("move-in", str(file), *flags).code == 0
    assert json.loads(report.read_text())["problems"] == []
    assert admin(running_server).request("GET", "/projects/root%2Fempty")["default_branch"] is None


def packed(file: Path, members: dict[str, bytes], *further: tarfile.TarInfo) -> Path:
    with tarfile.open(file, "w:gz", format=tarfile.PAX_FORMAT) as tar:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        for member in further:
            tar.addfile(member)
    return file


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


def test_only_plain_files_leave_an_archive_and_none_by_its_name(tmp_path: Path):
    folder = tmp_path / "unpacked"
    folder.mkdir()
    links = [
        special("link", tarfile.SYMTYPE, "/etc/passwd"), special("hard", tarfile.LNKTYPE, "../../x"),
        special("pipe", tarfile.FIFOTYPE), special("device", tarfile.CHRTYPE), special("../folder", tarfile.DIRTYPE),
    ]  # fmt: skip
    plain = {"../../up": b"1", "/etc/absolute": b"2", "plain": b"before", "./plain": b"3", "\udcff": b"4", "./.": b"5"}
    file = packed(tmp_path / "a.tar.gz", plain, *links)
    members = unpack(file, folder, 1_000_000)
    assert {name: path.read_bytes() for name, path in members.items()} == {
        "../../up": b"1", "/etc/absolute": b"2", "plain": b"3",
    }  # fmt: skip
    assert sorted(path.name for path in folder.iterdir()) == ["0", "1", "2", "3"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tar.gz", "unpacked"]


def negative_size() -> bytes:
    header = bytearray(tarfile.TarInfo("x").tobuf())
    header[124:136] = b"\xff" * 8 + (-4096).to_bytes(4, "big", signed=True)
    header[148:156] = b"%06o\0 " % (sum(header) - sum(header[148:156]) + 8 * 32)
    return bytes(header) + bytes(2048)


def test_what_is_too_large_or_broken_is_refused_early(tmp_path: Path):
    bomb = packed(tmp_path / "bomb", {"zeros": bytes(30_000_000)})
    name = tarfile.TarInfo("x")
    name.pax_headers = {"comment": "y" * 5_000_000}
    whole = packed(tmp_path / "whole", {"x": bytes(range(256)) * 100}).read_bytes()
    files = {
        "bomb": bomb.read_bytes(), "header": packed(tmp_path / "h", {}, name).read_bytes(), "cut": whole[:-30],
        "text": b"no archive", "empty": b"", "gzip": gzip.compress(b"no tar" * 1000),
        "negative": gzip.compress(negative_size()), "headers": gzip.compress(special("x", tarfile.XGLTYPE).tobuf() * 1_900),
    }  # fmt: skip
    for noun, content in files.items():
        file, folder = tmp_path / f"{noun}.tar.gz", tmp_path / f"{noun}-unpacked"
        file.write_bytes(content)
        folder.mkdir()
        with pytest.raises(UnusableArchive):
            unpack(file, folder, 1_000_000)
        assert sum(path.stat().st_size for path in folder.iterdir()) <= 1_000_000, noun


def test_a_manifest_is_not_read_beyond_its_limit(tmp_path: Path):
    manifest = b'{"address": "", "created_at": "", "project": "team/app"' + b" " * MAX_HEADER_BYTES + b"}"
    with pytest.raises(UnusableArchive, match=MANIFEST):
        open_archive(packed(tmp_path / "a.tar.gz", {MANIFEST: manifest}), tmp_path, 2 * MAX_HEADER_BYTES)


def documents(**bodies: Any) -> bytes:
    return b"".join(
        json.dumps({"path": f"/api/v4/{path}", "body": body}).encode() + b"\n" for path, body in bodies.items()
    )


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_made_up_archive_ends_in_a_report(world: World, running_server: RunningServer, tmp_path: Path):
    instance = admin(running_server)
    instance.request("POST", "/groups", path="here", name="Here")
    upload = f"/uploads/{'a' * 32}/../../x"
    other = next((world.server.data / "repositories").rglob("*.git"))
    lines = documents(**{
        "projects/team%2Fapp": {**PROJECT, "project": 1}, "projects/1/issues": [issue(1, description=upload), issue(0), 7],
        "projects/1/labels": {"no": "list"}, "projects/1/issues/1/discussions": "text",
    })  # fmt: skip
    lines += (
        b'{"path": "/team/app.git", "file": "code"}\n{"path": "/x", "file": "nowhere"}\n{"path": 7}\n[' + b"[" * 9_999
    )
    manifest = {
        "address": "https://x/y'z",
        "created_at": AT,
        "project": "team/app",
        "format": "mujina-archive",
        "version": 1,
    }
    members = {
        "archive.json": json.dumps(manifest).encode(), "documents/1.ndjson": lines, "code": f"gitdir: {other}\n".encode(),
    }  # fmt: skip
    report = tmp_path / "report.json"
    flags = ("--into", "here", "--report", str(report), *place(running_server))
    moved = mujina("move-in", str(packed(tmp_path / "a", members)), *flags)
    assert "Traceback" not in moved.err
    assert (moved.code, [each["iid"] for each in instance.request("GET", "/projects/here%2Fapp/issues")]) == (0, [1])
    assert instance.request("GET", "/projects/here%2Fapp/repository/branches") == []
    reasons = " ".join(problem["reason"] for problem in json.loads(report.read_text())["problems"])
    assert "There is no repository at this address" in reasons
    assert "Its answer is not a list." in reasons
    for broken in ({**members, "archive.json": b"{}"}, {**members, "archive.json": b"\xff"}, {"x": b""}):
        refused = mujina("move-in", str(packed(tmp_path / "b", broken)), *flags)
        assert (refused.code, "cannot be read" in refused.error) == (2, True), refused.err
    assert mujina("move-in", str(tmp_path / "none"), *flags).code == 2
