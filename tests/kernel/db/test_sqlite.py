"""Reads on SQLite: none holds the event loop for long."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mujina.kernel.db.sqlite.connection import connect
from mujina.kernel.db.sqlite.database import MAX_LOOP_SECONDS
from mujina.kernel.db.transaction import contention_key
from tests.harness import loop_watch as watching

LONG = """
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :size)
    SELECT count(*) FROM numbers"""


def test_a_long_read_leaves_the_event_loop_and_is_expected_to_be_long_again(sqlite, run):
    async def read():
        turns = 0

        async def go_on():
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        async def counted(path, size):
            nonlocal turns
            turns = 0
            contention_key.set(path)
            async with sqlite.reading() as tx:
                assert await tx.value(LONG, size=size) == size
            return turns

        others = asyncio.create_task(go_on())
        await asyncio.sleep(0)
        before = sqlite.statements
        short = await counted("/labels", 10)
        first, second = await counted("/labels", 200_000), await counted("/labels", 10)
        elsewhere = await counted("/other", 10)
        others.cancel()
        assert sqlite.statements - before == 4
        return short, first, second, elsewhere

    short, first, second, elsewhere = run(read())
    assert MAX_LOOP_SECONDS <= 0.002
    assert short == elsewhere == 0  # nothing else ran meanwhile
    assert first > 1
    assert second > 0  # at once on a thread


def test_a_statement_that_holds_the_loop_is_named(sqlite, run, loop_watch, monkeypatch):
    async def read(reading):
        async with reading as tx:
            return await tx.value(LONG, size=200_000)

    monkeypatch.setattr(watching, "MAX_SECONDS", MAX_LOOP_SECONDS)
    run(read(sqlite.searching()))
    assert loop_watch.take() == []
    run(read(sqlite.transaction()))
    [named] = loop_watch.take()
    assert "count(*) FROM numbers" in named


def test_a_statement_that_makes_a_table_is_never_run_again_to_judge_it(sqlite, run, loop_watch, monkeypatch):
    async def make():
        async with sqlite.transaction() as tx:
            await tx.run("CREATE TABLE made (id INTEGER)")

    monkeypatch.setattr(watching, "MAX_SECONDS", 0.0)
    run(make())
    assert loop_watch.take() == []


def test_a_read_that_is_expected_to_be_long_is_never_interrupted(sqlite, run):
    async def read():
        contention_key.set("/often")
        async with sqlite.reading() as tx:
            assert await tx.value(LONG, size=300_000) == 300_000
            for _ in range(1_000):
                assert await tx.value(LONG, size=1) == 1

    run(read())


def test_several_that_open_a_new_file_at_once_wait_for_each_other(tmp_path: Path):
    begin = threading.Barrier(4)

    def open_and_close(path: Path) -> None:
        begin.wait()
        connect(path).close()

    with ThreadPoolExecutor(4) as threads:
        for number in range(50):
            list(threads.map(open_and_close, [tmp_path / f"{number}.db"] * 4))
