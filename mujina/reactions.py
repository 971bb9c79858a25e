"""Every consequence in the product, on one screen: when this happens, that follows.

A consequence the next request must see (a system note, a todo, a counter) is a function `async (tx, event)` of its
slice, and runs inside the transaction of the change. What needs the network or more than a few milliseconds is
`Later("noun.verb")`: a task of the slice's `jobs.py`, run for the event's subject soon after the commit.
They run in the order of the list. `If` names the condition without which a consequence has no effect.
"""

from typing import Final

from mujina.accounts.mails.operations import (
    mail_administrators,
    mail_approval,
    mail_confirmation,
    mail_email_changed,
    mail_further_confirmation,
    mail_password_changed,
    mail_reset,
)
from mujina.accounts.sessions.logins import unlock_after_change
from mujina.accounts.sessions.operations import end_all
from mujina.accounts.users.accounts import lift_two_factor_requirement
from mujina.accounts.users.removal import enqueue_removal
from mujina.activity.audit.kinds import AUDITED
from mujina.activity.audit.operations import write_audit_events
from mujina.code.push_rules.operations import copy_default
from mujina.code.pushes.followers import Announcer, Follower
from mujina.code.repositories.operations import follow_default_branch
from mujina.code.tags.operations import remove_release
from mujina.integrations.deliveries.capture import capture
from mujina.integrations.notifications.operations import notify
from mujina.integrations.payloads.rules import WATCHED, WATCHED_BY_INSTANCE, WATCHED_BY_PROJECT
from mujina.kernel.events import If, Later, Reactions, Watch, Watches
from mujina.planning.awards.operations import delete_note_awards, delete_snippet_awards
from mujina.planning.boards.transfers import replace_list_labels
from mujina.planning.epic_issues.transfers import drop_epic, drop_foreign_epics, follow_move
from mujina.planning.epic_labels.operations import drop_foreign_labels
from mujina.planning.epics.removal import delete_epic_conversations
from mujina.planning.epics.system_notes import note_epic_changes, note_epic_issue
from mujina.planning.issue_links.system_notes import note_relation
from mujina.planning.issues.group_transfers import follow_group
from mujina.planning.issues.member_removal import unassign
from mujina.planning.issues.transfers import replace_milestones
from mujina.planning.labels.transfers import copy_group_labels
from mujina.planning.notes.counts import count_notes
from mujina.planning.notes.operations import delete_snippet_notes
from mujina.planning.notes.system_notes import note_changes, note_duplicate, note_move
from mujina.planning.references.operations import delete_note_mentions
from mujina.planning.references.pushes import enqueue_push
from mujina.planning.references.updates import update_note_references, update_references
from mujina.planning.todos.operations import (
    add_assignee_todos,
    delete_todos_of_member,
    finish_after_awarding,
    finish_after_commenting,
    finish_after_editing,
    finish_after_pushing,
)
from mujina.planning.todos.rules import PENDING, PENDING_ON_NOTEABLE
from mujina.replication.log.operations import LOGGED, log_event
from mujina.replication.log.rules import HAS_SECONDARIES
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
from mujina.review.discussions.operations import delete_unused_position, note_resolved
from mujina.review.follow_ups.operations import resolve_followed_discussions
from mujina.review.lost_access.operations import enqueue_end
from mujina.review.merge_requests.announcements import announce_merge_requests
from mujina.review.merge_requests.forks import close_requests_of_deleted, close_requests_of_unlinked
from mujina.review.merge_requests.member_removal import release
from mujina.review.merge_requests.pushes import follow_push
from mujina.review.merge_requests.removal import delete_merge_request_conversations, enqueue_removal_of_refs
from mujina.review.merge_requests.transfers import (
    replace_in_group,
    replace_request_labels,
    replace_request_milestones,
)
from mujina.review.merging.conflicts import add_conflict_todos
from mujina.review.pipelines.failures import add_build_failed_todos, follow_status
from mujina.review.system_notes.operations import note_merge_request_changes, note_restored_branch
from mujina.review.version_changes.operations import enqueue_following
from mujina.review.versions.operations import store_pusher
from mujina.workspaces.projects.forks import lower_forks
from mujina.workspaces.projects.operations import note_contribution

