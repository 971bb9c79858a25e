"""Python packages: uploaded as twine does it, listed for pip as HTML and as JSON, downloaded, yanked."""

import base64
import hashlib
import json
import re

import pytest

from tests.harness.client import Raw
from tests.harness.creation import make_project

DATA = b"PK0123456789" * 100
JSON = "application/vnd.pypi.simple.v1+json"
PIP = f"{JSON}, application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01"
TAKEN = {"message": "Validation failed: File name has already been taken"}


@pytest.fixture
def pypi(cast):
    return f"/projects/{cast.private.id}/packages/pypi"


def basic(username, token):
    return {"Authorization": "Basic " + base64.b64encode(f"{username}:{token}".encode()).decode()}


def upload(person, pypi, data=DATA, *, file="otter_tool-1.0-py3-none-any.whl", headers=None, **fields):
    fields = {":action": "file_upload", "name": "Otter.Tool", "version": "1.0", "description": "x" * 5_000, **fields}
    raw = Raw.multipart({"content": (file, data)}, **fields)
    return person.post(pypi, Raw(body=raw.body, type=raw.type, headers=headers or {}))


def listed(person, pypi, name="otter-tool"):
    return json.loads(person.get(f"{pypi}/simple/{name}", Raw(headers={"Accept": JSON})).body)


def test_an_uploaded_file_is_listed_and_downloaded(cast, pypi):
    sha256 = hashlib.sha256(DATA).hexdigest()
    made = upload(cast.developer, pypi, requires_python=">=3.8", sha256_digest=sha256, md5_digest="")
    assert (made.status, made.json) == (201, {"message": "201 Created"})
    page = cast.reporter.get(f"{pypi}/simple/Otter_Tool/", Raw(headers={"Accept": "text/html"}))
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    text = page.body.decode()
    assert 'data-requires-python="&gt;=3.8"' in text
    [address] = re.findall(rf'href="[^"]+(/projects/[^"#]+)#sha256={sha256}"', text)
    got = cast.reporter.get(address)
    assert (got.status, got.body) == (200, DATA)
    part = cast.reporter.get(address, Raw(headers={"Range": "bytes=2-4"}))
    assert (part.status, part.body) == (206, b"012")
    assert cast.reporter.get(address.replace(sha256, "0" * 64)).status == 404
    [package] = cast.reporter.get(f"/projects/{cast.private.id}/packages", package_type="pypi").json
    assert (package["name"], package["version"], package["yanked_reason"]) == ("otter-tool", "1.0", None)
    files = cast.reporter.get(f"/projects/{cast.private.id}/packages/{package['id']}/package_files").json
    assert files[0]["file"]["url"].endswith(address)


def test_pip_and_uv_get_json(cast, pypi):
    upload(cast.developer, pypi, requires_python=">=3.8")
    upload(cast.developer, pypi, b"source", file="otter_tool-1.0.tar.gz")
    got = cast.reporter.get(f"{pypi}/simple/otter-tool", Raw(headers={"Accept": PIP}))
    assert got.headers["Content-Type"] == JSON
    body = json.loads(got.body)
    assert (body["meta"], body["name"], body["versions"]) == ({"api-version": "1.1"}, "otter-tool", ["1.0"])
    wheel, source = body["files"]
    assert (wheel["requires-python"], wheel["size"], wheel["yanked"]) == (">=3.8", len(DATA), False)
    assert (source["filename"], "requires-python" in source) == ("otter_tool-1.0.tar.gz", False)
    index = cast.reporter.get(f"{pypi}/simple", Raw(headers={"Accept": PIP}))
    assert json.loads(index.body)["projects"] == [{"name": "otter-tool"}]
    assert "/packages/pypi/simple/otter-tool/" in cast.reporter.get(f"{pypi}/simple/").body.decode()
    for accept in ("*/*", "text/html", "application/vnd.pypi.simple.v1+html", f"{JSON};q=0", "nonsense;q=x"):
        plain = cast.reporter.get(f"{pypi}/simple", Raw(headers={"Accept": accept}))
        assert "html" in plain.headers["Content-Type"], accept


