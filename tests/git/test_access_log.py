"""Operators see git and sign-ins: a line and a metric for each fetch, push and SSH command, a warning for each failure."""

import json
import re
import subprocess

import pytest

from tests.git.forge import Forge
from tests.serve.wire import ask, eventually

ENGINES = ("sqlite",)
"""What is logged does not depend on the engine."""

PASSWORD = "correct horse battery"


@pytest.fixture
def lines(forge: Forge):
    """The log lines since the test began."""
    log = forge.server.data.with_suffix(".1.log")
    start = log.stat().st_size

    def read(**wanted):
        news = log.read_bytes()[start:].rpartition(b"\n")[0].decode().splitlines()  # the last one may not be complete
        events = [json.loads(line) for line in news if line.startswith("{")]
        return [event for event in events if wanted.items() <= event.items()]

    return read


def count(forge: Forge, **labels: str) -> float:
    _, _, text = ask(forge.server.url, "/-/metrics")
    for name, _, value in re.findall(r"^mujina_git_operations_total\{((.*?)\}) (\S+)$", text, re.MULTILINE):
        if all(f'{label}="{wanted}"' in name for label, wanted in labels.items()):
            return float(value)
    return 0.0


def test_fetches_and_pushes_over_http_are_logged_and_counted(forge: Forge, lines):
    pushed, fetched = (count(forge, operation=each, protocol="http", outcome="ok") for each in ("push", "fetch"))
    project, _ = forge.filled("watched")
    path = f"/{project['path_with_namespace']}.git"
    forge.copy(forge.url(path[1:], "reporter"))
    eventually(lambda: bool(lines(operation="fetch")))
    push, fetch = lines(operation="push")[-1], lines(operation="fetch")[-1]
    for line, user, service in ((push, "master", "git-receive-pack"), (fetch, "reporter", "git-upload-pack")):
        assert line["event"] == "request"
        assert (line["user"], line["address"], line["path"]) == (user, "127.0.0.1", f"{path}/{service}")
        assert (line["route"], line["status"], line["outcome"]) == (f":path.git/{service}", 200, "ok")
        assert line["bytes"] > 0
        assert line["bytes_received"] > 0
        assert line["seconds"] > 0
        assert line["request_id"]
    assert len(lines(operation="ls-refs", user="reporter")) == 1
    assert count(forge, operation="push", protocol="http", outcome="ok") == pushed + 1
    assert count(forge, operation="fetch", protocol="http", outcome="ok") == fetched + 1
    _, _, text = ask(forge.server.url, "/-/metrics")
    assert 'mujina_git_operation_seconds_count{operation="push",protocol="http"}' in text


def test_a_rejected_push_is_logged_as_such(forge: Forge, lines):
    project, copy = forge.filled("guarded")
    rejected = count(forge, operation="push", protocol="http", outcome="rejected")
    copy.commit("More")
    url = forge.url(f"{project['path_with_namespace']}.git", "developer")
    assert not copy.git("push", url, "master").ok  # the default branch is protected
    eventually(lambda: bool(lines(operation="push", user="developer")))
    assert lines(operation="push", user="developer")[-1]["outcome"] == "rejected"
    assert not copy.git("push", forge.url(f"{project['path_with_namespace']}.git", "guest"), "master").ok
    eventually(lambda: bool(lines(operation="advertise", user="guest")))
    assert lines(operation="advertise", user="guest")[-1]["status"] in (403, 404)
    assert count(forge, operation="push", protocol="http", outcome="rejected") == rejected + 1


def test_ssh_commands_are_logged_and_counted(forge: Forge, lines):
    project, copy = forge.filled("tunneled")
    path, strange = forge.folder / "logged-key", forge.folder / "unknown-key"
    for file in (path, strange):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(file)], check=True)
    user = forge.stage.roster.people["master"][0]
    forge.api("POST", f"/users/{user}/keys", title="log", key=path.with_suffix(".pub").read_text())
    options = "-F /dev/null -o BatchMode=yes -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o LogLevel=ERROR"
    ssh = f"ssh {options} -o UserKnownHostsFile={forge.folder / 'hosts'} -i"
    copy.commit("Over SSH")
    copy.do("push", project["ssh_url_to_repo"], "master", GIT_SSH_COMMAND=f"{ssh} {path}")
    copy.do("fetch", project["ssh_url_to_repo"], "master", GIT_SSH_COMMAND=f"{ssh} {path}")
    assert not copy.git("fetch", project["ssh_url_to_repo"], env={"GIT_SSH_COMMAND": f"{ssh} {strange}"}).ok
    port = project["ssh_url_to_repo"].split(":")[2].split("/")[0]
    subprocess.run(
        [*f"{ssh} {path}".split(), "-p", port, "git@127.0.0.1", "uname -a"], check=False, env=forge.environment
    )
    eventually(lambda: len(lines(event="ssh command")) == 3 and bool(lines(event="sign-in failed")))
    push, fetch, other = lines(event="ssh command")
    for line, operation in ((push, "push"), (fetch, "fetch")):
        assert (line["operation"], line["outcome"], line["status"]) == (operation, "ok", 0)
        assert (line["user"], line["address"]) == ("master", "127.0.0.1")
        assert line["path"].strip("/") == f"{project['path_with_namespace']}.git"
        assert line["bytes"] > 0
        assert line["bytes_received"] > 0
        assert line["request_id"]
        assert count(forge, operation=operation, protocol="ssh", outcome="ok") >= 1
    assert (other["outcome"], other["status"], other["route"]) == ("rejected", 1, "other")
    assert lines(event="sign-in failed")[0].items() >= {
        "level": "warning", "method": "ssh", "address": "127.0.0.1",
    }.items()  # fmt: skip


def test_failed_sign_ins_and_lockouts_are_warnings(forge: Forge, lines):
    path = f"/{forge.project('closed')['path_with_namespace']}.git/info/refs?service=git-upload-pack"
    forge.api("PUT", f"/users/{forge.stage.roster.people['reporter'][0]}", password=PASSWORD)
    for _ in range(10):
        assert forge.ask("GET", path, headers=forge.basic("reporter", "not-the-password")).status == 401
    assert forge.ask("GET", path, headers=forge.basic("reporter", PASSWORD)).status == 401
    assert forge.ask("GET", path, headers=forge.basic("typed-into-the-wrong-field", "x")).status == 401
    eventually(lambda: len(lines(event="sign-in failed")) == 12)
    failed = lines(event="sign-in failed")
    assert {line["level"] for line in failed} == {"warning"}
    assert {line["address"] for line in failed} == {"127.0.0.1"}
    assert [line["user"] for line in failed] == ["reporter"] * 11 + [None]
    assert [line["reason"] for line in failed][9:] == ["wrong name or password", "locked", "wrong name or password"]
    assert [(line["level"], line["user"]) for line in lines(event="account locked")] == [("warning", "reporter")]
    assert "typed-into-the-wrong-field" not in json.dumps(lines())
    assert all(line["request_id"] for line in failed)
