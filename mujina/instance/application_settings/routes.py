"""Application settings and license, for administrators."""

from typing import Any

from mujina.instance.application_settings import entities, operations
from mujina.instance.application_settings.entities import License
from mujina.instance.application_settings.params import AddLicense, EditApplicationSettings
from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.routing import get, post, put


@get("/application/settings", admin=True)
async def show_settings(call: Call) -> dict[str, Any]:
    """Show the settings of this instance."""
    async with call.reading() as tx:
        return await entities.settings(tx)


@put("/application/settings", admin=True)
async def edit_settings(call: Call, change: EditApplicationSettings) -> dict[str, Any]:
    """Change the settings of this instance."""
    async with call.transaction() as tx:
        given = [name for name, value in call.tree.items() if value is not None]
        await operations.edit(tx, call.actor, change, given)
        return await entities.settings(tx)


@get("/license", admin=True)
async def show_license(call: Call) -> License:
    """Show the license of this instance."""
    async with call.reading() as tx:
        return await entities.license_of(tx)


@post("/license", admin=True)
async def add_license(call: Call, change: AddLicense) -> License:  # noqa: ARG001 - the parameters are checked before
    """No key is valid: the license of this instance needs none."""
    raise errors.bad_request("The license key is invalid.")
