"""Clients that administrators register."""

from mujina.accounts.oauth import operations
from mujina.accounts.oauth.params import CreateApplication
from mujina.kernel.http import Call, Json
from mujina.kernel.routing import post


@post("/applications", admin=True)
async def create_application(call: Call, change: CreateApplication) -> Json:
    scopes = change.scopes.replace(",", " ").split()
    async with call.transaction() as tx:
        made = await operations.register(tx, call.actor, change.name, change.redirect_uri, scopes)
    return {
        "id": made.id,
        "application_id": made.uid,
        "application_name": change.name.strip(),
        "callback_url": change.redirect_uri,
        "secret": made.secret,
    }