def test_a_file_is_uploaded_once(cast, pypi):
    assert upload(cast.developer, pypi).status == 201
    for data in (DATA, b"another"):
        again = upload(cast.developer, pypi, data)
        assert (again.status, again.json) == (400, TAKEN)
    assert [file["size"] for file in listed(cast.reporter, pypi)["files"]] == [len(DATA)]
    assert cast.value("SELECT count(*) FROM package_files") == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sha256_digest", "0" * 64), ("md5_digest", "0" * 32), ("name", "../x"), ("name", ""), ("version", "1 0"),
        ("version", ""), ("file", "otter_tool-1.0.exe"), ("file", "../otter_tool-1.0.tar.gz"), ("file", "other-1.0.zip"),
        ("version", "one"), ("version", "1.0-"), ("version", "2.0"), ("file", "otter_tool-1.1.zip"),
        ("file", "otter_tool-1.0-py3-none-any.zip"), ("file", "otter_tool-1.0-none-any.whl"), ("name", "otter"),
        ("requires_python", "><3"), ("requires_python", ">=3.6.*"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_and_leaves_nothing(cast, pypi, field, value):
    assert upload(cast.developer, pypi, **{field: value}).status == 400
    assert cast.reporter.get(f"/projects/{cast.private.id}/packages").json == []
    assert cast.reporter.get(f"{pypi}/simple/otter-tool").status == 404
    assert b"otter" not in cast.reporter.get(f"{pypi}/simple").body


def test_a_file_of_another_version_is_refused_with_a_sentence(cast, pypi):
    refused = upload(cast.developer, pypi, version="1.1")
    assert refused.json == {"error": "content has a file name that is not of otter-tool 1.1"}


def test_equal_versions_are_one(cast, pypi):
    assert upload(cast.developer, pypi, version="v1.0").status == 201
    for version, file in (
        ("1.0.0", "otter_tool-1.0.0.tar.gz"),
        ("1.0", "Otter-Tool-1.0.zip"),
        ("1", "otter_tool-1-7-py2.py3-none-any.whl"),
    ):
        assert upload(cast.developer, pypi, version=version, file=file).status == 201, file
    assert upload(cast.developer, pypi, version="1.0.0").json == TAKEN
    [package] = cast.reporter.get(f"/projects/{cast.private.id}/packages").json
    assert package["version"] == "1.0"
    assert listed(cast.reporter, pypi)["versions"] == ["1.0"]


def test_versions_are_listed_in_their_order(cast, pypi):
    for version in ("1.10", "1.9", "1.9-RC1", "1!0.1", "1.9.post1", "1.9+local.1"):
        assert upload(cast.developer, pypi, version=version, file=f"otter_tool-{version}.tar.gz").status == 201, version
    found = listed(cast.reporter, pypi)
    assert found["versions"] == ["1.9rc1", "1.9", "1.9+local.1", "1.9.post1", "1.10", "1!0.1"]
    assert [file["filename"] for file in found["files"]][:2] == ["otter_tool-1.9-RC1.tar.gz", "otter_tool-1.9.tar.gz"]


def test_the_index_lists_what_was_stored_as_a_version_and_is_none(cast, pypi):
    upload(cast.developer, pypi)
    upload(cast.developer, pypi, version="2.0", file="otter_tool-2.0.zip")
    cast.run("UPDATE packages SET version = 'newest' WHERE version = '2.0'")  # as an older release stored it
    assert listed(cast.reporter, pypi)["versions"] == ["newest", "1.0"]
    assert upload(cast.developer, pypi, version="1.0.0", file="otter_tool-1.0.0.zip").status == 201
    assert listed(cast.reporter, pypi)["versions"] == ["newest", "1.0"]


def test_an_upload_without_a_file_is_refused(cast, pypi):
    raw = Raw.multipart({"other": ("a", b"x")}, name="x", version="1")
    assert cast.developer.post(pypi, raw).json["error"] == "content is missing"
    assert cast.developer.post(pypi, Raw(body=b"{}", type="application/json")).status == 400
    cast.root.put("/application/settings", max_package_size=0)
    assert upload(cast.developer, pypi).status == 413


def test_a_yanked_version_says_so(cast, pypi):
    upload(cast.developer, pypi)
    [package] = cast.reporter.get(f"/projects/{cast.private.id}/packages").json
    yank = f"/projects/{cast.private.id}/packages/{package['id']}/yank"
    assert cast.reporter.post(yank).status == 403
    assert cast.developer.post(yank, reason="x" * 4_097).status == 400
    assert cast.developer.post(yank, reason='Deletes "files"').json["yanked_reason"] == 'Deletes "files"'
    assert listed(cast.reporter, pypi)["files"][0]["yanked"] == 'Deletes "files"'
    assert b'data-yanked="Deletes &quot;files&quot;"' in cast.reporter.get(f"{pypi}/simple/otter-tool").body
    cast.developer.post(yank)
    assert listed(cast.reporter, pypi)["files"][0]["yanked"] is True
    assert b'data-yanked=""' in cast.reporter.get(f"{pypi}/simple/otter-tool").body
    assert cast.developer.delete(yank).json["yanked_reason"] is None
    assert listed(cast.reporter, pypi)["files"][0]["yanked"] is False


def test_a_group_has_the_packages_of_its_projects(cast, pypi):
    upload(cast.developer, pypi)
    sibling = make_project(cast.owner, "sibling", namespace_id=cast.team.id)
    upload(cast.owner, f"/projects/{sibling['id']}/packages/pypi", version="1.0.0", file="otter_tool-1.0.0.zip")
    group = f"/groups/{cast.team.id}/-/packages/pypi"
    file, other = listed(cast.owner, group)["files"]
    assert f"/projects/{sibling['id']}/packages/pypi/files/" in other["url"]
    assert listed(cast.owner, group)["versions"] == ["1.0"]
    assert f"/projects/{cast.private.id}/packages/pypi/files/" in file["url"]
    assert b"otter-tool" in cast.reporter.get(f"{group}/simple").body
    assert cast.stranger.get(f"{group}/simple/otter-tool").status == 404
    assert b"otter-tool" not in cast.stranger.get(f"{group}/simple").body


def test_who_uploads_and_reads(cast, pypi):
    assert upload(cast.reporter, pypi).status == 403
    assert upload(cast.anonymous, pypi).status == 401
    assert upload(cast.stranger, pypi).status == 404
    upload(cast.developer, pypi)
    assert cast.guest.get(f"{pypi}/simple/otter-tool").status == 403
    assert cast.anonymous.get(f"{pypi}/simple/otter-tool").status == 404
    assert cast.reporter.get(f"{pypi}/simple/other").status == 404
    public = f"/projects/{cast.public.id}/packages/pypi"
    upload(cast.owner, public)
    assert cast.anonymous.get(f"{public}/simple/otter-tool").status == 200


def test_tokens_come_as_passwords(cast, pypi):
    def deploy_token(*scopes):
        tokens = f"/projects/{cast.private.id}/deploy_tokens"
        return cast.master.post(tokens, name="x", scopes=list(scopes), username="deployer").json["token"]

    writer, reader = deploy_token("write_package_registry"), deploy_token("read_package_registry")
    bot = cast.master.post(
        f"/projects/{cast.private.id}/access_tokens", name="Bot", scopes=["api"], access_level=30
    ).json["token"]
    assert upload(cast.anonymous, pypi, headers=basic("deployer", reader)).status == 403
    for number, (name, token) in enumerate((("__token__", cast.developer.token), ("deployer", writer), ("x", bot))):
        file, version = f"otter_tool-{number}.tar.gz", str(number)
        made = upload(cast.anonymous, pypi, file=file, version=version, headers=basic(name, token))
        assert made.status == 201, name
    for name, token in (("__token__", cast.reporter.token), ("deployer", reader), ("x", bot)):
        assert cast.anonymous.get(f"{pypi}/simple/otter-tool", Raw(headers=basic(name, token))).status == 200
    assert cast.anonymous.get(f"{pypi}/simple", Raw(headers=basic("x", "wrong"))).status == 401


def test_the_page_shows_how_to_install_it_and_yanks_it(browse, cast, pypi):
    upload(cast.developer, pypi)
    [package] = cast.reporter.get(f"/projects/{cast.private.id}/packages").json
    here = f"/{cast.private.path}/-/packages/{package['id']}"
    developer = browse("developer")
    assert "pip install otter-tool==1.0 --index-url" in developer.open(here).text
    assert "Yank" not in browse("reporter").open(here).text
    assert developer.send(f"{here}/yank", reason="Broken").status == 303
    assert "This version was yanked: Broken" in developer.open(here).text
    assert "yanked" in developer.open(f"/{cast.private.path}/-/packages").text
    assert developer.send(f"{here}/unyank").status == 303
    assert "was yanked" not in developer.open(here).text
