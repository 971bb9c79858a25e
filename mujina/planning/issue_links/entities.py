"""What is shown of related issues."""

from typing import Any

import msgspec

from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page
from mujina.planning.issues import entities as issues


class Link(msgspec.Struct):
    source_issue: issues.Issue
    target_issue: issues.Issue


async def listed(tx: Tx, chosen: Selection, page: Page) -> list[dict[str, Any]]:
    """One page of related issues, each with the link that leads to it."""
    rows = await tx.rows(
        tuple[int, int],
        f"SELECT link.id, i.id {chosen.text} ORDER BY link.id LIMIT :limit OFFSET :offset",
        **chosen.bound,
        **page.bound,
    )
    found = await issues.by_id(tx, [issue_id for _, issue_id in rows])
    return [
        {**msgspec.to_builtins(found[issue_id]), "issue_link_id": link_id}
        for link_id, issue_id in rows
        if issue_id in found
    ]


async def single(tx: Tx, source_id: int, target_id: int) -> Link:
    """Both ends of a link."""
    found = await issues.by_id(tx, [source_id, target_id])
    return Link(found[source_id], found[target_id])
