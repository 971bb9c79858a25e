"""Settings of the whole instance, for administrators."""

from mujina.domains.application import operations
from mujina.domains.application.settings import ApplicationSettings, read_settings
from mujina.kernel.http import Call, Json
from mujina.kernel.routing import get, put


@get("/application/settings", admin=True)
async def show_settings(call: Call) -> Json:
    async with call.reading() as tx:
        return await read_settings(tx)


@put("/application/settings", admin=True)
async def edit_settings(call: Call, change: ApplicationSettings) -> Json:
    async with call.transaction() as tx:
        await operations.edit(tx, call.actor, change, call.tree.keys())
        return await read_settings(tx)
