"""What PostgreSQL alone has to be told, and what it alone may answer."""

import asyncio
from contextlib import suppress

import pytest
from psycopg.errors import InFailedSqlTransaction

from mujina.kernel.db.connect import connect
from mujina.kernel.db.errors import DatabaseBusy, DatabaseUnavailable, SerializationFailure, UniqueViolation
from mujina.kernel.db.postgres import database as postgres
from mujina.kernel.db.postgres import pool as postgres_pool
from mujina.kernel.db.postgres.database import PostgresDatabase

LOCK = "SELECT name FROM shelves WHERE id = :id FOR UPDATE"


@pytest.fixture
def engine():
    return "postgres"


def test_every_session_has_our_options(database, run):
    async def story():
        async with database.reading() as tx:
            assert await tx.value("SHOW timezone") == "UTC"
            assert await tx.value("SHOW plan_cache_mode") == "force_generic_plan"
            assert await tx.value("SHOW parallel_setup_cost") == "1e+09"
            assert await tx.value("SHOW transaction_isolation") == "read committed"
        async with database.searching() as tx:
            assert await tx.value("SHOW plan_cache_mode") == "force_custom_plan"
            assert await tx.value("SHOW parallel_setup_cost") == "1000"
        async with database.reading() as tx:
            assert await tx.value("SHOW plan_cache_mode") == "force_generic_plan"

    run(story())


def test_sessions_that_a_restart_of_the_server_ended_are_not_used_again(database, run):
    async def story():
        async with database.reading() as one, database.reading() as other:
            idle = [await tx.value("SELECT pg_backend_pid()") for tx in (one, other)]
        async with database.reading() as tx:
            here = await tx.value("SELECT pg_backend_pid()")
            for process in idle:
                if process != here:
                    await tx.value("SELECT pg_terminate_backend(CAST(:process AS integer), 60000)", process=process)
        async with database.reading() as one, database.reading() as other:
            assert [await tx.value("SELECT 1") for tx in (one, other)] == [1, 1]

    run(story())


def test_each_python_type_is_bound_as_one_type_whatever_its_value(database, run):
    async def story():
        async with database.reading() as tx:
            for number in (1, 70000, 2**40):
                assert await tx.value("SELECT CAST(pg_typeof(:x) AS text)", x=number) == "bigint"
            assert await tx.value("SELECT CAST(pg_typeof(:x) AS text)", x="a") == "text"
            assert await tx.value("SELECT CAST(pg_typeof(:x) AS text)", x=True) == "boolean"
            assert await tx.value("SELECT CAST(pg_typeof(:x) AS text)", x=b"a") == "bytea"

    run(story())


def test_a_large_statement_is_sent_whole_when_it_has_to_be_prepared_first(database, run):
    async def story():
        async with database.reading() as tx, asyncio.timeout(60):
            assert await tx.value("SELECT length(CAST(:large AS text))", large="x" * 10_000_000) == 10_000_000

    run(story())


def test_hot_statements_are_prepared_once(database, run):
    async def story():
        async with database.reading() as tx:
            for number in range(5):
                await tx.values("SELECT id FROM shelves WHERE id IN :ids AND id <> :other", ids=[number], other=2**40)
            prepared = await tx.values("SELECT CAST(parameter_types AS text) FROM pg_prepared_statements")
            assert prepared == ["{bigint[],bigint}"]

    run(story())


def test_prepared_statements_outlast_a_transaction_that_is_rolled_back(database, run):
    async def story():
        async with database.reading() as tx:
            for _ in range(4):
                await tx.value("SELECT name FROM shelves WHERE id = :id", id=1)
        with pytest.raises(ZeroDivisionError):
            async with database.transaction() as tx:
                await tx.run("UPDATE shelves SET name = 'other' WHERE id = 1")
                raise ZeroDivisionError
        async with database.reading() as tx:
            kept = await tx.values("SELECT statement FROM pg_prepared_statements")
            assert await tx.value("SELECT name FROM shelves WHERE id = :id", id=1) == "first"
        assert "SELECT name FROM shelves WHERE id = $1" in kept

    run(story())


