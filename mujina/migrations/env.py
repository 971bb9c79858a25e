"""Run by Alembic to reach the database: all revisions in one transaction, one upgrade at a time."""

from alembic import context

from mujina.migrations.engines import engine_for, wait_for_turn


def upgrade() -> None:
    engine = engine_for(context.config.attributes["url"])
    with engine.connect() as connection:
        context.configure(connection=connection, transactional_ddl=True)
        with context.begin_transaction():
            wait_for_turn(connection)
            context.run_migrations()
    engine.dispose()


upgrade()
