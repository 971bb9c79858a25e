"""A real PgBouncer with transaction pooling between us and PostgreSQL: what works through it, and what is refused."""

import asyncio
from collections.abc import Generator
from contextlib import aclosing
from secrets import token_hex

import psycopg
import pytest

from mujina.kernel.db.errors import DatabaseUnavailable
from mujina.kernel.db.postgres.database import PostgresDatabase
from tests.harness.pgbouncer import PgBouncer
from tests.harness.postgres_server import OwnServer

CROWD = 40
SESSIONS = 2


@pytest.fixture(scope="module")
def server() -> Generator[OwnServer]:
    server = OwnServer()
    yield server
    server.stop()


@pytest.fixture
def bouncer(server: OwnServer) -> Generator[PgBouncer]:
    bouncer = PgBouncer(server.url, SESSIONS)
    bouncer.start()
    yield bouncer
    bouncer.close()


@pytest.fixture
def pooled(server: OwnServer, bouncer: PgBouncer) -> PostgresDatabase:
    """A new database, in which its role has the settings that the refusal names."""
    name = f"pooled_{token_hex(4)}"
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    url = server.url.replace("/postgres?", f"/{name}?")
    database = PostgresDatabase(url, pooler=bouncer.url(name))
    with pytest.raises(DatabaseUnavailable, match="lack the settings that Mujina needs") as refused:
        asyncio.run(database.open())
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(str(refused.value).partition("console: ")[2].encode())
        connection.execute("CREATE TABLE counted (id bigint PRIMARY KEY, value bigint NOT NULL)")
        connection.execute("INSERT INTO counted VALUES (1, 0), (2, 0)")
    bouncer.kill()  # a new one opens new sessions
    bouncer.start()
    return database


def test_many_clients_share_few_sessions_without_prepared_statements(server: OwnServer, pooled: PostgresDatabase):
    async def count(number: int) -> None:
        async with pooled.transaction() as tx:
            await tx.run("UPDATE counted SET value = value + 1 WHERE id = :id", id=number % 2 + 1)
        async with pooled.reading() as tx:
            assert await tx.value("SELECT count(*) FROM counted WHERE id > :id", id=0) == 2
        async with pooled.searching() as tx:
            assert await tx.value("SELECT current_setting('work_mem')") == "64MB"

    async def story() -> None:
        await pooled.open()
        await asyncio.gather(*(count(number) for number in range(CROWD)))
        async with pooled.reading() as tx:
            assert await tx.value("SELECT sum(value) FROM counted") == CROWD
            assert await tx.value("SELECT current_setting('work_mem')") != "64MB", "a setting outlived its transaction"
            sessions = await tx.value(
                "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND datname = current_database()"
            )
        assert sessions <= SESSIONS + 2  # and those that end just now
        await pooled.close()

    asyncio.run(story())


def test_notifications_come_past_the_pooler(pooled: PostgresDatabase):
    async def story() -> None:
        async with aclosing(pooled.listen("mujina_jobs")) as notifications:
            await anext(notifications)  # it listens
            async with pooled.transaction() as tx:
                await tx.value("SELECT pg_notify('mujina_jobs', '')")
            await asyncio.wait_for(anext(notifications), 60)
        await pooled.close()

    asyncio.run(story())


def test_a_lock_is_given_up_and_a_lost_server_is_a_503(server: OwnServer, bouncer: PgBouncer, pooled: PostgresDatabase):
    async def story() -> None:
        async with pooled.transaction() as tx:
            assert await tx.value("SELECT current_setting('lock_timeout')") == "3s"
        bouncer.kill()
        with pytest.raises(DatabaseUnavailable):
            async with pooled.transaction() as tx:
                await tx.value("SELECT 1")
        bouncer.start()
        await asyncio.sleep(0.5)  # failures are remembered for a moment
        async with pooled.transaction() as tx:
            assert await tx.value("SELECT 1") == 1
        await pooled.close()

    asyncio.run(story())


@pytest.mark.parametrize("settings", [{}, {"ignore_startup_parameters": "options"}], ids=["strict", "lenient"])
def test_a_pooler_at_the_address_of_the_database_is_refused(server: OwnServer, settings: dict[str, str]):
    """Its sessions would lack our settings and forget prepared statements."""
    bouncer = PgBouncer(server.url, SESSIONS, **settings)
    bouncer.start()
    try:
        with pytest.raises(
            DatabaseUnavailable, match="name PostgreSQL itself there, and the pooler in database_pooler_url"
        ):
            asyncio.run(PostgresDatabase(bouncer.url("postgres")).open())
    finally:
        bouncer.close()
