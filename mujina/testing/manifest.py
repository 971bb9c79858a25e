"""Everything that the testing mode adds to the product."""

from typing import Final

from mujina.git.requests import COMMANDS_ELSEWHERE
from mujina.instance.broadcast_messages.entities import NOTICES
from mujina.instance.broadcast_messages.rules import Broadcast
from mujina.integrations.deliveries.operations import RECEIVERS
from mujina.kernel.clock import NEVER
from mujina.kernel.http.applications import MIDDLEWARE
from mujina.kernel.openapi.document import FURTHER_PATHS
from mujina.kernel.product import Chapter
from mujina.testing.control import admit_command
from mujina.testing.endpoints import TestingEndpoints, documented
from mujina.testing.records import receive_delivery

NOTICE: Final = Broadcast(
    id=0, message="Testing mode: a test may change or delete everything here at any moment.", starts_at="",
    ends_at=NEVER, color="#b45309", font="#ffffff", active=True,
)  # fmt: skip

CHAPTER: Final = Chapter(
    "mujina.testing",
    MIDDLEWARE.of(TestingEndpoints),
    RECEIVERS.of(receive_delivery),
    COMMANDS_ELSEWHERE.of(admit_command),
    FURTHER_PATHS.of(documented),
    NOTICES.of(NOTICE),
)
