"""A source that lies, loops or never ends: each run ends in a report, and the instance stays as it was or as it should be."""

import asyncio
import json
import subprocess
from collections.abc import Generator, Iterator
from contextlib import aclosing, contextmanager, suppress
from functools import partial
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count, repeat
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from mujina.moving.move_in.content.details import ahead
from mujina.moving.sources.operations import SourceClient, SourceError
from tests.cli.command import mujina
from tests.harness.running import RunningServer
from tests.moving.forge_server import ForgeServer
from tests.moving.world import admin
from tests.moving.world import refs as git_refs

AT = "2020-01-01T00:00:00Z"
NOBODY = {"id": 7, "username": "../mallory", "name": "Mallory"}
PROJECT: dict[str, Any] = {
    "id": 1, "path": "app", "name": "App", "path_with_namespace": "team/app", "created_at": AT,
    "namespace": {"id": 2, "kind": "group", "full_path": "team"}, "visibility": "public", "default_branch": "main",
}  # fmt: skip


def issue(iid: int, **more: Any) -> dict[str, Any]:
    return {
        "id": iid, "iid": iid, "title": "Title", "author": NOBODY, "created_at": AT, "updated_at": AT, "state": "opened",
        **more,
    }  # fmt: skip


LONG = issue(1, title="T\0" * 300, description="x" * 1_100_000)
STRANGE = [
    issue(0), issue(2**40), {"id": "one"}, "text", None, issue(2, due_date="tomorrow"), issue(3, author={"id": -1}),
    issue(4, labels=[7]), issue(5, state="merged"), issue(6, description=f"![](/uploads/{'a' * 32}/..%2f..%2fx)"),
]  # fmt: skip

Answer = tuple[int, dict[str, str], bytes | Iterator[bytes]]


def html(_path: str) -> Answer:
    return 200, {}, b"<html>Sign in</html>"


def loop(path: str) -> Answer:
    return 302, {"Location": path}, b""


def gone(_path: str) -> Answer:
    return 503, {"Retry-After": "0"}, b""


def refused(_path: str) -> Answer:
    return 401, {}, b"{}"


def of_project(issues: Any, project: dict[str, Any] = PROJECT, **headers: str) -> Any:
    """A source with one project, whose every page of issues is the same."""

    def answer(path: str) -> Answer:
        resource = path.partition("?")[0]
        if resource.endswith("/projects/team%2Fapp"):
            return 200, {}, json.dumps(project).encode()
        if resource.endswith("/projects/1/issues"):
            return 200, headers, json.dumps(issues).encode()
        return (200, {"X-Next-Page": ""}, b"[]") if "/projects/1/" in resource else (404, {}, b"{}")

    return answer


