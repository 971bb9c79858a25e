import base64
import hashlib
import io
import tarfile

import pygit2
import pytest

from mujina.adapters.git.storage import RepositoryStorage
from tests.harness.client import Raw


def test_the_first_file_makes_the_default_branch_and_protects_it(cast, empty):
    body = {"branch": "master", "commit_message": "First", "content": "hi"}
    answer = cast.owner.post(f"{empty.at}/files/a%2Eb.txt", **body)
    assert (answer.status, answer.json) == (201, {"file_path": "a.b.txt", "branch": "master"})
    assert cast.owner.get(empty.path).json["default_branch"] == "master"
    assert [b["name"] for b in cast.owner.get(f"{empty.path}/protected_branches").json] == ["master"]


def test_a_file_is_shown_whole(cast, code):
    file = cast.owner.get(f"{code.at}/files/src%2Fmain", ref="master").json
    assert base64.b64decode(file.pop("content")) == b"print()\n"
    assert file == {
        "file_name": "main", "file_path": "src/main", "size": 8, "encoding": "base64", "ref": "master",
        "blob_id": file["blob_id"], "commit_id": code.first, "last_commit_id": code.first,
        "content_sha256": hashlib.sha256(b"print()\n").hexdigest(), "execute_filemode": False,
    }  # fmt: skip
    raw = cast.owner.get(f"{code.at}/files/src%2Fmain/raw", ref="master")
    assert (raw.body, raw.headers["X-Content-Type-Options"]) == (b"print()\n", "nosniff")
    blob = cast.owner.get(f"{code.at}/blobs/{file['blob_id']}").json
    assert (blob["size"], blob["sha"]) == (8, file["blob_id"])
    assert cast.owner.get(f"{code.at}/blobs/{file['blob_id']}/raw").body == b"print()\n"


def test_a_large_file_is_read_in_pieces_and_not_shown(cast, code, stage):
    repo_path, size = RepositoryStorage.of(stage.folder).repo_path(code.project["id"]), 16 * 1024 * 1024 + 1
    id_ = str(pygit2.Repository(str(repo_path)).create_blob(bytes(size)))
    answer = cast.owner.get(f"{code.at}/blobs/{id_}")
    assert (answer.status, answer.json) == (413, {"message": "413 The file is too large to be shown: ask for it raw"})
    assert cast.owner.get(f"{code.at}/blobs/{id_[:12]}/raw").body == bytes(size)


def test_the_error_names_what_is_missing(cast, code):
    assert cast.owner.get(f"{code.at}/files/none", ref="master").json == {"message": "404 File Not Found"}
    assert cast.owner.get(f"{code.at}/files/README", ref="none").json == {"message": "404 Commit Not Found"}
    assert cast.owner.get(f"{code.at}/blobs/{'0' * 40}").json == {"message": "404 Blob Not Found"}
    assert cast.owner.get(f"{code.at}/files/README").json["ref"] == "master"
    assert cast.owner.get(f"{code.at}/files/README", ref="HEAD").status == 200


def test_a_file_is_updated_and_deleted(cast, code):
    body = {"branch": "master", "commit_message": "Change"}
    changed = cast.owner.put(
        f"{code.at}/files/README", content=base64.b64encode(b"\xff").decode(), encoding="base64", **body
    )
    assert changed.status == 200
    assert cast.owner.get(f"{code.at}/files/README/raw", ref="master").body == b"\xff"
    stale = cast.owner.put(f"{code.at}/files/README", content="x", last_commit_id=code.first, **body)
    assert stale.json["message"].startswith("You are attempting to update a file that has changed")
    assert cast.owner.delete(f"{code.at}/files/README", **body).status == 204
    assert cast.owner.get(f"{code.at}/files/README", ref="master").status == 404


