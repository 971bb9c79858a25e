"""Generic packages: published as a stream, downloaded in parts."""

import base64
import hashlib

import pytest

from mujina.publishing.packages import filters
from tests.harness.client import Raw

DATA = b"0123456789" * 100


@pytest.fixture
def packages(cast):
    return f"/projects/{cast.private.id}/packages"


@pytest.fixture
def place(packages):
    return f"{packages}/generic/my.tool/1.0.0/bin/tool.zip"


def publish(person, place, data=DATA, query="", **headers):
    return person.put(place, Raw(query=query, body=data, type="application/octet-stream", headers=headers))


def test_a_file_is_published_and_downloaded(cast, packages, place):
    made = publish(cast.developer, place)
    assert (made.status, made.json) == (201, {"message": "201 Created"})
    got = cast.reporter.get(place)
    assert (got.status, got.body, got.headers["X-Checksum-SHA256"]) == (200, DATA, hashlib.sha256(DATA).hexdigest())
    assert got.headers["Content-Disposition"].startswith('attachment; filename="tool.zip"')
    part = cast.reporter.get(place, Raw(headers={"Range": "bytes=5-9"}))
    assert (part.status, part.body, part.headers["Content-Range"]) == (206, b"56789", f"bytes 5-9/{len(DATA)}")
    assert cast.reporter.get(place, Raw(headers={"Range": "bytes=5000-"})).status == 416
    [package] = cast.reporter.get(packages).json
    assert (package["name"], package["version"], package["package_type"]) == ("my.tool", "1.0.0", "generic")
    assert package["last_downloaded_at"] is not None


def test_the_file_is_described_on_demand(cast, place):
    made = publish(cast.developer, place, query="select=package_file&status=hidden").json
    assert (made["size"], made["file_name"], made["file_store"]) == (len(DATA), "bin/tool.zip", 1)
    assert made["file_md5"] == hashlib.md5(DATA, usedforsecurity=False).hexdigest()
    assert made["file_sha1"] == hashlib.sha1(DATA, usedforsecurity=False).hexdigest()
    assert made["file_sha256"] == hashlib.sha256(DATA).hexdigest()
    assert made["file"]["url"].endswith(place)


def test_the_newest_of_several_files_with_one_name_is_served(cast, packages, place):
    publish(cast.developer, place, b"old")
    publish(cast.developer, place, b"new")
    assert cast.reporter.get(place).body == b"new"
    [package] = cast.reporter.get(packages).json
    files = f"{packages}/{package['id']}/package_files"
    assert [each["size"] for each in cast.reporter.get(files).json] == [3, 3]
    newest = cast.reporter.get(files).json[1]["id"]
    assert cast.developer.delete(f"{files}/{newest}").status == 403
    assert cast.master.delete(f"{files}/{newest}").status == 204
    assert cast.reporter.get(place).body == b"old"
    assert cast.master.delete(f"{packages}/{package['id']}").status == 204
    assert cast.reporter.get(place).status == 404
    assert cast.reporter.get(packages).json == []


@pytest.mark.parametrize(
    "path",
    ["a b/1/f", "a/1 0/f", "a/1/..", "a/1/x/../y", "a/1/f f", "a/1/f%2f..%2fg", "a/%2e%2e/f", "a/1/f%00", "a/1/f%2Fg"],
)
def test_names_that_are_no_names_are_refused(cast, packages, path):
    quoted = path.replace(" ", "%20")
    assert publish(cast.developer, f"{packages}/generic/{quoted}").status in (400, 404)
    assert cast.reporter.get(packages).json == []


def test_who_publishes_and_reads(cast, packages, place):
    assert publish(cast.reporter, place).status == 403
    assert publish(cast.anonymous, place).status == 401
    publish(cast.developer, place)
    assert cast.guest.get(place).status == 403
    assert cast.stranger.get(place).status == 404
    public = f"/projects/{cast.public.id}/packages/generic/a/1/f"
    assert publish(cast.owner, public).status == 201
    assert cast.anonymous.get(public).body == DATA
    cast.owner.post(f"/projects/{cast.private.id}/archive")
    assert publish(cast.developer, place).status == 403
    assert cast.reporter.get(place).status == 200


def test_a_file_that_is_too_large_leaves_nothing(cast, packages, place):
    cast.root.put("/application/settings", max_package_size=0)
    refused = publish(cast.developer, place)
    assert (refused.status, refused.json) == (400, {"message": "File is too large"})
    assert cast.reporter.get(packages).json == []


def basic(username, token):
    return {"Authorization": "Basic " + base64.b64encode(f"{username}:{token}".encode()).decode()}


