"""Which forge is at an address, and the source that reads it."""

from collections.abc import Iterable

from mujina.moving.sources.api_v4 import ApiV4
from mujina.moving.sources.forge import Forge, ReportProblem
from mujina.moving.sources.operations import SourceClient


async def open_source(allow: Iterable[str], address: str, token: str, problem: ReportProblem) -> Forge:
    """The source at the address. `allow`: local networks that may be called."""
    return ApiV4(SourceClient(allow, address, {"PRIVATE-TOKEN": token}), problem)
