"""Writers of one process share commits on SQLite, and never each other's fate."""

import asyncio
import resource
import threading

import apsw
import pytest

from mujina.kernel.db.errors import CommitFailed, DatabaseBusy, UniqueViolation
from mujina.kernel.db.sqlite import connection as apsw_connection

ADD = "INSERT INTO shelves (id, room, name) VALUES (:id, 'loft', :name)"


async def add(database, id, *, inside=None):
    async with database.transaction() as tx:
        await tx.run(ADD, id=id, name=f"n{id}")
        if inside is not None:
            await inside()


async def ids(database):
    async with database.reading() as tx:
        return await tx.values("SELECT id FROM shelves WHERE id > 1 ORDER BY id")


def count_commits(database):
    commits = []
    database._writer.set_commit_hook(lambda: bool(commits.append(1)))
    return commits


def test_many_writers_share_few_commits(sqlite, run):
    commits = count_commits(sqlite)

    async def story():
        await asyncio.gather(*(add(sqlite, n) for n in range(2, 202)))
        assert await ids(sqlite) == list(range(2, 202))

    run(story())
    assert len(commits) < 20


def test_a_single_writer_does_not_wait(sqlite, run):
    commits = count_commits(sqlite)

    async def story():
        for n in range(2, 7):
            await add(sqlite, n)

    run(story())
    assert len(commits) == 5


def test_a_failing_block_does_not_hurt_its_neighbors(sqlite, run):
    async def fail():
        raise KeyError

    async def story():
        outcomes = await asyncio.gather(
            add(sqlite, 2), add(sqlite, 3, inside=fail), add(sqlite, 1), add(sqlite, 4), return_exceptions=True
        )
        assert [type(outcome) for outcome in outcomes] == [type(None), KeyError, UniqueViolation, type(None)]
        assert await ids(sqlite) == [2, 4]

    run(story())


