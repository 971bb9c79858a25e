"""The fields of newer API versions of a member."""

from mujina.kernel.http.requests.newer_fields import JsonObject
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services


async def add_member_fields(_: Services, __: Actor, members: list[JsonObject]) -> None:
    """Every membership is active, and none is locked."""
    for member in members:
        member |= {"membership_state": "active", "locked": False}
