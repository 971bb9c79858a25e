import pytest

from mujina.kernel.db.errors import UniqueViolation
from tests.harness.rolled_back import RolledBackPostgres, RolledBackSqlite, forgotten
from tests.harness.statements import statements


@pytest.fixture
def forgetful(engine, database_url, loop):
    kinds = {"sqlite": RolledBackSqlite, "postgres": RolledBackPostgres}
    database = kinds[engine](database_url.removeprefix("sqlite:///"))
    loop.run_until_complete(database.open())
    yield database
    loop.run_until_complete(database.close())


async def _make(database):
    async with database.transaction() as tx:
        await tx.run("CREATE TABLE things (id bigint PRIMARY KEY)")


async def _count(database):
    async with database.reading() as tx:
        return await tx.value("SELECT count(*) FROM things")


def test_the_writes_of_a_test_are_rolled_back(forgetful, loop):
    async def story():
        await _make(forgetful)
        async with forgetful.transaction() as tx:
            await tx.run("INSERT INTO things VALUES (1)")
        assert await _count(forgetful) == 1

    for _ in range(2):
        with forgotten(forgetful, loop):
            loop.run_until_complete(story())


def test_a_block_that_raises_leaves_what_was_before_it(forgetful, loop):
    async def story():
        await _make(forgetful)
        with pytest.raises(UniqueViolation):
            async with forgetful.transaction() as tx:
                await tx.run("INSERT INTO things VALUES (1)")
                await tx.run("INSERT INTO things VALUES (1)")
        assert await _count(forgetful) == 0

    with forgotten(forgetful, loop):
        loop.run_until_complete(story())


def test_a_nested_transaction_is_refused(forgetful, loop):
    async def story():
        async with forgetful.transaction():
            with pytest.raises(RuntimeError, match="inside a transaction"):
                async with forgetful.transaction():
                    pass

    with forgotten(forgetful, loop):
        loop.run_until_complete(story())


def test_a_wake_comes_after_the_block_and_only_if_it_went_well(forgetful, loop):
    woken = []

    async def story():
        async with forgetful.transaction() as tx:
            tx.after_commit(lambda: woken.append("well"))
            assert woken == []
        with pytest.raises(ZeroDivisionError):
            async with forgetful.transaction() as tx:
                tx.after_commit(lambda: woken.append("ill"))
                raise ZeroDivisionError

    with forgotten(forgetful, loop):
        loop.run_until_complete(story())
    assert woken == ["well"]


def test_statements_are_counted_and_savepoints_are_not(forgetful, loop):
    async def story():
        async with forgetful.transaction() as tx:
            await tx.value("SELECT 1")
            await tx.value("SELECT 2")

    with forgotten(forgetful, loop), statements(forgetful) as used:
        loop.run_until_complete(story())
    assert used.count == 2
