"""`mujina migrate`."""

import asyncio

from mujina.cli.folders import make_data_folder
from mujina.cli.instance import Instance
from mujina.migrations.upgrade import migrate as bring_to_newest

HERE = Instance()


def migrate(instance: Instance = HERE) -> None:
    """Make the database, or bring it to the schema of this version. `mujina serve` does this by itself."""
    settings = instance.settings()
    make_data_folder(settings.data)
    asyncio.run(bring_to_newest(settings.database))
    print("The database has the schema of this version.")
