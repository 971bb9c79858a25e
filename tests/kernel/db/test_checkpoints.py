"""The log of SQLite is brought over while others write, and begins anew before it is long."""

import asyncio

from mujina.kernel.db.sqlite.checkpoints import BACKGROUND_PAGES, MAX_PAGES

PAGE = 4096
WRITERS, WRITES, BYTES = 8, 60, 12 * PAGE


def test_the_log_stays_short_however_much_is_written(sqlite, run):
    log = sqlite.path.with_name("library.db-wal")
    lengths = []

    async def write():
        for _ in range(WRITES):
            async with sqlite.transaction() as tx:
                await tx.run("INSERT INTO heap (thing) VALUES (:thing)", thing="x" * BYTES)
            lengths.append(log.stat().st_size)

    async def story():
        async with sqlite.transaction() as tx:
            await tx.run("CREATE TABLE heap (thing TEXT)")
        await asyncio.gather(*(write() for _ in range(WRITERS)))

    run(story())
    assert WRITERS * WRITES * BYTES > MAX_PAGES * PAGE, "or nothing was tried"
    assert max(lengths) < (MAX_PAGES + BACKGROUND_PAGES) * PAGE
    assert sqlite.path.stat().st_size > BACKGROUND_PAGES * PAGE, "nothing was brought over"
