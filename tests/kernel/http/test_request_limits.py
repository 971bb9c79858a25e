"""Limits of requests: off unless the operator sets them; counted by user, or by address without one, and shared by all workers."""

import asyncio
import base64
import socket
from email.utils import parsedate_to_datetime

import asyncssh
import pytest

from mujina.accounts.sessions.operations import delete_expired
from mujina.app import build, build_services
from mujina.git.ssh import SshServer
from mujina.kernel import clock
from mujina.kernel.permissions.actor import Actor
from mujina.settings import Settings
from tests.harness.browsers import browser_of
from tests.harness.client import Client, Raw

START = 1_800_000_000
"""The first second of a minute."""


@pytest.fixture
def moment():
    """The time of all processes, in seconds: a list of one number, which tests set."""
    now = [START + 1]
    clock.follow(lambda: now[0])
    yield now
    clock.follow(None)


@pytest.fixture
def limited(stage, database, loop, moment):
    """A worker of an operator who set these limits: `limited(max_searches=2)`."""

    def start(**limits):
        settings = Settings(
            data=stage.folder, jobs="inline", external_url="http://mujina.test", password_kilobytes=64,
            trusted_proxies=("127.0.0.0/8",), **limits,
        )  # fmt: skip
        return Client(build(build_services(settings, database)), loop)

    return start


def told(answer):
    """The headers that speak of limits, by the end of their names."""
    names = {name.removeprefix("ratelimit-"): value for name, value in answer.headers.items() if "ratelimit" in name}
    return names | ({"retry-after": answer.headers["Retry-After"]} if "Retry-After" in answer.headers else {})


def clone(client, place, *login, address="127.0.0.1"):
    basic = {"authorization": "Basic " + base64.b64encode(":".join(login).encode()).decode()} if login else {}
    raw = Raw(headers={**basic, "x-forwarded-for": address})
    return client.get(f"//{place.path}.git/info/refs?service=git-upload-pack", raw)


def test_without_limits_no_request_is_counted_and_no_header_speaks_of_limits(cast, client, browse):
    comment = f"/projects/{cast.private.id}/issues/{cast.open}/notes"
    answers = [
        cast.reporter.get("/projects"), cast.anonymous.get("/projects"), cast.anonymous.get("/user"),
        client.with_token("wrong").get("/projects"), cast.reporter.get("/search", scope="projects", search="priv"),
        cast.reporter.post(comment, body="Hello"), cast.reporter.get("/nonsense"), clone(client, cast.public),
        clone(client, cast.private), browse("reporter").open("/search?search=priv"), browse("anonymous").open("/"),
        client.get("//-/health"), client.post("/jobs/request", token="x"),
    ]  # fmt: skip
    assert {answer.status for answer in answers} >= {200, 201, 401, 403, 404}
    assert [told(answer) for answer in answers] == [{}] * len(answers)
    assert cast.value("SELECT count(*) FROM limit_counters") == 0


def test_requests_of_a_user_are_counted_down_refused_and_begun_again_after_a_minute(cast, limited, moment):
    worker, twin = (limited(max_api_requests=3).with_token(cast.reporter.token) for _ in range(2))
    seen = []
    for client in (worker, twin, worker):
        answer = client.get("/user")
        assert answer.status == 200
        seen.append([told(answer)[name] for name in ("limit", "observed", "remaining", "name")])
    assert seen == [["3", "1", "2", "api"], ["3", "2", "1", "api"], ["3", "3", "0", "api"]]
    moment[0] += 10
    refused = twin.get("/user")
    assert refused.status == 429
    assert refused.json == {"message": "429 Too Many Requests - too many requests of the API, please try again later"}
    said = told(refused)
    assert parsedate_to_datetime(said.pop("resettime")).timestamp() == START + 60
    assert said == {
        "limit": "3", "observed": "4", "remaining": "0", "reset": str(START + 60), "name": "api", "retry-after": "49",
    }  # fmt: skip
    assert worker.with_token(cast.guest.token).get("/user").status == 200
    assert worker.with_token(None).get("/projects").status == 200
    moment[0] = START + 60
    assert told(worker.get("/user"))["remaining"] == "2"


def test_errors_count_and_say_so(cast, limited):
    client = limited(max_api_requests=5).with_token(cast.reporter.token)
    answers = [
        client.get("/projects/0"),
        client.get("/users", per_page="x"),
        client.get("/hooks"),
        client.head("/user"),
    ]
    assert [answer.status for answer in answers] == [404, 400, 403, 200]
    assert [told(answer)["observed"] for answer in answers] == ["1", "2", "3", "4"]


def test_requests_without_a_valid_credential_are_counted_by_address(cast, limited):
    client = limited(max_anonymous_api_requests=2)
    from_one, from_other = (Raw(headers={"x-forwarded-for": address}) for address in ("192.0.2.1", "192.0.2.2"))
    assert client.get("/projects", from_one).status == 200
    assert client.with_token("guessed").get("/projects", from_one).status == 401
    for guess in (None, "guessed"):
        answer = client.with_token(guess).get("/projects", from_one)
        assert (answer.status, told(answer)["limit"]) == (429, "2")
    assert client.get("/projects", from_other).status == 200
    mine = client.with_token(cast.reporter.token).get("/projects", from_one)
    assert (mine.status, told(mine)) == (200, {})
    networks = [Raw(headers={"x-forwarded-for": f"2001:db8::{number}"}) for number in range(1, 4)]
    assert [client.get("/projects", network).status for network in networks] == [200, 200, 429]


