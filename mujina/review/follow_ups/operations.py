"""Resolves the discussions on a merge request that a new issue continues."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.http.params import Ref
from mujina.planning.discussions.follow_ups import find_request, followed
from mujina.planning.notes import operations as notes
from mujina.planning.notes.operations import NoteTarget
from mujina.review.discussions import operations as discussions
from mujina.review.merge_requests.rules import find_merge_request


async def resolve_followed_discussions(tx: Tx, event: Event) -> None:
    """Resolve them if the actor may, and say in each of them which issue continues it."""
    if "follow_up" not in event.changes or event.project_id is None or event.actor_id is None:
        return
    iid, discussion_id = event.changes["follow_up"]
    noteable = await find_request(tx, event.actor, event.project_id, iid)
    if noteable is None or not noteable.resolver:
        return
    request = await find_merge_request(tx, event.actor, Ref.of(event.project_id), iid)
    issue_iid: int = await tx.value("SELECT i.iid FROM issues i WHERE i.id = :id", id=event.subject_id)
    target = NoteTarget("merge_request", request.id, request.project_id)
    source = NoteTarget("issue", event.subject_id, event.project_id)
    body = f"created #{issue_iid} to continue this discussion"
    for followed_id, comments in (await followed(tx, noteable, discussion_id)).items():
        await discussions.resolve(tx, event.actor, request, [note.id for note in comments], resolved=True)
        await notes.add_system_by(
            tx, event.actor_id, event.created_at, target, body, discussion_id=followed_id, source=source
        )
