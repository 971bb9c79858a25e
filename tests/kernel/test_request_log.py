"""Every answer is counted; which are logged is the operator's choice."""

import json
from pathlib import Path

import pytest

from tests.harness.running import RunningServer
from tests.serve.wire import ask


@pytest.mark.parametrize("log_requests", ["false", "true"])
def test_requests_are_logged_where_the_operator_asks_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log_requests: str
):
    monkeypatch.setenv("MUJINA_LOG_REQUESTS", log_requests)
    server = RunningServer(tmp_path / "data", f"sqlite:///{tmp_path}/mujina.db")
    server.start()
    _, headers, _ = ask(server.url, f"/api/v4/user?private_token={server.token}")
    ask(server.url, "/api/v4/user", f"Private-Token: {server.token}", "X-Request-Id: chosen")
    server.stop()
    text = (tmp_path / "data.1.log").read_text()
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    if log_requests == "false":
        assert lines == []
    else:
        assert [line["request_id"] for line in lines] == [headers["x-request-id"], "chosen"]
        assert {(line["event"], line["method"], line["path"], line["status"]) for line in lines} == {
            ("request", "GET", "/api/v4/user", 200)
        }
        assert server.token not in text
