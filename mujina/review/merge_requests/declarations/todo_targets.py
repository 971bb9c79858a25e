"""Merge requests as todos show them: whole, as by themselves."""

import msgspec

from mujina.code.pipelines import entities as pipelines
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.review.merge_requests.entities import in_lists, members_of
from mujina.review.merge_requests.rules import mergeable_branches
from mujina.review.merge_requests.views.merge_request import JOINED, SingleMergeRequest, SingleView


async def as_targets(tx: Tx, actor: Actor, ids: list[int]) -> dict[int, SingleMergeRequest]:
    """The requests of these ids; statements grow with their projects, not with them."""
    rows = await tx.rows(
        SingleView,
        f"SELECT {SingleView.columns} FROM merge_requests mr {JOINED} WHERE mr.id IN :ids",
        ids=ids,
        **actor.bound,
    )
    views, singles = [row.request for row in rows], [row.single for row in rows]
    heads = await pipelines.full_of(tx, actor, [row.head_pipeline_id for row in singles if row.head_pipeline_id])
    mergeable = await mergeable_branches(tx, actor, {(view.project_id, view.target_branch) for view in views})
    return {
        view.id: SingleMergeRequest(
            **msgspec.structs.asdict(request),
            **members_of(
                columns,
                heads.get(columns.head_pipeline_id or 0),
                can_merge=(view.project_id, view.target_branch) in mergeable,
            ),
        )
        for view, columns, request in zip(views, singles, await in_lists(tx, views), strict=True)
    }
