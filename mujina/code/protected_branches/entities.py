"""Protected branches as responses show them."""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows

DESCRIPTIONS = {0: "No one", 30: "Developers + Masters", 40: "Masters"}


class AccessLevel(msgspec.Struct):
    """One grant."""

    access_level: int | None
    access_level_description: str
    user_id: int | None
    group_id: int | None


class ProtectedBranch(msgspec.Struct):
    name: str
    push_access_levels: list[AccessLevel]
    merge_access_levels: list[AccessLevel]


class BranchGrantView(Row, alias="a"):
    branch_id: int
    verb: str
    level: int | None
    user_id: int | None
    group_id: int | None
    grantee: Annotated[str | None, "coalesce(u.name, n.name)"]
    """The name of the user or the group."""

    def shown(self) -> AccessLevel:
        description = self.grantee or "" if self.level is None else DESCRIPTIONS[self.level]
        return AccessLevel(self.level, description, self.user_id, self.group_id)


async def load_page(tx: Tx, selection: Selection, page: Page) -> Paged[ProtectedBranch]:
    """One page of protections, sorted by name."""
    rows = await load_rows(tx, tuple[int, str], selection, ascending("b.name"), page, columns="b.id, b.name")
    return rows.with_items(await _with_grants(tx, rows.items))


async def load_one(tx: Tx, branch_id: int) -> ProtectedBranch:
    """One protection; 404 if it was removed since it was found."""
    rows = await tx.rows(
        tuple[int, str], "SELECT b.id, b.name FROM protected_branches b WHERE b.id = :id", id=branch_id
    )
    if not rows:
        raise errors.not_found("Protected Branch")
    return (await _with_grants(tx, rows))[0]


async def _with_grants(tx: Tx, rows: Sequence[tuple[int, str]]) -> list[ProtectedBranch]:
    """Adds the grants, which one statement reads for all."""
    grants = await tx.rows(
        BranchGrantView,
        f"""
        SELECT {BranchGrantView.columns}
        FROM protected_branch_grants a
        LEFT JOIN users u ON u.id = a.user_id LEFT JOIN namespaces n ON n.id = a.group_id
        WHERE a.branch_id IN :ids ORDER BY a.id
        """,
        ids=[id_ for id_, _ in rows],
    )

    def levels(id_: int, verb: str) -> list[AccessLevel]:
        return [grant.shown() for grant in grants if grant.branch_id == id_ and grant.verb == verb]

    return [ProtectedBranch(name, levels(id_, "push"), levels(id_, "merge")) for id_, name in rows]
