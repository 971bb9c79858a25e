"""Several processes on one database, and what is left when one is killed."""

import subprocess
import sys
from typing import Any

WRITER = [sys.executable, "-m", "tests.kernel.db.writer"]


def start(url, first, last) -> Any:
    return subprocess.Popen(
        [*WRITER, url, str(first), str(last)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def ids(database, run):
    async def read():
        async with database.reading() as tx:
            return await tx.values("SELECT id FROM shelves ORDER BY id")

    return set(run(read()))


def test_processes_write_side_by_side_and_none_is_turned_away(database, database_url, run):
    writers = [start(database_url, first, first + 199) for first in (1000, 2000, 3000)]
    complaints = [writer.communicate(timeout=180)[1] for writer in writers]
    assert complaints == ["", "", ""]
    assert len(ids(database, run)) == 1 + 3 * 200


def test_answered_writes_survive_a_kill(database, database_url, run):
    with start(database_url, 1000, 10**9) as writer:
        answered = [int(writer.stdout.readline()) for _ in range(100)]
        writer.kill()
        answered += [int(line) for line in writer.stdout if line.endswith("\n")]
    assert set(answered) <= ids(database, run)


def test_a_killed_writer_blocks_no_other_writer(database, database_url, run):
    with start(database_url, 1000, 10**9) as writer:
        writer.stdout.readline()
        writer.kill()
        writer.wait()
    with start(database_url, 1, 0) as check:
        assert check.wait(180) == 0

    async def write():
        async with database.transaction() as tx:
            await tx.run("INSERT INTO shelves (id, room, name) VALUES (2, 'hall', 'next')")

    run(write())
    assert 2 in ids(database, run)