_CONSEQUENCES: Final[Reactions] = {
    "access_request.created": [notify],
    "access_request.deleted": [notify],
    "award.given": [finish_after_awarding],
    "commit_status.created": [follow_status],
    "commit_status.updated": [follow_status],
    "email.added": [mail_further_confirmation],
    "epic.created": [update_references, notify],
    "epic.updated": [note_epic_changes, If(PENDING, finish_after_editing), update_references, notify],
    "epic.deleted": [delete_epic_conversations],
    "epic_issue.added": [note_epic_issue],
    "epic_issue.removed": [note_epic_issue],
    "group.deleted": [Later("groups.remove")],
    "group.transferred": [follow_group, replace_in_group, drop_foreign_labels, enqueue_end],
    "group.updated": [enqueue_end],
    "invitation.created": [Later("invitations.deliver")],
    "invitation.resent": [Later("invitations.deliver")],
    "issue.created": [
        leave_out_confidential,
        add_assignee_todos,
        update_references,
        resolve_followed_discussions,
        note_contribution,
        notify,
    ],
    "issue.updated": [note_changes, If(PENDING, finish_after_editing), add_assignee_todos, update_references, notify],
    "issue.closed": [
        note_changes,
        If(PENDING, finish_after_editing),
        add_assignee_todos,
        update_references,
        note_contribution,
        notify,
    ],
    "issue.deleted": [drop_epic],
    "issue.marked_as_duplicate": [note_duplicate],
    "issue.moved": [note_move, If(PENDING, finish_after_editing), follow_move, notify],
    "issue.reopened": [
        note_changes,
        If(PENDING, finish_after_editing),
        add_assignee_todos,
        update_references,
        note_contribution,
        notify,
    ],
    "issue_link.created": [note_relation],
    "issue_link.deleted": [note_relation],
    "member.added": [note_contribution, notify],
    "member.expired": [unassign, release, delete_todos_of_member, enqueue_end, notify],
    "member.removed": [unassign, release, delete_todos_of_member, enqueue_end, note_contribution],
    "member.updated": [notify],
    "merge_request.approved": [note_approval, notify],
    "merge_request.approvers_changed": [add_approver_todos, notify],
    "merge_request.automatic_merge_canceled": [note_automatic_merge],
    "merge_request.automatic_merge_enabled": [note_automatic_merge],
    "merge_request.automatic_merge_failed": [add_unmergeable_todo],
    "merge_request.build_failed": [add_build_failed_todos],
    "merge_request.created": [
        Later("merge_requests.refresh"),
        add_assignee_todos,
        add_approver_todos,
        update_references,
        update_closing_issues,
        note_contribution,
        notify,
    ],
    "merge_request.conflicted": [add_conflict_todos],
    "merge_request.deleted": [delete_merge_request_conversations, enqueue_removal_of_refs],
    "merge_request.closed": [
        clear_after_edit,
        note_merge_request_changes,
        finish_after_editing,
        add_assignee_todos,
        update_references,
        update_closing_issues,
        note_contribution,
        notify,
    ],
    "merge_request.discussions_resolved": [note_resolved, notify],
    "merge_request.merged": [close_issues, note_merge_request_changes, finish_after_editing, note_contribution, notify],
    "merge_request.pushed": [
        clear_after_version,
        reset_after_version,
        store_pusher,
        Later("merge_requests.follow_versions"),
        note_restored_branch,
        update_closing_issues,
        finish_after_pushing,
        notify,
    ],
    "merge_request.reopened": [
        Later("merge_requests.follow_versions"),
        Later("merge_requests.refresh"),
        note_merge_request_changes,
        finish_after_editing,
        add_assignee_todos,
        update_references,
        update_closing_issues,
        note_contribution,
        notify,
    ],
    "merge_request.unapproved": [note_approval, notify],
    "merge_request.updated": [
        enqueue_following,
        clear_after_edit,
        reset_after_edit,
        note_merge_request_changes,
        finish_after_editing,
        add_assignee_todos,
        update_references,
        update_closing_issues,
        notify,
    ],
    "milestone.created": [note_contribution],
    "milestone.closed": [note_contribution],
    "milestone.activated": [note_contribution],
    "milestone.deleted": [note_contribution],
    "note.created": [
        count_notes,
        If(PENDING_ON_NOTEABLE, finish_after_commenting, ("noteable_kind", "noteable_id")),
        update_note_references,
        note_contribution,
        notify,
    ],
    "note.updated": [update_note_references],
    "note.deleted": [
        count_notes,
        delete_note_awards,
        delete_note_mentions,
        delete_unused_position,
    ],
    "pipeline.created": [enqueue_automatic_merges],
    "pipeline.updated": [enqueue_automatic_merges],
    "project.created": [copy_default, follow_default_branch],
    "project.import_requested": [Later("projects.import")],
    "project.forked": [copy_default, Later("projects.copy")],
    "project.transferred": [
        copy_group_labels,
        replace_list_labels,
        replace_request_labels,
        replace_milestones,
        replace_request_milestones,
        drop_foreign_epics,
        lower_forks,
        enqueue_end,
    ],
    "project.unshared": [enqueue_end],
    "project.updated": [lower_forks, enqueue_end, follow_default_branch, close_requests_of_unlinked],
    "project.deleted": [Later("projects.remove"), close_requests_of_deleted],
    "repository.housekeeping_wanted": [Later("repositories.housekeeping")],
    "repository.pushed": [
        Later("repositories.measure"),
        remove_release,
        enqueue_push,
        clear_after_push,
        reset_after_push,
        note_contribution,
    ],
    "settings.updated": [lift_two_factor_requirement],
    "snippet.deleted": [delete_snippet_awards, delete_snippet_notes],
    "user.deleted": [enqueue_removal],
    "user.approval_requested": [mail_administrators],
    "user.approved": [mail_approval],
    "user.confirmation_requested": [mail_confirmation],
    "user.confirmed": [mail_email_changed],
    "user.password_changed": [end_all, unlock_after_change, mail_password_changed],
    "user.password_reset_requested": [mail_reset],
    "user.updated": [mail_email_changed, enqueue_end],
    "wiki_page.created": [note_contribution],
    "wiki_page.updated": [note_contribution],
    "wiki_page.deleted": [note_contribution],
}

