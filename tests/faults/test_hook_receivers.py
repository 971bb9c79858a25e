"""Sick receivers of hooks delay no healthy one, and `kill -9` of workers loses no event. `make soak` is the long form."""

from pathlib import Path

from tests.serve.wire import eventually
from tests.soak import database
from tests.soak.receivers import Receivers
from tests.soak.servers import HookServer

ROUNDS = 6
LATE, QUEUED = 1_000_000, 200
"""Deliveries that wait while no process runs, with ids behind all others."""


def test_a_healthy_receiver_gets_every_event_beside_sick_ones_though_processes_are_killed(
    tmp_path: Path, migrated_url: str, monkeypatch, thorough
):
    monkeypatch.setenv("MUJINA_OUTBOUND_ALLOW", "127.0.0.1")
    server = HookServer(tmp_path, migrated_url)
    server.server.forked = True
    server.start()
    try:
        with Receivers() as receivers:
            healthy = server.project_with_hook("healthy", receivers.healthy())
            kinds = (receivers.hanging, receivers.dripping, receivers.refusing)
            sick = [server.project_with_hook(f"sick-{n}", kinds[n % 3]()) for n in range(9)]
            owed = []
            for number in range(ROUNDS if thorough else ROUNDS // 2):
                for project in sick:
                    server.ask("POST", f"/projects/{project}/issues", title="x")
                owed += [server.ask("POST", f"/projects/{healthy}/issues", title="x")["id"] for _ in range(4)]
                if number in (1, 3):
                    server.kill_workers()
            server.kill()
            # A long queue survives the restart, too.
            database.enqueue(migrated_url, QUEUED, first=LATE, only=healthy)
            owed += range(LATE + 1, LATE + 1 + QUEUED)
            server.start()
            eventually(lambda: {event.issue_id for event in receivers.received} >= set(owed))
            keys = [event.key for event in receivers.received]
            repeats = len(keys) - len(set(keys))
            assert repeats <= 3 * 5, "a crash repeats at most what was not yet recorded"
            first = list(dict.fromkeys(event.issue_id for event in receivers.received))
            for part in ([id_ for id_ in first if id_ < LATE], [id_ for id_ in first if id_ > LATE]):
                assert part == sorted(part)
            eventually(lambda: receivers.sick_calls > 0)
    finally:
        server.kill()
