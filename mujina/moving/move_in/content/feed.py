"""What came, in feeds: with its own dates, and without anything that follows from an event when it happens."""

from datetime import datetime
from typing import Any, Final

import msgspec

from mujina.code.pushes.changes import BRANCHES, TAGS, ZERO
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Changes
from mujina.moving.move_in.runs import ProjectRun
from mujina.moving.sources.pushes import SourcePushData

NO_CHANGES: Final[Changes] = {}
PUSHED: Final = "repository.pushed"


async def show_in_feeds(
    tx: Tx, target: ProjectRun, kind: str, subject_id: int, author_id: int, at: datetime | None, *, confidential: bool = False,
    changes: Changes = NO_CHANGES,
) -> None:  # fmt: skip
    """Feeds show that the author did this at that time, once; an unknown or future time is left out."""
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


async def move_pushes(target: ProjectRun) -> None:
    """Feeds show the pushes to the project that the source still knows; what was pushed comes with the repository."""
    people = target.run.people
    async for page in target.run.source.pushes(target.project.id):
        async with target.run.services.database.transaction() as tx:
            await people.prepare(tx, [push.author for push in page])
            for push in [push for push in page if push.push_data.ref]:
                author_id, changes = await people.id_of(tx, push.author), _changes(push.push_data)
                await show_in_feeds(tx, target, PUSHED, target.id, author_id, push.created_at, changes=changes)


def _changes(push: SourcePushData) -> dict[str, Any]:
    """What the push did to its ref, as an event of a push tells it."""
    ref = f"{TAGS if push.ref_type == 'tag' else BRANCHES}{push.ref}"
    sha = (push.commit_from or ZERO, push.commit_to or ZERO)
    return {"ref": ref, "sha": sha, "commit_count": push.commit_count, "commit_title": push.commit_title}