REACTIONS: Final[Reactions] = {
    kind: [*_CONSEQUENCES.get(kind, ()), *([write_audit_events] if kind in AUDITED else [])]
    for kind in sorted(_CONSEQUENCES.keys() | AUDITED)
}
"""With the audit log, which contains every change of access (`activity/audit/kinds.py`)."""

FOLLOWERS: Final[tuple[Follower, ...]] = (follow_push,)
"""What is read from git before a push is recorded, and stored with its record."""

ANNOUNCERS: Final[tuple[Announcer, ...]] = (announce_merge_requests,)
"""What git tells the user after a push."""

_OF_PROJECTS: Final[tuple[str, ...]] = (
    "issue.created", "issue.updated", "issue.closed", "issue.reopened", "note.created", "wiki_page.created",
    "wiki_page.updated", "wiki_page.deleted", "pipeline.created", "pipeline.updated", "commit_status.created",
    "commit_status.updated",
)  # fmt: skip
_OF_BOTH: Final[tuple[str, ...]] = (
    "repository.pushed", "merge_request.created", "merge_request.updated", "merge_request.closed",
    "merge_request.reopened", "merge_request.merged", "merge_request.pushed", "merge_request.approved",
    "merge_request.unapproved",
)  # fmt: skip
_OF_INSTANCE: Final[tuple[str, ...]] = (
    "project.created", "project.forked", "project.updated", "project.transferred", "project.archived",
    "project.unarchived", "project.deleted", "group.created", "group.updated", "group.transferred", "group.deleted", "user.created",
    "user.updated", "user.sign_in_refused", "user.deleted", "key.added", "key.removed", "member.added", "member.removed",
    "member.expired",
)  # fmt: skip

HOOK_WATCHES: Final[dict[str, Watch]] = {
    **dict.fromkeys(_OF_PROJECTS, Watch(WATCHED_BY_PROJECT, capture)),
    **dict.fromkeys(_OF_BOTH, Watch(WATCHED, capture)),
    **dict.fromkeys(_OF_INSTANCE, Watch(WATCHED_BY_INSTANCE, capture)),
    "merge_request.merged": Watch(WATCHED, capture, last=True),  # the issues that it closes are told before
    "note.created": Watch(WATCHED_BY_PROJECT, capture, last=True),  # what its commands change is told before
}
"""What hooks get: captured first, if there is a hook of the project or of a group above it, a system hook, or either."""

LOG_WATCHES: Final[dict[str, Watch]] = dict.fromkeys(LOGGED, Watch(HAS_SECONDARIES, log_event))
"""What secondaries have to copy: logged if there are any."""

WATCHES: Final[Watches] = {
    kind: [watches[kind] for watches in (HOOK_WATCHES, LOG_WATCHES) if kind in watches]
    for kind in (*HOOK_WATCHES, *LOG_WATCHES)
}