@contextmanager
def serving(answer: Any, tokens: set[str | None] | None = None) -> Generator[str]:
    """A source with these answers; `tokens` gets the tokens that it was asked with."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = answer(self.path)
            if tokens is not None:
                tokens.add(self.headers["Private-Token"])
            self.send_response(status)
            length = {"Content-Length": str(len(body))} if isinstance(body, bytes) else {}
            for name, value in {**length, **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(ConnectionError):
                for piece in [body] if isinstance(body, bytes) else body:
                    self.wfile.write(piece)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def report_of(
    answer: Any, target: RunningServer, tmp_path: Path, serving_at: list[str] | None = None
) -> tuple[int, dict[str, Any]]:
    """Exit code and report of a run; `serving_at` gets the address of the source."""
    file = tmp_path / "report.json"
    with serving(answer) as url:
        if serving_at is not None:
            serving_at.append(url)
        result = mujina(
            "move-in", url, "--project", "team/app", "--into", "here", "--report", str(file), "--data", str(target.data),
            "--database-url", target.database_url, MUJINA_MOVE_IN_TOKEN="source-token", MUJINA_OUTBOUND_ALLOW="127.0.0.1",
        )  # fmt: skip
    assert "Traceback" not in result.err
    text = file.read_text()
    assert "source-token" not in text + result.out + result.err
    return result.code, json.loads(text)


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_source_that_gives_nothing_ends_in_a_report(running_server: RunningServer, tmp_path: Path):
    reasons = {
        html: "Its answer is not JSON.", loop: "It answered with status 302.", gone: "It answered with status 503.",
        refused: "It answered with status 401.",
    }  # fmt: skip
    for answer, reason in reasons.items():
        code, report = report_of(answer, running_server, tmp_path)
        assert (code, report["complete"], report["problems"][0]["reason"]) == (1, False, reason)
    for project in ({**PROJECT, "id": "one"}, {**PROJECT, "path": ".."}, {**PROJECT, "path": "a/b"}):
        code, report = report_of(of_project([], project), running_server, tmp_path)
        assert report["problems"]
    assert admin(running_server).request("GET", "/projects") == []


def crafted_repository(folder: Path) -> None:
    """A repository with refs that nobody should get, a config, hooks, and pointers to LFS objects that lie."""

    def git(*arguments: str, given: str = "") -> str:
        command = ["git", "-c", "user.name=M", "-c", "user.email=m@example.com", "-C", str(folder), *arguments]
        return subprocess.run(
            command, input=given, capture_output=True, check=True, text=True, timeout=60
        ).stdout.strip()

    folder.mkdir()
    git("init", "--bare", "--quiet", "--initial-branch=main")
    pointers = [f"version https://git-lfs.github.com/spec/v1\noid sha256:{digit * 64}\nsize 7\n" for digit in "012"]
    blobs = [git("hash-object", "-w", "--stdin", given=pointer) for pointer in pointers]
    submodule = git("hash-object", "-w", "--stdin", given='[submodule "x"]\n\tpath = ../../x\n\turl = -u./payload\n')
    entries = "".join(f"100644 blob {blob}\t{n}.bin\n" for n, blob in enumerate(blobs))
    good = git("commit-tree", "-m", "Good", git("mktree", given=entries))
    bad = git("commit-tree", "-m", "Bad", git("mktree", given=f"100644 blob {submodule}\t.gitmodules\n"))
    lines = [f"{good} refs/heads/main", f"{good} refs/merge-requests/x/head", f"{good} refs/keep-around/x"]
    lines += [f"{good} refs/heads/{'a' * 40}", f"{good} refs/pipelines/1", f"{bad} refs/heads/bad"]
    (folder / "packed-refs").write_text(
        "# pack-refs with: sorted\n" + "\n".join(sorted(lines, key=lambda line: line[41:])) + "\n"
    )
    (folder / "config").write_text((folder / "config").read_text() + "[core]\n\tfsmonitor = touch /tmp/x\n")
    git("update-server-info")


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_crafted_repository_brings_only_what_is_allowed(running_server: RunningServer, tmp_path: Path):
    folder = tmp_path / "crafted.git"
    crafted_repository(folder)
    instance = admin(running_server)
    instance.request("POST", "/groups", path="here", name="Here")
    projects = [{**PROJECT, "path": "second", "name": "Second"}, PROJECT]

    def answer(path: str) -> Answer:
        if path.endswith("/info/lfs/objects/batch"):
            objects = [
                {"oid": "0" * 64, "actions": {"download": {"href": "http://169.254.169.254/latest/meta-data"}}},
                {"oid": "1" * 64, "actions": {"download": {"href": f"{serving_at[0]}/endless"}}},
                {"oid": "2" * 64, "error": {"code": 404, "message": "Gone"}},
            ]
            return 200, {}, json.dumps({"objects": objects}).encode()
        if path.startswith("/team/app.git/"):
            file = folder / path.removeprefix("/team/app.git/").partition("?")[0]
            return (200, {}, file.read_bytes()) if file.is_file() else (404, {}, b"")
        return (200, {}, b"x" * 10_000_000) if path == "/endless" else of_project([], projects[-1])(path)

    serving_at = list[str]()
    _, report = report_of(answer, running_server, tmp_path, serving_at)
    assert [each["reason"] for each in report["problems"]] == ["It holds something that git does not let in"]
    for name in ("packed-refs", "info/refs"):
        lines = (folder / name).read_text().splitlines(keepends=True)
        (folder / name).write_text("".join(line for line in lines if "/bad" not in line))
    serving_at.clear()
    projects.pop()
    _, report = report_of(answer, running_server, tmp_path, serving_at)
    refs = instance.request("GET", "/projects/here%2Fsecond/repository/branches")
    assert {each["name"] for each in refs} == {"main"}
    reasons = [each["reason"] for each in report["problems"]]
    assert report["created"].get("LFS objects", 0) == 0
    assert reasons[0] == f"The name 'refs/heads/{'a' * 40}' is not allowed here."
    assert "169.254.169.254" in reasons[1]
    lfs = "This LFS object did not come: "
    assert reasons[2:] == [f"{lfs}What came is not what its name and size say.", f"{lfs}Gone"]
    shown = git_refs(running_server, "here/second")
    assert [line.partition("\t")[2] for line in shown.splitlines()] == ["HEAD", "refs/heads/main"]


def test_what_does_not_fit_is_left_out_and_reported(running_server: RunningServer, tmp_path: Path):
    instance = admin(running_server)
    instance.request("POST", "/groups", path="here", name="Here")
    _, report = report_of(of_project([*STRANGE, LONG], **{"X-Next-Page": ""}), running_server, tmp_path)
    assert report["complete"]
    assert report["created"]["issues"] == 2
    issues = instance.request("GET", "/projects/here%2Fapp/issues")
    assert {each["iid"] for each in issues} == {1, 6}
    stored = next(each for each in issues if each["iid"] == 1)
    assert (len(stored["title"]), len(stored["description"])) == (255, 1_000_000)
    assert stored["author"]["username"] == "mallory-imported"
    reasons = " ".join(problem["reason"] for problem in report["problems"])
    assert "longer than 1000000 characters" in reasons
    assert "Its answer does not fit" in reasons
    # Every second request is one too many.
    turns = count()
    patient = of_project([issue(1)], {**PROJECT, "path": "patient", "name": "Patient"}, **{"X-Next-Page": ""})
    limited = lambda path: (429, {"Retry-After": "0"}, b"") if next(turns) % 2 else patient(path)  # noqa: E731
    _, report = report_of(limited, running_server, tmp_path)
    assert (report["complete"], report["created"]["issues"]) == (True, 1)
    # The same page again and again.
    endless = of_project([issue(1)] * 100, {**PROJECT, "path": "endless", "name": "Endless"}, **{"X-Next-Page": "2"})
    _, report = report_of(endless, running_server, tmp_path)
    assert any(problem["reason"] == "Its pages repeat each other." for problem in report["problems"])


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_what_has_no_end_is_left_out(running_server: RunningServer, tmp_path: Path):
    instance = admin(running_server)
    instance.request("POST", "/groups", path="here", name="Here")
    link = f"![](/uploads/{'a' * 32}/huge.bin)"
    refs = "".join(f"{'1' * 40}\trefs/heads/branch-{n}\n" for n in range(100_001)).encode()
    usual = of_project([issue(1, description=link)], **{"X-Next-Page": ""})

    def answer(path: str) -> Answer:
        resource = path.partition("?")[0]
        if resource.endswith("/huge.bin"):
            return 200, {"Content-Length": str(10 << 30)}, repeat(b"x" * 65_536)
        if resource.endswith("/issues/1/discussions"):  # every page is another one
            return 200, {"X-Next-Page": "2"}, json.dumps([path * 200_000]).encode()
        if resource.startswith("/team/app.git/"):
            return {"info/refs": (200, {}, refs), "HEAD": (200, {}, b"ref: refs/heads/branch-1\n")}.get(
                resource.removeprefix("/team/app.git/"), (404, {}, b"")
            )
        return usual(path)

    before = stored_bytes(running_server)
    _, report = report_of(answer, running_server, tmp_path)
    assert report["complete"]
    reasons = {each["reason"] for each in report["problems"] if "does not fit" not in each["reason"]}
    assert reasons == {
        "It has more than 100000 branches, tags and merge requests.", "Its answer is longer than 10485760 bytes.",
        "Everything about it is longer than 16777216 bytes together.",
    }  # fmt: skip
    assert "/uploads/" in instance.request("GET", "/projects/here%2Fapp/issues/1")["description"]
    assert stored_bytes(running_server) - before < 1_000_000


def stored_bytes(server: RunningServer) -> int:
    return sum(file.stat().st_size for file in server.data.rglob("*") if file.is_file())


def test_files_of_other_hosts_get_no_token_and_end_no_move():
    async def ask(own: ForgeServer, other: str) -> None:
        async with aclosing(SourceClient(["127.0.0.1"], own.url, {"PRIVATE-TOKEN": "secret"})) as client:
            with pytest.raises(SourceError, match="401"):
                await client.file(f"{other}/image.png", 100)
            for path in ("/a/b..c.png", "/a/../b", "/a/%2e%2e/b"):
                with suppress(SourceError):
                    await client.file(f"{own.url}{path}", 100)

    with ForgeServer() as own, serving(refused) as other:
        asyncio.run(ask(own, other))
    assert [token for _, token in own.asked] == ["secret", "", ""]


def package(number: int, kind: str, name: str) -> dict[str, Any]:
    about = {"package_type": kind, "name": name, "version": "1.0.0", "tags": [{"name": "x"}]}
    return {"id": number, "created_at": AT, **about}


def file_of_package(number: int, name: str, content: bytes, **more: Any) -> dict[str, Any]:
    digest = sha256(content).hexdigest()
    return {"id": number, "file_name": name, "size": len(content), "created_at": AT, "file_sha256": digest, **more}


PACKAGES = [
    package(1, "generic", "good"), package(2, "generic", ".."), package(3, "conan", "c"), package(4, "npm", "n"),
    package(5, "pypi", "p"),
]  # fmt: skip
FILES = {
    1: [
        file_of_package(10, "elsewhere", b"good"), file_of_package(11, "wrong", b"good", file_sha256="0" * 64),
        file_of_package(12, "huge", b"good", size=10**15), file_of_package(13, "endless", b"good"),
        file_of_package(14, "forbidden", b"good"), file_of_package(15, "../up", b"good"),
    ],
    2: [file_of_package(20, "f", b"good")], 4: [file_of_package(40, "n-1.0.0.tgz", b"good")],
    5: [file_of_package(50, "other-1.0.0.tar.gz", b"good")],
}  # fmt: skip


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_packages_that_lie_are_listed_and_leave_no_file(running_server: RunningServer, tmp_path: Path):
    redirects = {"/forbidden": "http://169.254.169.254/latest"}

    def answer(path: str) -> Answer:
        resource = path.partition("?")[0].removeprefix("/api/v4/projects/1/packages")
        if not resource or resource.endswith("/package_files"):
            found = FILES[int(resource[1])] if resource else PACKAGES
            return 200, {"X-Next-Page": ""}, json.dumps(found).encode()
        if resource.startswith("/generic/"):
            name = resource.removeprefix("/generic/good/1.0.0")
            if name in redirects:
                return 302, {"Location": redirects[name]}, b""
            return 200, {}, repeat(b"good", 10_000) if name == "/endless" else b"good"
        if resource.startswith(("/npm/", "/pypi/")):
            return 200, {}, b"{}" if resource in ("/npm/n", "/pypi/simple/p") else b"good"
        return of_project([])(path)

    tokens = set[str | None]()
    admin(running_server).request("POST", "/groups", path="here", name="Here")
    with serving(lambda _: (200, {}, b"good"), tokens) as storage:
        redirects["/elsewhere"] = f"{storage}/file?signature=secret"
        _, report = report_of(answer, running_server, tmp_path)
    assert (report["created"]["packages"], report["created"]["package files"], tokens) == (1, 1, {None})
    reasons = [each["reason"].partition("did not come: ")[2] or each["reason"] for each in report["problems"]]
    assert reasons == [
        "There is no repository at this address", "What came is not what its size and checksums say.",
        "It has 1000000000000000 bytes: more than max_package_size allows, or than half of the free disk.",
        "File is too large", "169.254.169.254 is at a cloud metadata address, which may not be called.",
        "Its path leads elsewhere.", "Its path leads elsewhere.",
        "There are no conan packages here.", "The source does not tell its manifest.",
        "content has a file name that is not of p 1.0.0",
    ]  # fmt: skip
    stored = [file for file in (running_server.data / "files" / "packages").rglob("*") if file.is_file()]
    assert [file.read_bytes() for file in stored] == [b"good"]


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_snippets_that_do_not_fit_are_listed_in_sentences(running_server: RunningServer, tmp_path: Path):
    about = {"author": NOBODY, "created_at": AT, "updated_at": AT, "file_name": "a.txt"}
    snippets = [{"id": number, "title": "Snippet", **about} for number in (1, 2, 3)]
    raw = {"1": b"", "2": b"\xff", "3": b"fits"}

    def answer(path: str) -> Answer:
        resource = path.partition("?")[0].removeprefix("/api/v4/projects/1/snippets")
        if not resource:
            return 200, {"X-Next-Page": ""}, json.dumps(snippets).encode()
        return (200, {}, raw[resource[1]]) if resource.endswith("/raw") else of_project([])(path)

    admin(running_server).request("POST", "/groups", path="here", name="Here")
    _, report = report_of(answer, running_server, tmp_path)
    assert report["created"]["snippets"] == 1
    reasons = [each["reason"] for each in report["problems"] if "/snippets/" in each["address"]]
    assert reasons == [
        "It does not fit: Files have no content.",
        "It does not fit: one of its files is no UTF-8 text.",
    ]


def test_everything_about_an_object_has_the_room_of_one_list():
    """Lists of reactions are short, and many."""
    found = list[int]()

    async def ask(client: SourceClient, path: str) -> None:
        found.extend([len(page) async for page in client.pages(path)])

    async def ask_all(client: SourceClient, path: str) -> None:
        await asyncio.gather(*(ask(client, f"{path}/{n}") for n in range(4)))

    async def move(url: str) -> None:
        async with aclosing(SourceClient(["127.0.0.1"], url, {})) as client:
            asked = ahead(["/a", "/b"], partial(ask_all, client))
            with pytest.raises(SourceError, match="Everything about it is longer than 16777216 bytes together"):
                _ = [each async for each in asked]

    with serving(lambda _: (200, {"X-Next-Page": ""}, json.dumps(["x" * 5_000_000]).encode())) as url:
        asyncio.run(move(url))
    assert 3 <= len(found) <= 6


def test_downloads_wait_where_the_source_says_so():
    asked = {"/busy": 0, "/content": 0, "/moved": 0}

    def answer(path: str) -> Answer:
        asked[path] += 1
        if path == "/busy" or asked[path] == 1:
            return 429, {"Retry-After": "0"}, b""
        return (200, {}, b"content") if path != "/moved" else (302, {"Location": "/content"}, b"")

    async def download(url: str, path: str) -> bytes:
        async with (
            aclosing(SourceClient(["127.0.0.1"], url, {})) as client,
            client.download(path, 60) as pieces,
        ):
            return b"".join([piece async for piece in pieces])

    with serving(answer) as url:
        assert asyncio.run(download(url, "/moved")) == b"content"
        with pytest.raises(SourceError, match="It answered with status 429"):
            asyncio.run(download(url, "/busy"))
    assert asked == {"/busy": 4, "/content": 2, "/moved": 3}


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_links_of_releases_to_files_of_the_project_lead_here(running_server: RunningServer, tmp_path: Path):
    files = {
        place: f"/{place}/uploads/{digit * 32}/a.zip" for place, digit in (("team/app", "a"), ("-/project/1", "b"))
    }

    def answer(path: str) -> Answer:
        if "/uploads/" in path:
            return 200, {}, b"content"
        if not path.startswith("/api/v4/projects/1/releases"):
            return of_project([])(path)
        links = [{"id": 1, "name": name, "url": f"{at[0]}{file}"} for name, file in files.items()]
        release = {"tag_name": "v1", "created_at": AT, "assets": {"links": links}}
        return 200, {"X-Next-Page": ""}, json.dumps([release]).encode()

    at, instance = list[str](), admin(running_server)
    instance.request("POST", "/groups", path="here", name="Here")
    _, report = report_of(answer, running_server, tmp_path, at)
    assert (report["created"]["files"], report["created"]["releases"]) == (2, 1)
    urls = [link["url"] for link in instance.request("GET", "/projects/here%2Fapp/releases")[0]["assets"]["links"]]
    assert ["/here/app/uploads/" in url and at[0] not in url for url in urls] == [True, True]
