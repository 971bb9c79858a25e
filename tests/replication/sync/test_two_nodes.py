"""A primary and a secondary: real servers in streaming replication. The steps share the servers, which take long to start."""

import fcntl
import hashlib
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import urlencode

import psycopg
import pytest

from mujina.replication.nodes import tokens
from mujina.replication.nodes.identity import read_identity
from tests.harness.mounts import mounting
from tests.harness.two_nodes import SECONDARY_URL, TwoNodes, wait_for
from tests.harness.visitor import COOKIE, TOKEN

LARGE = b"large one"
"""What `create_project` uploads to the project `one`."""
POINTER = f"""\
version https://git-lfs.github.com/spec/v1
oid sha256:{hashlib.sha256(LARGE).hexdigest()}
size {len(LARGE)}
"""
WITH_LFS = ("-c", "filter.lfs.process=git-lfs filter-process", "-c", "filter.lfs.required=true")
FAILURES = "/geo_nodes/current/failures"
PASSWORD = "open-sesame-of-ann"


@pytest.fixture
def nodes(tmp_path_factory):
    world = TwoNodes(tmp_path_factory.mktemp("nodes"), tls=True, workers=2)
    try:
        yield world
    finally:
        world.close()


@pytest.mark.long(30)
def test_a_secondary_copies_follows_serves_and_takes_over(nodes, tmp_path):
    one, two = (nodes.create_project(name) for name in ("one", "two"))
    nodes.join()
    has_the_host_key(nodes)
    becomes_equal(nodes)
    follows_changes(nodes, one, two)
    opens_nothing_but_replication(nodes, one)
    reads_what_was_written_through_it(nodes, one)
    signs_users_in(nodes, one)
    restores_the_application(nodes)
    serves_git(nodes, one, tmp_path)
    repairs_a_broken_copy(nodes, one)
    shows_failures(nodes, one)
    follows_the_refs_of_the_instance(nodes, one)
    keeps_what_the_primary_lost(nodes, one)
    notices_that_the_link_is_cut(nodes)
    skips_nothing_when_it_is_killed(nodes, one)
    stops_when_disabled(nodes, one)
    says_that_its_disk_is_full(nodes, one, tmp_path)
    answers_reads_while_the_primary_is_away(nodes, one, tmp_path)
    becomes_the_primary(nodes)


def has_the_host_key(nodes):
    """Clients of SSH recognize the secondary when it has taken the place of the primary."""
    ours, theirs = (node.data / "secrets" / "ssh_host_ed25519_key" for node in (nodes.primary, nodes.secondary))
    assert ours.read_bytes() == theirs.read_bytes()
    assert theirs.stat().st_mode & 0o077 == 0


def becomes_equal(nodes):
    wait_for(nodes.is_equal)
    kinds = ("attachments", "lfs_objects", "repositories")
    status = wait_for(
        lambda: (
            (found := nodes.status())["healthy"]
            and found["db_replication_lag_seconds"] == 0
            and all(found[f"{kind}_synced_count"] == 2 for kind in kinds)
            and found
        )
    )
    assert status["health"] == "Healthy"
    for kind in kinds:
        counts = [status[f"{kind}_{name}"] for name in ("count", "synced_count", "failed_count")]
        assert counts == [2, 2, 0], kind
        assert status[f"{kind}_synced_in_percentage"] == "100.00%"
    assert status["attachments_count"] + status["lfs_objects_count"] == len(nodes.primary.files())
    listed = nodes.secondary.ask("GET", "/geo_nodes").json
    assert [(node["url"], node["primary"], node["current"]) for node in listed] == [
        (f"{nodes.primary_url}/", True, False), (SECONDARY_URL, False, True),
    ]  # fmt: skip
    assert nodes.secondary.ask("GET", "/geo_nodes/current/failures").json == []
    reported = wait_for(lambda: healthy_statuses(nodes.primary)[1:])[0]
    assert reported["geo_node_id"] == nodes.node_id
    shown = wait_for(lambda: len(found := healthy_statuses(nodes.secondary)) == 2 and found[0])
    assert (shown["repositories_count"], shown["cursor_last_event_id"]) == (2, None)


