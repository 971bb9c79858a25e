"""Clock, jobs, records, faults and settings in the hands of a test."""

import http.client
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mujina.testing.client import Mujina, RequestRefused
from mujina.testing.records import receive_delivery
from tests.testing.test_reset import WORLD, ssh_of


def test_the_clock_is_set_advanced_and_stopped(instance: Mujina):
    instance.clock.set("2031-02-03T04:05:06Z", frozen=True)
    issue = instance.request("POST", f"/projects/{_project(instance)}/issues", title="x")
    assert issue["created_at"] == "2031-02-03T04:05:06.000Z"
    instance.clock.advance(90)
    assert instance.request("PUT", "/projects/1/issues/1", title="y")["updated_at"] == "2031-02-03T04:06:36.000Z"
    instance.clock.reset()
    assert instance.clock.now < "2031"
    for wrong in ("tomorrow", "1969-12-31T23:59:59Z", "9000-01-01T00:00:00Z"):
        with pytest.raises(RequestRefused, match="the clock takes instants from 1970 to the end of 8999"):
            instance.clock.set(wrong)
    with pytest.raises(RequestRefused, match="from 1970 to the end of 8999"):
        instance.clock.advance(1e18)
    instance.clock.set("8999-12-31T23:59:58Z")
    assert instance.request("PUT", "/projects/1/issues/1", title="z")["updated_at"] > "8999"


def test_schedules_fire_with_the_clock(instance: Mujina):
    ids = instance.seed(WORLD)
    instance.clock.set("2040-01-01T00:00:00Z")
    member = {"user_id": ids.users["ann"].id, "access_level": 30, "expires_at": "2040-01-03"}
    instance.request("POST", "/projects/1/members", **member)
    instance.clock.advance(3 * 86_400)
    assert "expired" in instance.mails[-1]["text"]


def test_tokens_expire_with_the_clock(instance: Mujina):
    token = instance.request("POST", "/users/1/impersonation_tokens", name="x", scopes=["api"], expires_at="2040-01-02")
    assert instance.request("GET", "/user", token=token["token"])
    instance.clock.set("2040-01-02T00:00:01Z")
    with pytest.raises(RequestRefused, match="401"):
        instance.request("GET", "/user", token=token["token"])


def _project(instance: Mujina) -> int:
    return instance.request("POST", "/projects", name="x")["id"]


def test_hooks_are_recorded_without_a_receiver_inline_or_on_command(instance: Mujina):
    ids = instance.seed(WORLD)
    bob = ids.users["bob"].token
    instance.request("POST", "/projects/1/issues", title="First", token=bob)
    [delivery] = instance.deliveries
    assert (delivery["url"], delivery["headers"]["X-Gitlab-Token"]) == ("http://hooks.test/", "s3cret")
    assert delivery["body"]["object_attributes"]["title"] == "First"
    instance.configure(jobs="manual")
    instance.request("POST", "/projects/1/issues", title="Second", token=bob)
    assert len(instance.deliveries) == 1
    instance.run_jobs()
    assert [each["body"]["object_attributes"]["title"] for each in instance.deliveries] == ["First", "Second"]


def test_requests_are_recorded_with_their_actor(instance: Mujina):
    ids = instance.seed(WORLD)
    instance.request("POST", "/projects/team%2Fapp/issues?weight=1", title="x", token=ids.users["bob"].token)
    with pytest.raises(RequestRefused):
        instance.request("GET", "/user", token="wrong")
    assert [
        (each["method"], each["path"], each["query"], each["actor"], each["status"]) for each in instance.requests
    ] == [
        ("POST", "/api/v4/projects/team%2Fapp/issues", "weight=1", "bob", 201),
        ("GET", "/api/v4/user", "", None, 401),
    ]
    assert instance.requests[0]["body"] == '{"title": "x"}'


def test_mails_are_recorded(instance: Mujina):
    instance.seed(WORLD)
    instance.request("POST", "/projects/1/issues", title="Please look", assignee_ids=[2])
    [mail] = instance.mails
    assert "ann@example.com" in mail["to"]
    assert "Please look" in mail["subject"] + mail["text"]


def test_the_next_or_every_nth_request_fails(instance: Mujina):
    instance.fail("/api/v4/version", status=429, retry_after=7, times=1)
    connection = http.client.HTTPConnection(instance.url.removeprefix("http://"))
    connection.request("GET", "/api/v4/version", headers={"Private-Token": instance.token})
    response = connection.getresponse()
    assert (response.status, response.headers["Retry-After"]) == (429, "7")
    connection.close()
    assert instance.request("GET", "/version")
    instance.fail("/api/v4/us*", method="get", status=502, every=2)
    outcomes = []
    for _ in range(4):
        try:
            instance.request("GET", "/user")
            outcomes.append(200)
        except RequestRefused as error:
            outcomes.append(error.status)
    assert outcomes == [200, 502, 200, 502]
    instance.heal()
    assert instance.request("GET", "/user")


