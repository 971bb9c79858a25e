"""Archives have the LFS objects of the project in place of the pointers to them."""

import asyncio
import base64
import hashlib
import io
import stat
import tarfile
import zipfile
from typing import Any

import pygit2
import pytest

from mujina.adapters.git.storage import RepositoryStorage
from mujina.code.files.archives.members import DIRECTORY, FILE, ArchiveMember
from mujina.code.files.archives.zips import as_zip
from tests.harness.client import Raw

CONTENT = b"large " * 50_000
FOREIGN = b"of another project"
LONG = "folder " * 20 + "é"


def pointer(content):
    digest = hashlib.sha256(content).hexdigest()
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(content)}\n"


def upload(person, path, content):
    login = {"Authorization": f"Basic {base64.b64encode(f'x:{person.token}'.encode()).decode()}"}
    place = f"//{path}.git/gitlab-lfs/objects/{hashlib.sha256(content).hexdigest()}/{len(content)}"
    sent = person.with_token(None).put(place, Raw(body=content, headers=login))
    assert sent.status == 200, sent


@pytest.fixture
def heavy(cast, code):
    """A project with an object and pointers to it, to one of another project, and to none."""
    upload(cast.owner, code.project["path_with_namespace"], CONTENT)
    upload(cast.owner, cast.private.path, FOREIGN)
    assert cast.owner.put(code.path, lfs_enabled=False).status == 200  # else a pointer without its object is refused
    files = {
        "large": pointer(CONTENT),
        "data__copy": pointer(CONTENT),
        "foreign": pointer(FOREIGN),
        "none": pointer(b""),
    }
    assert code.commit(**files).status == 201
    assert cast.owner.put(code.path, lfs_enabled=True).status == 200
    return code


def read(answer):
    """The files of an archive in any format, without the folder that all are in."""
    assert answer.status == 200, answer
    if answer.body.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
            assert archive.testzip() is None
            files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    else:
        with tarfile.open(fileobj=io.BytesIO(answer.body)) as archive:
            files = {each.name: archive.extractfile(each).read() for each in archive if each.isfile()}
    return {name.partition("/")[2]: content for name, content in files.items()}


UNCHANGED = {
    "README": b"hello\n", "src/main": b"print()\n", "foreign": pointer(FOREIGN).encode(), "none": pointer(b"").encode(),
}  # fmt: skip


@pytest.mark.parametrize("suffix", ["", ".tar", ".tar.gz", ".tar.bz2", ".zip"])
def test_an_archive_has_the_objects_of_the_project(cast, heavy, suffix):
    whole = UNCHANGED | {"large": CONTENT, "data/copy": CONTENT}
    at = f"{heavy.at}/archive{suffix}"
    assert read(cast.owner.get(at)) == read(cast.owner.get(at, include_lfs_blobs=True)) == whole
    pointers = dict.fromkeys(("large", "data/copy"), pointer(CONTENT).encode())
    assert read(cast.owner.get(at, include_lfs_blobs=False)) == UNCHANGED | pointers
    assert read(cast.owner.get(at, path="data")) == {"data/copy": CONTENT}
    assert read(cast.owner.get(at, path="large")) == {"large": CONTENT}
    assert read(cast.owner.get(at, exclude_paths="data,foreign,none,src,README")) == {"large": CONTENT}
    assert cast.stranger.get(at).status == cast.anonymous.get(at).status == 404


def test_pages_and_projects_without_lfs(cast, heavy):
    assert cast.owner.put(heavy.path, visibility="public").status == 200
    page = f"//{heavy.project['path_with_namespace']}"
    for path in ("repository/archive.zip", "-/archive/master/code-master.tar"):
        assert read(cast.anonymous.get(f"{page}/{path}"))["large"] == CONTENT
    assert cast.owner.put(heavy.path, lfs_enabled=False).status == 200
    assert read(cast.owner.get(f"{heavy.at}/archive.zip"))["large"] == pointer(CONTENT).encode()


def add_odd_files(repo_path):
    """A commit with links, a program, an empty file, a submodule, and names that are long, or no UTF-8."""
    repository = pygit2.Repository(str(repo_path))
    blob, link = repository.create_blob(b"x" * 70_000), repository.create_blob(b"target " * 30)
    inner = repository.TreeBuilder()
    inner.insert("run", blob, pygit2.enums.FileMode.BLOB_EXECUTABLE)
    inner.insert("link", link, pygit2.enums.FileMode.LINK)
    inner.insert("empty", repository.create_blob(b""), pygit2.enums.FileMode.BLOB)
    inner.insert("module", repository.head.target, pygit2.enums.FileMode.COMMIT)
    outer = repository.TreeBuilder(repository.head.peel(pygit2.Tree))
    with_odd_name = repository[inner.write()].read_raw() + b"100644 \xff\0" + blob.raw
    outer.insert(LONG, repository.write(pygit2.enums.ObjectType.TREE, with_odd_name), pygit2.enums.FileMode.TREE)
    who = pygit2.Signature("x", "x@example.com", 1_600_000_000, 0)
    repository.create_commit("HEAD", who, who, "Add odd files", outer.write(), [repository.head.target])