def healthy_statuses(node):
    return [status for status in node.ask("GET", "/geo_nodes/status").json if status["healthy"]]


def follows_changes(nodes, one, two):
    place = f"/projects/{one['id']}"
    before = nodes.status()["cursor_last_event_id"] or 0
    nodes.commit(one["id"], "second.txt")
    nodes.commit(one["id"], ".gitattributes", "*.bin filter=lfs -text\n")
    nodes.commit(one["id"], "large.bin", POINTER)
    nodes.primary.ask("POST", f"{place}/uploads", file=("b.txt", b"another"))
    nodes.primary.ask("POST", f"{place}/wikis", title="second", content="x")
    nodes.primary.ask("PUT", place, path="renamed", visibility="public")
    nodes.primary.ask("DELETE", f"/projects/{two['id']}")
    nodes.primary.ask("POST", f"{place}/repository/branches", branch="topic", ref="master")
    nodes.primary.ask("POST", f"{place}/merge_requests", source_branch="topic", target_branch="master", title="x")
    wait_for(nodes.is_equal)
    renamed = wait_for(lambda: (r := nodes.secondary.ask("GET", place, token=None)).status == 200 and r.json)
    assert renamed["path"] == "renamed"
    status = wait_for(lambda: (s := nodes.status())["cursor_last_event_id"] == s["last_event_id"] and s)
    assert status["cursor_last_event_id"] > before
    wait_for(lambda: (s := nodes.status())["repositories_count"] == s["repositories_synced_count"] == 1)
    one["path_with_namespace"] = renamed["path_with_namespace"]


def opens_nothing_but_replication(nodes, one):
    node = read_identity(nodes.secondary.data)

    def status_of(method, path, data, *, secret=node.secret, body=None):
        header = tokens.authorization(node.access_key, secret, data)
        return nodes.primary.send(method, path, body, {"Authorization": header}).status

    fetch = {"project_id": one["id"], "wiki": False}
    info = f"/{one['path_with_namespace']}.git/info/refs?service=git"
    assert status_of("GET", f"{info}-upload-pack", fetch) == 200
    assert status_of("GET", f"{info}-upload-pack", fetch, secret="other") == 401
    assert status_of("GET", f"{info}-upload-pack", fetch | {"project_id": 99}) == 401
    assert status_of("GET", f"{info}-receive-pack", fetch) == 401
    for path in ("/projects", "/users", "/version", f"/projects/{one['id']}", "/geo_nodes"):
        assert status_of("GET", f"/api/v4{path}", {"status": True}) == 401, path
    assert status_of("GET", "/api/v4/geo/transfers/attachment/1", {"status": True}) == 401
    assert status_of("GET", "/api/v4/geo/transfers/attachment/999", {"status": True}) == 404
    assert status_of("POST", "/api/v4/geo/status", fetch, body=b"{}") == 401
    assert status_of("POST", "/api/v4/geo/status", {"status": True}, body=b"{}") == 400
    assert status_of("GET", "/api/v4/geo/other", {}) == 404
    for body, status in ((b'{"code":"x","system_identifier":"1"}', 404), (b"{}", 400), (b"no json", 400)):
        assert nodes.primary.send("POST", "/api/v4/geo/join", body).status == status
    joined = nodes.primary.run("geo", "join", nodes.primary.server.url, "x")
    assert "belongs to another instance" in joined.error


def reads_what_was_written_through_it(nodes, one):
    for number in range(5):
        created = nodes.secondary.ask("POST", f"/projects/{one['id']}/issues", title=f"Issue {number}")
        assert created.status == 201, created.body
        found = nodes.secondary.ask("GET", f"/projects/{one['id']}/issues/{created.json['iid']}")
        assert (found.status, found.json.get("title")) == (200, f"Issue {number}"), found.body
    assert nodes.primary.ask("GET", f"/projects/{one['id']}/issues").json[0]["title"] == "Issue 4"
    assert nodes.secondary.ask("POST", f"/projects/{one['id']}/issues", title="").status == 400
    assert nodes.secondary.ask("GET", "/user", token="wrong").status == 401
    assert (
        nodes.secondary.ask("POST", f"/projects/{one['id']}/issues?title=a%20%5C%23\\[]b").json["title"] == "a \\#\\[]b"
    )


