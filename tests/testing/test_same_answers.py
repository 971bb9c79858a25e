"""Without faults, the testing mode answers as the normal one does.

`python -m tests.transcript record --testing` compares thousands of exchanges; here are those that build a world, and a
look at everything in it.
"""

from pathlib import Path
from typing import Any

import pytest

from tests.harness.running import RunningServer
from tests.transcript.compare import differences
from tests.transcript.recorder import Recorder
from tests.transcript.routes import read_routes
from tests.transcript.server import PASSWORD, TOKEN
from tests.transcript.walk import Walk
from tests.transcript.world import build_world

SETTINGS = {
    "MUJINA_JOBS": "inline", "MUJINA_ROOT_TOKEN": TOKEN, "MUJINA_ROOT_PASSWORD": PASSWORD,
    "MUJINA_OUTBOUND_ALLOW": "127.0.0.1", "MUJINA_DATABASE_URL": "",
}  # fmt: skip


OF_THE_PROCESS = ("GET /sidekiq/", "GET /geo_nodes")
"""Routes that answer with figures of the process and the time at which they were measured."""


@pytest.mark.long(12)
def test_the_testing_mode_answers_as_the_normal_one(tmp_path: Path):
    normal, testing = (_exchanges(tmp_path / name, *flags) for name, *flags in (["normal"], ["testing", "--testing"]))
    assert len(normal) > 300
    found = differences(normal, testing, texts=False, ids=True)
    assert not [f"{route}: {lines}" for route, lines in found.items() if not route.startswith(OF_THE_PROCESS)]


def _exchanges(folder: Path, *flags: str) -> list[dict[str, Any]]:
    (folder / "git").mkdir(parents=True)
    server = RunningServer(folder / "data", "", tuple(flags), environment=SETTINGS, token=TOKEN)
    server.start()
    try:
        recorder = Recorder(server.url)
        routes = [
            route
            for route in read_routes(recorder.ask("anonymous", "GET /openapi.json").json)
            if "/-/" not in route.path
        ]
        recorder.exchanges.clear()
        recorder.templates = [(route.verb, route.pattern, route.name) for route in routes]
        walk = Walk(recorder, build_world(recorder, folder / "git"), routes)
        walk._look_again([route for route in routes if route.verb == "GET"])
        return recorder.exchanges
    finally:
        server.kill()
