"""A primary and a secondary: real servers in streaming replication. The steps share the servers, which take long to start."""

import shutil
import subprocess
from urllib.parse import urlencode

import pytest

from mujina.replication.credentials import tokens
from mujina.replication.nodes.identity import read_identity
from tests.harness.two_nodes import SECONDARY_URL, TwoNodes, wait_for
from tests.harness.visitor import COOKIE, TOKEN


@pytest.fixture
def nodes(tmp_path_factory):
    world = TwoNodes(tmp_path_factory.mktemp("nodes"))
    try:
        yield world
    finally:
        world.close()


def test_a_secondary_copies_follows_serves_and_takes_over(nodes, tmp_path):
    one, two = (nodes.create_project(name) for name in ("one", "two"))
    nodes.join()
    becomes_equal(nodes)
    follows_changes(nodes, one, two)
    opens_nothing_but_replication(nodes, one)
    reads_what_was_written_through_it(nodes, one)
    signs_users_in(nodes, one)
    serves_git(nodes, one, tmp_path)
    repairs_a_broken_copy(nodes, one)
    shows_failures(nodes, one)
    notices_that_the_link_is_cut(nodes)
    skips_nothing_when_it_is_killed(nodes, one)
    stops_when_disabled(nodes, one)
    answers_reads_while_the_primary_is_away(nodes, one, tmp_path)
    becomes_the_primary(nodes)


def becomes_equal(nodes):
    wait_for(nodes.is_equal)
    status = wait_for(lambda: (found := nodes.status())["repositories_synced_count"] == 2 and found)
    assert (status["healthy"], status["health"], status["db_replication_lag_seconds"]) == (True, "Healthy", 0)
    for kind in ("attachments", "lfs_objects", "repositories"):
        counts = [status[f"{kind}_{name}"] for name in ("count", "synced_count", "failed_count")]
        assert counts == [2, 2, 0], kind
        assert status[f"{kind}_synced_in_percentage"] == "100.00%"
    assert status["attachments_count"] + status["lfs_objects_count"] == len(nodes.primary.files())
    listed = nodes.secondary.ask("GET", "/geo_nodes").json
    assert [(node["url"], node["primary"], node["current"]) for node in listed] == [
        (f"{nodes.primary.server.url}/", True, False), (SECONDARY_URL, False, True),
    ]  # fmt: skip
    assert nodes.secondary.ask("GET", "/geo_nodes/current/failures").json == []
    reported = wait_for(lambda: len(found := nodes.primary.ask("GET", "/geo_nodes/status").json) == 2 and found[1])
    assert (reported["geo_node_id"], reported["healthy"]) == (nodes.node_id, True)


def follows_changes(nodes, one, two):
    place = f"/projects/{one['id']}"
    before = nodes.status()["cursor_last_event_id"] or 0
    nodes.commit(one["id"], "second.txt")
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
    """By the form of the secondary, which the primary answers; the session is then read from the replica."""
    user = {"username": "ann", "name": "Ann", "email": "ann@example.org", "password": "open-sesame-of-ann"}
    assert nodes.primary.ask("POST", "/users", skip_confirmation=True, **user).status == 201
    page = nodes.secondary.send("GET", "/users/sign_in", headers={"Accept": "text/html"})
    cookie = COOKIE.search(page.headers["Set-Cookie"])[1]
    form = {
        "authenticity_token": TOKEN.search(page.body.decode())[1], "user[login]": "ann",
        "user[password]": user["password"],
    }  # fmt: skip
    headers = {"Cookie": f"_service_session={cookie}", "Content-Type": "application/x-www-form-urlencoded"}
    signed_in = nodes.secondary.send("POST", "/users/sign_in", urlencode(form).encode(), headers)
    assert signed_in.status in (302, 303)
    assert signed_in.headers["Location"].startswith("/"), "a redirect stays on this node"
    session = {"Cookie": f"_service_session={COOKIE.search(signed_in.headers['Set-Cookie'])[1]}"}
    shown = nodes.secondary.send("GET", "/api/v4/user", headers=session)
    assert "Your password expired" in shown.json["message"], "the session is known, and Ann was given this password"
    page = nodes.secondary.send("GET", f"/{one['path_with_namespace']}", headers=session)
    assert page.headers["Location"].startswith("/profile/password/new"), page.body


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
    [place] = [path for path in (nodes.secondary.data / "repositories").rglob("*.git") if not path.match("*.wiki.git")]
    for pack in (place / "objects").rglob("*"):
        if pack.is_file():
            pack.chmod(0o600)
            pack.write_bytes(b"broken")
    nodes.commit(one["id"], "third.txt")
    wait_for(nodes.is_equal)
    assert nodes.secondary.ask("GET", f"/projects/{one['id']}/repository/files/first.txt?ref=master").status == 200