def test_statements_that_are_sent_together_leave_few_prepared_whether_they_fail_or_not(database, run):
    """Those that fail stay prepared for the next time; those that are not used any more are let go."""
    add = "INSERT INTO shelves (id, room) VALUES (:id, 'loft')"

    async def story():
        async with database.reading():
            pass
        [(connection, _)] = database._pool._idle
        connection.prepared.max_prepared = 12
        for _ in range(9):
            with pytest.raises(UniqueViolation):
                async with database.transaction() as tx:
                    await tx.run_each(add, [{"id": 1}])
        async with database.reading() as tx:
            prepared = await tx.values("SELECT statement FROM pg_prepared_statements")
        assert sum(text.startswith("INSERT") for text in prepared) == 1
        for number in range(30):
            async with database.transaction() as tx:
                await tx.run_each(f"UPDATE shelves SET open = TRUE WHERE id = :id + {number}", [{"id": 1}] * 4)
        async with database.reading() as tx:
            assert await tx.value("SELECT count(*) FROM pg_prepared_statements") <= 12
            assert len(connection.prepared._uses) <= 12

    run(story())


def test_many_statements_are_sent_in_several_parts(database, run, monkeypatch):
    monkeypatch.setattr(postgres, "MAX_TOGETHER", 2)
    add = "INSERT INTO shelves (id) VALUES (:id)"

    async def story():
        async with database.transaction() as tx:
            with pytest.raises(UniqueViolation):
                async with tx.savepoint():
                    with pytest.raises(UniqueViolation):
                        await tx.run_each(add, [{"id": id} for id in (2, 2, 3)])
                    raise UniqueViolation("shelves", ("id",))
            await tx.run_each(add, [{"id": id} for id in range(2, 7)])
        async with database.reading() as tx:
            assert await tx.values("SELECT id FROM shelves ORDER BY id") == [1, 2, 3, 4, 5, 6]

    run(story())


def test_an_error_that_is_caught_without_a_savepoint_is_no_commit(database, run):
    async def story():
        with pytest.raises(InFailedSqlTransaction):
            async with database.transaction() as tx:
                await tx.run("INSERT INTO shelves (id) VALUES (2)")
                with suppress(UniqueViolation):
                    await tx.run("INSERT INTO shelves (id) VALUES (2)")
        async with database.reading() as tx:
            assert await tx.values("SELECT id FROM shelves") == [1]

    run(story())


def test_a_deadlock_is_contention(database, run):
    async def cross(first, second, both_hold):
        async with database.transaction() as tx:
            await tx.run("SET LOCAL deadlock_timeout = '20ms'")
            await tx.value(LOCK, id=first)
            await both_hold.wait()
            await tx.value(LOCK, id=second)

    async def story():
        async with database.transaction() as tx:
            await tx.run("INSERT INTO shelves (id) VALUES (2)")
        both_hold = asyncio.Barrier(2)
        outcomes = await asyncio.gather(cross(1, 2, both_hold), cross(2, 1, both_hold), return_exceptions=True)
        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["NoneType", "SerializationFailure"]

    run(story())


def test_a_lock_that_may_not_be_waited_for_is_contention(database, run):
    async def story():
        async with database.transaction() as first:
            await first.value(LOCK, id=1)
            with pytest.raises(SerializationFailure):
                async with database.transaction() as second:
                    await second.value("SELECT name FROM shelves WHERE id = 1 FOR UPDATE NOWAIT")

    run(story())


