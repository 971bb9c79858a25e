"""Figures of the whole instance."""

from mujina.administration.overview import entities
from mujina.administration.overview.entities import InstanceStatistics
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.routing import get


@get("/application/statistics", admin=True)
async def show_statistics(call: Call) -> InstanceStatistics:
    async with call.reading() as tx:
        return await entities.read_statistics(tx)
