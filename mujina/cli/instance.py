"""Which instance a verb speaks of, and how it gets at its database."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from mujina.adapters.outbound_guard import OutboundGuard
from mujina.cli.trouble import Trouble
from mujina.configuration import BadSetting, Effective, describe, load
from mujina.kernel.db.connect import connect
from mujina.kernel.db.transaction import Database
from mujina.kernel.events import register_reactions
from mujina.kernel.removals import register_cleanups
from mujina.migrations.state import State, schema_state
from mujina.reactions import REACTIONS
from mujina.removals import CLEANUPS
from mujina.settings import Settings


def flag(setting: str) -> Parameter:
    """A flag that is a setting: the same name, the same sentence, judged by the same schema."""
    return Parameter(help=describe(setting))


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Instance:
    """The flags every verb takes: which instance is meant."""

    data: Annotated[str | None, flag("data")] = None
    database_url: Annotated[str | None, flag("database_url")] = None
    config: Annotated[str | None, Parameter(help="Settings file. Unset: mujina.toml in the data folder.")] = None

    def effective(self, **flags: str | None) -> Effective:
        """The settings in force, and where each came from."""
        effective = load({"data": self.data, "database_url": self.database_url, **flags}, config=self.config)
        try:
            OutboundGuard(effective.settings.outbound_allow)
        except ValueError as wrong:
            raise BadSetting(f"{effective.sources['outbound_allow']}: outbound_allow: {wrong}.") from None
        return effective

    def settings(self, **flags: str | None) -> Settings:
        """The settings in force."""
        return self.effective(**flags).settings

    @asynccontextmanager
    async def database(self) -> AsyncGenerator[Database]:
        """The database of an instance that has been started before, at the schema of this version."""
        settings = self.settings()
        if settings.sqlite_file and not settings.sqlite_file.exists():
            raise Trouble(
                "There is no instance here yet: start one with `mujina serve`, or name its folder with --data."
            )
        register_reactions(REACTIONS)
        register_cleanups(CLEANUPS)
        database = connect(settings.database)
        await database.open()
        try:
            if (state := await schema_state(database)) != "current":
                raise Trouble(MEND[state])
            yield database
        finally:
            await database.close()


MEND: Mapping[State, str] = {
    "empty": "The database is empty: make it with `mujina migrate`, or start with `mujina serve`.",
    "older": "The database has the schema of an older version: stop what uses it, then run `mujina migrate`.",
    "newer": "The database has the schema of a newer version: install the Mujina that wrote it.",
}