@pytest.mark.parametrize(
    ("verb", "path", "complaint"),
    [
        ("post", "README", "A file with this name already exists"),
        ("put", "none", "A file with this name doesn't exist"),
        ("post", "src", "A directory with this name already exists"),
        ("post", "README%2Fmore", "README is a file"),
        ("post", "..%2Fup", "The path cannot be used"),
        ("post", ".git%2Fconfig", "The path cannot be used"),
        ("post", "a%2F.GIT%2Fhooks", "The path cannot be used"),
        ("post", ".g%E2%80%8Cit%2Fconfig", "The path cannot be used"),
        ("post", "a%2F" + "n" * 256, "The path is too long"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(cast, code, verb, path, complaint):
    answer = getattr(cast.owner, verb)(f"{code.at}/files/{path}", branch="master", commit_message="m", content="x")
    assert answer.status == 400
    assert answer.json["message"].startswith(complaint)


def test_a_path_leads_to_one_file_however_it_is_written(cast, code):
    body = {"branch": "master", "commit_message": "m"}
    made = cast.owner.post(f"{code.at}/files/a%2F%2Fb", content="x", **body)
    assert (made.status, made.json) == (201, {"file_path": "a/b", "branch": "master"})
    for path in ("a%2Fb", "a%2F%2Fb", "%2Fa%2F.%2Fb%2F", ".%2Fa%2Fb"):
        assert cast.owner.get(f"{code.at}/files/{path}", ref="master").json["file_path"] == "a/b"
        assert cast.owner.get(f"{code.at}/files/{path}/raw", ref="master").body == b"x"
        assert cast.owner.put(f"{code.at}/files/{path}", content="x", **body).json["file_path"] == "a/b"
    assert [entry["path"] for entry in cast.owner.get(f"{code.at}/tree", path="./a//").json] == ["a/b"]
    moving = {"action": "move", "previous_path": "/a//b", "file_path": "c//./d"}
    assert cast.owner.post(f"{code.at}/commits", actions=[moving], **body).status == 201
    assert cast.owner.get(f"{code.at}/commits", path="c//d").headers["X-Total"] == "1"
    assert cast.owner.delete(f"{code.at}/files/.%2Fc%2F%2Fd", **body).status == 204


def test_content_comes_as_text_or_as_base64_in_lines(cast, code):
    body = {"branch": "master", "commit_message": "m", "encoding": "base64"}
    for garbage in ("***", "YWJ", "YWJj!"):
        assert cast.owner.post(f"{code.at}/files/x", content=garbage, **body).json == {"error": "content is invalid"}
    assert cast.owner.post(f"{code.at}/files/x", content="YWJj\nZGVm\n", **body).status == 201
    assert cast.owner.get(f"{code.at}/files/x/raw", ref="master").body == b"abcdef"


def test_files_require_permission_to_read_and_to_push(cast, code):
    body = {"branch": "master", "commit_message": "m", "content": "x"}
    assert cast.stranger.get(f"{code.at}/files/README", ref="master").status == 404
    assert cast.anonymous.get(f"{code.at}/tree").status == 404
    guest = cast.root.post(f"{code.path}/members", user_id=cast.stranger.id, access_level=10)
    assert guest.status == 201
    assert cast.stranger.get(f"{code.at}/files/README", ref="master").status == 403
    cast.root.put(f"{code.path}/members/{cast.stranger.id}", access_level=30)
    refused = cast.stranger.post(f"{code.at}/files/new", **body)
    assert refused.status == 400
    assert refused.json == {"message": "You are not allowed to push into this branch"}
    odd = cast.stranger.post(f"{code.at}/files/new", **(body | {"branch": "a..b", "start_branch": "master"}))
    assert (odd.status, odd.json) == (400, {"message": "Branch name is invalid"})
    assert (
        cast.stranger.post(f"{code.at}/files/new", **(body | {"branch": "side", "start_branch": "master"})).status
        == 201
    )
    cast.owner.post(f"{code.path}/archive")
    assert cast.owner.post(f"{code.at}/files/late", **body).status == 403


def test_a_tree_lists_folders_first(cast, code):
    tree = cast.owner.get(f"{code.at}/tree").json
    assert [(e["name"], e["type"], e["mode"]) for e in tree] == [
        ("src", "tree", "040000"),
        ("README", "blob", "100644"),
    ]
    deep = cast.owner.get(f"{code.at}/tree", recursive=True).json
    assert "src/main" in [entry["path"] for entry in deep]
    assert [e["path"] for e in cast.owner.get(f"{code.at}/tree", path="src").json] == ["src/main"]
    assert cast.owner.get(f"{code.at}/tree", path="none").json == []
    assert cast.owner.get(f"{code.at}/tree", ref="none").json == {"message": "404 Tree Not Found"}


def test_a_tree_is_followed_by_tokens_or_read_whole(cast, code):
    actions = [{"action": "create", "file_path": f"same/{n}", "content": "same"} for n in range(25)]
    cast.owner.post(f"{code.at}/commits", branch="master", commit_message="Many", actions=actions)
    every = cast.owner.get(f"{code.at}/tree", recursive=True, per_page=100).json
    for size in (1, 2, 7):
        found, token = [], ""
        while token is not None:
            query = {"recursive": True, "pagination": "keyset", "per_page": size, "page_token": token}
            page = cast.owner.get(f"{code.at}/tree", **query)
            found += page.json
            token = page.headers.get("X-Next-Page-Token")
            assert "x-total" not in page.headers
            assert ("Link" in page.headers) == (token is not None)
        assert found == every
    first = cast.owner.get(f"{code.at}/tree", pagination="keyset", per_page=1)
    assert first.headers["X-Next-Page-Token"] == first.json[0]["id"]
    assert f"page_token={first.json[0]['id']}" in first.headers["Link"]
    whole = cast.owner.get(f"{code.at}/tree", recursive=True, pagination="none", per_page=1)
    assert (whole.json, whole.headers.get("Link")) == (every, None)
    refused = cast.owner.get(f"{code.at}/tree", pagination="keyset", page_token="none")
    assert (refused.status, refused.json) == (400, {"error": "page_token is invalid"})


def test_a_deep_tree_is_read_to_its_end(cast, code):
    def put(path):
        action = {"action": "create", "file_path": path, "content": "x"}
        return cast.owner.post(f"{code.at}/commits", branch="master", commit_message="m", actions=[action])

    before = cast.owner.get(f"{code.at}/tree", recursive=True)
    assert put("d/" * 1_200 + "x").status == 201
    after = cast.owner.get(f"{code.at}/tree", recursive=True, per_page=100)
    assert int(after.headers["X-Total"]) == int(before.headers["X-Total"]) + 1_201
    assert put("d/" * 2_048 + "x").json == {"message": "The path is too long"}


@pytest.mark.parametrize(
    ("suffix", "magic"),
    [
        ("", b"\x1f\x8b"),
        (".tar.gz", b"\x1f\x8b"),
        (".zip", b"PK"),
        (".tar.bz2", b"BZh"),
        (".tar", b"pax_global_header"),
    ],
)
def test_the_tree_comes_as_one_file(cast, code, suffix, magic):
    answer = cast.owner.get(f"{code.at}/archive{suffix}")
    assert answer.status == 200
    assert answer.body.startswith(magic)
    assert f'filename="code-master-{code.first}{suffix or ".tar.gz"}"' in answer.headers["Content-Disposition"]


def test_an_archive_of_nothing_or_of_another_kind_is_not_there(cast, code):
    assert cast.owner.get(f"{code.at}/archive", sha="none").json == {"message": "404 File Not Found"}
    assert cast.owner.get(f"{code.at}/archive.rar").json == {"error": "404 Not Found"}
    assert cast.owner.get(f"{code.at}/archive", Raw(query="sha=--output=%2Ftmp%2Fx")).status == 404


def test_a_file_is_written_as_a_program_or_as_a_text(cast, code):
    query = {"branch": "master", "commit_message": "m", "content": "run"}
    modes = []
    for verb, flag in (("post", {"execute_filemode": True}), ("put", {}), ("put", {"execute_filemode": False})):
        changed = getattr(cast.owner, verb)(f"{code.at}/files/tool", **query | {"content": str(len(modes))}, **flag)
        assert changed.status in (200, 201), changed
        modes.append(cast.owner.get(f"{code.at}/files/tool", ref="master").json["execute_filemode"])
    assert modes == [True, True, False]


def names_in_archive(answer):
    assert answer.status == 200, answer
    with tarfile.open(fileobj=io.BytesIO(answer.body)) as archive:
        return [name.partition("/")[2] for name in archive.getnames() if not archive.getmember(name).isdir()]


def test_an_archive_has_the_part_that_is_asked_for(cast, code):
    code.commit(**{"src__deep__one": "1", "src__*": "2", "docs__a": "3"})
    for query, names in {
        "path=src": ["src/*", "src/deep/one", "src/main"],
        "path=/src/deep/": ["src/deep/one"],
        "path=src%2Fmain": ["src/main"],
        "path=src&exclude_paths=src/deep,src/main": ["src/*"],
        "exclude_paths=src,none": ["README", "docs/a"],
        "path=src&exclude_paths=src/*": ["src/deep/one", "src/main"],
        "path=docs&exclude_paths=../..,src/../docs,..,/,": ["docs/a"],
        "path=docs&exclude_paths=docs": [],
    }.items():
        assert sorted(names_in_archive(cast.owner.get(f"{code.at}/archive.tar?{query}"))) == names, query
    for path in ("none", "src/none", ":(top)src"):
        assert cast.owner.get(f"{code.at}/archive.tar", path=path).json == {"message": "404 File Not Found"}


def test_headers_describe_a_file_without_its_content(cast, code):
    code.commit(**{"odd\u00e9\n%": "x"})
    for verb, path in (("HEAD", "src%2Fmain"), ("GET", "src%2Fmain"), ("HEAD", "src%2Fmain/raw")):
        answer = cast.owner.ask(verb, f"{code.at}/files/{path}?ref=HEAD")
        assert answer.status == 200
        assert {name: answer.headers[f"X-Gitlab-{name}"] for name in ("File-Path", "File-Name", "Ref", "Size")} == {
            "File-Path": "src/main", "File-Name": "main", "Ref": "HEAD", "Size": "8",
        }  # fmt: skip
        assert len(answer.headers["X-Gitlab-Content-Sha256"]) == 64
        assert answer.headers["X-Gitlab-Last-Commit-Id"] == code.first
    assert cast.owner.ask("HEAD", f"{code.at}/files/none").status == 404
    odd = cast.owner.ask("HEAD", f"{code.at}/files/odd%C3%A9%0A%25")
    assert odd.headers["X-Gitlab-File-Path"] == "odd%C3%A9%0A%25"


def test_blame_names_the_commit_of_each_line(cast, code):
    here = f"{code.at}/files/README"
    change = {"branch": "master", "commit_message": "Second", "content": "hello\nworld\nagain\n"}
    assert cast.owner.put(here, **change).status == 200
    first, second = cast.owner.get(f"{here}/blame", ref="master").json
    assert (first["commit"]["id"], first["lines"]) == (code.first, ["hello"])
    assert (second["commit"]["message"], second["lines"]) == ("Second", ["world", "again"])
    assert (second["commit"]["author_name"], second["commit"]["parent_ids"]) == ("Owner", [code.first])
    some = cast.owner.get(f"{here}/blame", **{"range[start]": 2, "range[end]": 2}).json
    assert [passage["lines"] for passage in some] == [["world"]]
    assert cast.owner.get(f"{here}/blame", **{"range[start]": 2, "range[end]": 1}).status == 400
    assert cast.owner.get(f"{here}/blame", **{"range[start]": 2}).json == {"error": "range[end] is invalid"}
    negative = cast.owner.get(f"{here}/blame", **{"range[start]": -2, "range[end]": -1})
    assert negative.json == {"error": "range[start] is invalid"}
    assert cast.owner.get(f"{code.at}/files/none/blame").json == {"message": "404 File Not Found"}
    assert cast.stranger.get(f"{here}/blame").status == 404
