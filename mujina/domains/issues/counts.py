"""The totals of each project, kept with every change."""

from mujina.kernel.db.transaction import Tx

Standing = tuple[str, bool]
"""Where an issue is counted: its state, and whether it is confidential."""


async def move(tx: Tx, project_id: int, before: Standing | None, after: Standing | None) -> None:
    """One issue less there, one more here; None: it comes, or goes for good."""
    if before == after:
        return
    steps = [(standing, step) for standing, step in ((before, -1), (after, 1)) if standing is not None]
    # Always in one order: two changes in opposite directions must not wait for each other.
    await tx.run_each(
        """
        INSERT INTO issue_counts (project_id, state, confidential, n) VALUES (:project_id, :state, :confidential, :step)
        ON CONFLICT (project_id, state, confidential) DO UPDATE SET n = issue_counts.n + excluded.n
        """,
        [
            {"project_id": project_id, "state": state, "confidential": int(confidential), "step": step}
            for (state, confidential), step in sorted(steps)
        ],
    )


async def forget(tx: Tx, author_id: int) -> None:
    """Every issue of this author is about to go for good."""
    await tx.run(
        """
        UPDATE issue_counts SET n = n - (
            SELECT count(*) FROM issues i WHERE i.author_id = :author_id AND i.deleted_at IS NULL
            AND i.project_id = issue_counts.project_id AND i.state = issue_counts.state
            AND CASE WHEN i.confidential THEN 1 ELSE 0 END = issue_counts.confidential)
        WHERE project_id IN (SELECT i.project_id FROM issues i WHERE i.author_id = :author_id)
        """,
        author_id=author_id,
    )
