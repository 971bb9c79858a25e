"""npm packages: published as npm does it, described in one document, installed, tagged, deprecated, removed."""

import base64
import hashlib
import json
from typing import Any

import pytest

from tests.harness.client import Raw

DATA = b"tarball " * 1_000
NAME = "@tools/otter"


@pytest.fixture
def npm(cast):
    return f"/projects/{cast.private.id}/packages/npm"


def document(name=NAME, version="1.0.0", data=DATA, *, tag="latest", dist=None, **manifest):
    sha512 = base64.b64encode(hashlib.sha512(data).digest()).decode()
    dist = dist or {"shasum": hashlib.sha1(data, usedforsecurity=False).hexdigest(), "integrity": f"sha512-{sha512}"}
    manifest = {
        "name": name,
        "version": version,
        "dependencies": {"a": "^1"},
        "readme": "long",
        **manifest,
        "dist": dist,
    }
    attachment = {
        "content_type": "application/octet-stream",
        "data": base64.b64encode(data).decode(),
        "length": len(data),
    }
    return {
        "_id": name, "name": name, "description": 'Says "_attachments": {"a": {"data": "', "dist-tags": {tag: version},
        "versions": {version: manifest}, "access": None, "_attachments": {f"{name}-{version}.tgz": attachment},
    }  # fmt: skip


def put(person, npm, body, name=NAME, headers=None):
    raw = Raw(body=json.dumps(body).encode(), type="application/json", headers=headers or {})
    return person.put(f"{npm}/{name.replace('/', '%2f')}", raw)


def publish(person, npm, **made):
    return put(person, npm, document(**made), made.get("name", NAME))


def test_a_published_version_is_described_and_downloaded(cast, npm):
    made = publish(cast.developer, npm)
    assert (made.status, made.json) == (200, {"success": True})
    got = cast.reporter.get(f"{npm}/@tools%2Fotter").json
    assert (got["name"], got["dist-tags"], list(got["versions"])) == (NAME, {"latest": "1.0.0"}, ["1.0.0"])
    manifest = got["versions"]["1.0.0"]
    assert (manifest["dependencies"], "readme" in manifest, "deprecated" in manifest) == ({"a": "^1"}, False, False)
    assert manifest["dist"]["shasum"] == hashlib.sha1(DATA, usedforsecurity=False).hexdigest()
    assert manifest["dist"]["integrity"].startswith("sha512-")
    tarball = manifest["dist"]["tarball"].partition("/api/v4")[2]
    assert tarball == f"{npm}/@tools/otter/-/otter-1.0.0.tgz"
    assert cast.reporter.get(tarball).body == DATA
    assert cast.reporter.get(tarball.replace("/-/otter", "/-/@tools/otter")).body == DATA
    assert cast.reporter.get(tarball, Raw(headers={"Range": "bytes=0-3"})).body == b"tarb"
    assert cast.reporter.get(tarball.replace("1.0.0", "2.0.0")).status == 404
    [package] = cast.reporter.get(f"/projects/{cast.private.id}/packages", package_type="npm").json
    assert (package["name"], package["version"], package["tags"]) == (NAME, "1.0.0", ["latest"])
    assert cast.reporter.get(f"/projects/{cast.private.id}/packages/{package['id']}").json["tags"] == ["latest"]
    assert set(got["time"]) == {"created", "modified", "1.0.0"}


def test_a_version_without_its_file_is_not_the_latest(cast, npm):
    publish(cast.developer, npm)
    publish(cast.developer, npm, version="1.1.0")
    packages = f"/projects/{cast.private.id}/packages"
    newest = cast.reporter.get(packages, package_version="1.1.0").json[0]["id"]
    [file] = cast.reporter.get(f"{packages}/{newest}/package_files").json
    assert cast.master.delete(f"{packages}/{newest}/package_files/{file['id']}").status == 204
    got = cast.reporter.get(f"{npm}/@tools%2fotter").json
    assert (got["dist-tags"], list(got["versions"])) == ({"latest": "1.0.0"}, ["1.0.0"])


