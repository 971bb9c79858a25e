import base64
import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pygit2
import pytest

from mujina.adapters.git.storage import RepositoryStorage
from mujina.app import build, build_services
from mujina.kernel.jobs.queue import enqueue
from mujina.settings import Settings
from tests.harness.client import Client

NOT_ALLOWED = {"message": {"import_url": ["imports are not allowed from that URL"]}}
SECRET = base64.b64encode(b"me:secret").decode()


class Elsewhere(SimpleHTTPRequestHandler):
    """A folder of repositories over HTTP: `/closed` asks for a password, `/moved` leads elsewhere."""

    def do_GET(self):
        if self.path.startswith("/closed") and self.headers.get("Authorization") != f"Basic {SECRET}":
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="closed"')
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif self.path.startswith("/moved"):
            self.send_response(302)
            self.send_header("Location", self.path.replace("/moved", "/open"))
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, format, *args):
        pass


def git(*words, at):
    identity = ("-c", "user.name=Me", "-c", "user.email=me@example.org")
    subprocess.run(["git", *identity, *words], cwd=at, check=True, capture_output=True)


def add_commit(message, folder):
    work = folder / "work"
    (work / "file").write_text(message)
    git("add", "file", at=work)
    git("commit", "-qm", message, at=work)
    for name in ("open.git", "closed.git"):
        git("push", "-q", "--all", str(folder / name), at=work)
        git("update-server-info", at=folder / name)


@pytest.fixture(scope="module")
def repositories(tmp_path_factory):
    """A working copy, and `open.git` and `closed.git` with its first commit, to be copied."""
    folder = tmp_path_factory.mktemp("repositories")
    git("init", "-q", "-b", "main", "work", at=folder)
    for name in ("open.git", "closed.git"):
        git("init", "-q", "--bare", "-b", "main", name, at=folder)
    add_commit("First", folder)
    return folder


