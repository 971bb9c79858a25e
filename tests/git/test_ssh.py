"""Git over SSH: people by their keys, and nothing but git."""

import asyncio
import json
import random
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import asyncssh
import pytest

from mujina.app import build_services
from mujina.git.ssh import SshServer
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.secrets import digest
from mujina.settings import Settings
from tests.git import wire
from tests.git.forge import opened
from tests.harness.ports import free_port

ENGINES = ("sqlite",)
"""SSH is the same on both; `test_first_push.py` pushes over it on PostgreSQL."""


@pytest.fixture(scope="module")
def keys(forge):
    """A key of each of these people; the stranger's is known to nobody."""
    people = ("master", "developer", "reporter", "guest", "blocked", "stranger")
    for who in people:
        path = forge.folder / f"key-{who}"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
        if who != "stranger":
            forge.api("POST", f"/users/{forge.stage.roster.people[who][0]}/keys", title=who,
                      key=path.with_suffix(".pub").read_text())  # fmt: skip
    return {who: forge.folder / f"key-{who}" for who in people}


@pytest.fixture(scope="module")
def private(forge):
    return forge.filled("tunnelled")


@pytest.fixture
def ssh(forge, keys, private):
    """How somebody calls ssh, as the words of a command."""
    port = private[0]["ssh_url_to_repo"].split(":")[2].split("/")[0]

    def words(who, *more, user="git"):
        options = ("BatchMode=yes", "IdentitiesOnly=yes", "StrictHostKeyChecking=no", "LogLevel=ERROR",
                   f"UserKnownHostsFile={forge.folder / 'known_hosts'}")  # fmt: skip
        said = [word for option in options for word in ("-o", option)]
        return ["ssh", "-F", "/dev/null", "-i", str(keys[who]), "-p", port, *said, *more, f"{user}@127.0.0.1"]

    return words


@pytest.fixture
def as_(ssh):
    """The environment in which git goes through ssh as somebody."""
    return lambda who: {"GIT_SSH_COMMAND": " ".join(ssh(who)[:-1])}