def test_the_tarball_may_come_before_the_rest(cast, npm):
    body = document()
    turned = {"_attachments": body.pop("_attachments"), **body}
    assert put(cast.developer, npm, turned).status == 200
    assert cast.reporter.get(f"{npm}/{NAME}/-/otter-1.0.0.tgz").body == DATA


def test_a_version_is_published_once(cast, npm):
    publish(cast.developer, npm)
    again = publish(cast.developer, npm, data=b"other")
    assert (again.status, again.json["error"]) == (
        403, "You cannot publish over the previously published versions: 1.0.0.",
    )  # fmt: skip
    assert cast.value("SELECT count(*) FROM package_files") == 1


@pytest.mark.parametrize(
    "made",
    [
        {"version": "1.0"}, {"version": "../1.0.0"}, {"tag": "1.0.0"}, {"tag": "../x"}, {"dist": {"shasum": "0" * 40}},
        {"dist": {"integrity": "sha512-AAAA"}}, {"name": "@Tools/otter"}, {"name": "a b"}, {"name": "../x"},
        {"extra": "x" * 300_000},
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_and_leaves_nothing(cast, npm, made):
    assert publish(cast.developer, npm, **made).status in (400, 404)
    assert cast.value("SELECT count(*) FROM packages") == 0


def test_what_is_no_semantic_version_is_refused(cast, npm):
    for version in (
        "1",
        "1.0",
        "v1.0.0",
        "01.0.0",
        "1.0.0-",
        "1.0.0-a..b",
        "1.0.0-01",
        "1.0.0+",
        f"1.0.{2**53}",
        "1.0.0-é",
    ):
        refused = publish(cast.developer, npm, version=version)
        assert refused.status == 400, version
        assert refused.json == {"error": "version is not a semantic version such as 1.0.0 or 2.0.0-beta.1"}
    for version in ("0.0.0", "1.0.0-0.a-b.10", "1.0.0--", "1.0.0-0a", "1.0.0+001.b"):
        assert publish(cast.developer, npm, version=version).status == 200, version


def test_tags_that_look_like_versions_are_refused(cast, npm):
    for tag in ("1", "v1", "1.x", "X", "v2.0", "1.0.0", "01.2.3-beta", "1.0.0beta"):
        refused = publish(cast.developer, npm, tag=tag)
        assert (refused.status, refused.json) == (400, {"error": f"tag must not look like a version: {tag}"})
    publish(cast.developer, npm)
    tags = f"{npm}/-/package/@tools%2fotter/dist-tags"
    for tag, status in (("v1.0", 400), ("2-lts", 200), ("3.x-legacy", 200), ("x86", 200), ("v1-beta", 200)):
        assert cast.developer.put(f"{tags}/{tag}", Raw(body=b'"1.0.0"', type="application/json")).status == status, tag


def test_bodies_that_are_no_documents_are_refused(cast, npm):
    def status(body):
        return cast.developer.put(f"{npm}/@tools%2fotter", Raw(body=body, type="application/json")).status

    whole = json.dumps(document()).encode()
    cut = whole.index(b'"data": "') + 4_001
    assert status(whole[:cut]) == 400
    assert status(whole[:cut] + b"*" + whole[cut:]) == 400
    assert status(whole[:cut] + whole[cut + 1 :]) == 400
    for body in (b"", b"[]", b"{", b'{"name": 1}', whole[:-1], b'{"name": "other"}', b"\xff", b"[" * 100_000):
        assert status(body) == 400, body[:20]
    assert status(b'{"name": "@tools/otter"}') == 404
    assert status(b'{"name": "@tools/otter", "x": "' + b"x" * 9_000_000 + b'"}') == 413
    tagged = document() | {"dist-tags": {f"t{number}": "1.0.0" for number in range(101)}}
    assert put(cast.developer, npm, tagged).json == {"error": "dist-tags is too long (maximum is 100 tags)"}
    several: dict[str, Any] = document()
    several["versions"]["2.0.0"] = several["versions"]["1.0.0"]
    assert put(cast.developer, npm, several).status == 400
    assert put(cast.developer, npm, document(name="@tools/other")).status == 400
    cast.root.put("/application/settings", max_package_size=0)
    assert publish(cast.developer, npm).json == {"message": "File is too large"}
    assert cast.value("SELECT count(*) FROM packages") == 0


def test_tags_are_listed_moved_and_removed(cast, npm):
    publish(cast.developer, npm)
    publish(cast.developer, npm, version="2.0.0-beta.1", tag="next")
    tags = f"{npm}/-/package/@tools%2fotter/dist-tags"

    def point(person, tag, version):
        return person.put(f"{tags}/{tag}", Raw(body=json.dumps(version).encode(), type="application/json")).status

    assert cast.reporter.get(tags).json == {"latest": "1.0.0", "next": "2.0.0-beta.1"}
    assert (point(cast.reporter, "stable", "1.0.0"), point(cast.developer, "stable", "1.0.0")) == (403, 200)
    assert point(cast.developer, "stable", "2.0.0-beta.1") == 200
    assert (point(cast.developer, "stable", "3.0.0"), point(cast.developer, "1.x", "1.0.0")) == (404, 400)
    assert (point(cast.developer, "stable", ["x"]), point(cast.developer, "stable", "x" * 600)) == (400, 413)
    assert cast.reporter.get(tags).json["stable"] == "2.0.0-beta.1"
    assert cast.reporter.delete(f"{tags}/stable").status == 403
    assert cast.developer.delete(f"{tags}/stable").status == 204
    assert cast.developer.delete(f"{tags}/stable").status == 404
    assert cast.developer.delete(f"{tags}/latest").status == 400
    assert cast.reporter.get(f"{npm}/-/package/other/dist-tags").status == 404
    [first, _] = cast.reporter.get(f"/projects/{cast.private.id}/packages").json
    cast.master.delete(f"/projects/{cast.private.id}/packages/{first['id']}")
    assert cast.reporter.get(tags).json == {"latest": "2.0.0-beta.1", "next": "2.0.0-beta.1"}


def test_versions_are_deprecated_and_used_again(cast, npm):
    publish(cast.developer, npm)
    publish(cast.developer, npm, version="1.1.0")
    seen = cast.reporter.get(f"{npm}/@tools%2fotter").json
    seen["versions"]["1.0.0"]["deprecated"] = "Use 1.1"
    assert put(cast.reporter, npm, seen).status == 403
    assert put(cast.developer, npm, seen).status == 200
    shown = cast.reporter.get(f"{npm}/@tools%2fotter").json["versions"]
    assert (shown["1.0.0"]["deprecated"], "deprecated" in shown["1.1.0"]) == ("Use 1.1", False)
    seen["versions"]["1.0.0"]["deprecated"] = "x" * 4_097
    assert put(cast.developer, npm, seen).json == {"error": "reason is too long (maximum is 4096 characters)"}
    seen["versions"]["1.0.0"]["deprecated"] = ""
    put(cast.developer, npm, seen)
    assert "deprecated" not in cast.reporter.get(f"{npm}/@tools%2fotter").json["versions"]["1.0.0"]


def test_versions_and_packages_are_removed(cast, npm):
    for version in ("1.0.0", "1.1.0", "1.2.0"):
        publish(cast.developer, npm, version=version)
    here = f"{npm}/@tools%2fotter"
    seen = cast.reporter.get(here).json["_rev"]
    assert cast.developer.put(f"{here}/-rev/{seen}").status == 403
    assert cast.master.put(f"{here}/-rev/{seen}").status == 200
    assert cast.developer.delete(f"{npm}/{NAME}/-/otter-1.0.0.tgz/-rev/{seen}").status == 403
    assert cast.master.delete(f"{npm}/{NAME}/-/otter-1.0.0.tgz/-rev/{seen}").status == 200
    assert cast.master.delete(f"{npm}/{NAME}/-/otter-1.0.0.tgz/-rev/{seen}").status == 404
    assert list(cast.reporter.get(here).json["versions"]) == ["1.1.0", "1.2.0"]
    # npm repeats the path of the registry.
    other = npm.replace(str(cast.private.id), str(cast.public.id))
    assert cast.master.delete(f"{npm}/api/v4{other}/{NAME}/-/otter-1.1.0.tgz/-rev/{seen}").status == 404
    assert cast.master.delete(f"{npm}/api/v4{npm}/{NAME}/-/otter-1.1.0.tgz/-rev/{seen}").status == 200
    assert list(cast.reporter.get(here).json["versions"]) == ["1.2.0"]
    assert cast.master.delete(f"{here}/-rev/{seen}").status == 409
    seen = cast.reporter.get(here).json["_rev"]
    assert cast.developer.delete(f"{here}/-rev/{seen}").status == 403
    assert cast.master.delete(f"{here}/-rev/{seen}").status == 200
    assert cast.reporter.get(here).status == 404
    assert cast.value("SELECT count(*) FROM package_tags") == 0


def test_groups_and_the_instance_have_the_packages_of_their_projects(cast, npm):
    top = cast.private.path.partition("/")[0]
    name = f"@{top}/otter"
    publish(cast.developer, npm, name=name)
    publish(cast.developer, npm, name="plain")
    encoded = name.replace("/", "%2f")
    for place in (f"/groups/{cast.team.id}/-/packages/npm", "/packages/npm"):
        got = cast.reporter.get(f"{place}/{encoded}").json
        assert got["versions"]["1.0.0"]["dist"]["tarball"].partition("/api/v4")[2] == f"{npm}/{name}/-/otter-1.0.0.tgz"
        assert cast.reporter.get(f"{place}/-/package/{encoded}/dist-tags").json == {"latest": "1.0.0"}
        assert cast.stranger.get(f"{place}/{encoded}").status == 404
    assert cast.reporter.get("/packages/npm/plain").status == 404
    assert cast.reporter.get("/packages/npm/@other%2fotter").status == 404
    publish(cast.developer, npm)  # a scope that is no group
    assert cast.reporter.get("/packages/npm/@tools%2fotter").status == (200 if top == "tools" else 404)


def test_any_token_comes_as_a_bearer(cast, npm):
    def deploy_token(*scopes):
        tokens = f"/projects/{cast.private.id}/deploy_tokens"
        return cast.master.post(tokens, name="x", scopes=list(scopes)).json["token"]

    def bearer(token):
        return {"Authorization": f"Bearer {token}"}

    writer, reader = deploy_token("write_package_registry"), deploy_token("read_package_registry")
    assert put(cast.anonymous, npm, document(), headers=bearer(reader)).status == 403
    assert put(cast.anonymous, npm, document(), headers=bearer(writer)).status == 200
    assert put(cast.anonymous, npm, document(version="2.0.0"), headers=bearer(cast.developer.token)).status == 200
    for token in (reader, cast.reporter.token):
        assert cast.anonymous.get(f"{npm}/@tools%2fotter", Raw(headers=bearer(token))).status == 200
    assert cast.anonymous.get(f"{npm}/@tools%2fotter", Raw(headers=bearer("wrong"))).status == 401
    assert cast.anonymous.get(f"{npm}/@tools%2fotter").status == 404
    # elsewhere a deploy token is none
    assert cast.anonymous.get("/user", Raw(headers=bearer(reader))).status == 401


def test_the_page_shows_how_to_install_it(browse, cast, npm):
    publish(cast.developer, npm)
    publish(cast.developer, npm, name="plain", tag="next")
    scoped, plain = cast.reporter.get(f"/projects/{cast.private.id}/packages").json
    page = browse("reporter").open(scoped["_links"]["web_path"]).text
    assert ("@tools:registry" in page, "npm install @tools/otter@1.0.0" in page) == (True, True)
    assert "project registry" in browse("reporter").open(plain["_links"]["web_path"]).text
    assert "next" in browse("reporter").open(f"/{cast.private.path}/-/packages", type="npm").text
