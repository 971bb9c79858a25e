"""Protected tags as responses show them."""

from collections.abc import Sequence

import msgspec

from mujina.code.protected_branches.entities import ProtectionGrantView
from mujina.code.protected_tags.rules import ProtectedTagRow
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows


class TagAccessLevel(msgspec.Struct):
    """One grant."""

    id: int
    access_level: int | None
    access_level_description: str
    user_id: int | None
    group_id: int | None


class ProtectedTag(msgspec.Struct):
    name: str
    create_access_levels: list[TagAccessLevel]


class TagGrantView(ProtectionGrantView):
    tag_id: int

    def shown(self) -> TagAccessLevel:
        return TagAccessLevel(self.id, self.level, self.description, self.user_id, self.group_id)


async def load_page(tx: Tx, selection: Selection, page: Page) -> Paged[ProtectedTag]:
    """One page of protections, sorted by name."""
    rows = await load_rows(tx, ProtectedTagRow, selection, ascending("b.name"), page)
    return rows.with_items(await to_entities(tx, rows.items))


async def to_entities(tx: Tx, rows: Sequence[ProtectedTagRow]) -> list[ProtectedTag]:
    """Adds the grants, which one statement reads for all."""
    grants = await tx.rows(
        TagGrantView,
        f"""SELECT {TagGrantView.columns} FROM protected_tag_grants a
            LEFT JOIN users u ON u.id = a.user_id LEFT JOIN namespaces n ON n.id = a.group_id
            WHERE a.tag_id IN :ids ORDER BY a.id""",
        ids=[row.id for row in rows],
    )
    return [ProtectedTag(row.name, [grant.shown() for grant in grants if grant.tag_id == row.id]) for row in rows]