def shows_failures(nodes, one):
    [place] = [path for path in (nodes.primary.data / "repositories").rglob("*.git") if not path.match("*.wiki.git")]
    nodes.commit(one["id"], "fourth.txt")
    wait_for(nodes.is_equal)
    hidden = place.with_suffix(".hidden")
    place.rename(hidden)
    place.write_text("no repository")
    nodes.primary.ask("PUT", f"/projects/{one['id']}", path="again")
    [failure] = wait_for(lambda: nodes.secondary.ask("GET", "/geo_nodes/current/failures").json)
    assert failure["project_id"] == one["id"]
    assert failure["repository_retry_count"] == 1
    assert failure["last_repository_sync_failure"].startswith("Error syncing repository: ")
    assert "/" not in failure["last_repository_sync_failure"]
    assert failure["last_repository_synced_at"].endswith(" UTC")
    assert failure["wiki_retry_count"] is None
    assert len(nodes.secondary.ask("GET", "/geo_nodes/current/failures?type=repository").json) == 1
    assert nodes.secondary.ask("GET", "/geo_nodes/current/failures?type=wiki").json == []
    assert nodes.secondary.ask("GET", "/geo_nodes/current/failures?page=2").json == []
    assert nodes.status()["repositories_failed_count"] == 1
    place.unlink()
    shutil.move(hidden, place)
    one["path_with_namespace"] = one["path_with_namespace"].replace("renamed", "again")


def notices_that_the_link_is_cut(nodes):
    nodes.secondary.database.cut()
    status = wait_for(lambda: not (found := nodes.status())["healthy"] and found)
    assert status["health_status"] == "Unhealthy"
    assert "received nothing from the primary" in status["health"]
    wait_for(lambda: nodes.status()["db_replication_lag_seconds"] > 0)
    nodes.secondary.database.heal()
    wait_for(lambda: nodes.status()["healthy"])


def skips_nothing_when_it_is_killed(nodes, one):
    cursor = nodes.status()["cursor_last_event_id"]
    nodes.commit(one["id"], "before.txt")
    nodes.secondary.server.kill()
    nodes.commit(one["id"], "after.txt")
    nodes.secondary.server.start()
    wait_for(nodes.is_equal)
    assert nodes.status()["cursor_last_event_id"] > cursor
    shown = nodes.secondary.run("geo", "status")
    assert shown.code == 0, shown.err
    assert [line.split()[2] for line in shown.out.splitlines()] == ["role", "primary", "secondary"]
    assert nodes.secondary.run("geo", "add-secondary", "http://x.test").error.startswith("This is a secondary")


def stops_when_disabled(nodes, one):
    assert nodes.secondary.ask("PUT", f"/geo_nodes/{nodes.node_id}", enabled=False).json["enabled"] is False
    status = nodes.primary.ask("GET", f"/geo_nodes/{nodes.node_id}/status").json
    assert (status["healthy"], status["health_status"]) == (False, "Offline")
    node = read_identity(nodes.secondary.data)
    header = tokens.authorization(node.access_key, node.secret, {"status": True})
    assert nodes.primary.send("POST", "/api/v4/geo/status", b"{}", {"Authorization": header}).status == 401
    nodes.commit(one["id"], "fifth.txt")
    nodes.primary.ask("PUT", f"/geo_nodes/{nodes.node_id}", enabled=True)
    wait_for(nodes.is_equal, 90)


def answers_reads_while_the_primary_is_away(nodes, one, tmp_path):
    wait_for(lambda: nodes.status()["cursor_last_event_id"] == nodes.status()["last_event_id"])
    nodes.primary.server.kill()
    assert nodes.secondary.ask("GET", f"/projects/{one['id']}").status == 200
    address = nodes.secondary.address(one["path_with_namespace"])
    cloned = nodes.secondary.git(tmp_path, "clone", "--quiet", address, "last")
    assert cloned.returncode == 0, cloned.stderr
    assert (tmp_path / "last" / "fifth.txt").exists()
    pushed = nodes.secondary.git(tmp_path / "copy", "push", nodes.secondary.ssh_address("root/again"), "HEAD")
    assert "The primary cannot be reached" in pushed.stderr
    refused = nodes.secondary.ask("POST", f"/projects/{one['id']}/issues", title="too late")
    assert (refused.status, refused.headers["Retry-After"]) == (503, "10")
    assert refused.json == {"message": "503 Service Unavailable - the primary cannot be reached"}


def becomes_the_primary(nodes):
    nodes.primary.database.stop()
    nodes.secondary.server.kill()
    assert "--confirm" in nodes.secondary.run("geo", "promote").error
    promoted = nodes.secondary.run("geo", "promote", "--confirm")
    assert promoted.code == 0, promoted.err
    nodes.secondary.server.start()
    [node] = nodes.secondary.ask("GET", "/geo_nodes").json
    assert (node["url"], node["primary"], node["current"]) == (SECONDARY_URL, True, True)
    assert nodes.secondary.ask("POST", "/projects", name="after").status == 201
    assert nodes.secondary.run("geo", "promote").error == "This instance is no secondary: there is nothing to promote."
