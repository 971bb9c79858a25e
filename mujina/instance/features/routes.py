"""Features that are tried out, for administrators."""

from mujina.instance.features import entities, operations
from mujina.instance.features.params import SetFeature
from mujina.kernel.http import Call, Json
from mujina.kernel.paging import Page
from mujina.kernel.routing import Segment, get, post


@get("/features", admin=True)
async def list_features(call: Call, page: Page) -> Json:
    async with call.reading() as tx:
        return page.cut(await entities.every(tx))


@post("/features/:name", admin=True)
async def set_feature(call: Call, name: Segment, change: SetFeature) -> Json:
    # Compat: features are kept and shown for the clients that set them; nothing in Mujina is switched by one.
    async with call.transaction() as tx:
        await operations.put(tx, call.actor, name, change)
        return await entities.single(tx, name)
