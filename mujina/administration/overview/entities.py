"""The state of the whole instance, as its administrators see it."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, LiteralString

import msgspec

from mujina.accounts.users.entities import RefRow
from mujina.integrations.deliveries.figures import DeliveryFigures, deliveries_by_hour, delivery_figures
from mujina.integrations.sidekiq.samples import most_waiting_by_hour
from mujina.kernel import clock
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs.processes import QueueFigures, queue_figures
from mujina.kernel.monitoring.readiness import HEALTH_LINES, HealthLine

HOURS: Final = 24
NEWEST: Final = 5
STARTED_AT: Final = clock.now()
"""When this process started."""


class InstanceTotals(Row):
    users: Annotated[int, "(SELECT count(*) FROM users u WHERE u.kind = 'person' AND u.deleted_at IS NULL)"]
    groups: Annotated[int, "(SELECT count(*) FROM namespaces n WHERE n.kind = 'group' AND n.deleted_at IS NULL)"]
    projects: Annotated[int, "(SELECT CAST(coalesce(sum(c.n), 0) AS bigint) FROM project_counts c)"]
    issues: Annotated[int, "(SELECT CAST(coalesce(sum(c.n), 0) AS bigint) FROM issue_counts c)"]
    merge_requests: Annotated[int, "(SELECT CAST(coalesce(sum(c.n), 0) AS bigint) FROM merge_request_counts c)"]
    repository_bytes: Annotated[
        int, "(SELECT CAST(coalesce(sum(s.repository_size), 0) AS bigint) FROM project_statistics s)"
    ]
    hooks: Annotated[int, "(SELECT count(*) FROM hooks h WHERE h.service_id IS NULL)"]
    mails: Annotated[int, "(SELECT count(*) FROM mails) + (SELECT count(*) FROM notifications)"]
    """Mails that wait to be sent."""
    oldest_mail: Annotated[
        str | None,
        """(SELECT min(waiting.created_at) FROM (SELECT created_at FROM mails UNION ALL
            SELECT created_at FROM notifications) waiting)""",
    ]


class InstanceStatistics(msgspec.Struct):
    """Each is a text with commas: clients of today decode texts."""

    forks: str
    issues: str
    merge_requests: str
    notes: str
    snippets: str
    ssh_keys: str
    milestones: str
    users: str
    projects: str
    groups: str
    active_users: str


class FurtherTotals(Row):
    forks: Annotated[
        int, "(SELECT count(*) FROM projects p WHERE p.forked_from_id IS NOT NULL AND p.deleted_at IS NULL)"
    ]
    notes: Annotated[int, "(SELECT count(*) FROM notes note WHERE NOT note.system)"]
    snippets: Annotated[int, "(SELECT count(*) FROM snippets s)"]
    ssh_keys: Annotated[int, "(SELECT count(*) FROM ssh_keys k WHERE k.user_id IS NOT NULL)"]
    milestones: Annotated[int, "(SELECT count(*) FROM milestones ms)"]
    active_users: Annotated[
        int,
        """(SELECT count(*) FROM users u
            WHERE u.kind = 'person' AND u.state = 'active' AND u.deleted_at IS NULL)""",
    ]


async def read_statistics(tx: Tx) -> InstanceStatistics:
    """The totals that the API shows."""
    [further] = await tx.rows(FurtherTotals, f"SELECT {FurtherTotals.columns}")
    totals = {**msgspec.structs.asdict(await read_totals(tx)), **msgspec.structs.asdict(further)}
    return InstanceStatistics(**{name: f"{totals[name]:,}" for name in InstanceStatistics.__struct_fields__})


class DatabaseFacts(Row):
    version: str
    bytes: int


_DATABASE: Final[dict[str, LiteralString]] = {
    "sqlite": """SELECT sqlite_version(), (SELECT page_count FROM pragma_page_count())
                 * (SELECT page_size FROM pragma_page_size())""",
    "postgres": "SELECT current_setting('server_version'), pg_database_size(current_database())",
}


class NewUser(RefRow):
    external: bool
    admin: bool
    created_at: str


class ChartHours(msgspec.Struct, frozen=True):
    """The last hours: what was delivered in each, and how much waited."""

    labels: list[str]
    delivered: list[int]
    failed: list[int]
    waiting: list[int]


class InstanceState(msgspec.Struct, frozen=True):
    totals: InstanceTotals
    engine: str
    database: DatabaseFacts
    queues: Sequence[QueueFigures]
    deliveries: DeliveryFigures
    later_lines: Sequence[HealthLine]
    """Those of other chapters."""
    hours: ChartHours
    newest: Sequence[NewUser]


async def read_state(tx: Tx) -> InstanceState:
    """Everything that the overview shows, in nine statements and those of other chapters."""
    totals = await read_totals(tx)
    [database] = await tx.rows(DatabaseFacts, _DATABASE[tx.engine])
    newest = await tx.rows(
        NewUser,
        f"""SELECT {NewUser.columns} FROM users u WHERE u.kind = 'person' AND u.deleted_at IS NULL
            ORDER BY u.id DESC LIMIT :limit""",
        limit=NEWEST,
    )
    return InstanceState(
        totals=totals, engine=tx.engine, database=database, queues=await queue_figures(tx),
        deliveries=await delivery_figures(tx), hours=await _hours(tx), newest=newest,
        later_lines=[await read(tx) for read in tx.product.all(HEALTH_LINES)],
    )  # fmt: skip


async def read_totals(tx: Tx) -> InstanceTotals:
    [totals] = await tx.rows(InstanceTotals, f"SELECT {InstanceTotals.columns}")
    return totals


async def _hours(tx: Tx) -> ChartHours:
    now = datetime.fromtimestamp(clock.timestamp(), UTC)
    hours = [clock.iso(now - timedelta(hours=back))[:13] for back in range(HOURS - 1, -1, -1)]
    delivered = {row.hour: row for row in await deliveries_by_hour(tx, hours[0])}
    waiting = await most_waiting_by_hour(tx, hours[0])
    return ChartHours(
        [f"{hour[11:]}:00" for hour in hours],
        [delivered[hour].delivered if hour in delivered else 0 for hour in hours],
        [delivered[hour].failed if hour in delivered else 0 for hour in hours],
        [waiting.get(hour, 0) for hour in hours],
    )