def signs_users_in(nodes, one):
    """By OAuth at the primary; the session is written there through the secondary, and read from the replica."""
    create_ann(nodes)
    here, there = Browser(nodes.secondary), Browser(nodes.primary)
    page = here.open(f"/{one['path_with_namespace']}/settings/repository")
    assert page.headers["Location"].startswith("/users/sign_in?target=")
    assert "user[password]" not in here.open(page.headers["Location"]).body.decode()
    target = f"/{one['path_with_namespace']}"
    authorize = here.open(f"/oauth/geo/auth?{urlencode({'target': target})}").headers["Location"]
    assert authorize.startswith(f"{nodes.primary_url}/oauth/authorize?")
    query = authorize.removeprefix(nodes.primary_url)
    assert there.open(query).headers["Location"].startswith("/users/sign_in")
    there.sign_in("ann", PASSWORD)
    back = there.open(query).headers["Location"]
    assert back.startswith(f"{SECONDARY_URL}oauth/geo/callback?code=")
    callback = f"/{back.removeprefix(SECONDARY_URL)}"
    assert Browser(nodes.secondary).open(callback).status == 422, "another browser has not begun this"
    with psycopg.connect(nodes.secondary.database.url, autocommit=True) as replica:
        replica.execute("SELECT pg_wal_replay_pause()")
        signed_in = here.open(callback)
        assert (signed_in.status, signed_in.headers["Location"]) == (302, target)
        assert here.api("/user").json["username"] == "ann"
        assert here.open("/users/sign_in").headers["Location"] == "/", "the replica does not have the session yet"
        assert "user[password]" not in Browser(nodes.secondary).open("/users/sign_in").body.decode()
        replica.execute("SELECT pg_wal_replay_resume()")
    assert there.api("/user").json["username"] == "ann", "each node has a session of its own"
    assert here.open(callback).status == 422, "a code works once"
    former = here.cookie
    here.send("/users/sign_out", authenticity_token=TOKEN.search(here.open("/profile").body.decode())[1])
    here.cookie = former
    assert here.api("/user").status == 401, "the session has ended on both"
    assert there.api("/user").status == 200


def restores_the_application(nodes):
    """Without its application nobody signs in to a node; `repair` registers it again."""
    with psycopg.connect(nodes.primary.database.url) as connection:
        connection.execute("DELETE FROM oauth_applications WHERE name LIKE 'Geo node:%'")
    browser = Browser(nodes.secondary)
    refused = wait_for(lambda: (r := browser.open("/oauth/geo/auth")).status == 422 and r)
    assert "repairs it at the primary" in refused.body.decode()
    assert wait_for(lambda: nodes.status()["missing_oauth_application"])
    assert nodes.secondary.ask("PUT", f"/geo_nodes/{nodes.node_id}/repair").status == 200
    assert wait_for(lambda: browser.open("/oauth/geo/auth").status == 302)
    assert nodes.status()["missing_oauth_application"] is False


def create_ann(nodes):
    """Ann, who has chosen her password herself."""
    user = {"username": "ann", "name": "Ann", "email": "ann@example.org", "password": PASSWORD}
    assert nodes.primary.ask("POST", "/users", skip_confirmation=True, **user).status == 201
    with psycopg.connect(nodes.primary.database.url) as connection:
        connection.execute("UPDATE users SET password_expires_at = NULL WHERE username = 'ann'")


class Browser:
    """Keeps the cookie of one node."""

    def __init__(self, node):
        self.node = node
        self.cookie = ""

    def open(self, path):
        return self._keep(self.node.send("GET", path, headers={"Accept": "text/html", **self._cookie()}))

    def send(self, path, **fields):
        headers = {"Content-Type": "application/x-www-form-urlencoded", **self._cookie()}
        return self._keep(self.node.send("POST", path, urlencode(fields).encode(), headers))

    def api(self, path):
        return self.node.send("GET", f"/api/v4{path}", headers=self._cookie())

    def sign_in(self, login, password):
        token = TOKEN.search(self.open("/users/sign_in").body.decode())[1]
        fields = {"authenticity_token": token, "user[login]": login, "user[password]": password}
        assert self.send("/users/sign_in", **fields).status == 303

    def _cookie(self):
        return {"Cookie": f"_service_session={self.cookie}"} if self.cookie else {}

    def _keep(self, answer):
        for value in answer.headers.get_all("Set-Cookie") or []:
            if found := COOKIE.search(value):
                self.cookie = found[1]
        return answer


