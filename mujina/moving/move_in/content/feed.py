"""What came, in feeds: with its own dates, and without anything that follows from an event when it happens."""

from datetime import datetime
from typing import Final

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Changes
from mujina.moving.move_in.runs import ProjectRun

NO_CHANGES: Final[Changes] = {}


async def show_in_feeds(
    tx: Tx, target: ProjectRun, kind: str, subject_id: int, author_id: int, at: datetime | None, *, confidential: bool = False,
    changes: Changes = NO_CHANGES,
) -> None:  # fmt: skip
    """Feeds show that the author did this at that time, once; a time that the source does not know or that is to come is left out."""
    if at is None or (when := clock.iso(at)) > clock.now():
        return
    values = {
        "kind": kind, "author_id": author_id, "project_id": target.id, "noun": kind.partition(".")[0],
        "subject_id": subject_id, "confidential": confidential, "at": when,
        "changes": msgspec.json.encode(changes).decode(),
    }  # fmt: skip
    await tx.run_each(
        """INSERT INTO events
               (kind, actor_id, author_id, project_id, subject_kind, subject_id, changes, confidential, created_at)
           SELECT CAST(:kind AS text), CAST(:author_id AS bigint), CAST(:author_id AS bigint), CAST(:project_id AS bigint),
               CAST(:noun AS text), CAST(:subject_id AS bigint), CAST(:changes AS text),
               CAST(:confidential AS boolean), CAST(:at AS text)
           WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.project_id = :project_id AND e.created_at = :at
               AND e.kind = :kind AND e.subject_id = :subject_id AND e.changes = :changes)""",
        [values],
    )
