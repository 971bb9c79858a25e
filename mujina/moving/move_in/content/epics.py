"""Epics of groups with their issues, which are here already, and the comments on them."""

from contextlib import aclosing
from functools import partial
from hashlib import sha256
from typing import Any, Final

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.errors import UniqueViolation
from mujina.kernel.db.rows import insert_each, insert_id, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.text.folding import fold
from mujina.moving.move_in import moved
from mujina.moving.move_in.content import notes
from mujina.moving.move_in.content.details import EpicDetails, ahead, ask_epic
from mujina.moving.move_in.runs import GroupRun, MoveRun, collect
from mujina.moving.sources.records import GroupRecord, LinkedIssue, SourceEpic
from mujina.planning.epic_issues.operations import GAP
from mujina.planning.epic_labels.operations import assign
from mujina.planning.epics.operations import MAX_DESCRIPTION_LENGTH, MAX_TITLE_LENGTH, lock_group
from mujina.planning.labels.operations import known as known_labels
from mujina.workspaces.owners.rules import Owner

KIND: Final = "epic"


async def move_epics(run: MoveRun, group: GroupRecord) -> None:
    """Bring the epics of a group that is here, under their numbers, with their issues and what was said about them."""
    async with run.services.database.reading() as tx:
        here = await moved.find(tx, run.key, "group", group.id)
    if here is None:
        return
    target = GroupRun(run, here.id, group=group)
    epics = await collect(run.source.epics(group.id))
    async with aclosing(ahead(epics, partial(ask_epic, target))) as asked:
        async for epic, details in asked:
            await _move(target, epic, details)


async def _move(target: GroupRun, epic: SourceEpic, details: EpicDetails) -> None:
    """The comments and reactions are compared at each run: a new comment does not change its epic."""
    database, people = target.run.services.database, target.run.people
    state = msgspec.json.encode((epic, [issue.id for issue in details.issues]))
    fingerprint = sha256(state, usedforsecurity=False).hexdigest()
    async with database.transaction() as tx:
        known = await target.find(tx, KIND, epic.id)
        if known is not None and known.fingerprint == fingerprint:
            epic_id = await tx.value("SELECT e.id FROM epics e WHERE e.id = :id", id=known.id)
        else:
            await people.prepare(tx, [epic.author])
            epic_id = await _write(tx, target, epic, known)
            if epic_id is not None:
                await _put_issues(tx, target.run, epic_id, details.issues)
                await target.remember(tx, KIND, epic.id, epic_id, fingerprint=fingerprint)
    if epic_id is None:
        return
    written = await notes.write_notes(target, KIND, epic.iid, epic_id, details.conversation)
    async with database.transaction() as tx:
        await notes.write_reactions(tx, target, KIND, epic.iid, epic_id, details.conversation, written)


async def _write(tx: Tx, target: GroupRun, epic: SourceEpic, known: moved.MovedObject | None) -> int | None:
    """The row of the epic, created or brought up to date; None if its group or itself is gone, or its number is taken."""
    if not await lock_group(tx, target.id):
        return None
    rest, report = f"/-/epics/{epic.iid}", target.run.report
    columns = await _columns(tx, target, epic, rest)
    if known is not None:
        epic_id = known.id
        if not await update(tx, "epics", columns, id=epic_id):
            return None
        report.updated["epics"] += 1
    else:
        try:
            async with tx.savepoint():
                epic_id: int = await insert_id(tx, "epics", group_id=target.id, iid=epic.iid, **columns)
        except UniqueViolation:
            target.problem(rest, "Another one here has its number.")
            return None
        await moved.raise_iid(tx, "group", target.id, KIND, epic.iid)
        report.created["epics"] += 1
    here = (KIND, epic_id)
    await notes.write_mentions(tx, target, here, here, [epic.title, epic.description], new=known is None)
    labels = await known_labels(tx, Owner("group", target.id, target.id), epic.labels)
    await assign(tx, epic_id, target.id, sorted(labels))
    return epic_id


async def _columns(tx: Tx, target: GroupRun, epic: SourceEpic, rest: str) -> dict[str, Any]:
    title = target.text(epic.title.strip() or "(no title)", MAX_TITLE_LENGTH, rest)
    description = target.text(epic.description, MAX_DESCRIPTION_LENGTH, rest)
    created_at = clock.iso(epic.created_at) if epic.created_at else clock.now()
    return {
        "title": title, "title_folded": fold(title), "description": description or None,
        "description_folded": fold(description), "author_id": await target.run.people.id_of(tx, epic.author),
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