def serves_git(nodes, one, tmp_path):
    path = one["path_with_namespace"]
    cloned = nodes.secondary.git(tmp_path, "clone", "--quiet", nodes.secondary.address(path), "copy")
    assert cloned.returncode == 0, cloned.stderr
    (tmp_path / "copy" / "pushed.txt").write_text("x")
    for arguments in (["add", "."], ["commit", "--quiet", "-m", "x"], ["push", "--quiet", "origin", "HEAD:master"]):
        done = nodes.secondary.git(tmp_path / "copy", *arguments)
        assert done.returncode == 0, done.stderr
    assert nodes.primary.ask("GET", f"/projects/{one['id']}/repository/files/pushed.txt?ref=master").status == 200
    push_over_ssh(nodes, path, tmp_path)
    wait_for(nodes.is_equal)


def push_over_ssh(nodes, path, tmp_path):
    """The key of the user is all that the secondary tells the primary; a push without objects ends by itself."""
    copy = tmp_path / "copy"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "key"], check=True)
    refused = nodes.secondary.git(copy, "push", "--quiet", nodes.secondary.ssh_address(path), "HEAD:refs/heads/ssh")
    assert refused.returncode != 0
    added = nodes.secondary.ask("POST", "/user/keys", title="key", key=(tmp_path / "key.pub").read_text())
    assert added.status == 201, added.body
    address = nodes.secondary.ssh_address(path)
    wait_for(lambda: nodes.secondary.git(copy, "ls-remote", address).returncode == 0)
    (copy / "ssh.txt").write_text("x")
    for arguments in (
        ["add", "."], ["commit", "--quiet", "-m", "x"], ["push", "--quiet", address, "HEAD:refs/heads/ssh"],
        ["push", "--quiet", address, "HEAD:refs/heads/ssh"], ["push", "--quiet", address, "HEAD:refs/heads/gone"],
        ["push", "--quiet", address, ":refs/heads/gone"],
    ):  # fmt: skip
        done = nodes.secondary.git(copy, *arguments)
        assert done.returncode == 0, done.stderr
    branches = nodes.primary.ask("GET", f"/projects/{path.replace('/', '%2F')}/repository/branches").json
    assert {branch["name"] for branch in branches} == {"master", "topic", "ssh"}
    missing = nodes.secondary.git(copy, "push", "--quiet", address.replace(path, "nobody/nothing"), "HEAD")
    assert "could not be found" in missing.stderr


def repairs_a_broken_copy(nodes, one):
    [place] = [path for path in nodes.secondary.repositories() if not path.match("*.wiki.git")]
    for pack in (place / "objects").rglob("*"):
        if pack.is_file():
            pack.chmod(0o600)
            pack.write_bytes(b"broken")
    nodes.commit(one["id"], "third.txt")
    wait_for(nodes.is_equal)
    (place / "HEAD").write_text("")  # as a power cut may leave it
    nodes.commit(one["id"], "after-power-cut.txt")
    wait_for(nodes.is_equal)
    assert nodes.secondary.ask("GET", f"/projects/{one['id']}/repository/files/first.txt?ref=master").status == 200


