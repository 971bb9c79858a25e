"""What happens to labels."""

from typing import Any

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.text import fold

DEFAULT_COLOR = "#428BCA"


async def titles_on(tx: Tx, issue_id: int) -> list[str]:
    """The titles of the issue's labels."""
    return await tx.values(
        "SELECT l.title FROM issue_labels il JOIN labels l ON l.id = il.label_id WHERE il.issue_id = :id ORDER BY l.title",
        id=issue_id,
    )


async def put_on(
    tx: Tx, project_id: int, namespace_id: int, issue_id: int, titles: list[str], *, create: bool
) -> dict[str, Any]:
    """Exactly these labels stand on the issue; unknown titles become labels of the project if `create`."""
    before = await titles_on(tx, issue_id)
    if sorted(titles) == before:
        return {}
    known = await _known(tx, project_id, namespace_id, titles)
    if create:
        for title in titles:
            if title not in known:
                known[title] = await _create(tx, project_id, title)
    await tx.run(
        "DELETE FROM issue_labels WHERE issue_id = :id AND label_id NOT IN :kept",
        id=issue_id,
        kept=list(known.values()),
    )
    await tx.run_each(
        "INSERT INTO issue_labels (issue_id, label_id) VALUES (:issue_id, :label_id) ON CONFLICT DO NOTHING",
        [{"issue_id": issue_id, "label_id": label_id} for label_id in known.values()],
    )
    return {"labels": (before, sorted(known))}


async def _known(tx: Tx, project_id: int, namespace_id: int, titles: list[str]) -> dict[str, int]:
    """Labels of these titles that the project may use: its group's first, then its own."""
    rows = await tx.rows(
        tuple[str, int],
        """
        SELECT l.title, l.id FROM labels l WHERE l.title IN :titles AND (l.project_id = :project_id OR l.group_id IN
            (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :namespace_id))
        ORDER BY l.group_id NULLS LAST
        """,
        titles=titles, project_id=project_id, namespace_id=namespace_id,
    )  # fmt: skip
    return dict(reversed(rows))


async def _create(tx: Tx, project_id: int, title: str) -> int:
    """A label of the project; a twin made at the same moment is the same label."""
    now = clock.now()
    return await tx.value(
        """
        INSERT INTO labels (project_id, title, title_folded, color, created_at, updated_at)
        VALUES (:project_id, :title, :title_folded, :color, :now, :now)
        ON CONFLICT (project_id, title) WHERE project_id IS NOT NULL DO UPDATE SET title = excluded.title
        RETURNING id
        """,
        project_id=project_id, title=title[:255], title_folded=fold(title[:255]), color=DEFAULT_COLOR, now=now,
    )  # fmt: skip
