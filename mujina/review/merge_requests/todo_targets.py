"""Merge requests as todos show them."""

from typing import Annotated

import msgspec

from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.review.merge_requests.entities import MergeRequest, in_lists
from mujina.review.merge_requests.subscribers import SUBSCRIBED
from mujina.review.merge_requests.views import JOINED, MergeRequestView


class MergeRequestTarget(MergeRequest, kw_only=True):
    subscribed: bool
    changes_count: str | None


class MergeRequestTargetView(MergeRequestView):
    subscribed: Annotated[bool, SUBSCRIBED]
    real_size: Annotated[str | None, "v.real_size"]


async def as_targets(tx: Tx, actor: Actor, ids: list[int]) -> dict[int, MergeRequestTarget]:
    """The requests of these ids."""
    rows = await tx.rows(
        MergeRequestTargetView,
        f"SELECT {MergeRequestTargetView.columns} FROM merge_requests mr {JOINED} WHERE mr.id IN :ids",
        ids=ids,
        **actor.bound,
    )
    return {
        row.id: MergeRequestTarget(
            **msgspec.structs.asdict(request), subscribed=row.subscribed, changes_count=row.real_size
        )
        for row, request in zip(rows, await in_lists(tx, rows), strict=True)
    }