def shows_failures(nodes, one):
    [place] = [path for path in nodes.primary.repositories() if not path.match("*.wiki.git")]
    nodes.commit(one["id"], "fourth.txt")
    wait_for(nodes.is_equal)
    hidden = place.with_suffix(".hidden")
    place.rename(hidden)
    place.write_text("no repository")
    nodes.primary.ask("PUT", f"/projects/{one['id']}", path="again")
    # A copy that had begun before may fail for another reason: the next one tells.
    [failure] = wait_for(
        lambda: [
            failure
            for failure in nodes.secondary.ask("GET", "/geo_nodes/current/failures").json
            if "is missing from the server's storage" in failure["last_repository_sync_failure"]
        ]
    )
    assert failure["project_id"] == one["id"]
    assert failure["repository_retry_count"] >= 1
    assert failure["last_repository_sync_failure"].startswith("Error syncing repository: ")
    assert "/" not in failure["last_repository_sync_failure"]
    assert failure["last_repository_synced_at"].endswith(" UTC")
    assert failure["wiki_retry_count"] is None
    assert len(nodes.secondary.ask("GET", "/geo_nodes/current/failures?type=repository").json) == 1
    assert nodes.secondary.ask("GET", "/geo_nodes/current/failures?type=wiki").json == []
    assert nodes.secondary.ask("GET", "/geo_nodes/current/failures?page=2").json == []
    wait_for(lambda: nodes.status()["repositories_failed_count"] == 1)
    place.unlink()
    shutil.move(hidden, place)
    one["path_with_namespace"] = one["path_with_namespace"].replace("renamed", "again")


def follows_the_refs_of_the_instance(nodes, one):
    """Refs that are no branches and no tags go without a push, and without a question."""
    [place] = [path for path in nodes.primary.repositories() if not path.match("*.wiki.git")]
    update = ["git", "-C", str(place), "update-ref", "--stdin"]
    names = [f"refs/mujina/mirror/heads/{number}" for number in range(12)]
    created = "".join(f"create {name} refs/heads/master\n" for name in names)
    subprocess.run(update, input=created, text=True, check=True)
    nodes.commit(one["id"], "of-the-instance.txt")
    wait_for(nodes.is_equal)
    subprocess.run(update, input="".join(f"delete {name}\n" for name in names), text=True, check=True)
    nodes.commit(one["id"], "not-of-the-instance.txt")
    wait_for(nodes.is_equal)


def keeps_what_the_primary_lost(nodes, one):
    """An empty repository in the place of the primary's does not empty the copy, until an operator says so."""
    nodes.commit(one["id"], "kept.txt")
    wait_for(nodes.is_equal)
    before = nodes.secondary.refs()
    [place] = [path for path in nodes.primary.repositories() if not path.match("*.wiki.git")]
    whole = place.with_suffix(".whole")
    place.rename(whole)
    subprocess.run(["git", "init", "--quiet", "--bare", str(place)], check=True)
    nodes.primary.ask("PUT", f"/projects/{one['id']}", path="emptied")
    command = "geo confirm-loss root/emptied"
    wait_for(lambda: f"run `mujina {command}` on this node" in str(nodes.secondary.ask("GET", FAILURES).json))
    assert nodes.secondary.refs() == before
    assert "no secondary" in nodes.primary.run(*command.split()).error
    assert "waits for this" in nodes.secondary.run(*command.split(), "--wiki").error
    confirmed = nodes.secondary.run(*command.split())
    assert confirmed.code == 0, confirmed.err
    wait_for(lambda: len(nodes.secondary.refs()) < len(before))
    shutil.rmtree(place)
    whole.rename(place)
    nodes.primary.ask("PUT", f"/projects/{one['id']}", path="again")
    wait_for(nodes.is_equal)


def notices_that_the_link_is_cut(nodes):
    nodes.secondary.database.cut()
    status = wait_for(lambda: "received nothing from the primary" in (found := nodes.status())["health"] and found)
    assert (status["healthy"], status["health_status"]) == (False, "Unhealthy")
    wait_for(lambda: nodes.status()["db_replication_lag_seconds"] > 0)
    nodes.secondary.database.heal()
    wait_for(lambda: nodes.status()["healthy"])


def skips_nothing_when_it_is_killed(nodes, one):
    cursor = nodes.status()["cursor_last_event_id"]
    nodes.commit(one["id"], "before.txt")
    nodes.secondary.server.kill()
    nodes.secondary.server.flags = ()  # from now on one process: it starts sooner
    nodes.commit(one["id"], "after.txt")
    notices_that_the_log_is_not_applied(nodes)
    wait_for(nodes.is_equal)
    assert nodes.status()["cursor_last_event_id"] > cursor
    shown = nodes.secondary.run("geo", "status")
    assert shown.code == 0, shown.err
    assert [line.split()[2] for line in shown.out.splitlines()] == ["role", "primary", "secondary"]
    assert nodes.secondary.run("geo", "add-secondary", "http://x.test").error.startswith("This is a secondary")


