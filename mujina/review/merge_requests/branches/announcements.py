"""The messages of a push about merge requests: where to open one, or the one that is open."""

from collections.abc import Sequence
from typing import LiteralString
from urllib.parse import quote

from mujina.code.pushes.access import RepositoryRow
from mujina.code.pushes.changes import Change
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.urls import web
from mujina.review.merge_requests.rules import READ_MERGE_REQUEST

MAX_BRANCHES = 50
"""A push of more branches prints nothing about the others."""

_WANTED: LiteralString = """
    SELECT p.merge_requests_enabled AND p.printing_merge_request_link_enabled, EXISTS (
        SELECT 1 FROM merge_requests mr
        WHERE mr.source_project_id = :project_id AND mr.source_branch IN :branches AND mr.state = 'opened')
    FROM projects p WHERE p.id = :project_id"""
"""Whether the project prints links, and whether a request is open. Most branches have none: its rule is then not asked."""
_OPEN: LiteralString = f"""
    SELECT mr.source_branch, r.path, mr.iid FROM merge_requests mr JOIN projects p ON p.id = mr.project_id
    JOIN routes r ON r.project_id = p.id
    WHERE mr.source_project_id = :project_id AND mr.source_branch IN :branches AND mr.state = 'opened'
    AND p.deleted_at IS NULL AND {READ_MERGE_REQUEST.standalone} ORDER BY mr.id DESC"""


async def announce_merge_requests(tx: Tx, actor: Actor, repository: RepositoryRow, moved: Sequence[Change]) -> str:
    """One paragraph for each branch, except the default branch, in the order of the push."""
    branches = [change.branch for change in moved if change.branch is not None and not change.deletes]
    branches = [branch for branch in branches if branch != repository.default_branch][:MAX_BRANCHES]
    if not branches or repository.default_branch is None:
        return ""
    wanted = await tx.row(tuple[bool, bool], _WANTED, project_id=repository.id, branches=branches)
    printing, asked = wanted or (False, False)
    if not printing:
        return ""
    found = list[tuple[str, str, int]]()
    if asked:
        found = await tx.rows(tuple[str, str, int], _OPEN, project_id=repository.id, branches=branches, **actor.bound)
    requests = {branch: web(f"/{path}/merge_requests/{iid}") for branch, path, iid in found}
    return "".join(_paragraph(repository.full_path, branch, requests.get(branch)) for branch in branches)


def _paragraph(path: str, branch: str, request: str | None) -> str:
    if request is not None:
        return f"\nView merge request for {branch}:\n  {request}\n\n"
    address = web(f"/{path}/merge_requests/new")
    query = f"merge_request%5Bsource_branch%5D={quote(branch, safe='')}"
    return f"\nTo create a merge request for {branch}, visit:\n  {address}?{query}\n\n"