def headers(tar):
    with tarfile.open(fileobj=io.BytesIO(tar)) as archive:
        return [dict[str, Any](each.get_info()) for each in archive]


def test_everything_else_is_as_git_writes_it(cast, heavy, stage):
    add_odd_files(RepositoryStorage.of(stage.folder).repo_path(heavy.project["id"]))
    ours, git = (
        headers(cast.owner.get(f"{heavy.at}/archive.tar", include_lfs_blobs=flag).body) for flag in (True, False)
    )
    sizes = {each["name"]: each["size"] for each in ours}
    assert sum(size == len(CONTENT) for size in sizes.values()) == 2
    for each in git:
        each["chksum"] = next(ours_["chksum"] for ours_ in ours if ours_["name"] == each["name"])
        if each["name"].endswith(("large", "copy")):
            each["size"] = len(CONTENT)
    assert ours == git

    zips = [cast.owner.get(f"{heavy.at}/archive.zip", include_lfs_blobs=flag).body for flag in (True, False)]
    ours, git = (zipfile.ZipFile(io.BytesIO(body)) for body in zips)
    assert ours.comment == git.comment
    assert [(each.filename, each.date_time) for each in ours.infolist()] == [
        (each.filename, each.date_time) for each in git.infolist()
    ]
    for each in ours.infolist():
        written = git.getinfo(each.filename)
        assert (each.filename.endswith(("/large", "/copy"))) or ours.read(each) == git.read(written)
        mode, expected = each.external_attr >> 16, written.external_attr >> 16
        assert stat.S_ISLNK(mode) == stat.S_ISLNK(expected)
        assert each.is_dir() or bool(mode & stat.S_IXUSR) == bool(expected & stat.S_IXUSR)


async def members(count, size):
    """Folders, and a file that is said to have this size."""

    async def content():
        yield CONTENT

    for number in range(count):
        yield ArchiveMember(b"", b"folder/%d/" % number, DIRECTORY, 0, 0, 0, b"", content())
    yield ArchiveMember(b"", b"large", FILE, 0o644, 2**40, size, b"", content())


def test_a_zip_of_many_or_large_files_has_wider_fields():
    async def write(count, size):
        return b"".join([piece async for piece in as_zip(members(count, size), "comment")])

    for count, size in ((66_000, 0), (0, 2**32)):
        body = asyncio.run(write(count, size))
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            assert (len(archive.namelist()), archive.read("large")) == (count + 1, CONTENT)
            assert (archive.comment, archive.getinfo("large").date_time[0]) == (b"comment", 2107)


def test_a_tar_has_the_size_of_a_large_file():
    header = tarfile.TarInfo("large").tobuf(tarfile.USTAR_FORMAT)
    for size in (0, 8**11 - 1, 8**11, 2**40):
        member = ArchiveMember(header, b"large", FILE, 0o644, 0, 0, b"", members(0, 0)).containing(members(0, 0), size)
        assert tarfile.TarInfo.frombuf(member.header, "utf-8", "strict").size == size


def test_an_archive_without_an_object_that_storage_lost_is_unavailable(cast, heavy, stage):
    for file in (stage.folder / "files" / "lfs").rglob(f"{hashlib.sha256(CONTENT).hexdigest()}.*"):
        file.unlink()
    answer = cast.owner.get(f"{heavy.at}/archive.tar")
    assert answer.status == 503
    assert "missing from the server's storage" in answer.json["message"]
    assert read(cast.owner.get(f"{heavy.at}/archive.tar", path="src")) == {"src/main": b"print()\n"}


def test_a_damaged_repository_is_no_archive(cast, heavy, stage):
    folder = RepositoryStorage.of(stage.folder).repo_path(heavy.project["id"])
    blob = cast.owner.get(f"{heavy.at}/files/none", ref="master").json["blob_id"]
    (folder / "objects" / blob[:2] / blob[2:]).unlink()
    said = "503 Service Unavailable: The repository cannot be read. The log of the server says why."
    answer = cast.owner.get(f"{heavy.at}/archive.tar")
    assert (answer.status, answer.json) == (503, {"message": said})
