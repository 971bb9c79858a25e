"""Runs of the synchronization: what each did, and whether it may remove as many people as it would."""

from typing import Literal

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.rows import Row, upsert
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.monitoring.logs import log
from mujina.kernel.monitoring.metrics import count_ldap_run

RunKind = Literal["users", "groups", "administrators", "external"]
Outcome = Literal["done", "failed", "waiting"]

ALWAYS_ALLOWED = 5
LARGEST_SHARE = 5
"""Up to a fifth of those whom a run governs may be removed without a confirmation."""


class RunRow(Row, alias="r"):
    provider: str
    kind: str
    ended_at: str
    outcome: str
    summary: str


def is_too_many(removed: int, governed: int) -> bool:
    """Whether the number of removals needs a confirmation: more than five, and more than a fifth of all."""
    return removed > ALWAYS_ALLOWED and removed * LARGEST_SHARE > governed


class RunReport(msgspec.Struct):
    """One run: what it would do or did, and how it ended."""

    provider: str
    kind: RunKind
    started_at: str
    outcome: Outcome = "done"
    summary: str = ""
    changes: list[str] = msgspec.field(default_factory=list[str])

    def end(self, outcome: Outcome, summary: str) -> None:
        self.outcome, self.summary = outcome, summary


async def finish(database: Database, report: RunReport) -> RunReport:
    """Record how a run ended: for `mujina ldap status`, in the log and in the metrics."""
    async with database.transaction() as tx:
        await upsert(
            tx, "ldap_runs", "provider, kind", provider=report.provider, kind=report.kind, started_at=report.started_at,
            ended_at=clock.now(), outcome=report.outcome, summary=report.summary,
        )  # fmt: skip
    announce(report)
    return report


def announce(report: RunReport) -> None:
    """Tell how a run ended in the log and in the metrics."""
    count_ldap_run(report.provider, report.kind, report.outcome)
    write = log.info if report.outcome == "done" else log.warning
    write("LDAP synchronization", provider=report.provider, kind=report.kind, outcome=report.outcome,
          summary=report.summary)  # fmt: skip


async def list_runs(tx: Tx) -> list[RunRow]:
    """The last run of each kind, by provider."""
    return await tx.rows(RunRow, f"SELECT {RunRow.columns} FROM ldap_runs r ORDER BY r.provider, r.kind")
