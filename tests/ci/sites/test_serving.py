"""Sites as browsers see them."""

import gzip
import random
from dataclasses import replace

import pytest

from mujina.ci.sites.serving import application
from tests.ci.sites.conftest import HOST, INDEX, SITE

ONE_ENGINE = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)


@pytest.fixture
def visitor(site):
    site.publish()
    site.open()
    return site.visitor()


def test_paths_lead_to_files(visitor):
    found = {path: visitor.see(path) for path in ("/", "/about", "/docs/", "/%C3%BCber.txt", "/nothing")}
    assert {path: (answer.status, answer.body) for path, answer in found.items()} == {
        "/": (200, INDEX), "/about": (200, b"About us"), "/docs/": (200, b"Documents"), "/%C3%BCber.txt": (200, b"text"),
        "/nothing": (404, b"<h1>Lost</h1>"),
    }  # fmt: skip


@ONE_ENGINE
def test_a_missing_folder_does_not_hide_a_file_of_its_index(site):
    site.publish({"public/a/index.html.html": b"Odd"})
    site.open()
    visitor = site.visitor()
    assert visitor.see("/a/").status == 404
    assert visitor.see("/a/index.html").body == b"Odd"


@ONE_ENGINE
def test_a_folder_is_redirected_to_its_slash(visitor):
    assert visitor.see("").headers["Location"] == f"{visitor.root}/"
    assert visitor.see("/docs").headers["Location"] == f"{visitor.root}/docs/"


@ONE_ENGINE
@pytest.mark.parametrize("path", ["/../built/", "/%2e%2e/x", "//about.html", "/%00", "/%ff", "other/"])
def test_other_paths_lead_nowhere(visitor, path):
    assert visitor.see(path).status in (302, 404)


@ONE_ENGINE
def test_types_and_headers(visitor):
    answer = visitor.see("/app.js")
    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "max-age=600"
    assert answer.headers["Content-Length"] == str(len(SITE["public/app.js"]))
    assert visitor.see("/data.bin").headers["Content-Type"] == "application/octet-stream"
    assert "set-cookie" not in answer.headers


@ONE_ENGINE
def test_what_the_browser_has_is_not_sent_again(visitor):
    first = visitor.see("/app.js")
    assert visitor.see("/app.js", If_None_Match=first.headers["ETag"]).status == 304
    assert visitor.see("/app.js", If_Modified_Since=first.headers["Last-Modified"]).status == 304
    assert visitor.see("/app.js", If_None_Match='"other"').status == 200


@ONE_ENGINE
def test_a_range_is_a_part_of_the_file(visitor):
    content = SITE["public/data.bin"]
    part = visitor.see("/data.bin", Range="bytes=10-19")
    assert (part.status, part.body, part.headers["Content-Range"]) == (206, content[10:20], "bytes 10-19/1024")
    assert visitor.see("/data.bin", Range="bytes=-4").body == content[-4:]
    beyond = visitor.see("/data.bin", Range="bytes=5000-")
    assert (beyond.status, beyond.headers["Content-Range"]) == (416, "bytes */1024")
    assert visitor.see("/data.bin", Range="bytes=0-1", If_Range='"old"').status == 200


@ONE_ENGINE
def test_what_the_archive_has_packed_is_sent_packed(visitor):
    answer = visitor.see("/app.js", Accept_Encoding="gzip, deflate")
    assert answer.headers["Content-Encoding"] == "gzip"
    assert len(answer.body) == int(answer.headers["Content-Length"]) < 200
    assert gzip.decompress(answer.body) == SITE["public/app.js"]
    assert answer.headers["ETag"] != visitor.see("/app.js").headers["ETag"]


@ONE_ENGINE
def test_a_compressed_variant_beside_a_file_is_sent(visitor):
    chosen = {
        accepted: visitor.see("/style.css", Accept_Encoding=accepted) for accepted in ("br, gzip", "gzip", "br;q=0")
    }
    assert [answer.body for answer in chosen.values()] == [b"as brotli", b"as gzip", b"p {}"]
    assert chosen["gzip"].headers["Content-Type"] == "text/css; charset=utf-8"