def test_a_crowd_that_is_served_waits_and_one_that_is_not_gives_up(database_url, run, monkeypatch):
    database = PostgresDatabase(database_url, sessions=3)  # one of them for the transactions of one key

    async def work(seconds=0.0, until=None):
        async with database.transaction():
            await asyncio.sleep(seconds)
            if until is not None:
                await until.wait()

    async def story():
        await work()
        monkeypatch.setattr(postgres_pool, "WAIT_SECONDS", 1.0)
        await asyncio.gather(*(work(0.05) for _ in range(24)))
        release = asyncio.Event()
        holder = asyncio.create_task(work(until=release))
        await asyncio.sleep(0)
        with pytest.raises(DatabaseBusy):
            await work()
        release.set()
        await holder
        monkeypatch.setattr(postgres_pool, "MAX_WAIT_SECONDS", 0.3)
        ended = await asyncio.gather(*(work(0.1) for _ in range(6)), return_exceptions=True)
        assert {type(error) for error in ended} == {type(None), DatabaseBusy}
        await database.close()

    run(story())


def test_a_canceled_request_gives_its_session_back(database_url, database, run):
    async def wait(database):
        async with database.transaction() as tx:
            await tx.run("DELETE FROM shelves")
            await tx.value("SELECT CAST(pg_sleep(60) AS text)")

    async def send(database):
        """More than fits into the buffers of a socket, and answers that are as large."""
        async with database.transaction() as tx:
            await tx.run("DELETE FROM shelves")
            await tx.run_each(
                "SELECT CAST(:large AS text), CAST(pg_sleep(0.05) AS text)", [{"large": "x" * 200_000}] * 100
            )

    async def story():
        small = PostgresDatabase(database_url, sessions=1)
        await small.open()
        for work, seconds in ((wait, 0.1), (send, 0.02)):
            task = asyncio.create_task(work(small))
            await asyncio.sleep(seconds)
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()
            async with small.reading() as tx:
                assert await tx.value("SELECT count(*) FROM shelves") == 1
        await small.close()

    run(story())


def test_a_lost_session_is_named_and_the_next_one_works(database, run):
    async def story():
        with pytest.raises(DatabaseUnavailable):
            async with database.transaction() as tx:
                await tx.value("SELECT pg_terminate_backend(pg_backend_pid())")
        async with database.reading() as tx:
            assert await tx.value("SELECT count(*) FROM shelves") == 1

    run(story())


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("postgresql://mujina:secret@/mujina?host=/no/such/folder", "cannot be used"),
        ("postgresql://{place}/missing?host={host}", 'database "missing" does not exist'),
        ("mysql://localhost/x", "begins with"),
        ("sqlite://", "begins with"),
        ("sqlite:////no/such/folder/mujina.db", "cannot be opened"),
    ],
)
def test_a_database_that_cannot_be_reached_is_a_sentence_without_the_password(postgres, run, url, sentence):
    host = postgres.server.partition("host=")[2]

    async def story():
        await connect(url.format(place="postgres@", host=host)).open()

    with pytest.raises(DatabaseUnavailable, match=sentence) as refusal:
        run(story())
    assert "secret" not in str(refusal.value)


def test_the_operators_own_options_are_kept(database_url, run):
    async def story():
        database = connect(f"{database_url}&options=-c%20statement_timeout%3D1234")
        await database.open()
        async with database.reading() as tx:
            assert await tx.value("SHOW statement_timeout") == "1234ms"
            assert await tx.value("SHOW timezone") == "UTC"
        await database.close()

    run(story())


def test_a_committed_transaction_is_on_disk(database, database_url, run):
    async def story():
        async with database.transaction() as tx:
            # Unlike the server of the tests, which does without.
            await tx.run(
                "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET synchronous_commit = on'; END $$"
            )
        strict = connect(database_url)
        await strict.open()
        for turn in range(5):
            async with strict.transaction() as tx:
                await tx.run("UPDATE shelves SET name = :name WHERE id = 1", name=f"durable {turn}")
                written = await tx.value("SELECT CAST(pg_current_wal_insert_lsn() AS text)")
            async with strict.reading() as tx:
                assert await tx.value("SELECT pg_current_wal_flush_lsn() >= CAST(:written AS pg_lsn)", written=written)
        await strict.close()

    run(story())
