"""`mujina job`."""

import asyncio
from pathlib import Path

from mujina.kernel.db.connect import connect
from tests.cli.command import mujina


async def fail_jobs(url: str) -> None:
    """One job waits for its next attempt; another has used all its attempts."""
    database = connect(url)
    await database.open()
    try:
        async with database.transaction() as tx:
            for key, parked_at in (("7", None), ("8", "2999-01-01T00:00:00.000Z")):
                await tx.run(
                    """
                    INSERT INTO jobs (task, key, enqueued, attempts, ready_at, last_error, parked_at, created_at)
                    VALUES ('projects.import', :key, 1, 3, '2999-01-02T00:00:00.000Z', 'OSError: gone', :parked_at, '')
                    """,
                    key=key,
                    parked_at=parked_at,
                )
    finally:
        await database.close()


def test_an_operator_lists_and_retries_failed_jobs(tmp_path: Path, database_url: str):
    where = {"MUJINA_DATA": str(tmp_path), "MUJINA_DATABASE_URL": database_url}
    mujina("migrate", **where)
    asyncio.run(fail_jobs(database_url))
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
