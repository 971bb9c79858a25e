"""Merge requests as something that people comment on."""

from mujina.instance.editions.rules import counts_as_assignee
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.planning.noteables.kinds import Noteable, NoteableKind, Purpose
from mujina.review.approvals.approvers import NAMED_USERS
from mujina.review.discussions.positions import positions_of
from mujina.review.merge_requests.declarations.todo_targets import as_targets
from mujina.review.merge_requests.declarations.work_item import SUBSCRIBED
from mujina.review.merge_requests.rules import (
    COMMENT_ON_MERGE_REQUEST,
    READ_MERGE_REQUEST,
    MergeRequestRow,
    NotedMergeRequestRow,
    find_merge_request,
    find_merge_request_as,
)
from mujina.review.suggestions.entities import suggestions_of


async def find(tx: Tx, actor: Actor, ref: Ref, iid: int, to: Purpose) -> Noteable:
    if to == "comment":
        return noteable_of(await find_merge_request(tx, actor, ref, iid, to=COMMENT_ON_MERGE_REQUEST, hide=True))
    request = await find_merge_request_as(NotedMergeRequestRow, tx, actor, ref, iid, hide=True)
    return noteable_of(request, request.note_sources)


def noteable_of(request: MergeRequestRow, note_sources: str | None = None) -> Noteable:
    """The request as something that notes are on."""
    return Noteable(
        kind="merge_request", type="MergeRequest", id=request.id, iid=request.iid, path=request.full_path,
        author_id=request.author_id, dated=request.owner, moderated=request.manager, project_id=request.project_id,
        resolvable=True, resolver=request.resolver, project_active_at=request.project_active_at,
        note_sources=note_sources,
    )  # fmt: skip


MERGE_REQUEST = NoteableKind(
    name="merge_request",
    rows="merge_requests mr JOIN projects p ON p.id = mr.project_id",
    key="mr.id",
    present="p.deleted_at IS NULL",
    readable=READ_MERGE_REQUEST,
    find=find,
    noun="merge request",
    sign="!",
    texts="""SELECT mr.project_id, NULL, r.path, mr.iid, mr.title, mr.description FROM merge_requests mr
        JOIN routes r ON r.project_id = mr.project_id WHERE mr.id = :id""",
    author="mr.author_id",
    subscribed=SUBSCRIBED,
    involved=f"""SELECT mr.author_id FROM merge_requests mr WHERE mr.id = :merge_request_id
        UNION ALL SELECT a.user_id FROM merge_request_assignees a WHERE a.merge_request_id = :merge_request_id
        AND {counts_as_assignee("merge_request_assignees", "merge_request_id", "a")}
        UNION ALL SELECT w.user_id FROM merge_request_reviewers w WHERE w.merge_request_id = :merge_request_id
        UNION ALL {NAMED_USERS}""",
    project="mr.project_id",
    targets=as_targets,
    line="""SELECT mr.id, r.path, mr.iid, mr.title, mr.state FROM merge_requests mr
        JOIN routes r ON r.project_id = mr.project_id""",
    page="/{path}/merge_requests/{iid}",
    positions=positions_of,
    suggestions=suggestions_of,
    counted="merge_requests",
)
