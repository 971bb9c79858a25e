"""`mujina hook`."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from mujina.integrations.hooks.operations import URL
from mujina.kernel.db.transaction import Tx
from mujina.kernel.secrets import Vault, instance_key
from tests.cli.command import mujina
from tests.harness.databases import in_transaction

AT = "'2018-01-01T00:00:00.000Z'"


class Receiver(BaseHTTPRequestHandler):
    """Answers every call with 204."""

    def do_POST(self):
        self.send_response(204)
        self.end_headers()

    def log_message(self, format, *args):
        pass


async def deliver(tx: Tx, hook_url: str) -> None:
    """One delivery was logged, of a test whose flag the hook does not have; another waits for the hook, which is paused."""
    await tx.run(f"INSERT INTO hooks (url, created_at, updated_at) VALUES (:url, {AT}, {AT})", url=hook_url)
    await tx.run(
        f"""INSERT INTO hook_payloads (key, event, trigger, flag, body, created_at)
            VALUES ('key', 'System Hook', 'system_hooks', 'push_events', '{{}}', {AT})"""
    )
    await tx.run(
        f"""INSERT INTO hook_logs (hook_id, payload_id, url, request_headers, response_headers, response_body,
            response_status, milliseconds, created_at) VALUES (1, 1, '', '{{}}', '{{}}', '', '500', 12, {AT})"""
    )
    await tx.run(f"INSERT INTO hook_deliveries (hook_id, payload_id, created_at) VALUES (1, 1, {AT})")
    await tx.run("INSERT INTO hook_queues (hook_id, ready_at, failures) VALUES (1, '2999-01-01', 7)")


def test_an_operator_lists_repeats_and_resumes_deliveries(tmp_path: Path, migrated_url: str):
    where = {"MUJINA_DATA": str(tmp_path), "MUJINA_DATABASE_URL": migrated_url}
    server = HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    address = f"127.0.0.1:{server.server_port}"
    hook_url = Vault(instance_key(tmp_path, None)).encrypt(f"http://{address}/", URL)
    in_transaction(migrated_url, lambda tx: deliver(tx, hook_url))
    lines = [line.split() for line in mujina("hook", "deliveries", **where).out.splitlines()]
    assert lines[1] == ["1", "1", "system_hooks", "500", "0.012", "2018-01-01T00:00:00.000Z"]
    assert lines[-1] == ["1", "1", "7", "2999-01-01"]
    assert mujina("hook", "redeliver", "1", **where).out.splitlines() == [
        "Delivery 1 is queued again for hook 1.",
        "The hook is called again at 2999-01-01, or at once after `mujina hook resume 1`.",
    ]
    assert mujina("hook", "resume", "1", **where).out == "Hook 1 is called again.\n"
    resumed = mujina("hook", "deliveries", "1", **where).out.splitlines()[-1].split()
    assert resumed[:3] == ["1", "2", "0"]
    assert resumed[3] < "2999"
    # The hook has not the flag of what waited: it gets only what the operator asked for.
    drained = mujina("job", "drain", **where, MUJINA_OUTBOUND_ALLOW=address)
    assert drained.out == "Jobs: 0, failed: 0.\nDeliveries: 1, failed: 0.\n", drained.err
    server.shutdown()
    server.server_close()
    assert [line.split()[3] for line in mujina("hook", "deliveries", **where).out.splitlines()[1:]] == ["204", "500"]
    assert mujina("hook", "redeliver", "9", **where).error == ("There is no delivery 9: see `mujina hook deliveries`.")
    assert mujina("hook", "resume", "9", **where).error == "There is no hook 9."
