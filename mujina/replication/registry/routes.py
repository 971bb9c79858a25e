"""The objects that this node could not copy, for administrators."""

from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.routing import get
from mujina.replication.registry import entities
from mujina.replication.registry.entities import SyncFailure
from mujina.replication.registry.params import ListFailures


@get("/geo_nodes/current/failures", admin=True)
async def list_current_failures(call: Call, query: ListFailures, page: Page) -> Paged[SyncFailure]:
    """Projects of which this node could not copy the repository or the wiki; none on a primary."""
    registry = call.services.registry
    if registry is None:
        return page.of([], 0)
    async with registry.reading() as tx:
        return await entities.list_failures(tx, page, query.type or None)
