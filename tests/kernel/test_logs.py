"""Logs: one event a line, the request id on each, and no secret in any."""

import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mujina.kernel.monitoring import logs
from tests.harness.watching import log_restored

SECRET = "s3cr3t-Value.x"


@pytest.fixture
def lines() -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """What was logged so far, line by line."""
    stream = io.StringIO()
    with log_restored():
        logging.getLogger().handlers.clear()
        logs.configure("json", "info", to=stream)
        yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    logs.unbind()


def test_a_line_tells_its_event_its_time_its_level_and_what_was_bound(lines: Callable[[], list[dict[str, Any]]]):
    logs.bind(request_id="abc")
    logs.log.info("hook delivered", hook=7)
    logs.log.debug("not at this level")
    [line] = lines()
    assert line.pop("timestamp").endswith("Z")
    assert line == {"event": "hook delivered", "hook": 7, "level": "info", "request_id": "abc"}


def test_people_read_the_time_the_level_the_event_its_fields_and_the_exception():
    stream = io.StringIO()
    with log_restored():
        logs.configure("console", "warning", to=stream)
        logs.log.info("not at this level")
        logs.log.warning("hook waits", hook=7, token=SECRET, exc_info=ValueError("no answer"))
    first, *rest = stream.getvalue().splitlines()
    assert first.partition(" ")[2] == "[warning] hook waits hook=7 token=[masked]"
    assert rest == ["ValueError: no answer"]


def test_a_text_of_several_lines_is_told_to_people_on_one():
    stream = io.StringIO()
    with log_restored():
        logs.configure("console", "info", to=stream)
        logs.log.info("received", title="one\n2026-01-01 [error  ] forged", color="\x1b[31m")
    (line,) = stream.getvalue().splitlines()
    assert line.endswith(r"received title='one\n2026-01-01 [error  ] forged' color='\x1b[31m'")


def test_text_that_is_no_unicode_is_told_as_far_as_it_is(lines: Callable[[], list[dict[str, Any]]]):
    logs.log.info("received", title="half a pair \ud800")
    assert lines()[0]["title"] == "half a pair ?"


def test_records_of_libraries_are_logged_like_ours(lines: Callable[[], list[dict[str, Any]]]):
    logging.getLogger("asyncio").error("lost connection to https://me:%s@host", SECRET)
    [line] = lines()
    assert line["logger"] == "asyncio"
    assert line["event"] == "lost connection to https://[masked]@host"


def test_an_exception_is_told_without_the_secrets_in_its_text(lines: Callable[[], list[dict[str, Any]]]):
    try:
        int(f"?private_token={SECRET}")
    except ValueError:
        logs.log.exception("request failed")
    [line] = lines()
    assert "?private_token=[masked]" in line["exception"]
    assert SECRET not in json.dumps(line)


@pytest.mark.parametrize(
    "value",
    [
        f"/api/v4/user?private_token={SECRET}",
        f"/api/v4/user?a=1&access_token={SECRET}&b=2",
        f"/api/v4/user?user[password]={SECRET}",
        f"/users?user%5Bpassword%5D={SECRET}",
        f"grant_type=password&password={SECRET}",
        f"Private-Token: {SECRET}",
        f"PRIVATE-TOKEN:{SECRET}",
        f"Authorization: Basic {SECRET}",
        f"authorization=Bearer {SECRET}".replace("=", " is "),
        f"X-Gitlab-Token: {SECRET}\r\nHost: x",
        f"Set-Cookie: session={SECRET}; path=/",
        f"postgresql://mujina:{SECRET}@db/mujina",
        f'{{"password": "quoted \\" {SECRET}", "name": "x"}}',
        f"{{'PRIVATE-TOKEN': '{SECRET}'}}",
        f"?private_token={SECRET}".encode(),
        {"private_token": SECRET},
        {"Private-Token": SECRET},
        {"headers": {"AUTHORIZATION": f"Bearer {SECRET}"}},
        {"params": [{"current_password": SECRET}]},
        {"root_token": SECRET.encode()},
        {"import_url": f"https://oauth2:{SECRET}@example.com/x.git"},
        {"tokens": [SECRET]},
        {"error": ValueError(f"token={SECRET}")},
    ],
)
def test_a_secret_is_masked_wherever_it_hides(value: object):
    assert SECRET not in json.dumps(logs.mask(value))


@pytest.mark.parametrize(
    "value",
    [
        "/api/v4/projects/1/issues?labels=bug&page=2",
        "a basic truth: nothing to hide",
        "https://example.com/path@version",
        {"tokens": 3, "password_set": True, "authorization": None},
    ],
)
def test_values_without_a_secret_stay_readable(value: object):
    assert logs.mask(value) == value


def test_masking_hostile_text_takes_time_in_proportion_to_its_length():
    for part in ("token", "token:'", 'token:"', "://", "bearer ", "password\\"):
        assert logs.mask(part * 20_000)