@ONE_ENGINE
def test_a_large_file_is_streamed(site):
    content = bytes(range(256)) * 4_000
    site.publish({"public/index.html": b"x", "public/large.bin": content})
    site.open()
    visitor = site.visitor()
    assert visitor.see("/large.bin").body == content
    assert visitor.see("/large.bin", Range="bytes=500000-500009").body == content[500000:500010]
    assert gzip.decompress(visitor.see("/large.bin", Accept_Encoding="gzip").body) == content


@ONE_ENGINE
@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_a_download_ends_though_its_archive_is_removed(site, stage, encoding):
    content = random.Random(1).randbytes(500_000)
    site.publish({"public/index.html": b"x", "public/large.bin": content})
    site.open()
    [archive] = (stage.folder / "files" / "sites").glob("*/*/*")
    visitor = site.visitor()

    async def removing(scope, receive, send):
        async def send_and_remove(message):
            await send(message)
            if message.get("more_body") and len(message["body"]) > 100:
                archive.unlink(missing_ok=True)

        await visitor.app(scope, receive, send_and_remove)

    answer = replace(visitor, app=removing).see("/large.bin", Accept_Encoding=encoding)
    assert (gzip.decompress(answer.body) if encoding == "gzip" else answer.body) == content
    assert not archive.exists()


@ONE_ENGINE
def test_a_site_that_is_replaced_is_never_away(site, cast, stage, monkeypatch):
    monkeypatch.setattr(application, "REMEMBERED_SECONDS", 1_000.0)
    site.publish({"public/index.html": b"first", "public/about.html": b"first", "public/only.html": b"first"})
    site.open()
    visitor = site.visitor()
    assert visitor.see("/").body == b"first"
    site.runner = type(site.runner)(site.ci, cast, stage.folder, "pages", retry=True)
    site.publish({"public/index.html": b"second", "public/about.html": b"second"})
    assert visitor.see("/").body in (b"first", b"second")
    assert visitor.see("/about.html").body == b"second"
    assert visitor.see("/only.html").status == 404


@ONE_ENGINE
def test_a_redirect_keeps_the_query(visitor):
    assert visitor.see("/docs?page=2").headers["Location"] == f"{visitor.root}/docs/?page=2"
    assert visitor.see("?page=2").headers["Location"] == f"{visitor.root}/?page=2"


@ONE_ENGINE
def test_sites_are_only_read(visitor):
    head = visitor.head(f"/{visitor.root}/app.js")
    assert (head.status, head.body, head.headers["Content-Length"]) == (200, b"", str(len(SITE["public/app.js"])))
    refused = visitor.post(f"/{visitor.root}/")
    assert (refused.status, refused.headers["Allow"]) == (405, "GET, HEAD")


def test_the_project_named_like_the_host_is_the_site_of_its_namespace(site, cast):
    site.publish()
    site.open()
    assert cast.root.put(f"{site.ci.path}/transfer", namespace=site.namespace).status == 200
    assert cast.root.put(site.ci.path, path=f"{site.namespace}.{HOST}").status == 200
    visitor = site.visitor()
    assert visitor.see("/", root="").body == INDEX
    assert visitor.see("/docs/", root="").body == b"Documents"


def test_on_a_port_of_its_own_the_path_names_the_project(site):
    site.publish()
    site.open()
    visitor, full = site.visitor(host="localhost", pages_port=8090), f"/{site.namespace}/{site.path}"
    assert visitor.see("/about", root=full).body == b"About us"
    assert visitor.see("", root=full).headers["Location"] == f"{full}/"
    assert visitor.see("/", root="").status == 404


def test_a_site_that_is_disabled_is_not_served(site):
    site.publish()
    site.open("disabled")
    assert site.visitor(host="localhost", pages_port=8090).see("/", root=f"/{site.namespace}/{site.path}").status == 404