@pytest.fixture
def elsewhere(tmp_path, repositories):
    """The address of a server on this machine with the repository `open.git`, and how to add a commit to it."""
    shutil.copytree(repositories, tmp_path, dirs_exist_ok=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Elsewhere, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()  # seconds that its end takes
    yield f"127.0.0.1:{server.server_port}", partial(add_commit, folder=tmp_path)
    server.shutdown()
    server.server_close()


@pytest.fixture
def owner(cast, clean, stage, database, elsewhere):
    """The owner at an instance that allows this one address."""
    settings = Settings(
        data=stage.folder, jobs="inline", external_url="http://mujina.test", password_kilobytes=64,
        outbound_allow=(elsewhere[0],),
    )  # fmt: skip
    return Client(build(build_services(settings, database)), stage.loop, cast.owner.token)


def imported(owner, url, **more):
    made = owner.post("/projects", name="imported", import_url=url, **more)
    assert (made.status, made.json["import_status"]) == (201, "scheduled"), made
    assert "secret" not in made.body.decode()
    return owner.get(f"/projects/{made.json['id']}").json


def test_a_repository_is_fetched_with_its_default_branch(owner, elsewhere):
    found = imported(owner, f"http://{elsewhere[0]}/open.git")
    assert (found["import_status"], found["import_error"], found["default_branch"]) == ("finished", None, "main")
    at = f"/projects/{found['id']}"
    assert [each["title"] for each in owner.get(f"{at}/repository/commits").json] == ["First"]
    assert [each["name"] for each in owner.get(f"{at}/protected_branches").json] == ["main"]
    (event,) = owner.get(f"{at}/events", target_type="project").json
    assert event["action_name"] == "imported"


def test_refs_with_invalid_names_are_not_imported(owner, elsewhere, tmp_path):
    source = tmp_path / "open.git"
    tip = subprocess.run(["git", "rev-parse", "main"], cwd=source, check=True, capture_output=True).stdout.strip()
    for name in (b"heads/caf\xe9", b"tags/t\xe9", b"heads/" + tip, "heads/two\u2028lines".encode(), b"heads/fine"):
        git("update-ref", b"refs/" + name, tip, at=source)
    git("update-server-info", at=source)
    at = f"/projects/{imported(owner, f'http://{elsewhere[0]}/open.git', mirror=True)['id']}"
    for _ in range(2):
        names = [branch["name"] for branch in owner.get(f"{at}/repository/branches").json]
        assert names == ["fine", "main", "two\u2028lines"]
        assert owner.get(f"{at}/repository/tags").json == []
        assert owner.post(f"{at}/mirror/pull").status in (200, 201)
        assert owner.get(at).json["import_status"] == "finished"


@pytest.mark.parametrize("head", ["ref: refs/heads/nowhere\n", "detached"])
def test_main_is_the_default_branch_where_head_names_none(owner, elsewhere, tmp_path, head):
    source = tmp_path / "open.git"
    git("branch", "later", "main", at=source)
    tip = (source / "refs/heads/main").read_text()
    (source / "HEAD").write_text(tip if head == "detached" else head)
    git("update-server-info", at=source)
    found = imported(owner, f"http://{elsewhere[0]}/open.git")
    assert (found["import_status"], found["default_branch"], found["empty_repo"]) == ("finished", "main", False)
    assert owner.get(f"/projects/{found['id']}/protected_branches").json[0]["name"] == "main"


def test_a_repository_that_fails_the_checks_is_not_imported(owner, elsewhere, tmp_path, stage):
    """Also where it is fetched as plain files, which git takes without a look at them."""
    source = pygit2.Repository(str(tmp_path / "open.git"))
    inner = source.odb.write(pygit2.enums.ObjectType.TREE, b"100644 config\0" + source.create_blob(b"[core]\n").raw)
    tree = source.odb.write(pygit2.enums.ObjectType.TREE, b"40000 .git\0" + inner.raw)
    me = "Me <me@example.org> 1 +0000"
    commit = f"tree {tree}\nauthor {me}\ncommitter {me}\n\nOdd\n".encode()
    source.references.create("refs/heads/odd", source.odb.write(pygit2.enums.ObjectType.COMMIT, commit))
    git("update-server-info", at=tmp_path / "open.git")
    found = imported(owner, f"http://{elsewhere[0]}/open.git")
    error = "It holds something that git does not let in"
    assert (found["import_status"], found["import_error"], found["default_branch"]) == ("failed", error, None)
    git("fsck", "--strict", at=RepositoryStorage.of(stage.folder).repo_path(found["id"]))


def test_credentials_are_used_and_never_shown(cast, owner, elsewhere, stage):
    found = imported(owner, f"http://me:secret@{elsewhere[0]}/closed.git")
    assert found["import_status"] == "finished"
    assert "secret" not in cast.value("SELECT import_url FROM projects WHERE id = :id", id=found["id"])
    assert "secret" not in str(cast.rows("SELECT changes FROM events"))
    config = [path.read_text() for path in stage.folder.glob("repositories/**/config")]
    assert config
    assert not [text for text in config if "secret" in text]


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("closed.git", "The credentials are missing or were not accepted"),
        ("nowhere.git", "There is no repository at this address"),
        ("moved.git", "The address leads elsewhere, and redirects are not followed"),
    ],
)
def test_the_import_error_names_the_cause(owner, elsewhere, path, error):
    found = imported(owner, f"http://{elsewhere[0]}/{path}")
    assert (found["import_status"], found["import_error"]) == ("failed", error)
    assert found["default_branch"] is None


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc", "/etc", "ext::sh -c id", "ssh://-oProxyCommand=id/x", "ssh://git@10.0.0.1/x.git",
        "git://example.org/x.git", "--upload-pack=id", "http://127.0.0.1/x.git", "http://localhost/x.git",
        "http://[::1]/x.git", "http://10.0.0.1/x.git", "http://169.254.169.254/latest", "http://[::ffff:127.0.0.1]/x",
        "http://0x7f000001/x.git", "http://2130706433/x.git", "http://example.org\\@127.0.0.1/x", "javascript:alert(1)",
        "http://", "http://exa mple.org/x", "http://example.org:25/x.git",
    ],
)  # fmt: skip
def test_other_protocols_and_the_inside_of_the_network_are_refused(cast, url):
    answer = cast.owner.post("/projects", name="imported", import_url=url)
    assert (answer.status, answer.json) == (400, NOT_ALLOWED)


