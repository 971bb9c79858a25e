"""The sweep finds what leaks: each test leaks on purpose, into canaries of its own or under the eyes of another run."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from mujina.kernel import secrets
from mujina.kernel.monitoring.logs import log
from tests.cli.command import mujina
from tests.harness.canaries import CANARIES, Canaries, secret_part
from tests.harness.client import Headers
from tests.harness.running import ROOT, RunningServer

SECRET = "a-secret-of-20-chars"


class Record(msgspec.Struct):
    """A line of the log of requests."""

    word: str


@pytest.fixture
def canaries() -> Canaries:
    found = Canaries()
    found.catch(SECRET, "credentials.impersonation")
    return found


def headers(**values: str) -> Headers:
    return Headers([(name.encode(), value.encode()) for name, value in values.items()])


@pytest.mark.parametrize(
    ("place", "answer"),
    [
        ("GET /api/v4/user .bio", ("/api/v4/user", headers(), b'{"bio": "see a-secret-of-20-chars"}')),
        ("GET /api/v4/users .name", ("/api/v4/users", headers(), b'[{"x": [{"name": "a-secret-of-20-chars"}]}]')),
        ("GET /api/v4/users a name", ("/api/v4/users", headers(), b'{"a-secret-of-20-chars": 1}')),
        ("GET /profile page", ("/profile", headers(), b"<p>a-secret-of-20-chars")),
        ("GET /api/v4/user link", ("/api/v4/user", headers(Link="</?private_token=a-secret-of-20-chars>"), b"[]")),
    ],
)
def test_a_secret_in_any_other_part_of_an_answer_is_a_leak(canaries, place, answer):
    canaries.sweep_answer("GET", *answer)
    assert canaries.settle() == [f"a secret of credentials.impersonation came out in: {place} (a-se…)"]


def test_a_secret_in_the_answer_that_is_ruled_to_tell_it_is_none(canaries):
    body = b'[{"token": "a-secret-of-20-chars"}]'
    canaries.sweep_answer("GET", "/api/v4/users/1/impersonation_tokens", headers(), body)
    assert canaries.settle() == []


def test_a_secret_is_looked_for_until_its_test_is_over_or_for_the_whole_run(canaries):
    canaries.keep()
    canaries.catch("another-secret", "a password")
    canaries.settle()
    canaries.sweep("log", b"another-secret a-secret-of-20-chars")
    assert canaries.settle() == ["a secret of credentials.impersonation came out in: log (a-se…)"]
    canaries.sweep_words("metrics", b'requests{path="/another-secret"} 1', b"/another-secret/:id")
    assert canaries.settle() == [], "a name of ours"
    canaries.sweep_words("metrics", b'requests{path="/another-secret"} 1', b"/milestones")
    assert canaries.settle() == ["a secret of any kind came out in: metrics (anot…)"]


def test_a_secret_among_many_is_found_until_its_test_is_over(canaries):
    early, late = ([f"{when}-secret-{number:03}" for number in range(300)] for when in ("early", "late"))
    for each in early:
        canaries.catch(each, "a password")
    canaries.keep()
    for each in late:
        canaries.catch(each, "a password")
    for secret in (SECRET, early[0], early[-1], late[0], late[-1]):
        canaries.sweep("log", f"early-secret-{secret}-late-secret-".encode())
        assert [leak[-7:] for leak in canaries.leaks] == [f"({secret[:4]}…)"]
        canaries.leaks.clear()
    canaries.settle()
    canaries.sweep("log", f"{late[0]} {early[0]}".encode())
    assert canaries.settle() == ["a secret of a password came out in: log (earl…)"]


def test_the_secret_of_a_url_is_its_password():
    assert secret_part("https://ada:hunter22@example.org/a.git") == "hunter22"
    assert secret_part("https://example.org/a.git") == ""


def test_responses_and_logs_of_this_process_are_searched(cast):
    made = cast.root.post(f"/users/{cast.guest.id}/impersonation_tokens", name="A", scopes=["api"]).json["token"]
    assert CANARIES.leaks == []
    cast.guest.post("/snippets", title="Look", file_name="x", content="x", description=made)
    log.info("seen", word=secrets.new_token())
    leaks = CANARIES.settle()
    assert len(leaks) == 2
    assert leaks[0].startswith("a secret of credentials.impersonation came out in: POST /api/v4/snippets .description")
    assert leaks[1].startswith("a secret of harness.test_canaries came out in: log")


def test_logs_after_a_command_with_a_log_of_its_own_are_searched(sqlite_url: str, tmp_path: Path):
    assert mujina("job", "drain", MUJINA_DATA=str(tmp_path), MUJINA_DATABASE_URL=sqlite_url).code == 0
    log.info("seen", word=secrets.new_token())
    log.write_records([Record(secrets.new_token())])
    leak = "a secret of harness.test_canaries came out in: log"
    assert [found.rpartition(" ")[0] for found in CANARIES.settle()] == [leak, leak]


def test_the_log_of_a_running_server_is_searched_for_its_secrets(tmp_path: Path):
    server = RunningServer(tmp_path / "data", "")
    server.starts = 1
    (tmp_path / "data.secrets").write_text('["a-secret-of-the-server", "web.application"]\n')
    (tmp_path / "data.1.log").write_text("GET /?cookie=a-secret-of-the-server\n")
    server.search_output()
    assert CANARIES.settle() == ["a secret of web.application came out in: server (a-se…)"]


def test_a_test_that_leaks_fails():
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", Path(__file__).with_name("leaking.py")],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 1
    assert "1 passed, 1 error" in ended.stdout
    assert "came out in: log" in ended.stdout
