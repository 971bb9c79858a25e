"""The instance a command works on, and access to its database."""

import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from mujina.cli.errors import CommandError
from mujina.cli.prerequisites import checked_settings
from mujina.cli.server_record import other_database
from mujina.configuration import Effective, describe
from mujina.kernel import deferred_imports
from mujina.kernel.db.connect import connect
from mujina.kernel.db.transaction import Database
from mujina.migrations.state import State, schema_state
from mujina.settings import Settings

NO_INSTANCE = "There is no instance here: start one with `mujina serve`, or give its folder with --data."


def flag(setting: str) -> Parameter:
    """A flag for a setting, with the same name, description and validation."""
    return Parameter(help=describe(setting))


_refuse_on_secondary = deferred_imports.function("mujina.cli.secondary", "refuse_on_secondary")
"""Commands that only read do without the product, which this imports."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Instance:
    """The flags of every command that select the instance."""

    data: Annotated[str | None, flag("data")] = None
    database_url: Annotated[str | None, flag("database_url")] = None
    config: Annotated[str | None, Parameter(help="Settings file. Unset: mujina.toml in the data folder.")] = None

    def effective(self, **flags: str | None) -> Effective:
        """The settings in effect, and the source of each."""
        return checked_settings({"data": self.data, "database_url": self.database_url, **flags}, self.config)

    def settings(self, **flags: str | None) -> Settings:
        """The settings in effect."""
        return self.effective(**flags).settings

    @asynccontextmanager
    async def database(self, *, older: bool = False, to_change: bool = False) -> AsyncGenerator[Database]:
        """The database of an existing instance, which has the schema of this version; to be read (see `consequences`).

        With `older`, it may have that of an older version. With `to_change`, it may not be that of a secondary.
        """
        effective = self.effective()
        settings = effective.settings
        if to_change:
            _refuse_on_secondary(settings)
        if clause := other_database(settings):
            if effective.sources["database_url"] == "default":
                raise CommandError(f"{clause[0].upper()}{clause[1:]}.")
            print(f"mujina: note: {clause}.", file=sys.stderr)
        if settings.sqlite_file and not settings.sqlite_file.exists():
            raise CommandError(NO_INSTANCE)
        database = connect(settings.database)
        await database.open()
        try:
            if (state := await schema_state(database)) != "current" and not (older and state == "older"):
                raise CommandError(SCHEMA_ADVICE[state])
            yield database
        finally:
            await database.close()


DEFAULT_INSTANCE = Instance()
"""The instance that a command works on without flags."""
SCHEMA_ADVICE: Mapping[State, str] = {
    "empty": "The database is empty: create the schema with `mujina migrate` or `mujina serve`.",
    "older": "The database has the schema of an older version: stop all processes that use it, then run `mujina migrate`.",
    "newer": "The database has the schema of a newer version: install the Mujina that wrote it.",
}
