"""Labels as their page shows them: the prioritized ones first, each with its counts."""

import msgspec

from mujina.kernel.db.sql.selection import ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues.filters import ReadableProjects
from mujina.planning.labels.entities import Label, LabelView, counted
from mujina.planning.labels.rules import usable
from mujina.workspaces.owners.rules import Owner


class LabelPageView(LabelView):
    group_id: int | None


class LabelOnPage(msgspec.Struct, frozen=True):
    label: Label
    owned: bool
    """Whether it belongs to the project or group itself, not to a group above."""

    @property
    def prioritized(self) -> bool:
        return isinstance(self.label.priority, int)


_BY_PRIORITY = ascending(
    """coalesce((SELECT lp.priority FROM label_priorities lp
        WHERE lp.label_id = l.id AND lp.project_id = :project_id), 9223372036854775807)""",
    "l.title",
    "l.id",
)
"""Labels without a priority come last."""


async def read_labels(
    tx: Tx, actor: Actor, owner: Owner, projects: ReadableProjects, search: str, page: Page
) -> Paged[LabelOnPage]:
    """One page of the usable labels, by priority and title."""
    selection = usable(owner)
    if search:
        selection = selection.matching(search, "l.title_folded")
    selection = selection.bind(**owner.bound, **actor.bound)
    rows = await load_rows(tx, LabelPageView, selection, _BY_PRIORITY, page)
    labels = await counted(tx, actor, owner, projects, rows.items)
    return rows.with_items(
        [LabelOnPage(label, row.group_id == owner.group_id) for row, label in zip(rows.items, labels, strict=True)]
    )
