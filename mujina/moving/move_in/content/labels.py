"""Labels, milestones and boards."""

from collections.abc import Sequence

from mujina.kernel import clock
from mujina.kernel.db.errors import UniqueViolation
from mujina.kernel.db.rows import insert_id, timestamps, update, upsert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.text.folding import fold
from mujina.moving.move_in import moved
from mujina.moving.move_in.report import MoveReport
from mujina.moving.move_in.runs import MoveRun, ProjectRun, collect
from mujina.moving.sources.records import SourceBoard, SourceLabel, SourceMilestone
from mujina.planning.labels.operations import MAX_TITLE_LENGTH
from mujina.workspaces.owners.rules import Owner

MAX_DESCRIPTION_LENGTH = 1_000_000


async def move_labels(run: MoveRun, owner: Owner, source_id: int) -> None:
    """The labels of a group or project, and the priorities that a project gives them."""
    labels = await collect(run.source.labels(f"{owner.kind}s", source_id))
    async with run.services.database.transaction() as tx:
        for label in labels:
            if owner.kind == "project" and not label.is_project_label and run.project_id is None:
                continue  # it comes with its group
            label_id = await _label(tx, run, owner, label)
            if owner.kind == "project" and label.priority is not None and label_id is not None:
                await upsert(
                    tx, "label_priorities", "project_id, label_id", project_id=owner.id, label_id=label_id,
                    priority=label.priority,
                )  # fmt: skip


async def _label(tx: Tx, run: MoveRun, owner: Owner, label: SourceLabel) -> int | None:
    """The label; None if it came and was deleted here."""
    known = await moved.find(tx, run.key, "label", label.id)
    if known is not None:
        return await tx.value("SELECT l.id FROM labels l WHERE l.id = :id", id=known.id)
    title = label.name.strip()[:MAX_TITLE_LENGTH]
    label_id: int | None = await tx.value(
        """SELECT l.id FROM labels l WHERE l.title = :title
           AND (l.project_id = CAST(:project_id AS bigint) OR l.group_id = CAST(:group_id AS bigint))""",
        title=title,
        **owner.ids,
    )
    if label_id is None:
        label_id = await insert_id(
            tx, "labels", title=title, title_folded=fold(title), color=label.color, description=label.description,
            **owner.ids, **timestamps(),
        )  # fmt: skip
        run.report.created["labels"] += 1
    await moved.remember(tx, run.key, "label", label.id, label_id or 0, **owner.ids)
    return label_id


async def move_milestones(run: MoveRun, owner: Owner, source_id: int) -> None:
    """The milestones of a group or project, under their numbers."""
    milestones = await collect(run.source.milestones(f"{owner.kind}s", source_id))
    async with run.services.database.transaction() as tx:
        for milestone in sorted(milestones, key=lambda each: each.iid):
            await _milestone(tx, run, owner, milestone)


async def _milestone(tx: Tx, run: MoveRun, owner: Owner, milestone: SourceMilestone) -> None:
    address = f"{run.source.address} milestone {milestone.id}"
    known = await moved.find(tx, run.key, "milestone", milestone.id)
    fingerprint = milestone.updated_at.isoformat()
    if known is not None and known.fingerprint == fingerprint:
        return
    title, description = milestone.title.strip()[:255], (milestone.description or "")[:MAX_DESCRIPTION_LENGTH]
    columns = {
        "title": title, "title_folded": fold(title), "description": description or None,
        "description_folded": fold(description), "state": milestone.state,
        "start_on": milestone.start_date and milestone.start_date.isoformat(),
        "due_on": milestone.due_date and milestone.due_date.isoformat(),
        "created_at": clock.iso(milestone.created_at), "updated_at": clock.iso(milestone.updated_at),
        "closed_at": clock.iso(milestone.updated_at) if milestone.state == "closed" else None,
    }  # fmt: skip
    try:
        async with tx.savepoint():
            if known is None:
                milestone_id: int = await insert_id(tx, "milestones", iid=milestone.iid, **columns, **owner.ids)
            else:
                milestone_id = known.id
                await update(tx, "milestones", columns, id=milestone_id)
    except UniqueViolation:
        run.report.problem(address, "There is another milestone of this title or number here.")
        return
    _count(run.report, "milestones", created=known is None)
    await moved.raise_iid(tx, owner.kind, owner.id, "milestone", milestone.iid)
    await moved.remember(tx, run.key, "milestone", milestone.id, milestone_id, fingerprint=fingerprint, **owner.ids)


async def move_boards(target: ProjectRun) -> None:
    """The issue boards of a project with their lists."""
    boards = await collect(target.run.source.boards(target.project.id))
    async with target.run.services.database.transaction() as tx:
        for board in boards:
            if await target.find(tx, "board", board.id) is None:
                await _board(tx, target, board)


async def _board(tx: Tx, target: ProjectRun, board: SourceBoard) -> None:
    board_id: int = await insert_id(tx, "boards", project_id=target.id, name=board.name, **timestamps())
    await target.remember(tx, "board", board.id, board_id)
    target.run.report.created["boards"] += 1
    for place, each in enumerate(sorted(board.lists, key=lambda one: one.position or 0)):
        label = None if each.label is None else await target.find(tx, "label", each.label.id)
        await tx.run(
            """INSERT INTO board_lists (board_id, label_id, position, created_at, updated_at)
               SELECT CAST(:board_id AS bigint), l.id, CAST(:place AS bigint), CAST(:now AS text), CAST(:now AS text)
               FROM labels l WHERE l.id = :label_id ON CONFLICT DO NOTHING""",
            board_id=board_id, place=place, label_id=label.id if label else 0, now=clock.now(),
        )  # fmt: skip


def _count(report: MoveReport, kind: str, *, created: bool) -> None:
    (report.created if created else report.updated)[kind] += 1


async def label_ids(tx: Tx, target: ProjectRun, titles: Sequence[str]) -> list[int]:
    """The labels of these titles that the project can use; its own come before those of groups."""
    rows = await tx.rows(
        tuple[str, int],
        """SELECT l.title, l.id FROM labels l JOIN projects p ON p.id = :id WHERE l.title IN :titles
           AND (l.project_id = p.id OR l.group_id IN
               (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = p.namespace_id))
           ORDER BY CASE WHEN l.project_id IS NULL THEN 0 ELSE 1 END, l.id""",
        id=target.id,
        titles=[title.strip()[:MAX_TITLE_LENGTH] for title in titles],
    )
    return sorted(dict(rows).values())


async def milestone_id(tx: Tx, target: ProjectRun, source_id: int | None) -> int | None:
    """The milestone that came as this one, if it is still here."""
    known = None if source_id is None else await target.find(tx, "milestone", source_id)
    return known and await tx.value("SELECT ms.id FROM milestones ms WHERE ms.id = :id", id=known.id)
