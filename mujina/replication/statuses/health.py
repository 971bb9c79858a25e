"""How the secondaries do, in the words of the overview."""

from typing import Final

from mujina.kernel.db.transaction import Tx
from mujina.kernel.monitoring.readiness import HealthLine
from mujina.replication.nodes.rules import list_nodes
from mujina.replication.statuses.entities import shown_status
from mujina.replication.statuses.rules import list_statuses
from mujina.web.frame.formats import plural

MAX_LAG_SECONDS: Final = 60


async def read_health(tx: Tx) -> HealthLine:
    """The number of secondaries and how far they are behind, by what each last reported."""
    nodes = [node for node in await list_nodes(tx) if not node.is_primary]
    if not nodes:
        return HealthLine.of("Replication", True, "No secondary", "/admin/geo_nodes")
    stored = await list_statuses(tx)
    statuses = [shown_status(node, stored[node.id], with_wikis=False) for node in nodes if node.id in stored]
    lags = [status.db_replication_lag_seconds or 0 for status in statuses]
    healthy = len(statuses) == len(nodes) and all(status.healthy for status in statuses)
    words = plural(len(nodes), "secondary", "secondaries")
    words += f", {max(lags)} s behind" if lags else ", no status yet"
    return HealthLine.of("Replication", healthy and max(lags, default=0) <= MAX_LAG_SECONDS, words, "/admin/geo_nodes")
