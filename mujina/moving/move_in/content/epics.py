"""Epics of groups with their issues, which are here already."""

from hashlib import sha256
from typing import Any

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.errors import UniqueViolation
from mujina.kernel.db.rows import insert_each, insert_id, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.text.folding import fold
from mujina.moving.move_in import moved
from mujina.moving.move_in.runs import MoveRun, collect
from mujina.moving.sources.records import GroupRecord, LinkedIssue, SourceEpic
from mujina.planning.epic_issues.operations import GAP
from mujina.planning.epic_labels.operations import assign
from mujina.planning.epics.operations import MAX_DESCRIPTION_LENGTH, MAX_TITLE_LENGTH
from mujina.planning.labels.operations import known as known_labels
from mujina.workspaces.owners.rules import Owner


async def move_epics(run: MoveRun, group: GroupRecord) -> None:
    """Bring the epics of a group that is here, under their numbers, and put their issues into them."""
    async with run.services.database.reading() as tx:
        here = await moved.find(tx, run.key, "group", group.id)
    if here is None:
        return
    for epic in await collect(run.source.epics(group.id)):
        issues = await collect(run.source.epic_issues(group.id, epic.iid))
        state = msgspec.json.encode((epic, [issue.id for issue in issues]))
        fingerprint = sha256(state, usedforsecurity=False).hexdigest()
        async with run.services.database.transaction() as tx:
            known = await moved.find(tx, run.key, "epic", epic.id)
            if known is not None and known.fingerprint == fingerprint:
                continue
            await run.people.prepare(tx, [epic.author])
            epic_id = await _write(tx, run, group, here.id, epic, known)
            if epic_id is not None:
                await _put_issues(tx, run, epic_id, issues)
                await moved.remember(tx, run.key, "epic", epic.id, epic_id, fingerprint=fingerprint, group_id=here.id)


async def _write(
    tx: Tx, run: MoveRun, group: GroupRecord, group_id: int, epic: SourceEpic, known: moved.MovedObject | None
) -> int | None:
    """The row of the epic, created or brought up to date; None if its group or itself is gone, or its number is taken."""
    # A deletion of the group waits until this epic is counted, or this waits until the group is gone.
    if not await tx.value(
        "SELECT n.id FROM namespaces n WHERE n.id = :id AND n.deleted_at IS NULL FOR NO KEY UPDATE", id=group_id
    ):
        return None
    address = f"{run.source.address}/groups/{group.full_path}/-/epics/{epic.iid}"
    columns = await _columns(tx, run, epic, address)
    if known is not None:
        epic_id = known.id
        if not await update(tx, "epics", columns, id=epic_id):
            return None
        run.report.updated["epics"] += 1
    else:
        try:
            async with tx.savepoint():
                epic_id: int = await insert_id(tx, "epics", group_id=group_id, iid=epic.iid, **columns)
        except UniqueViolation:
            run.report.problem(address, "Another one here has its number.")
            return None
        await moved.raise_iid(tx, "group", group_id, "epic", epic.iid)
        run.report.created["epics"] += 1
    labels = await known_labels(tx, Owner("group", group_id, group_id), epic.labels)
    await assign(tx, epic_id, group_id, sorted(labels))
    return epic_id


async def _columns(tx: Tx, run: MoveRun, epic: SourceEpic, address: str) -> dict[str, Any]:
    title = run.text(epic.title.strip() or "(no title)", MAX_TITLE_LENGTH, address)
    description = run.text(epic.description, MAX_DESCRIPTION_LENGTH, address)
    created_at = clock.iso(epic.created_at) if epic.created_at else clock.now()
    return {
        "title": title, "title_folded": fold(title), "description": description or None,
        "description_folded": fold(description), "author_id": await run.people.id_of(tx, epic.author),
        "start_on": epic.start_date and epic.start_date.isoformat(),
        "end_on": epic.end_date and epic.end_date.isoformat(), "created_at": created_at,
        "updated_at": clock.iso(epic.updated_at) if epic.updated_at else created_at,
    }  # fmt: skip


async def _put_issues(tx: Tx, run: MoveRun, epic_id: int, issues: list[LinkedIssue]) -> None:
    """The epic has the issues that it has at the source, in their order, as far as they are here, and no others."""
    known = await moved.find_all(tx, run.key, "issue", [issue.id for issue in issues])
    places = {known[str(issue.id)].id: place for place, issue in enumerate(issues, 1) if str(issue.id) in known}
    projects = await tx.rows(
        tuple[int, int], "SELECT i.id, i.project_id FROM issues i WHERE i.id IN :ids", ids=sorted(places)
    )
    await tx.run("DELETE FROM epic_issues WHERE epic_id = :id OR issue_id IN :ids", id=epic_id, ids=sorted(places))
    links = [
        {"epic_id": epic_id, "issue_id": issue_id, "project_id": project_id, "relative_position": places[issue_id] * GAP}
        for issue_id, project_id in projects
    ]  # fmt: skip
    await insert_each(tx, "epic_issues", links)
