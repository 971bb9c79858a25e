"""`mujina hook`."""

import asyncio
from pathlib import Path

from mujina.kernel.db.connect import connect
from tests.cli.command import mujina

AT = "'2018-01-01T00:00:00.000Z'"


async def deliver(url: str) -> None:
    """One delivery was logged; another waits for a hook that is paused."""
    database = connect(url)
    await database.open()
    try:
        async with database.transaction() as tx:
            await tx.run(f"INSERT INTO hooks (url, created_at, updated_at) VALUES ('', {AT}, {AT})")
            await tx.run(
                f"""INSERT INTO hook_payloads (key, event, trigger, body, created_at)
                    VALUES ('key', 'System Hook', 'system_hooks', '{{}}', {AT})"""
            )
            await tx.run(
                f"""INSERT INTO hook_logs (hook_id, payload_id, url, request_headers, response_headers, response_body,
                    response_status, milliseconds, created_at) VALUES (1, 1, '', '{{}}', '{{}}', '', '500', 12, {AT})"""
            )
            await tx.run(f"INSERT INTO hook_deliveries (hook_id, payload_id, created_at) VALUES (1, 1, {AT})")
            await tx.run("INSERT INTO hook_queues (hook_id, ready_at, failures) VALUES (1, '2999-01-01', 7)")
    finally:
        await database.close()


def test_an_operator_lists_repeats_and_resumes_deliveries(tmp_path: Path, database_url: str):
    where = {"MUJINA_DATA": str(tmp_path), "MUJINA_DATABASE_URL": database_url}
    mujina("migrate", **where)
    asyncio.run(deliver(database_url))
    lines = [line.split() for line in mujina("hook", "deliveries", **where).out.splitlines()]
    assert lines[1] == ["1", "1", "system_hooks", "500", "0.012", "2018-01-01T00:00:00.000Z"]
    assert lines[-1] == ["1", "1", "7", "2999-01-01"]
    assert mujina("hook", "redeliver", "1", **where).out == "Delivery 1 is queued again for hook 1.\n"
    assert mujina("hook", "resume", "1", **where).out == "Hook 1 is called again.\n"
    resumed = mujina("hook", "deliveries", "1", **where).out.splitlines()[-1].split()
    assert resumed[:3] == ["1", "2", "0"]
    assert resumed[3] < "2999"
    assert mujina("hook", "redeliver", "9", **where).error == ("There is no delivery 9: see `mujina hook deliveries`.")
    assert mujina("hook", "resume", "9", **where).error == "There is no hook 9."
