"""Application settings and license, for administrators."""

from typing import Any

from mujina.instance.application_settings import entities, operations
from mujina.instance.application_settings.entities import License
from mujina.instance.application_settings.params import EditApplicationSettings
from mujina.kernel.http import Call
from mujina.kernel.routing import get, put


@get("/application/settings", admin=True)
async def show_settings(call: Call) -> dict[str, Any]:
    async with call.reading() as tx:
        return await entities.settings(tx)


@put("/application/settings", admin=True)
async def edit_settings(call: Call, change: EditApplicationSettings) -> dict[str, Any]:
    async with call.transaction() as tx:
        given = [name for name, value in call.tree.items() if value is not None]
        await operations.edit(tx, call.actor, change, given)
        return await entities.settings(tx)


@get("/license", admin=True)
async def show_license(call: Call) -> License:
    async with call.reading() as tx:
        return await entities.license_of(tx)
