"""The report of the last import of each project: written while it runs, and kept."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.rows import upsert
from mujina.kernel.db.transaction import Database, Tx
from mujina.moving.move_in.report import MoveProblem, MoveReport

MAX_KEPT: Final = 1_000
"""Problems of one report; how many more there were is counted."""
SECONDS: Final = 5


class ImportReport(msgspec.Struct):
    """What an import brought by now, and what it did not."""

    source: str
    complete: bool
    created: dict[str, int]
    updated: dict[str, int]
    problems: list[MoveProblem]
    unlisted_problems: int = 0

    @property
    def kinds(self) -> list[str]:
        """The kinds of objects that came."""
        return sorted({*self.created, *self.updated})


def ignore(*_progress: object) -> None:
    """The progress of a job is not shown."""


async def find_report(tx: Tx, project_id: int) -> ImportReport | None:
    """The report of the last import of the project; None if it has none."""
    found: str | None = await tx.value("SELECT i.report FROM import_reports i WHERE i.project_id = :id", id=project_id)
    return None if found is None else msgspec.json.decode(found, type=ImportReport)


async def store_report(tx: Tx, project_id: int, report: MoveReport) -> None:
    """The project has this report from now on."""
    text = msgspec.json.encode(_kept(report)).decode()
    await upsert(tx, "import_reports", "project_id", project_id=project_id, report=text, updated_at=clock.now())


@asynccontextmanager
async def reporting(database: Database, project_id: int, report: MoveReport) -> AsyncGenerator[None]:
    """Store the report every few seconds while the block runs, so that people see how far the import is."""

    async def repeat() -> None:
        while True:
            async with database.transaction() as tx:
                await store_report(tx, project_id, report)
            await asyncio.sleep(SECONDS)

    repeating = asyncio.create_task(repeat())
    try:
        yield
    finally:
        repeating.cancel()
        await asyncio.gather(repeating, return_exceptions=True)


def _kept(report: MoveReport) -> dict[str, Any]:
    """The report as it is stored: text without NUL, which PostgreSQL does not store, and no more problems than are kept."""
    text = report.as_json()
    left_out = max(0, len(report.problems) - MAX_KEPT)
    problems = [
        {name: value.replace("\0", "") for name, value in problem.items()} for problem in text["problems"][:MAX_KEPT]
    ]
    return {**text, "problems": problems, "unlisted_problems": report.unlisted + left_out}
