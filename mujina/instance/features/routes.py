"""Feature flags, for administrators."""

from mujina.instance.features import entities, operations
from mujina.instance.features.entities import Feature
from mujina.instance.features.params import SetFeature
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.routing import Segment, get, post


@get("/features", admin=True)
async def list_features(call: Call, page: Page) -> Paged[Feature]:
    async with call.reading() as tx:
        return page.cut(await entities.all_features(tx))


@post("/features/:name", admin=True)
async def set_feature(call: Call, name: Segment, change: SetFeature) -> Feature:
    # Compat: features are stored and shown for clients that set them; Mujina itself reads none of them.
    async with call.transaction() as tx:
        await operations.put(tx, call.actor, name, change)
        return await entities.load_one(tx, name)
