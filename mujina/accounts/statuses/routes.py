"""What users say about what they are doing."""

from mujina.accounts.statuses import operations
from mujina.accounts.statuses.entities import UserStatus, to_entity
from mujina.accounts.statuses.params import SetUserStatus
from mujina.accounts.statuses.rules import find_status
from mujina.accounts.users.rules import find_user_by_ref
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get, patch, put
from mujina.kernel.permissions.scopes import READ_USER


@get("/users/:id/status", scopes=READ_USER, anonymous=True)
async def show_user_status(call: Call, id: Ref) -> UserStatus:
    async with call.reading() as tx:
        if call.actor.anonymous and (await read_settings(tx)).forbids("public"):
            raise errors.not_found("User")
        user = await find_user_by_ref(tx, id)
        return to_entity(await find_status(tx, user.id))


@get("/user/status", scopes=READ_USER)
async def show_own_status(call: Call) -> UserStatus:
    async with call.reading() as tx:
        return to_entity(await find_status(tx, call.actor.id))


@put("/user/status")
async def set_own_status(call: Call, change: SetUserStatus) -> UserStatus:
    """Replace your status; what is not given is cleared."""
    async with call.transaction() as tx:
        await operations.replace(tx, call.actor, change)
        return to_entity(await find_status(tx, call.actor.id))


@patch("/user/status")
async def edit_own_status(call: Call, change: SetUserStatus) -> UserStatus:
    """Change your status; what is not given stays."""
    async with call.transaction() as tx:
        await operations.edit(tx, call.actor, change)
        return to_entity(await find_status(tx, call.actor.id))
