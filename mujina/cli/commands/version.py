"""`mujina version`."""

import platform

import apsw

from mujina.cli.instance import DEFAULT_INSTANCE, SCHEMA_ADVICE, Instance
from mujina.kernel.build import VERSION
from mujina.kernel.db.connect import opened
from mujina.kernel.db.errors import DatabaseError
from mujina.migrations.snapshot import megabytes, plan_snapshot
from mujina.migrations.state import missing_revisions, schema_state
from mujina.settings import Settings


async def version(instance: Instance = DEFAULT_INSTANCE) -> None:
    """Print the versions of Mujina, Python and SQLite, and what an upgrade of the database would do."""
    settings = instance.settings()
    print(f"mujina {VERSION}")
    print(f"API version {settings.api_version_text}")
    print(f"Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}")
    try:
        print(await _upgrade(settings))
    except DatabaseError as error:
        print(error)


async def _upgrade(settings: Settings) -> str:
    """What the next start would do with the database."""
    file = settings.sqlite_file
    if file is not None and not file.exists():
        return "There is no database here yet."
    async with opened(settings.database) as database:
        state, missing = await schema_state(database), await missing_revisions(database)
    if state == "current":
        return "The database has the schema of this version."
    if state != "older":
        return SCHEMA_ADVICE[state]
    upgrade = f"The next start upgrades the database by the revisions {', '.join(missing)}"
    if file is None:
        return f"{upgrade}, in one transaction: make a backup before."
    planned = plan_snapshot(file)
    room = "which is not enough" if planned.free < planned.needed else "which is enough"
    return (
        f"{upgrade}, after a copy of {megabytes(planned.size)} to {planned.path}. It needs {megabytes(planned.needed)} of the "
        f"{megabytes(planned.free)} that are free, {room}."
    )
