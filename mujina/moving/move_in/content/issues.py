"""Issues: pages of them with their labels and assignees, then the comments, reactions and links of each."""

from collections.abc import Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, Final

from mujina.kernel import clock
from mujina.kernel.db.errors import UniqueViolation
from mujina.kernel.db.rows import insert_each, insert_id, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.text.folding import fold
from mujina.moving.move_in import moved
from mujina.moving.move_in.content import notes
from mujina.moving.move_in.content.details import IssueDetails, ahead, ask_issue
from mujina.moving.move_in.content.feed import show_in_feeds
from mujina.moving.move_in.content.labels import label_ids, milestone_id
from mujina.moving.move_in.content.uploads import bring_files
from mujina.moving.move_in.runs import ProjectRun
from mujina.moving.sources.records import LinkedIssue, SourceIssue, SourceWork
from mujina.planning.issues.declarations.work_item import ISSUES
from mujina.planning.issues.operations import MAX_DESCRIPTION_LENGTH, MAX_TITLE_LENGTH
from mujina.planning.work_items.kinds import WorkItemKind
from mujina.planning.work_items.task_lists import completed_tasks

KIND: Final = "issue"


async def move_issues(target: ProjectRun) -> None:
    """Every issue that changed since the last run, with everything about it."""
    async for page in target.run.source.issues(target.project.id):
        changed = await changed_of(target, KIND, page)
        await bring_files(target, [issue.description for issue in changed])
        async with target.run.services.database.transaction() as tx:
            people = [person for issue in changed for person in (*people_of(issue), issue.closed_by)]
            await target.run.people.prepare(tx, people)
            ids = {issue.id: await _write(tx, target, issue) for issue in changed}
        here = [issue for issue in changed if ids[issue.id] is not None]
        async with aclosing(ahead(here, partial(ask_issue, target))) as asked:
            async for issue, details in asked:
                await _finish(target, issue, ids[issue.id] or 0, details)


async def changed_of(target: ProjectRun, kind: str, page: Sequence[Any]) -> list[Any]:
    """Those of the page that are not here in the state that they have at the source."""
    async with target.run.services.database.reading() as tx:
        known = await moved.find_all(tx, target.run.key, kind, [work.id for work in page])
    return [work for work in page if (here := known.get(str(work.id))) is None or here.fingerprint != work.fingerprint]


def people_of(work: SourceWork) -> list[Any]:
    return [work.author, *work.assignees]


async def _finish(target: ProjectRun, issue: SourceIssue, issue_id: int, details: IssueDetails) -> None:
    """Write what the issue has besides its row; a later run passes over it until it changes."""
    here = await notes.write_notes(target, KIND, issue.iid, issue_id, details.conversation)
    async with target.run.services.database.transaction() as tx:
        await notes.write_reactions(tx, target, KIND, issue.iid, issue_id, details.conversation, here)
        await _write_links(tx, target, issue_id, details.links)
        await target.remember(tx, KIND, issue.id, issue_id, fingerprint=issue.fingerprint)


async def _write(tx: Tx, target: ProjectRun, issue: SourceIssue) -> int | None:
    """The row of the issue, created or brought up to date; None if another one has its number."""
    columns = await shared_columns(tx, target, issue, f"/-/issues/{issue.iid}")
    tasks = completed_tasks(columns["description"] or "")
    columns |= {
        "state": issue.state, "confidential": issue.confidential, "weight": issue.weight,
        "due_on": issue.due_date and issue.due_date.isoformat(), "task_count": tasks.count,
        "completed_task_count": tasks.completed_count,
    }  # fmt: skip
    issue_id = await write_numbered(tx, target, ISSUES, issue, columns)
    if issue_id is not None:
        await link(tx, target, issue_id, issue)
        hidden = issue.confidential
        author_id = columns["author_id"]
        await show_in_feeds(tx, target, "issue.created", issue_id, author_id, issue.created_at, confidential=hidden)
        if issue.state == "closed" and issue.closed_by is not None:
            closer_id = await target.run.people.id_of(tx, issue.closed_by)
            await show_in_feeds(tx, target, "issue.closed", issue_id, closer_id, issue.closed_at, confidential=hidden)
    return issue_id


