"""`mujina migrate`."""

from mujina.cli.instance import DEFAULT_INSTANCE, Instance
from mujina.cli.prerequisites import make_data_folder
from mujina.migrations.upgrade import migrate as migrate_database


async def migrate(instance: Instance = DEFAULT_INSTANCE) -> None:
    """Create the database, or upgrade its schema to this version. `mujina serve` does this automatically."""
    settings = instance.settings()
    make_data_folder(settings.data)
    if done := await migrate_database(settings.database):
        print(done)
    print("The database has the schema of this version.")
