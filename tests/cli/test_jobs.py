"""`mujina job`."""

from pathlib import Path

from mujina.integrations.hooks.operations import URL
from mujina.kernel.db.transaction import Tx
from mujina.kernel.secrets import Vault, instance_key
from tests.cli.command import mujina
from tests.harness.databases import in_transaction


async def fail_jobs(tx: Tx) -> None:
    """One job waits for its next attempt; another has used all its attempts."""
    for key, parked_at in (("7", None), ("8", "2999-01-01T00:00:00.000Z")):
        await tx.run(
            """
            INSERT INTO jobs (task, key, enqueued, attempts, ready_at, last_error, parked_at, created_at)
            VALUES ('projects.import', :key, 1, 3, '2999-01-02T00:00:00.000Z', 'OSError: gone', :parked_at, '')
            """,
            key=key,
            parked_at=parked_at,
        )


async def deliver(tx: Tx, hook_url: str) -> None:
    """A delivery waits for a hook."""
    for statement in WAITING:
        await tx.run(statement)
    await tx.run("UPDATE hooks SET url = :url", url=hook_url)


AT = "'2018-01-01T00:00:00.000Z'"
WAITING = (
    f"INSERT INTO hooks (url, created_at, updated_at) VALUES ('', {AT}, {AT})",
    f"""INSERT INTO hook_payloads (key, event, trigger, body, created_at)
        VALUES ('key', 'System Hook', 'system_hooks', '{{}}', {AT})""",
    f"INSERT INTO hook_deliveries (hook_id, payload_id, created_at) VALUES (1, 1, {AT})",
    f"INSERT INTO hook_queues (hook_id, ready_at, failures) VALUES (1, {AT}, 0)",
)


def test_an_operator_lists_and_retries_failed_jobs(tmp_path: Path, migrated_url: str):
    where = {"MUJINA_DATA": str(tmp_path), "MUJINA_DATABASE_URL": migrated_url}
    in_transaction(migrated_url, fail_jobs)
    assert [line.split(maxsplit=4) for line in mujina("job", "list", **where).out.splitlines()] == [
        ["task", "key", "attempts", "next", "error"],
        ["projects.import", "8", "3", "never", "OSError: gone"],
        ["projects.import", "7", "3", "2999-01-02T00:00:00.000Z", "OSError: gone"],
    ]
    assert mujina("job", "retry", "projects.import", "8", **where).out == "projects.import 8 will be retried now.\n"
    retried = next(line for line in mujina("job", "list", **where).out.splitlines() if " 8 " in line).split(maxsplit=4)
    assert retried[2] == "0"
    assert retried[3] < "2999"
    assert mujina("job", "retry", "projects.import", "9", **where).error == (
        "There is no failed job projects.import 9: see `mujina job list`."
    )
    assert mujina("job", "retry", "--all", **where).out.splitlines() == [
        "projects.import 7 will be retried now.",
        "projects.import 8 will be retried now.",
    ]
    assert mujina("job", "retry", **where).error.startswith("Name the task of a failed job, or give --all")
    # Both find nothing to import, and are done; so is a delivery that waits: to an address that may not be called.
    hook_url = Vault(instance_key(tmp_path, None)).encrypt("http://127.0.0.1/", URL)
    in_transaction(migrated_url, lambda tx: deliver(tx, hook_url))
    assert mujina("job", "drain", **where).out == "Jobs: 2, failed: 0.\nDeliveries: 1, failed: 1.\n"
    assert mujina("job", "list", "--all", **where).out.splitlines() == ["task  key  attempts  next  error"]
    assert "internal error" in mujina("hook", "deliveries", **where).out