def test_a_failed_commit_reaches_everybody_and_the_next_ones_succeed(sqlite, run):
    sqlite._writer.set_commit_hook(lambda: True)

    async def story():
        outcomes = await asyncio.gather(*(add(sqlite, n) for n in (2, 3, 4)), return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [CommitFailed] * 3
        sqlite._writer.set_commit_hook(None)
        await add(sqlite, 5)
        assert await ids(sqlite) == [5]

    run(story())


def test_a_full_disk_fails_the_writers_and_nothing_else(sqlite, run):
    """The kernel refuses to let any file grow, as a full disk does."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    async def story():
        await add(sqlite, 2)
        size = sqlite.path.with_name(sqlite.path.name + "-wal").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
        try:
            outcomes = await asyncio.gather(*(add(sqlite, n) for n in (3, 4)), return_exceptions=True)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert [type(outcome) for outcome in outcomes] == [CommitFailed] * 2
        assert await ids(sqlite) == [2]
        await add(sqlite, 5)
        assert await ids(sqlite) == [2, 5]

    run(story())


def test_when_sqlite_gives_up_the_whole_transaction_every_member_hears_of_it(sqlite, run):
    async def give_up():
        async with sqlite.transaction() as tx:
            with pytest.raises(UniqueViolation):
                await tx.run("INSERT OR ROLLBACK INTO shelves (id) VALUES (1)")
            with pytest.raises(RuntimeError, match="over"):
                await tx.run(ADD, id=9, name="written into no transaction")

    async def story():
        outcomes = await asyncio.gather(add(sqlite, 2), give_up(), add(sqlite, 3), return_exceptions=True)
        assert isinstance(outcomes[0], CommitFailed)
        assert isinstance(outcomes[1], Exception)
        assert outcomes[2] is None
        assert await ids(sqlite) == [3]

    run(story())


class TestACancelledRequest:
    def test_waiting_for_its_turn_leaves_the_queue(self, sqlite, run):
        async def story():
            hold = asyncio.Event()
            first = asyncio.create_task(add(sqlite, 2, inside=hold.wait))
            await asyncio.sleep(0)
            second = asyncio.create_task(add(sqlite, 3))
            third = asyncio.create_task(add(sqlite, 4))
            await asyncio.sleep(0)
            second.cancel()
            hold.set()
            await asyncio.gather(first, third)
            assert second.cancelled()
            assert await ids(sqlite) == [2, 4]

        run(story())

    def test_waiting_for_the_file_leaves_it_alone(self, sqlite, run):
        async def story():
            other = apsw.Connection(str(sqlite.path))
            other.execute("BEGIN IMMEDIATE")
            first = asyncio.create_task(add(sqlite, 2))
            second = asyncio.create_task(add(sqlite, 3))
            await asyncio.sleep(0.01)
            first.cancel()
            await asyncio.sleep(0.01)
            other.execute("ROLLBACK")
            other.close()
            await second
            assert first.cancelled()
            assert await ids(sqlite) == [3]

        run(story())

    def test_inside_its_block_takes_only_its_own_writes_back(self, sqlite, run):
        async def story():
            first = asyncio.create_task(add(sqlite, 2, inside=asyncio.Event().wait))
            others = [asyncio.create_task(add(sqlite, n)) for n in (3, 4)]
            await asyncio.sleep(0)
            first.cancel()
            await asyncio.gather(*others)
            assert first.cancelled()
            assert await ids(sqlite) == [3, 4]

        run(story())

    def test_waiting_for_the_commit_is_committed_all_the_same(self, sqlite, run):
        begun, go_on = threading.Event(), threading.Event()

        def hold():
            begun.set()
            return not go_on.wait(60)

        sqlite._writer.set_commit_hook(hold)

        async def story():
            tasks = [asyncio.create_task(add(sqlite, n)) for n in (2, 3)]
            await asyncio.to_thread(begun.wait, 60)
            tasks[0].cancel()
            late = asyncio.create_task(add(sqlite, 4))
            await asyncio.sleep(0.01)
            go_on.set()
            await asyncio.gather(tasks[1], late)
            assert tasks[0].cancelled()
            assert await ids(sqlite) == [2, 3, 4]

        run(story())


def test_reads_go_on_while_the_disk_is_waited_for(sqlite, run):
    begun, go_on = threading.Event(), threading.Event()

    def hold():
        begun.set()
        return not go_on.wait(60)

    async def story():
        await add(sqlite, 2)
        sqlite._writer.set_commit_hook(hold)
        writing = asyncio.create_task(add(sqlite, 3))
        await asyncio.to_thread(begun.wait, 60)
        assert await ids(sqlite) == [2]
        go_on.set()
        await writing
        assert await ids(sqlite) == [2, 3]

    run(story())


def test_a_process_that_holds_the_file_for_too_long_is_named(sqlite, run, monkeypatch):
    monkeypatch.setattr(apsw_connection, "BUSY_TIMEOUT", 0.02)

    async def story():
        other = apsw.Connection(str(sqlite.path))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseBusy):
            await add(sqlite, 2)
        other.close()
        await add(sqlite, 3)
        assert await ids(sqlite) == [3]

    run(story())


def test_a_transaction_inside_a_transaction_is_refused_instead_of_waiting_for_itself(sqlite, run):
    async def nested():
        await add(sqlite, 3)

    async def story():
        with pytest.raises(RuntimeError, match="inside"):
            await add(sqlite, 2, inside=nested)
        assert await ids(sqlite) == []

    run(story())


def test_a_transaction_is_of_no_use_after_its_block(sqlite, run):
    async def story():
        async with sqlite.transaction() as tx:
            pass
        with pytest.raises(RuntimeError, match="over"):
            await tx.run(ADD, id=2, name="late")

    run(story())


def test_a_reader_cannot_write(sqlite, run):
    async def story():
        async with sqlite.reading() as tx:
            with pytest.raises(RuntimeError, match="cannot run"):
                await tx.run(ADD, id=2, name="x")
            with pytest.raises(apsw.ReadOnlyError):
                await tx.values("INSERT INTO shelves (id) VALUES (2) RETURNING id")

    run(story())


def test_a_canceled_search_gives_its_connection_back(sqlite, run):
    forever = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

    async def search():
        async with sqlite.searching() as tx:
            await tx.value(forever)

    async def story():
        searches = [asyncio.create_task(search()) for _ in range(3)]
        await asyncio.sleep(0.02)
        for each in searches:
            each.cancel()
        await asyncio.wait(searches)
        async with sqlite.searching() as tx:
            assert await tx.value("SELECT count(*) FROM shelves") == 1

    run(story())