async def shared_columns(tx: Tx, target: ProjectRun, work: SourceWork, rest: str) -> dict[str, Any]:
    """The columns that issues and merge requests have in common."""
    title = target.text(work.title.strip() or "(no title)", MAX_TITLE_LENGTH, rest)
    description = target.text(work.description, MAX_DESCRIPTION_LENGTH, rest)
    return {
        "title": title, "title_folded": fold(title), "description": description or None,
        "description_folded": fold(description), "author_id": await target.run.people.id_of(tx, work.author),
        "milestone_id": await milestone_id(tx, target, work.milestone.id if work.milestone else None),
        "discussion_locked": bool(work.discussion_locked), "time_estimate": work.time_stats.time_estimate,
        "total_time_spent": work.time_stats.total_time_spent, "created_at": clock.iso(work.created_at),
        "updated_at": clock.iso(work.updated_at), "closed_at": work.closed_at and clock.iso(work.closed_at),
    }  # fmt: skip


async def write_numbered(
    tx: Tx, target: ProjectRun, kind: WorkItemKind, work: SourceWork, columns: dict[str, Any]
) -> int | None:
    """The id of the row, which has the number of the source; None, and a problem, if another one stands in its way."""
    known = await target.find(tx, kind.name, work.id)
    table = kind.table
    try:
        async with tx.savepoint():
            if known is not None:
                work_id = known.id
                await update(tx, table, columns, id=work_id)
                target.run.report.updated[table] += 1
            else:
                work_id = await insert_id(tx, table, project_id=target.id, iid=work.iid, **columns)
                target.run.report.created[table] += 1
    except UniqueViolation:
        target.problem(f"/-/{table}/{work.iid}", "Another one here has its number, or is open for the same branches.")
        return None
    await moved.raise_iid(tx, "project", target.id, kind.name, work.iid)
    here = (kind.name, work_id)
    await notes.write_mentions(tx, target, here, here, [work.title, work.description], new=known is None)
    if known is None:
        await target.remember(tx, kind.name, work.id, work_id)
    return work_id


async def link(tx: Tx, target: ProjectRun, issue_id: int, issue: SourceIssue) -> None:
    """The issue has the labels and assignees that it has at the source, and no others."""
    await tx.run("DELETE FROM issue_labels WHERE issue_id = :id", id=issue_id)
    await tx.run("DELETE FROM issue_assignees WHERE issue_id = :id", id=issue_id)
    labels, people = await label_ids(tx, target, issue.labels), target.run.people.ids_of(issue.assignees)
    await insert_each(tx, "issue_labels", [{"issue_id": issue_id, "label_id": label_id} for label_id in labels])
    await insert_each(tx, "issue_assignees", [{"issue_id": issue_id, "user_id": user_id} for user_id in people])


async def _write_links(tx: Tx, target: ProjectRun, issue_id: int, linked: Sequence[LinkedIssue]) -> None:
    """Links to issues that are here; one to an issue that comes later is made when that one comes."""
    if not linked:
        return
    known = await moved.find_all(tx, target.run.key, KIND, [each.id for each in linked])
    for each in linked:
        if (other := known.get(str(each.id))) is None:
            continue
        ends = {"first": min(issue_id, other.id), "second": max(issue_id, other.id)}
        target.run.report.created["issue links"] += await tx.run(
            """INSERT INTO issue_links (source_id, target_id, created_at)
               SELECT CAST(:first AS bigint), CAST(:second AS bigint), CAST(:now AS text)
               WHERE NOT EXISTS (SELECT 1 FROM issue_links k WHERE (k.source_id = :first AND k.target_id = :second)
                   OR (k.source_id = :second AND k.target_id = :first))""",
            now=clock.iso(each.link_created_at) if each.link_created_at else clock.now(),
            **ends,
        )
