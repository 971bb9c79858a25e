"""Everything that this chapter adds to the product."""

from typing import Final

from mujina.accounts.users.removing.operations import CONTRIBUTIONS, HIDDEN_CONTRIBUTIONS, USER_ROWS
from mujina.kernel.events import REACTIONS, Reaction, Reactions, When
from mujina.kernel.http.dispatcher import OPTIONAL_ROUTES
from mujina.kernel.http.requests.newer_fields import NEWER_FIELDS
from mujina.kernel.monitoring.readiness import CHECKS, GAUGES, PREPARATIONS
from mujina.kernel.product import Chapter
from mujina.planning.assignments.operations import release_member
from mujina.planning.awards import contributions as award_contributions
from mujina.planning.awards.operations import delete_note_awards, delete_project_awards, delete_snippet_awards
from mujina.planning.boards.transfers import follow_promotion, replace_list_labels
from mujina.planning.discussions.entities import Discussion
from mujina.planning.discussions.newer_fields import add_note_fields
from mujina.planning.epic_issues.transfers import drop_epic, drop_foreign_epics, follow_move
from mujina.planning.epic_labels.operations import drop_foreign_labels
from mujina.planning.epics import contributions as epic_contributions
from mujina.planning.epics.declarations.noteable import EPIC
from mujina.planning.epics.declarations.reference_kind import EPIC_REFERENCES
from mujina.planning.epics.removal import delete_epic_conversations, delete_group_epics
from mujina.planning.epics.rules import check_route
from mujina.planning.issue_links.system_notes import note_relation
from mujina.planning.issues import contributions as issue_contributions
from mujina.planning.issues.declarations.noteable import ISSUE
from mujina.planning.issues.declarations.reference_kind import ISSUE_REFERENCES
from mujina.planning.issues.declarations.work_item import ISSUES
from mujina.planning.issues.views.issue import Issue
from mujina.planning.issues.views.newer_fields import add_issue_fields
from mujina.planning.labels.reference_kind import LABEL_REFERENCES
from mujina.planning.labels.transfers import copy_group_labels
from mujina.planning.milestones.reference_kind import MILESTONE_REFERENCES
from mujina.planning.milestones.transfers import replace_milestones
from mujina.planning.noteables.kinds import NOTEABLE_KINDS
from mujina.planning.notes.counts import count_notes
from mujina.planning.notes.operations import delete_snippet_notes
from mujina.planning.notes.removing import contributions as note_contributions
from mujina.planning.notes.rows import Note
from mujina.planning.quick_actions.issue_commands import ISSUE_COMMANDS
from mujina.planning.quick_actions.plan import COMMAND_KINDS
from mujina.planning.references.operations import delete_note_mentions, delete_project_mentions
from mujina.planning.references.pushes import enqueue_push
from mujina.planning.references.updates import update_note_references, update_references
from mujina.planning.resource_events.operations import record_changes
from mujina.planning.snippet_comments.noteable import SNIPPET
from mujina.planning.storage.files import FILES, STORED_FILES
from mujina.planning.storage.operations import find_file_problem, prepare_storage, read_missing
from mujina.planning.subscriptions.operations import delete_project_subscriptions
from mujina.planning.system_notes.epics import note_epic_changes, note_epic_issue
from mujina.planning.system_notes.operations import note_changes, note_duplicate, note_move
from mujina.planning.todos import contributions as todo_contributions
from mujina.planning.todos.operations import (
    add_assignee_todos,
    delete_todos_of_member,
    finish_after_awarding,
    finish_after_commenting,
    finish_after_editing,
)
from mujina.planning.todos.rules import pending
from mujina.planning.uploads.removal import remove_project_files
from mujina.planning.work_items.group_transfers import follow_group
from mujina.planning.work_items.kinds import WORK_ITEM_KINDS
from mujina.rendering.references import REFERENCE_KINDS
from mujina.workspaces.groups.operations import GROUP_ROWS
from mujina.workspaces.projects.removing.with_owner import PROJECT_FILES, PROJECT_ROWS

_FINISH_TODOS: Final = When(pending(":noun", ":subject_id"), finish_after_editing)
_AFTER_ISSUE_CHANGED: Final[tuple[Reaction | When, ...]] = (
    note_changes, record_changes, _FINISH_TODOS, add_assignee_todos, update_references,
)  # fmt: skip
_REACTIONS: Final[Reactions] = {
    "award.given": [finish_after_awarding],
    "epic.created": [update_references],
    "epic.updated": [note_epic_changes, _FINISH_TODOS, update_references],
    "epic.deleted": [delete_epic_conversations],
    "epic_issue.added": [note_epic_issue],
    "epic_issue.removed": [note_epic_issue],
    "group.transferred": [follow_group, drop_foreign_labels],
    "issue.cloned": [note_move],
    "issue.created": [record_changes, add_assignee_todos, update_references],
    "issue.updated": _AFTER_ISSUE_CHANGED,
    "issue.closed": _AFTER_ISSUE_CHANGED,
    "issue.reopened": _AFTER_ISSUE_CHANGED,
    "issue.deleted": [drop_epic],
    "issue.marked_as_duplicate": [note_duplicate],
    "issue.moved": [note_move, _FINISH_TODOS, follow_move],
    "issue_link.created": [note_relation],
    "issue_link.deleted": [note_relation],
    "label.promoted": [follow_promotion],
    "member.expired": [release_member, delete_todos_of_member],
    "member.removed": [release_member, delete_todos_of_member],
    "note.created": [
        count_notes,
        When(pending(":noteable_kind", ":noteable_id"), finish_after_commenting, ("noteable_kind", "noteable_id")),
        update_note_references,
    ],
    "note.updated": [update_note_references],
    "note.deleted": [count_notes, delete_note_awards, delete_note_mentions],
    "project.transferred": [copy_group_labels, replace_list_labels, replace_milestones, drop_foreign_epics],
    "repository.pushed": [enqueue_push],
    "snippet.deleted": [delete_snippet_awards, delete_snippet_notes],
}

CHAPTER: Final = Chapter(
    "mujina.planning",
    REACTIONS.of(_REACTIONS),
    NOTEABLE_KINDS.of(ISSUE, SNIPPET, EPIC),
    WORK_ITEM_KINDS.of(ISSUES),
    COMMAND_KINDS.of(ISSUE_COMMANDS),
    REFERENCE_KINDS.of(ISSUE_REFERENCES, EPIC_REFERENCES, LABEL_REFERENCES, MILESTONE_REFERENCES),
    NEWER_FIELDS.of((Issue, add_issue_fields), (Note, add_note_fields), (Discussion, add_note_fields)),
    OPTIONAL_ROUTES.of(("/groups/:id/-/epics", check_route), ("/groups/:id/epics", check_route)),
    CONTRIBUTIONS.of(
        epic_contributions, issue_contributions, award_contributions, note_contributions, todo_contributions
    ),
    HIDDEN_CONTRIBUTIONS.of(issue_contributions.reassign_deleted),
    USER_ROWS.of(note_contributions.delete_hidden),
    GROUP_ROWS.of(delete_group_epics),
    PROJECT_FILES.of(remove_project_files),
    CHECKS.of(("storage", find_file_problem)),
    GAUGES.of(read_missing),
    PREPARATIONS.of(prepare_storage),
    STORED_FILES.of(*FILES),
    PROJECT_ROWS.of(delete_project_awards, delete_project_mentions, delete_project_subscriptions),
)