def test_each_request_counts_for_the_narrowest_limit_that_is_set(cast, limited):
    client = limited(max_api_requests=100, max_searches=1, max_raw_files=1, max_notes=1).with_token(cast.reporter.token)
    project = f"/projects/{cast.private.id}"
    for ask, name in (
        (lambda: client.get("/search", scope="projects", search="priv"), "search"),
        (lambda: client.get(f"{project}/search", scope="issues", search="priv"), "search"),
        (lambda: client.get(f"{project}/repository/blobs/{'0' * 40}/raw"), "raw"),
        (lambda: client.post(f"{project}/issues/{cast.open}/notes", body="One"), "notes"),
        (lambda: client.post(f"{project}/issues/{cast.open}/discussions", body="Two"), "notes"),
        (lambda: client.post(f"{project}/repository/commits/master/comments", note="Three"), "notes"),
        (lambda: client.get(f"{project}/issues/{cast.open}/notes"), "api"),
    ):
        assert told(ask())["name"] == name
    statuses = [
        client.get(f"{project}/search", scope="issues", search="priv").status,
        client.get(f"{project}/repository/files/README/raw", ref="master").status,
        client.post(f"{project}/issues/{cast.open}/notes", body="Four").status,
        client.get(f"{project}/issues/{cast.open}/notes").status,
    ]
    assert statuses == [429, 429, 429, 200]
    assert [note["body"] for note in client.get(f"{project}/issues/{cast.open}/notes").json] == ["One"]


def test_pages_share_the_limits_of_searches_raw_files_and_comments(cast, limited, database):
    client = limited(max_searches=1, max_anonymous_searches=1, max_notes=1, max_api_requests=1)
    page = browser_of(cast.reporter, database, client)
    assert client.with_token(cast.reporter.token).get("/search", scope="projects", search="priv").status == 200
    refused = page.open("/search?search=priv")
    assert refused.status == 429
    assert "Too many requests" in refused.text
    assert told(refused)["name"] == "search"
    assert [browser_of(cast.anonymous, database, client).open("/search?search=x").status for _ in range(2)] == [
        200,
        429,
    ]
    issue = f"/{cast.private.path}/issues/{cast.open}"
    for status, text in ((303, "First words"), (429, "Second words")):
        assert told(page.open(issue)) == {}
        answer = page.send(f"{issue}/notes", body=text)
        assert (answer.status, told(answer)["name"]) == (status, "notes")
    assert "Second words" in answer.text, "what was written is shown again"


def test_git_counts_what_it_answers_and_not_its_first_question_without_a_credential(cast, limited):
    client = limited(max_git_requests=2, max_anonymous_git_requests=1)
    token = ("x", cast.reporter.token)
    assert {clone(client, cast.private).status for _ in range(3)} == {401}
    answers = [clone(client, cast.private, *token) for _ in range(3)]
    assert [answer.status for answer in answers] == [200, 200, 429]
    assert answers[2].text == "too many requests of git, please try again later\n"
    assert [told(answer)["remaining"] for answer in answers] == ["1", "0", "0"]
    assert told(answers[2])["retry-after"] == "59"
    assert [clone(client, cast.public).status for _ in range(2)] == [200, 429]
    assert clone(client, cast.public, address="192.0.2.9").status == 200
    login = {"authorization": "Basic " + base64.b64encode(":".join(token).encode()).decode()}
    locks = client.get(f"//{cast.private.path}.git/info/lfs/locks", Raw(headers=login))
    assert (locks.status, locks.json["message"]) == (429, "too many requests of git, please try again later")


def test_runners_health_checks_and_chat_servers_are_not_counted(cast, limited):
    client = limited(max_api_requests=1, max_anonymous_api_requests=1)
    chat = f"/projects/{cast.private.id}/services/slack_slash_commands/trigger"
    for _ in range(2):
        for answer in (
            client.post("/jobs/request", token="x"), client.patch("/jobs/1/trace"), client.put("/jobs/1", token="x"),
            client.post("/runners/verify", token="x"), client.get("//-/health"), client.post(chat, token="x"),
        ):  # fmt: skip
            assert (answer.status == 429, told(answer)) == (False, {})


def test_counters_are_deleted_after_a_day(cast, limited, moment):
    limited(max_api_requests=1).with_token(cast.reporter.token).get("/user")
    rows = "SELECT count(*) FROM limit_counters"
    assert cast.value(rows) == 1
    for passed, left in ((86_000, 1), (86_500, 0)):
        moment[0] = START + passed
        cast.transact(delete_expired)
        assert cast.value(rows) == left


@pytest.mark.commits
def test_commands_over_ssh_count_too(stage, database, cast, moment):
    key, listener = asyncssh.generate_private_key("ssh-ed25519"), socket.create_server(("127.0.0.1", 0))

    async def story():
        async def reporter(*_):
            return Actor(id=cast.reporter.id, username="reporter")

        services = build_services(Settings(data=stage.folder, max_git_requests=1), database)
        door = SshServer(services, listener, reporter)
        running = asyncio.create_task(door.run())
        async with asyncssh.connect(
            *listener.getsockname(), username="git", client_keys=[key], known_hosts=None, config=[]
        ) as line:
            ended = [await line.run(f"git-upload-pack {cast.private.path}", input="0000") for _ in range(2)]
        door.stop()
        await running
        return [(each.exit_status, each.stderr) for each in ended]

    assert stage.loop.run_until_complete(story()) == [
        (0, ""), (1, "too many requests of git, please try again later\n"),
    ]  # fmt: skip