def test_a_connection_ends_half_way(instance: Mujina):
    instance.fail("/api/v4/projects", method="POST", close=True, times=1)
    with pytest.raises((http.client.HTTPException, ConnectionError)):
        instance.request("POST", "/projects", name="x")
    assert [project["name"] for project in instance.request("GET", "/projects")] == ["x"]


def test_the_instance_is_read_only_or_has_another_version_and_edition(instance: Mujina):
    instance.configure(read_only=True, version="17.1.2-ee", edition="core")
    with pytest.raises(RequestRefused, match="read-only"):
        instance.request("POST", "/projects", name="x")
    assert instance.request("GET", "/version")["version"] == "17.1.2-ee"
    for wrong in ({"version": "new"}, {"edition": "golden"}, {"jobs": "never"}, {"colour": 1}):
        with pytest.raises(RequestRefused, match="400"):
            instance.configure(**wrong)
    instance.reset()
    assert instance.request("GET", "/version")["version"] == "10.5.0-ee"
    _project(instance)


def test_a_read_only_instance_takes_no_push_over_ssh(instance: Mujina, tmp_path: Path):
    instance.seed(WORLD)
    ssh, host = ssh_of(instance, tmp_path / "key")
    git = ["git", "-c", f"core.sshCommand={shlex.join(ssh)}"]
    subprocess.run([*git, "clone", "-q", f"{host}:team/app.git", str(tmp_path / "app")], check=True)
    instance.configure(read_only=True)
    push = subprocess.run(
        [*git, "push", "-q", "origin", "HEAD:refs/heads/new"],
        cwd=tmp_path / "app",
        capture_output=True,
        text=True,
        check=False,
    )
    assert push.returncode != 0
    assert "read-only instance" in push.stderr
    subprocess.run([*git, "fetch", "-q"], cwd=tmp_path / "app", check=True)
    instance.configure(read_only=False)
    branches = instance.request("GET", "/projects/1/repository/branches")
    assert "new" not in [branch["name"] for branch in branches]


@pytest.mark.parametrize("fault", [{"delay": 0.01}, {"close": True}])
def test_a_read_only_instance_refuses_what_a_fault_delays_or_breaks_off(instance: Mujina, fault: dict[str, Any]):
    instance.configure(read_only=True)
    instance.fail("/api/v4/projects", times=1, **fault)
    with pytest.raises((RequestRefused, http.client.HTTPException, ConnectionError)):
        instance.request("POST", "/projects", name="x")
    assert instance.request("GET", "/projects") == []


def test_mails_keep_their_order_while_the_clock_stands_still_or_goes_back(instance: Mujina):
    instance.seed(WORLD)
    instance.clock.set("2031-02-03T04:05:06Z", frozen=True)
    for number in range(6):
        if number == 3:
            instance.clock.set("2030-02-03T04:05:06Z", frozen=True)
        instance.request("POST", "/projects/1/issues", title=f"Issue {number}", assignee_ids=[2])
    subjects = [mail["subject"] for mail in instance.mails]
    assert [subject[subject.index("Issue") :][:7] for subject in subjects] == [f"Issue {number}" for number in range(6)]


def test_only_reserved_names_need_no_receiver():
    for host in ("example.com", "a.example.org", "b.test"):
        assert receive_delivery(f"http://{host}/hook", {}, "{}") is not None
    for host in ("myexample.com", "notexample.org", "contest"):
        assert receive_delivery(f"http://{host}/hook", {}, "{}") is None


def test_parameters_of_a_get_are_its_query(instance: Mujina):
    for name in ("first", "second"):
        instance.request("POST", "/projects", name=name)
    assert [project["name"] for project in instance.request("GET", "/projects", search="sec", simple=True)] == [
        "second"
    ]
    found = instance.request("GET", "/projects?per_page=1", order_by="name", sort="asc")
    assert [project["name"] for project in found] == ["first"]
    assert "Testing mode" in Mujina(instance.url, instance.token)._send("GET", "/explore", {}, instance.token)


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ({}, "a fault needs"),
        ({"retry_after": 5}, "a fault needs"),
        ({"delay": 1, "retry_after": 5}, "needs `status`"),
        ({"status": 500, "close": True}, "not both"),
        ({"status": 429, "retry_after": -1}, "retry_after"),
        ({"status": 429, "retry_after": 10**30}, "retry_after"),
        ({"status": 500, "seen": -3}, "counted by the server"),
        ({"status": 500, "path": "api/v4"}, "`path` begins with"),
        ({"status": 500, "method": "x"}, "`method` matches none"),
    ],
)
def test_a_fault_that_would_not_happen_is_refused(instance: Mujina, fault: dict[str, Any], sentence: str):
    with pytest.raises(RequestRefused, match=sentence) as refused:
        instance.control("POST", "faults", **fault)
    assert refused.value.status == 400
    assert instance.control("GET", "faults") == []


@pytest.mark.parametrize("version", ["17.1.0-ee\n", "\u0661\u0667.1.0", "1" * 100 + ".1.0"])
def test_a_version_text_is_one_that_clients_can_read(instance: Mujina, version: str):
    with pytest.raises(RequestRefused, match="version"):
        instance.configure(version=version)