def test_deploy_tokens_read_and_publish(cast, packages, place):
    def made(*scopes):
        tokens = f"/projects/{cast.private.id}/deploy_tokens"
        return cast.master.post(tokens, name="x", scopes=list(scopes), username="deployer").json["token"]

    writer, reader = made("write_package_registry"), made("read_package_registry")
    assert publish(cast.anonymous, place, **{"Deploy-Token": writer}).status == 201
    assert publish(cast.anonymous, place, **{"Deploy-Token": reader}).status == 403
    assert cast.anonymous.get(place, Raw(headers={"Deploy-Token": reader})).body == DATA
    assert cast.anonymous.get(place, Raw(headers=basic("deployer", reader))).body == DATA
    assert cast.anonymous.get(place, Raw(headers=basic("another", reader))).status == 401
    assert cast.anonymous.get(place, Raw(headers=basic("any", cast.reporter.token))).body == DATA
    [listed] = cast.anonymous.get(packages, Raw(headers={"Deploy-Token": reader})).json
    for path in (packages, f"/groups/{cast.team.id}/packages", f"{packages}/{listed['id']}",
                 f"{packages}/{listed['id']}/package_files"):  # fmt: skip
        assert cast.anonymous.get(path, Raw(headers=basic("deployer", reader))).status == 200, path
    for headers in ({"Deploy-Token": writer}, basic("deployer", writer)):
        assert cast.anonymous.delete(f"{packages}/{listed['id']}", Raw(headers=headers)).status in (401, 404)


def test_packages_are_filtered_and_sorted(cast, packages):
    for name, version in (("alpha", "1"), ("beta", "2"), ("alphabet", "1")):
        publish(cast.developer, f"{packages}/generic/{name}/{version}/f")

    def listed(**query):
        return [each["name"] for each in cast.reporter.get(packages, **query).json]

    assert listed() == ["alpha", "beta", "alphabet"]
    assert listed(order_by="name", sort="desc") == ["beta", "alphabet", "alpha"]
    for order in ("id", "project_path"):
        assert listed(order_by=order, sort="desc") == ["alphabet", "beta", "alpha"]
    assert listed(package_name="ALPHA") == ["alpha", "alphabet"]
    assert listed(package_version="2") == ["beta"]
    assert cast.reporter.get(packages, package_type="maven").status == 400
    second = cast.reporter.get(packages, per_page=2, page=2)
    assert ([each["name"] for each in second.json], second.headers["X-Total"]) == (["alphabet"], "3")
    of_group = cast.reporter.get(f"/groups/{cast.team.id}/packages", order_by="name").json
    assert [each["project_path"] for each in of_group] == [cast.private.path] * 3
    assert cast.master.get(f"{packages}/protection/rules").json == []


@pytest.mark.parametrize("few", ["500", "1"])
def test_packages_by_name_and_type_have_their_number(cast, packages, few, monkeypatch):
    monkeypatch.setattr(filters, "_FEW", few)  # of more packages, the names are not looked up
    for name, version in (("alpha", "1"), ("alpha", "2"), ("beta", "1"), ("alphabet", "1")):
        publish(cast.developer, f"{packages}/generic/{name}/{version}/f")
    of_group = f"/groups/{cast.team.id}/packages"

    def total(path, **query):
        return cast.reporter.get(path, per_page=1, **query).headers["X-Total"]

    for path in (packages, of_group):
        assert [total(path, package_name=name) for name in ("ALPHA", "alphabet", "a%", "none")] == ["3", "1", "0", "0"]
        assert (total(path, package_type="generic"), total(path, package_type="npm")) == ("4", "0")
        assert total(path, package_name="alpha", package_version="1") == "2"
        assert total(path) == "4"
    newest = cast.reporter.get(packages, package_name="alpha", sort="desc").json[-2]
    assert (newest["name"], cast.master.delete(f"{packages}/{newest['id']}").status) == ("alpha", 204)
    assert [total(path, package_name="alpha", page=2) for path in (packages, of_group)] == ["2", "2"]


def test_packages_have_pages(browse, cast, packages, place):
    publish(cast.developer, place)
    here = f"/{cast.private.path}/-/packages"
    master = browse("master")
    assert "my.tool" in master.open(here).text
    assert "No packages match." in master.open(here, search="other").text
    number = cast.reporter.get(packages).json[0]["id"]
    page = master.open(f"{here}/{number}").text
    assert ("bin/tool.zip" in page, hashlib.sha256(DATA).hexdigest() in page) == (True, True)
    assert "Delete package" not in browse("developer").open(f"{here}/{number}").text
    assert browse("guest").open(here).status == 403
    assert master.send(f"{here}/{number}/delete").status == 303
    assert "Packages are files" in master.open(here).text


def test_the_page_of_a_group_shows_the_packages_of_its_projects(browse, cast, place):
    publish(cast.developer, place)
    here = f"/groups/{cast.team.path}/-/packages"
    page = browse("reporter").open(here).text
    assert ("my.tool" in page, f"/{cast.private.path}/-/packages/" in page) == (True, True)
    assert "No packages match." in browse("reporter").open(here, type="npm").text
    assert "my.tool" not in browse("guest").open(here).text


def test_a_file_is_deleted_on_the_page(browse, cast, packages, place):
    publish(cast.developer, place)
    [package] = cast.reporter.get(packages).json
    [file] = cast.reporter.get(f"{packages}/{package['id']}/package_files").json
    here = f"/{cast.private.path}/-/packages/{package['id']}"
    master = browse("master")
    assert "curl --header" in master.open(here).text
    assert master.send(f"{here}/files/delete", id=file["id"]).status == 303
    assert "This package has no files." in master.open(here).text
    assert browse("developer").open(here).text.count("Delete") == 0
