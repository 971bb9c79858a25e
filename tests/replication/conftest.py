import pytest

from tests.harness.replication_nodes import add_nodes


@pytest.fixture
def in_transaction(database, loop):
    """Runs a function with a transaction of the test's database."""

    def run(work, *arguments):
        async def within():
            async with database.transaction() as tx:
                return await work(tx, *arguments)

        return loop.run_until_complete(within())

    return run


@pytest.fixture
def nodes(in_transaction):
    """The ids of a configured primary and two secondaries."""
    return in_transaction(add_nodes)