def notices_that_the_log_is_not_applied(nodes):
    """Another process holds the lock of the one that copies."""
    with (nodes.secondary.data / "replication.lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        nodes.secondary.server.start()
        write_registry(nodes, "UPDATE replication_cursor SET followed_at = '2020-01-02T03:04:05.000Z'")
        problem = "has not applied the log of the primary since 2020-01-02"
        status = wait_for(lambda: problem in (found := nodes.status())["health"] and found)
        assert (status["healthy"], status["health_status"]) == (False, "Unhealthy")
    wait_for(lambda: nodes.status()["healthy"])


def stops_when_disabled(nodes, one):
    assert nodes.secondary.ask("PUT", f"/geo_nodes/{nodes.node_id}", enabled=False).json["enabled"] is False
    status = nodes.primary.ask("GET", f"/geo_nodes/{nodes.node_id}/status").json
    assert (status["healthy"], status["health_status"]) == (False, "Offline")
    node = read_identity(nodes.secondary.data)
    header = tokens.authorization(node.access_key, node.secret, {"status": True})
    assert nodes.primary.send("POST", "/api/v4/geo/status", b"{}", {"Authorization": header}).status == 401
    nodes.commit(one["id"], "fifth.txt")
    nodes.primary.ask("PUT", f"/geo_nodes/{nodes.node_id}", enabled=True)
    wait_for(nodes.is_equal)


def says_that_its_disk_is_full(nodes, one, tmp_path):
    """On a small file system of its own, which is left mounted. Nothing is half copied, and copying goes on by itself."""
    server, data = nodes.secondary.server, nodes.secondary.data
    small = data.with_name("small")
    small.mkdir()
    server.kill()
    copy = f'cp -a "{data}/." "{small}" && mount --bind "{small}" "{data}"'
    server.wrapper = mounting(f'mount -t tmpfs -o size=48m,mode=700 tmpfs "{small}" && {copy}')
    server.start()
    server.wrapper = ()
    inside = nodes.secondary.data = Path(f"/proc/{server.process.pid}/root{data}")
    try:
        fill(inside)
        nodes.primary.ask("POST", f"/projects/{one['id']}/uploads", file=("big.bin", os.urandom(300_000)))
        nodes.commit(one["id"], "full.txt")
        log = data.with_suffix(f".{server.starts}.log")
        wait_for(
            lambda: fill(inside) and any(text in log.read_text() for text in ("replication waits", "could not be"))
        )
        problem = "The storage of this node is full: nothing can be copied to it."
        status = wait_for(lambda: fill(inside) and (found := nodes.status())["health"] == problem and found)
        assert status["health_status"] == "Unhealthy"
        assert nodes.secondary.ask("GET", f"/projects/{one['id']}").status == 200
        assert nodes.secondary.ask("POST", f"/projects/{one['id']}/issues", title="While it is full").status == 201
        fetches_the_newest_over_ssh(nodes, one, tmp_path)
        wait_for(lambda: nodes.secondary.files().items() <= nodes.primary.files().items())  # a draft goes at once
        (inside / "filler").unlink()
        wait_for(lambda: nodes.status()["healthy"])
        nodes.commit(one["id"], "room.txt")
        # A file that failed waits for up to 76 seconds.
        write_registry(nodes, "UPDATE replicated_files SET due_at = '2020-01-02T03:04:05.000Z'")
        wait_for(nodes.is_equal)
    finally:
        nodes.secondary.data = data


def fill(folder):
    """Leave no room in the file system: also not what was freed since the last call."""
    with (folder / "filler").open("ab", buffering=0) as filler, suppress(OSError):
        while True:
            filler.write(b"\0" * 4_096)
    return True


def write_registry(nodes, statement):
    with closing(sqlite3.connect(nodes.secondary.data / "replication.db", timeout=180)) as registry:
        registry.execute(statement)
        registry.commit()


def fetches_the_newest_over_ssh(nodes, one, tmp_path):
    """What this node could not copy comes from the primary; a client with the oldest protocol is told why it does not."""
    copy, address = tmp_path / "copy", nodes.secondary.ssh_address(one["path_with_namespace"])
    fetched = nodes.secondary.git(copy, "fetch", "--quiet", address, "master")
    assert fetched.returncode == 0, fetched.stderr
    assert nodes.secondary.git(copy, "cat-file", "-e", "FETCH_HEAD:full.txt").returncode == 0
    refused = nodes.secondary.git(copy, "-c", "protocol.version=0", "fetch", "--quiet", address, "master")
    assert "does not have the newest state" in refused.stderr
    missing = nodes.secondary.git(copy, "fetch", "--quiet", nodes.secondary.ssh_address("nobody/nothing"), "master")
    assert "could not be found" in missing.stderr


def answers_reads_while_the_primary_is_away(nodes, one, tmp_path):
    # Equal refs are not enough: while they are compared with those of the primary, the copy does not count as current.
    wait_for(lambda: is_recorded(nodes.status()))
    nodes.primary.server.kill()
    assert nodes.secondary.ask("GET", f"/projects/{one['id']}").status == 200
    address = nodes.secondary.address(one["path_with_namespace"])
    cloned = nodes.secondary.git(tmp_path, *WITH_LFS, "clone", "--quiet", address, "last")
    assert cloned.returncode == 0, cloned.stderr
    assert (tmp_path / "last" / "fifth.txt").exists()
    assert (tmp_path / "last" / "large.bin").read_bytes() == LARGE
    fetched = nodes.secondary.git(
        tmp_path / "copy", "ls-remote", nodes.secondary.ssh_address(one["path_with_namespace"])
    )
    assert fetched.returncode == 0, fetched.stderr
    pushed = nodes.secondary.git(tmp_path / "copy", "push", nodes.secondary.ssh_address("root/again"), "HEAD")
    assert "The primary cannot be reached" in pushed.stderr
    refused = nodes.secondary.ask("POST", f"/projects/{one['id']}/issues", title="too late")
    assert (refused.status, refused.headers["Retry-After"]) == (503, "10")
    assert refused.json == {"message": "503 Service Unavailable - the primary cannot be reached"}


def is_recorded(status):
    """Whether the node knows that it has all that the primary has."""
    kinds = ("attachments", "lfs_objects", "repositories")
    copied = all(status[f"{kind}_synced_count"] == status[f"{kind}_count"] for kind in kinds)
    return copied and status["cursor_last_event_id"] == status["last_event_id"]


def becomes_the_primary(nodes):
    nodes.primary.database.stop()
    nodes.secondary.server.kill()
    assert "--confirm" in nodes.secondary.run("geo", "promote").error
    write_registry(nodes, "UPDATE replicated_repositories SET dirty = TRUE WHERE kind = 'wiki'")
    write_registry(nodes, "UPDATE replicated_files SET succeeded = FALSE WHERE kind = 'lfs'")
    promoted = nodes.secondary.run("geo", "promote", "--confirm")
    assert promoted.code == 0, promoted.err
    with psycopg.connect(nodes.secondary.database.url) as connection:
        [(large_files,)] = connection.execute("SELECT count(*) FROM lfs_objects").fetchall()
    assert promoted.out.splitlines()[2:] == [
        "The newest pushes of these projects were not copied: root/again.",
        f"Files that were not copied: {large_files + 1}.",  # the other one went with the small file system
    ]
    nodes.secondary.server.start()
    [node] = nodes.secondary.ask("GET", "/geo_nodes").json
    assert (node["url"], node["primary"], node["current"]) == (SECONDARY_URL, True, True)
    assert nodes.secondary.ask("POST", "/projects", name="after").status == 201
    audited = nodes.secondary.ask("GET", "/audit_events?entity_type=Instance").json
    assert [entry["details"].get("custom_message") for entry in audited][:1] == ["node promoted"]
    assert "node joined" in [entry["details"].get("custom_message") for entry in audited]
    assert nodes.secondary.run("geo", "promote").error == "This instance is no secondary: there is nothing to promote."