def call(words, *command):
    return subprocess.run([*words, *command], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


@pytest.mark.parametrize("version", ["0", "2"])
def test_a_clone_and_a_push(forge, private, as_, version):
    project, _ = private
    copy = forge.copy()
    copy.do("remote", "add", "origin", project["ssh_url_to_repo"])
    copy.do("-c", f"protocol.version={version}", "fetch", "-q", "origin", **as_("developer"))
    copy.do("checkout", "-q", "-b", f"over-ssh-{version}", "origin/master")
    tip = copy.commit(f"Over SSH {version}")
    copy.do("push", "-q", "origin", "HEAD", **as_("developer"))
    assert forge.refs(project)[f"refs/heads/over-ssh-{version}"] == tip
    assert forge.events(project)[-1] == {f"refs/heads/over-ssh-{version}": ["0" * 40, tip]}


def test_an_archive_is_made_for_users_who_may_read(forge, private, as_):
    project, copy = private
    asked = ("archive", f"--remote={project['ssh_url_to_repo']}", "--format=tar", "master", "README")
    assert "README" in copy.do(*asked, **as_("reporter"))
    assert "You are not allowed to download code from this project." in copy.git(*asked, env=as_("guest"))


def test_ssh_refuses_what_http_refuses_in_the_same_words(forge, private, as_):
    project, copy = private
    copy.commit("More")
    url = project["ssh_url_to_repo"]
    said = copy.git("push", url, "master", env=as_("developer"))
    assert "You are not allowed to push code to protected branches on this project." in said
    said = copy.git("push", url, "HEAD:x", env=as_("reporter"))
    assert "You are not allowed to push code to this project." in said
    said = copy.git("push", url, "HEAD:x", env=as_("guest"))
    assert "You are not allowed to push code to this project." in said
    said = copy.git("fetch", url, env=as_("guest"))
    assert "You are not allowed to download code from this project." in said
    said = copy.git("fetch", url.replace("tunnelled", "missing"), env=as_("reporter"))
    assert "The project you were looking for could not be found." in said
    forge.api("PUT", "/application/settings", enabled_git_access_protocol="http")
    assert "Git access over SSH is not allowed" in copy.git("fetch", url, env=as_("reporter"))
    forge.api("PUT", "/application/settings", enabled_git_access_protocol="")


def test_the_members_of_a_group_that_a_group_above_is_shared_with_come_in_at_every_entry_point(forge, keys, as_):
    project, copy = forge.filled("opened")
    band = forge.api("POST", "/groups", name="Choir", path="choir")["id"]
    outsider = forge.api("POST", "/users", name="O", username="o2", email="o2@example.org", password="horse-battery",
                         skip_confirmation=True)  # fmt: skip
    forge.api("POST", f"/groups/{band}/members", user_id=outsider["id"], access_level=40)
    forge.api("POST", f"/users/{outsider['id']}/keys", title="o2", key=keys["stranger"].with_suffix(".pub").read_text())
    login = forge.basic("o2", "horse-battery")
    batch = json.dumps({"operation": "upload", "objects": [{"oid": "0" * 64, "size": 1}]}).encode()

    def entry_points():
        path = f"/{project['path_with_namespace']}.git"
        refs = [
            forge.ask("GET", f"{path}/info/refs?service=git-{service}", headers=login).status
            for service in ("upload-pack", "receive-pack")
        ]
        large = forge.ask("POST", f"{path}/info/lfs/objects/batch", batch, login).status
        return [*refs, large, copy.git("fetch", project["ssh_url_to_repo"], env=as_("stranger")).ok]

    assert entry_points() == [404, 404, 404, False]
    company = forge.stage.roster.places["company"].id
    forge.api("POST", f"/groups/{company}/share", group_id=band, group_access=20)
    assert entry_points() == [200, 403, 403, True]
    forge.api("DELETE", f"/groups/{company}/share/{band}")
    forge.api("POST", f"/groups/{company}/share", group_id=band, group_access=30)
    assert entry_points() == [200, 200, 200, True]
    forge.api("DELETE", f"/groups/{company}/share/{band}")
    assert entry_points() == [404, 404, 404, False]
    forge.api("DELETE", f"/users/{outsider['id']}")


def test_without_a_command_people_are_greeted(ssh):
    greeted = call(ssh("developer", "-T"))
    assert (greeted.returncode, greeted.stdout) == (0, "Welcome to Mujina, @developer!\n")


@pytest.mark.parametrize("who", ["stranger", "blocked"])
def test_an_unknown_key_and_a_blocked_person_do_not_come_in(ssh, who):
    refused = call(ssh(who, "-T"))
    assert refused.returncode == 255
    assert "Permission denied" in refused.stderr


def test_a_key_that_has_expired_opens_nothing(forge, ssh, deploy):
    for who in ("developer", "deploy"):
        title = "robot" if who == "deploy" else who
        assert call(ssh(who, "-T")).returncode == 0
        forge.values("UPDATE ssh_keys SET expires_at = '2001-01-01T00:00:00.000Z' WHERE title = :title", title=title)
        assert call(ssh(who, "-T")).returncode == 255
        forge.values("UPDATE ssh_keys SET expires_at = NULL WHERE title = :title", title=title)
    forge.api("DELETE", deploy)


def test_a_connection_that_is_kept_opens_no_more_than_its_key_does(forge, keys, private):
    """Clients keep connections for hours: each command on one is asked anew whose key it came in by."""
    project, _ = private
    port = int(project["ssh_url_to_repo"].split(":")[2].split("/")[0])
    user = f"/users/{forge.stage.roster.people['reporter'][0]}"

    async def use():
        async with asyncssh.connect(
            "127.0.0.1", port, username="git", client_keys=[str(keys["reporter"])], known_hosts=None, config=[]
        ) as line:
            codes = []
            for verb, path in (("GET", ""), ("POST", "/block"), ("POST", "/unblock")):
                await asyncio.to_thread(forge.api, verb, f"{user}{path}")
                done = await line.run(f"git-lfs-authenticate {project['path_with_namespace']}.git download")
                codes.append((done.exit_status, "no longer accepted" in str(done.stderr)))
            return codes

    assert asyncio.run(use()) == [(0, False), (1, True), (0, False)]


def test_there_is_only_one_user(ssh):
    assert call(ssh("developer", "-T", user="root")).returncode == 255


@pytest.mark.parametrize(
    "command",
    [
        "sh", "ls /", "git-upload-archive", "git-upload-pack",
        "git-upload-pack a b", "git-upload-pack --help", "git-shell", "git-upload-pack 'x'; id", "scp -f /etc/passwd",
        "git-upload-pack '../../etc'", "git-upload-pack 'unclosed", "git-upload-pack /etc", "git-upload-pack 4",
        "git-lfs-authenticate company/department/team/tunnelled.git", "git upload-pack x",
    ],
)  # fmt: skip
def test_other_commands_are_refused(ssh, command):
    refused = call(ssh("master"), command)
    assert refused.returncode == 1
    assert refused.stdout == ""


def test_a_user_gets_new_recovery_codes_with_their_key(forge, ssh):
    reporter = forge.stage.roster.people["reporter"][0]

    def ask(said):
        words = [*ssh("reporter"), "2fa_recovery_codes"]
        return subprocess.run(words, input=said, capture_output=True, text=True, check=False)

    assert ask("yes\n").stderr == "Two-factor authentication is not on for your account.\n"
    forge.values("UPDATE users SET two_factor_enabled = TRUE WHERE id = :id", id=reporter)
    assert "stay as they are" in ask("no\n").stdout
    assert "stay as they are" in ask("").stdout
    codes = ask("yes\n").stdout.split("\n\n")[1].split()
    count = "SELECT count(*) FROM recovery_codes WHERE user_id = :id"
    assert (len(set(codes)), forge.values(count, id=reporter)) == (10, [10])
    assert forge.values("SELECT count(*) FROM recovery_codes WHERE digest = :it", it=digest(codes[0])) == [1]
    forge.values("UPDATE users SET two_factor_enabled = FALSE WHERE id = :id", id=reporter)


def test_no_files_no_tunnels_no_terminal(ssh):
    assert call(ssh("master", "-s"), "sftp").returncode == 255
    assert call(ssh("master", "-W", "127.0.0.1:22")).returncode == 255
    assert "terminal" not in call(ssh("master", "-tt"), "sh").stdout


def test_the_oldest_unauthenticated_connection_makes_room_for_a_new_one(ssh):
    port = int(ssh("reporter")[6])
    with ExitStack() as crowd:
        lines = [crowd.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(101)]
        while lines[0].recv(4096):
            pass
        assert lines[-1].recv(4096).startswith(b"SSH-2.0-")
        assert call(ssh("reporter", "-T")).stdout == "Welcome to Mujina, @reporter!\n"


def test_a_port_that_is_taken_leaves_http_alone(one_stage, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with opened(one_stage, tmp_path, "--ssh-port", str(port)) as other:
            assert other.api("GET", "/version")
            log = other.server.data.with_suffix(".1.log").read_text()
    assert f"Git over SSH is not served. Port {port} on 127.0.0.1 is already in use" in log
    assert "--ssh-port" in log


def test_one_of_two_servers_that_start_at_once_gets_the_port(one_stage, tmp_path):
    address = ("127.0.0.1", free_port())
    with ExitStack() as servers, ThreadPoolExecutor() as crowd:

        def start(workers):
            (folder := tmp_path / workers).mkdir()
            flags = ("--ssh-port", str(address[1]), "--workers", workers)
            return servers.enter_context(opened(one_stage, folder, *flags))

        forges = list(crowd.map(start, ("1", "2")))
        assert all(forge.api("GET", "/version") for forge in forges)
        logs = [forge.server.data.with_suffix(".1.log").read_text() for forge in forges]
        assert sorted("Git over SSH is not served." in log for log in logs) == [False, True]
        assert "Traceback" not in "".join(logs)
        with socket.create_connection(address) as line:
            assert line.recv(8) == b"SSH-2.0-"


def test_the_host_key_is_for_its_owner_and_stays_the_same(forge, private, ssh):
    key = forge.server.data / "secrets" / "ssh_host_ed25519_key"
    assert key.stat().st_mode & 0o777 == 0o600


def test_large_files_go_over_http_with_a_credential_from_ssh(forge, ssh, private):
    path = private[0]["path_with_namespace"]
    given = call(ssh("developer"), f"git-lfs-authenticate {path}.git upload")
    said = json.loads(given.stdout)
    assert said["href"] == f"{forge.server.url}/{path}.git/info/lfs"
    assert said["expires_in"] == 1800
    assert lfs_batch(forge, path, said, "upload") == 200
    other = forge.project("elsewhere")["path_with_namespace"]
    assert lfs_batch(forge, other, said, "download") == 404
    reading = json.loads(call(ssh("reporter"), f"git-lfs-authenticate {path} download").stdout)
    assert lfs_batch(forge, path, reading, "download") == 200
    assert lfs_batch(forge, path, reading, "upload") == 403
    assert forge.ask("GET", f"/{path}.git/info/refs?service=git-upload-pack", headers=said["header"]).status == 401
    refused = call(ssh("reporter"), f"git-lfs-authenticate {path}.git upload")
    assert (refused.returncode, refused.stdout) == (1, "")


def lfs_batch(forge, path, login, operation):
    wanted = json.dumps({"operation": operation, "objects": [{"oid": "0" * 64, "size": 1}]}).encode()
    return forge.ask("POST", f"/{path}.git/info/lfs/objects/batch", wanted, login["header"]).status


@pytest.fixture
def deploy(forge, private, keys):
    """The path of a new deploy key of the project, known as `deploy`, that may read."""
    path = forge.folder / f"key-deploy-{len(list(forge.folder.glob('key-deploy-*')))}"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    keys["deploy"] = path
    here = f"/projects/{private[0]['id']}/deploy_keys"
    key = forge.api("POST", here, title="robot", key=path.with_suffix(".pub").read_text(), can_push=False)
    return f"{here}/{key['id']}"


def test_a_deploy_key_opens_its_project_and_no_other(forge, private, as_, deploy, ssh):
    project, copy = private
    assert call(ssh("deploy", "-T")).stdout == "Welcome to Mujina, Anonymous!\n"
    copy.do("fetch", "-q", project["ssh_url_to_repo"], **as_("deploy"))
    other = forge.filled("closed-to-keys")[0]["ssh_url_to_repo"]
    assert "could not be found" in copy.git("fetch", other, env=as_("deploy"))
    tip = copy.commit("By a robot")
    assert "not allowed to push code" in copy.git("push", project["ssh_url_to_repo"], "master", env=as_("deploy"))
    forge.api("PUT", deploy, can_push=True)
    copy.do("push", "-q", project["ssh_url_to_repo"], "master", **as_("deploy"))
    assert forge.refs(project)["refs/heads/master"] == tip
    assert "You can only push" in copy.git("push", project["ssh_url_to_repo"], "HEAD:refs/x/y", env=as_("deploy"))
    forge.api("PUT", f"/projects/{project['id']}", path="moved-away")
    copy.do("fetch", "-q", project["ssh_url_to_repo"], **as_("deploy"))
    forge.api("PUT", f"/projects/{project['id']}", path=project["path"])
    missing = project["ssh_url_to_repo"].replace("tunnelled", "not-made-by-a-robot")
    assert "could not be found" in copy.git("push", missing, "master", env=as_("deploy"))
    forge.api("DELETE", deploy)
    assert call(ssh("deploy", "-T")).returncode == 255


def test_a_deploy_key_brings_large_files_and_locks_none(forge, private, as_, deploy, ssh):
    project, _ = private
    forge.api("PUT", deploy, can_push=True)
    path = project["path_with_namespace"]
    clone = forge.copy()
    clone.do("remote", "add", "origin", project["ssh_url_to_repo"])
    clone.do("fetch", "-q", "origin", **as_("deploy"))
    clone.do("checkout", "-q", "-b", "deployed", "origin/master")
    clone.do("lfs", "install", "--local")
    clone.do("lfs", "track", "*.dat")
    clone.commit("Large", **{"large.dat": "large " * 1000})
    assert "LFS objects are missing" in clone.git("push", "--no-verify", "origin", "HEAD", env=as_("deploy"))
    clone.do("push", "-q", "origin", "HEAD", **as_("deploy"))
    login = json.loads(call(ssh("deploy"), f"git-lfs-authenticate {path}.git upload").stdout)
    lock = forge.ask("POST", f"/{path}.git/info/lfs/locks", b'{"path": "x"}', login["header"])
    assert lock.status == 403
    forge.api("DELETE", deploy)
    assert lfs_batch(forge, path, login, "download") == 404


@pytest.mark.parametrize("cut", ["killed", "closed", "stdin"])
def test_a_push_cut_in_the_middle_leaves_nothing(forge, ssh, cut):
    made, copy = forge.filled(f"cut-over-ssh-{cut}")
    repository = forge.repository(made)
    before = forge.refs(made), repository.do("count-objects", "-v")
    copy.write("noise.bin", random.Random(7).randbytes(2_000_000))
    tip = copy.commit("Large")
    body = wire.request(f"{wire.ZERO} {tip} refs/heads/cut", pack=wire.pack_of(copy, tip))
    quarantines = repository.folder / "objects"
    for _ in range(6):
        words = [*ssh("master"), f"git-receive-pack {made['path_with_namespace']}.git"]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as client:
            assert client.stdin
            client.stdin.write(body[: len(body) // 2])
            client.stdin.flush()
            wait_until(lambda: list(quarantines.glob("tmp_objdir*/pack/*")))
            if cut == "stdin":
                client.stdin.close()
            elif cut == "closed":
                client.terminate()
            else:
                client.kill()
            client.stdout.read()
        wait_until(lambda: not receivers(repository.folder))
        assert list(quarantines.glob("tmp_objdir*")) == []
    assert (forge.refs(made), repository.do("count-objects", "-v")) == before
    assert len(forge.events(made)) == 1


def receivers(folder):
    """The processes of git in this repository."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "cwd").readlink() == folder and b"git" in (process / "cmdline").read_bytes():
                found.append(process.name)
    return found


def wait_until(happened):
    while not happened():
        time.sleep(0.02)


def test_git_lfs_itself_works_over_ssh(forge, private, as_):
    project, _ = private
    copy = forge.copy()
    copy.do("remote", "add", "origin", project["ssh_url_to_repo"])
    copy.do("lfs", "install", "--local")
    copy.do("lfs", "track", "*.bin")
    copy.write("large.bin", "large" * 100)
    copy.commit("Add a large file", other="x")
    copy.do("push", "-q", "origin", "HEAD:heavy", **as_("developer"))
    clone = forge.copy()
    clone.do("remote", "add", "origin", project["ssh_url_to_repo"])
    clone.do("lfs", "install", "--local")
    clone.do("fetch", "-q", "origin", "heavy", **as_("reporter"))
    clone.do("checkout", "-q", "FETCH_HEAD", **as_("reporter"))
    assert (clone.folder / "large.bin").read_text() == "large" * 100


def test_a_handshake_that_stalls_is_closed(monkeypatch, one_stage, tmp_path):
    monkeypatch.setenv("MUJINA_HEADER_SECONDS", "1")
    with opened(one_stage, tmp_path) as forge:
        address = forge.project("slow")["ssh_url_to_repo"].split("@")[1].split("/")[0]
        host, port = address.split(":")
        with socket.create_connection((host, int(port))) as line:
            line.sendall(b"SSH-2.0-slow\r\n")
            while line.recv(4096):
                pass


@pytest.mark.commits
def test_a_server_that_stops_lets_commands_end_and_begins_none(stage, database, cast):
    """Also not on connections that are kept."""
    key, listener = asyncssh.generate_private_key("ssh-ed25519"), socket.create_server(("127.0.0.1", 0))

    async def story():
        async def master(*_):
            return Actor(id=cast.master.id, username="master")

        door = SshServer(build_services(Settings(data=stage.folder), database), listener, master)
        running = asyncio.create_task(door.run())
        async with asyncssh.connect(
            *listener.getsockname(), username="git", client_keys=[key], known_hosts=None, config=[]
        ) as line:
            begun = await line.create_process(f"git-upload-pack {cast.private.path}")
            first = await begun.stdout.read(4)
            door.stop()
            late = await line.run()
            assert not running.done()
            begun.stdin.write("0000")
            await running
            return first != "", (await begun.wait()).exit_status, late.exit_status, late.stderr

    said = "The server is about to stop. Please try again in a moment.\n"
    assert stage.loop.run_until_complete(story()) == (True, 0, 1, said)


@pytest.mark.commits
@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_more_connections_than_a_process_may_have_are_closed_at_once(stage, database, cast):
    key, listener = asyncssh.generate_private_key("ssh-ed25519"), socket.create_server(("127.0.0.1", 0))

    async def story():
        async def master(*_):
            return Actor(id=cast.master.id, username="master")

        door = SshServer(build_services(Settings(data=stage.folder), database), listener, master, max_connections=2)
        running = asyncio.create_task(door.run())

        def connect():
            return asyncssh.connect(
                *listener.getsockname(), username="git", client_keys=[key], known_hosts=None, config=[]
            )

        async with connect() as first:
            async with connect():
                with pytest.raises((asyncssh.ConnectionLost, OSError)):
                    await connect()
            async with connect() as another:
                welcomes = [(await each.run()).stdout for each in (first, another)]
        door.stop()
        await running
        return welcomes

    assert stage.loop.run_until_complete(story()) == ["Welcome to Mujina, @master!\n"] * 2


def test_git_says_that_a_repository_is_missing_and_does_not_make_it_anew(forge, as_):
    made, copy = forge.filled("missing")
    place = forge.repository(made).folder
    away = place.with_suffix(".away")
    place.rename(away)
    sentence = "The repository of this project is missing from the server's storage. Please tell an administrator."
    copy.commit("More", more="x")
    for address in (forge.url(f"{made['path_with_namespace']}.git", "master"), made["ssh_url_to_repo"]):
        for words in (("ls-remote", address), ("fetch", address), ("push", address, "HEAD:master")):
            said = copy.git(*words, env=as_("master"))
            assert (said.ok, sentence in said) == (False, True), (words, said)
    reply = forge.ask(
        "GET", f"/{made['path_with_namespace']}.git/info/refs?service=git-upload-pack", None, forge.basic("master")
    )
    assert (reply.status, reply.headers["Retry-After"], place.exists()) == (503, "60", False)
    away.rename(place)
    copy.do("push", "-q", "origin", "HEAD:master")
