"""Everything that this chapter adds to the product."""

from typing import Final

from mujina.accounts.users.removing.operations import CONTRIBUTIONS
from mujina.code.pushes.followers import ANNOUNCERS, FOLLOWERS
from mujina.kernel.events import REACTIONS, EnqueueJob, Reactions
from mujina.kernel.http.requests.newer_fields import NEWER_FIELDS
from mujina.kernel.product import Chapter
from mujina.planning.issues.related_requests import RELATED_REQUESTS, RelatedRequests
from mujina.planning.issues.views.issue import Issue
from mujina.planning.noteables.kinds import NOTEABLE_KINDS
from mujina.planning.quick_actions.plan import COMMAND_KINDS
from mujina.planning.references.updates import update_references
from mujina.planning.resource_events.operations import record_changes
from mujina.planning.todos.operations import add_assignee_todos, finish_after_editing, finish_after_pushing
from mujina.planning.work_items.kinds import WORK_ITEM_KINDS
from mujina.rendering.references import REFERENCE_KINDS
from mujina.review.approvals.operations import (
    add_approver_todos,
    note_approval,
    reset_after_edit,
    reset_after_push,
    reset_after_version,
)
from mujina.review.automatic_merges.operations import (
    add_unmergeable_todo,
    clear_after_edit,
    clear_after_push,
    clear_after_version,
    enqueue_automatic_merges,
    note_automatic_merge,
)
from mujina.review.closing.operations import close_issues, leave_out_confidential, update_closing_issues
from mujina.review.closing.related import COUNT_RELATED, read_related
from mujina.review.discussions.operations import delete_unused_position, note_resolved, resolve_followed_discussions
from mujina.review.draft_notes import contributions as draft_note_contributions
from mujina.review.lost_access.operations import enqueue_end, have_ended
from mujina.review.merge_requests.branches.announcements import announce_merge_requests
from mujina.review.merge_requests.branches.forks import close_requests_of_deleted, close_requests_of_unlinked
from mujina.review.merge_requests.branches.pushes import follow_push
from mujina.review.merge_requests.declarations.noteable import MERGE_REQUEST
from mujina.review.merge_requests.declarations.reference_kind import MERGE_REQUEST_REFERENCES
from mujina.review.merge_requests.declarations.work_item import MERGE_REQUESTS
from mujina.review.merge_requests.removing import contributions as merge_request_contributions
from mujina.review.merge_requests.removing.rows import (
    delete_merge_request_conversations,
    enqueue_removal_of_refs,
)
from mujina.review.merge_requests.views.newer_fields import add_request_counts, add_request_right
from mujina.review.merging.conflicts import add_conflict_todos
from mujina.review.owner_approvals.operations import check_again
from mujina.review.pipelines.failures import add_build_failed_todos, follow_job, follow_status
from mujina.review.quick_actions.operations import MERGE_REQUEST_COMMANDS
from mujina.review.suggestions.operations import enqueue_reading
from mujina.review.suggestions.operations import finish as finish_suggestions
from mujina.review.system_notes.operations import note_merge_request_changes, note_restored_branch
from mujina.review.version_changes.operations import enqueue_following
from mujina.review.versions.operations import store_pusher
from mujina.workspaces.groups.operations import GROUP_MEMBERS
from mujina.workspaces.projects.entities import Project

_AFTER_CHANGE: Final = (
    note_merge_request_changes,
    record_changes,
    finish_after_editing,
    add_assignee_todos,
    update_references,
    update_closing_issues,
)

_REACTIONS: Final[Reactions] = {
    "commit_status.created": [follow_status],
    "commit_status.updated": [follow_status],
    "group.transferred": [enqueue_end],
    "group.unshared": [enqueue_end],
    "group.updated": [enqueue_end],
    "issue.created": [leave_out_confidential, resolve_followed_discussions],
    "job.created": [follow_job],
    "job.updated": [follow_job],
    "member.expired": [enqueue_end],
    "member.removed": [enqueue_end],
    "merge_request.approved": [note_approval],
    "merge_request.approvers_changed": [add_approver_todos],
    "merge_request.automatic_merge_canceled": [note_automatic_merge],
    "merge_request.automatic_merge_enabled": [note_automatic_merge],
    "merge_request.automatic_merge_failed": [add_unmergeable_todo],
    "merge_request.build_failed": [add_build_failed_todos],
    "merge_request.conflicted": [add_conflict_todos],
    "merge_request.created": [
        record_changes,
        EnqueueJob("merge_requests.refresh"),
        add_assignee_todos,
        add_approver_todos,
        update_references,
        update_closing_issues,
    ],
    "merge_request.closed": [clear_after_edit, *_AFTER_CHANGE],
    "merge_request.deleted": [delete_merge_request_conversations, enqueue_removal_of_refs],
    "merge_request.discussions_resolved": [note_resolved],
    "merge_request.merged": [close_issues, note_merge_request_changes, record_changes, finish_after_editing],
    "merge_request.pushed": [
        clear_after_version,
        reset_after_version,
        store_pusher,
        EnqueueJob("merge_requests.follow_versions"),
        note_restored_branch,
        update_closing_issues,
        finish_after_pushing,
    ],
    "merge_request.reopened": [
        EnqueueJob("merge_requests.follow_versions"),
        EnqueueJob("merge_requests.refresh"),
        *_AFTER_CHANGE,
    ],
    "merge_request.unapproved": [note_approval],
    "merge_request.updated": [enqueue_following, clear_after_edit, reset_after_edit, *_AFTER_CHANGE],
    "note.created": [enqueue_reading],
    "note.deleted": [delete_unused_position],
    "note.updated": [enqueue_reading],
    "pipeline.created": [enqueue_automatic_merges],
    "pipeline.updated": [enqueue_automatic_merges],
    "project.deleted": [close_requests_of_deleted],
    "project.transferred": [enqueue_end],
    "project.unshared": [enqueue_end],
    "project.updated": [enqueue_end, close_requests_of_unlinked],
    "protected_branch.created": [check_again],
    "protected_branch.deleted": [check_again],
    "protected_branch.updated": [check_again],
    "repository.pushed": [clear_after_push, reset_after_push, finish_suggestions],
    "user.updated": [enqueue_end],
}

CHAPTER: Final = Chapter(
    "mujina.review",
    REACTIONS.of(_REACTIONS),
    FOLLOWERS.of(follow_push),
    ANNOUNCERS.of(announce_merge_requests),
    NOTEABLE_KINDS.of(MERGE_REQUEST),
    WORK_ITEM_KINDS.of(MERGE_REQUESTS),
    COMMAND_KINDS.of(MERGE_REQUEST_COMMANDS),
    REFERENCE_KINDS.of(MERGE_REQUEST_REFERENCES),
    RELATED_REQUESTS.of(RelatedRequests(read_related, COUNT_RELATED)),
    CONTRIBUTIONS.of(merge_request_contributions, draft_note_contributions),
    GROUP_MEMBERS.of(have_ended),
    NEWER_FIELDS.of((Project, add_request_right), (Issue, add_request_counts)),
)