def test_a_mirror_is_fetched_again_and_moved_refs_are_recorded(owner, elsewhere):
    found = imported(owner, f"http://{elsewhere[0]}/open.git", mirror=True)
    assert found["mirror"] is True
    elsewhere[1]("Second")
    at = f"/projects/{found['id']}"
    assert owner.post(f"{at}/mirror/pull").status == 200
    assert owner.get(at).json["import_status"] == "finished"
    second, first = owner.get(f"{at}/repository/commits").json
    assert (second["title"], first["title"]) == ("Second", "First")
    assert owner.post(f"{at}/mirror/pull").status == 200  # and nothing new
    (event,) = owner.get(f"{at}/events", action="pushed").json
    assert (event["action_name"], event["author_username"]) == ("pushed to", "owner")
    assert event["push_data"] == {
        "commit_count": 1, "action": "pushed", "ref_type": "branch", "commit_from": first["id"],
        "commit_to": second["id"], "ref": "main", "commit_title": "Second",
    }  # fmt: skip
    assert {branch["name"] for branch in owner.get(f"{at}/repository/branches").json} == {"main"}


def test_mirrors_follow_by_themselves(cast, owner, elsewhere):
    at = f"/projects/{imported(owner, f'http://{elsewhere[0]}/open.git', mirror=True)['id']}"
    elsewhere[1]("Second")
    cast.transact(lambda tx: enqueue(tx, "mirrors.refresh", ""))  # half an hour passes
    owner.post(f"{at}/housekeeping")  # runs all enqueued jobs
    assert owner.get(f"{at}/repository/commits/main").json["title"] == "Second"


def test_a_mirror_does_not_overwrite_a_diverged_branch(owner, elsewhere):
    found = imported(owner, f"http://{elsewhere[0]}/open.git", mirror=True)
    at = f"/projects/{found['id']}"
    own = owner.post(f"{at}/repository/files/own", branch="main", commit_message="Own", content="x")
    assert own.status == 201
    elsewhere[1]("Second")
    owner.post(f"{at}/mirror/pull")
    found = owner.get(at).json
    left_alone = "Some branches have gone their own way here and were left alone"
    assert (found["import_status"], found["import_error"]) == ("failed", left_alone)
    assert owner.get(f"{at}/repository/commits/main").json["title"] == "Own"


def test_a_mirror_keeps_a_branch_whose_name_conflicts_with_a_new_one(owner, elsewhere, tmp_path):
    """Elsewhere `work` was deleted, and `work/one` made; nothing is deleted here."""
    git("branch", "work", "main", at=tmp_path / "open.git")
    git("update-server-info", at=tmp_path / "open.git")
    at = f"/projects/{imported(owner, f'http://{elsewhere[0]}/open.git', mirror=True)['id']}"
    git("branch", "-m", "work", "work/one", at=tmp_path / "open.git")
    elsewhere[1]("Second")
    owner.post(f"{at}/mirror/pull")
    found = owner.get(at).json
    left_alone = "Some branches have gone their own way here and were left alone"
    assert (found["import_status"], found["import_error"]) == ("failed", left_alone)
    assert [branch["name"] for branch in owner.get(f"{at}/repository/branches").json] == ["main", "work"]
    assert owner.get(f"{at}/repository/commits/main").json["title"] == "Second"


def test_only_a_mirror_is_fetched_again(owner, elsewhere):
    url = f"http://{elsewhere[0]}/open.git"
    at = f"/projects/{imported(owner, url)['id']}"
    refused = owner.post(f"{at}/mirror/pull")
    assert (refused.status, refused.json) == (400, {"message": "The project is not mirrored"})
    elsewhere[1]("Second")
    assert owner.put(at, mirror=True).json["mirror"] is True
    assert owner.get(f"{at}/repository/commits/main").json["title"] == "Second"
    assert owner.put(at, mirror=False).json["mirror"] is False
    assert owner.post(f"{at}/mirror/pull").status == 400


def test_a_mirror_needs_an_import_url(cast):
    blank = {"message": {"import_url": ["can't be blank"]}}
    answer = cast.owner.post("/projects", name="mirror", mirror=True)
    assert (answer.status, answer.json) == (400, blank)
    here = f"/projects/{cast.private.id}"
    assert cast.master.put(here, mirror=True).json == blank
    assert cast.master.put(here, import_url="http://127.0.0.1/x.git").json == NOT_ALLOWED


def test_a_project_without_an_import_url_is_no_mirror(cast):
    answer = cast.master.post(f"/projects/{cast.private.id}/mirror/pull")
    assert (answer.status, answer.json) == (400, {"message": "The project is not mirrored"})
    assert cast.developer.post(f"/projects/{cast.private.id}/mirror/pull").status == 403
    assert cast.stranger.post(f"/projects/{cast.private.id}/mirror/pull").status == 404
