"""What is shown of a label: itself, and how many issues the caller sees that carry it."""

from typing import LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.owners import Owner
from mujina.kernel.paging import Page
from mujina.planning.issues.readable_projects import ReadableProjects


class Label(msgspec.Struct):
    """A label as one project or group sees it; the order of priority is a project's."""

    id: int
    name: str
    color: str
    description: str | None
    open_issues_count: int
    closed_issues_count: int
    open_merge_requests_count: int
    subscribed: bool
    priority: int | UnsetType | None = UNSET


class _Row(msgspec.Struct, array_like=True, frozen=True):
    id: int
    title: str
    color: str
    description: str | None
    subscribed: bool
    priority: int | None


_COLUMNS: LiteralString = """
    l.id, l.title, l.color, l.description,
    coalesce((SELECT s.subscribed FROM label_subscriptions s WHERE s.label_id = l.id AND s.user_id = :actor), FALSE),
    (SELECT lp.priority FROM label_priorities lp WHERE lp.label_id = l.id AND lp.project_id = :project_id)"""


async def listed(
    tx: Tx, actor: Actor, holder: Owner, projects: ReadableProjects, chosen: Selection, page: Page
) -> list[Label]:
    """One page, by title."""
    rows = await tx.rows(
        _Row,
        f"SELECT {_COLUMNS} {chosen.text} ORDER BY l.title, l.id LIMIT :limit OFFSET :offset",
        **chosen.bound | holder.bound | actor.bound | page.bound,
    )
    return await _counted(tx, actor, holder, projects, rows)


async def single(tx: Tx, actor: Actor, holder: Owner, projects: ReadableProjects, label_id: int) -> Label:
    """One label; it may have been deleted since it was found."""
    rows = await tx.rows(
        _Row, f"SELECT {_COLUMNS} FROM labels l WHERE l.id = :id", id=label_id, **holder.bound, **actor.bound
    )
    if not rows:
        raise errors.not_found("Label")
    return (await _counted(tx, actor, holder, projects, rows))[0]


async def _counted(tx: Tx, actor: Actor, holder: Owner, projects: ReadableProjects, rows: list[_Row]) -> list[Label]:
    """Each with its counts, which come in one statement, by the rule of the lists of issues."""
    issues = projects.issues(actor)
    counts = await tx.rows(
        tuple[int, str, int],
        f"""SELECT il.label_id, i.state, count(*) FROM issue_labels il JOIN issues i ON i.id = il.issue_id
            WHERE il.label_id IN :ids AND {issues.where} GROUP BY il.label_id, i.state""",
        ids=[row.id for row in rows],
        **issues.bound,
    )
    found = {(label_id, state): n for label_id, state, n in counts}
    return [
        Label(
            row.id, row.title, row.color, row.description,
            found.get((row.id, "opened"), 0), found.get((row.id, "closed"), 0), 0,
            row.subscribed, row.priority if holder.kind == "project" else UNSET,
        )
        for row in rows
    ]  # fmt: skip
