"""Labels as the API shows them, with the number of their issues and merge requests that the caller may read."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues.filters import ReadableProjects
from mujina.planning.labels.colors import text_color
from mujina.planning.noteables.kinds import NoteableKind, noteable_kind
from mujina.rendering.html import escape_optional
from mujina.workspaces.owners.rules import Owner
from mujina.workspaces.projects.rules import READ_CODE


class Label(msgspec.Struct):
    """A label as used in a project or group; only projects have priorities."""

    id: int
    name: Annotated[str, "l.title"]
    color: str
    description: str | None
    # Compat: `description_html`, `text_color` and `is_project_label` are younger than the specification.
    description_html: Computed[str | None]
    text_color: Computed[str]
    is_project_label: Annotated[bool, "l.project_id IS NOT NULL"]
    open_issues_count: Computed[int]
    closed_issues_count: Computed[int]
    open_merge_requests_count: Computed[int]
    subscribed: Annotated[
        bool,
        """coalesce((SELECT s.subscribed FROM label_subscriptions s WHERE s.label_id = l.id AND s.user_id = :actor),
            FALSE)""",
    ]
    priority: int | UnsetType | None = UNSET


class LabelView(Row, alias="l", of=Label):
    id: int
    color: str
    description: str | None
    priority: Annotated[
        int | None,
        "(SELECT lp.priority FROM label_priorities lp WHERE lp.label_id = l.id AND lp.project_id = :project_id)",
    ]


async def load_page(
    tx: Tx, actor: Actor, owner: Owner, projects: ReadableProjects, selection: Selection, page: Page
) -> Paged[Label]:
    """One page, by title."""
    selection = selection.bind(**owner.bound, **actor.bound)
    rows = await load_rows(tx, LabelView, selection, ascending("l.title", "l.id"), page)
    return rows.with_items(await counted(tx, actor, owner, projects, rows.items))


async def load_one(tx: Tx, actor: Actor, owner: Owner, projects: ReadableProjects, label_id: int) -> Label:
    """One label; 404 if it was deleted in the meantime."""
    selection = Selection("labels l", "l.id = :id", id=label_id, **owner.bound, **actor.bound)
    [label] = await counted(tx, actor, owner, projects, [await find_row(tx, LabelView, selection, "Label")])
    return label


async def counted(
    tx: Tx, actor: Actor, owner: Owner, projects: ReadableProjects, rows: Sequence[LabelView]
) -> list[Label]:
    """The labels of these rows with their counts: of what lists of issues and merge requests show."""
    found = await projects.count_by_label(tx, actor, [row.id for row in rows])
    requests = await _open_requests(tx, actor, owner, [row.id for row in rows])
    return [
        to_entity(
            Label, row, open_merge_requests_count=requests.get(row.id, 0),
            open_issues_count=found.get((row.id, "opened"), 0), closed_issues_count=found.get((row.id, "closed"), 0),
            description_html=escape_optional(row.description), text_color=text_color(row.color),
            priority=row.priority if owner.kind == "project" else UNSET,
        )
        for row in rows
    ]  # fmt: skip


async def _open_requests(tx: Tx, actor: Actor, owner: Owner, label_ids: list[int]) -> dict[int, int]:
    """How many open merge requests of the project or group have each label, of those that the actor may read."""
    kind = noteable_kind(tx.product, "merge_request")
    if kind is None:
        return {}
    found = Counter[int]()
    for statement in (_kept_requests(kind), _own_requests(kind)):
        rows = await tx.rows(tuple[int, bool, int], statement, ids=label_ids, **owner.bound, **actor.bound)
        found.update({label_id: n for label_id, readable, n in rows if readable})
        if all(readable for _, readable, _ in rows):
            break
    return found


def _kept_requests(kind: NoteableKind) -> LiteralString:
    """Label, whether the actor sees all requests of the projects, and the kept count there."""
    return f"""SELECT c.label_id, {READ_CODE.for_scan}, CAST(sum(c.n) AS bigint) FROM merge_request_label_counts c
        JOIN projects p ON p.id = c.project_id WHERE c.label_id IN :ids AND c.state = 'opened' AND {_WITHIN}
        AND {kind.readable.assuming({READ_CODE: True}).for_scan} GROUP BY 1, 2"""


def _own_requests(kind: NoteableKind) -> LiteralString:
    """Counts requests that the actor has a part in, in projects of which they do not see all."""
    return f"""SELECT ml.label_id, TRUE, count(*) FROM merge_request_labels ml
        JOIN merge_requests mr ON mr.id = ml.merge_request_id JOIN projects p ON p.id = mr.project_id
        WHERE ml.label_id IN :ids AND mr.state = 'opened' AND {_WITHIN}
        AND NOT {READ_CODE.for_scan} AND {kind.readable.for_scan} GROUP BY ml.label_id"""


_WITHIN: LiteralString = """p.deleted_at IS NULL AND (p.id = :project_id OR p.namespace_id IN (
    SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id))"""


UNKNOWN_COLOR = "#888888"
"""The color of a label that was deleted meanwhile."""


class LabelChip(Row, alias="l"):
    """A label as a page shows it beside an issue."""

    title: str
    color: str
    description: str | None


async def chips_in(tx: Tx, project_ids: list[int], titles: Iterable[str]) -> dict[str, LabelChip]:
    """The labels of these titles as used in these projects, by title; a label of a project precedes one of a group.
    One that was deleted meanwhile is gray.
    """
    wanted = sorted(set(titles))
    if not wanted:
        return {}
    rows = await tx.rows(
        LabelChip,
        f"""SELECT {LabelChip.columns} FROM labels l
           WHERE l.title IN :titles AND (l.project_id IN :project_ids OR l.group_id IN (
               SELECT t.ancestor_id FROM projects p JOIN group_tree t ON t.group_id = p.namespace_id
               WHERE p.id IN :project_ids))
           ORDER BY l.project_id NULLS FIRST""",
        titles=wanted,
        project_ids=project_ids,
    )
    return {title: LabelChip(title, UNKNOWN_COLOR, None) for title in wanted} | {row.title: row for row in rows}
