"""OAuth applications that administrators register."""

from mujina.accounts.oauth import operations
from mujina.accounts.oauth.entities import CreatedApplication
from mujina.accounts.oauth.params import CreateApplication
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.routing import post


@post("/applications", admin=True)
async def create_application(call: Call, change: CreateApplication) -> CreatedApplication:
    scopes = change.scopes.replace(",", " ").split()
    async with call.transaction() as tx:
        application = await operations.register(tx, call.actor, change.name, change.redirect_uri, scopes)
    return CreatedApplication(
        application.id, application.uid, change.name.strip(), change.redirect_uri, application.secret
    )
