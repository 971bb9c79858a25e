"""Imported names, and giving what they wrote to the user who is that person, as an administrator confirms."""

from collections import Counter
from typing import Annotated, LiteralString

from mujina.accounts.emails import operations as emails
from mujina.accounts.paths import operations as paths
from mujina.accounts.users.removing.operations import CONTRIBUTIONS, lock_removals
from mujina.kernel import clock
from mujina.kernel.db.rows import Row, insert, update
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.removals import clean_up
from mujina.kernel.text.folding import fold


class ImportedName(Row, alias="u"):
    """The author of what a person wrote on another forge."""

    id: int
    username: str
    name: str
    source: Annotated[str | None, "mo.source"]


_NAMES: LiteralString = f"""SELECT {ImportedName.columns} FROM users u
    LEFT JOIN moved_objects mo ON mo.user_id = u.id AND mo.kind = 'person'
    WHERE u.kind = 'imported' AND u.deleted_at IS NULL"""


async def list_imported(tx: Tx) -> list[ImportedName]:
    """All imported names that are not claimed."""
    return await tx.rows(ImportedName, f"{_NAMES} ORDER BY u.id")


async def find_imported(tx: Tx, username: str) -> ImportedName | None:
    return await tx.row(ImportedName, f"{_NAMES} AND u.username_folded = :name", name=fold(username))


async def claim(database: Database, imported: ImportedName, user_id: int) -> None:
    """Everything of the imported name is the user's, also what later runs bring; the name is gone. Rights are not given.

    It runs in short transactions; after a crash, calling it again does the rest.
    """
    done = False
    while not done:
        async with database.transaction() as tx:
            await lock_removals(tx)
            # Before the authors: the hand-over ends the assignments that are left.
            await _reassign(tx, imported.id, user_id)
            written = tx.product.all(CONTRIBUTIONS)
            done = await clean_up([each.reassign_to_ghost for each in written], tx, imported.id, user_id)
            if done:
                await _remove(tx, imported, user_id)


async def _reassign(tx: Tx, imported_id: int, user_id: int) -> None:
    """What the hand-over of a deleted user's work would not give to another: merges, resolutions, assignments, reviews, feeds."""
    ends = {"imported_id": imported_id, "user_id": user_id}
    await tx.run("UPDATE merge_requests SET merged_by_id = :user_id WHERE merged_by_id = :imported_id", **ends)
    await tx.run("UPDATE merge_requests SET closed_by_id = :user_id WHERE closed_by_id = :imported_id", **ends)
    await tx.run("UPDATE notes SET resolved_by_id = :user_id WHERE resolved_by_id = :imported_id", **ends)
    await tx.run(
        """UPDATE moved_objects SET object_id = :user_id, user_id = :user_id
           WHERE kind = 'person' AND user_id = :imported_id""",
        **ends,
    )
    await tx.run("UPDATE events SET author_id = :user_id, actor_id = :user_id WHERE author_id = :imported_id", **ends)
    await _hand_over_counts(tx, imported_id, user_id)
    await tx.run(
        """INSERT INTO issue_assignees (issue_id, user_id)
           SELECT a.issue_id, CAST(:user_id AS bigint) FROM issue_assignees a WHERE a.user_id = :imported_id
           ON CONFLICT DO NOTHING""",
        **ends,
    )
    await tx.run(
        """INSERT INTO merge_request_assignees (merge_request_id, user_id)
           SELECT a.merge_request_id, CAST(:user_id AS bigint) FROM merge_request_assignees a
           WHERE a.user_id = :imported_id ON CONFLICT DO NOTHING""",
        **ends,
    )
    await tx.run(
        """INSERT INTO merge_request_reviewers (merge_request_id, user_id)
           SELECT a.merge_request_id, CAST(:user_id AS bigint) FROM merge_request_reviewers a
           WHERE a.user_id = :imported_id ON CONFLICT DO NOTHING""",
        **ends,
    )


async def _hand_over_counts(tx: Tx, imported_id: int, user_id: int) -> None:
    """The kept counts of the events of the two are those of the user: a count may have several rows, which are added up."""
    counts = Counter[tuple[int, str, str, str]]()
    taken = await tx.rows(
        tuple[int, str, str, str, int],
        "DELETE FROM event_counts WHERE author_id = :id RETURNING project_id, day, kind, part, n",
        id=imported_id,
    )
    for project_id, day, kind, part, n in taken:
        counts[project_id, day, kind, part] += n
    for (project_id, day, kind, part), n in counts.items():
        named = {"author_id": user_id, "project_id": project_id, "day": day, "kind": kind, "part": part}
        own: list[int] = await tx.values(
            """DELETE FROM event_counts WHERE author_id = :author_id AND project_id = :project_id AND day = :day
               AND kind = :kind AND part = :part RETURNING n""",
            **named,
        )
        await insert(tx, "event_counts", n=n + sum(own), **named)


async def _remove(tx: Tx, imported: ImportedName, user_id: int) -> None:
    """Hide the imported name; a job removes its row. Hooks are not called: they never heard of it."""
    await paths.close(tx, imported.username)
    await emails.release_user(tx, imported.id)
    await update(tx, "users", {"deleted_at": clock.now()}, id=imported.id)
    await enqueue(tx, "users.remove", imported.id, owner_id=user_id)
