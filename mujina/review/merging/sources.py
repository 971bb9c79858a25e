"""The source branch after the merge."""

import contextlib
from typing import Annotated

from mujina.accounts.users.rules import find_active_actor
from mujina.code.protected_branches.rules import protections
from mujina.code.pushes.changes import BRANCHES, ZERO, Change
from mujina.code.pushes.operations import move_refs
from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.services import Services
from mujina.review.versions.rules import NEWEST_VERSION


class MergedSource(Row, alias="mr"):
    """The source of a merged request, at the head that was merged (`v`)."""

    source_project_id: int
    source_branch: str
    head_sha: Annotated[str, "v.head_sha"]
    remover_id: int


async def remove_source(services: Services, request_id: int) -> None:
    """Delete the source branch as the user who wanted that. It stays if they may not, if it is protected, or if it
    moved on.
    """
    async with services.database.reading() as tx:
        source = await tx.row(
            MergedSource,
            f"""SELECT {MergedSource.columns} FROM merge_requests mr
                JOIN projects src ON src.id = mr.source_project_id AND src.deleted_at IS NULL
                JOIN {NEWEST_VERSION}
                WHERE mr.id = :id AND mr.state = 'merged' AND mr.remover_id IS NOT NULL AND v.head_sha IS NOT NULL""",
            id=request_id,
        )
        remover = None if source is None else await find_active_actor(tx, source.remover_id)
        if source is None or remover is None:
            return
        protected = await protections(tx, remover, source.source_project_id, 0)
    if any(protection.covers(source.source_branch) for protection in protected):
        return
    with contextlib.suppress(errors.ApiError):
        gone = Change(BRANCHES + source.source_branch, source.head_sha, ZERO)
        await move_refs(services, remover, source.source_project_id, [gone])
