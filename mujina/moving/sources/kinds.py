"""Which forge is at an address, and the source that reads it."""

from mujina.adapters.outbound.client import Outbound
from mujina.moving.sources.api_v4 import ApiV4
from mujina.moving.sources.forge import Forge, ReportProblem
from mujina.moving.sources.operations import SourceClient


async def open_source(outbound: Outbound, address: str, token: str, problem: ReportProblem) -> Forge:
    """The source at the address."""
    return ApiV4(SourceClient(outbound, address, {"PRIVATE-TOKEN": token}), problem)
