"""Protected branches as responses show them."""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from mujina.code.protected_branches.rules import ProtectedBranchRow
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows

_DESCRIPTIONS = {0: "No one", 30: "Developers + Masters", 40: "Masters"}


class AccessLevel(msgspec.Struct):
    """One grant."""

    id: int
    access_level: int | None
    access_level_description: str
    user_id: int | None
    group_id: int | None
    deploy_key_id: int | None = None


class ProtectedBranch(msgspec.Struct):
    """Everyone who may administer the project may unprotect it."""

    id: int
    name: str
    push_access_levels: list[AccessLevel]
    merge_access_levels: list[AccessLevel]
    allow_force_push: bool
    code_owner_approval_required: bool
    unprotect_access_levels: list[AccessLevel] = []


class ProtectionGrantView(Row, alias="a"):
    """A grant of a protected branch or tag, with its user (`u`) or its group (`n`)."""

    id: int
    level: int | None
    user_id: int | None
    group_id: int | None
    grantee: Annotated[str | None, "coalesce(u.name, n.name)"]
    """The name of the user or the group."""

    @property
    def description(self) -> str:
        return self.grantee or "" if self.level is None else _DESCRIPTIONS[self.level]


class BranchGrantView(ProtectionGrantView):
    branch_id: int
    verb: str

    def shown(self) -> AccessLevel:
        return AccessLevel(self.id, self.level, self.description, self.user_id, self.group_id)


async def load_page(tx: Tx, selection: Selection, page: Page) -> Paged[ProtectedBranch]:
    """One page of protections, sorted by name."""
    rows = await load_rows(tx, ProtectedBranchRow, selection, ascending("b.name"), page)
    return rows.with_items(await _with_grants(tx, rows.items))


async def load_one(tx: Tx, branch_id: int) -> ProtectedBranch:
    """One protection; 404 if it was removed since it was found."""
    selection = Selection("protected_branches b", "b.id = :id", id=branch_id)
    [branch] = await _with_grants(tx, [await find_row(tx, ProtectedBranchRow, selection, "Protected Branch")])
    return branch


async def _with_grants(tx: Tx, rows: Sequence[ProtectedBranchRow]) -> list[ProtectedBranch]:
    """Adds the grants, which one statement reads for all."""
    grants = await tx.rows(
        BranchGrantView,
        f"""
        SELECT {BranchGrantView.columns}
        FROM protected_branch_grants a
        LEFT JOIN users u ON u.id = a.user_id LEFT JOIN namespaces n ON n.id = a.group_id
        WHERE a.branch_id IN :ids ORDER BY a.id
        """,
        ids=[row.id for row in rows],
    )

    def levels(id_: int, verb: str) -> list[AccessLevel]:
        return [grant.shown() for grant in grants if grant.branch_id == id_ and grant.verb == verb]

    return [
        ProtectedBranch(
            id=row.id, name=row.name, push_access_levels=levels(row.id, "push"),
            merge_access_levels=levels(row.id, "merge"), allow_force_push=row.allow_force_push,
            code_owner_approval_required=row.code_owner_approval_required,
        )
        for row in rows
    ]  # fmt: skip
