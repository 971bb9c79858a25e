"""Every consequence in the product, on one screen: when this happens, that follows.

A consequence the next request must see (a system note, a todo, a counter) is a function `async (tx, event)` of its
slice, and runs inside the transaction of the change. What needs the network or more than a few milliseconds is
`Later("noun.verb")`: a task of the slice's `jobs.py`, run for the event's subject soon after the commit.
They are carried out in the order in which they stand.
"""

from typing import Final

from mujina.accounts.mails.operations import (
    mail_confirmation,
    mail_email_changed,
    mail_further_confirmation,
    mail_password_changed,
    mail_reset,
)
from mujina.accounts.sessions.operations import end_all
from mujina.accounts.users.accounts import lift_two_factor_requirement
from mujina.accounts.users.removal import enqueue_removal
from mujina.code.repositories.operations import follow_default_branch
from mujina.kernel.events import Later, Reactions
from mujina.planning.awards.operations import forget_awards
from mujina.planning.awards.operations import forget_snippet as forget_snippet_awards
from mujina.planning.boards.operations import open_default
from mujina.planning.boards.transfers import change_lists
from mujina.planning.issue_links.telling import tell_relation
from mujina.planning.issues.departures import unassign
from mujina.planning.issues.noted import count_notes
from mujina.planning.issues.transfers import change_milestones
from mujina.planning.labels.transfers import bring_along
from mujina.planning.notes.operations import forget_snippet as forget_snippet_notes
from mujina.planning.notes.system_notes import tell_changes, tell_duplicate, tell_move
from mujina.planning.references.following import follow_issue, follow_note
from mujina.planning.references.operations import forget_mentions
from mujina.planning.references.pushes import read_later
from mujina.planning.todos.operations import (
    finish_by_awarding,
    finish_by_commenting,
    finish_by_editing,
    relieve,
    remind_assignees,
)
from mujina.workspaces.projects.forks import lower_forks
from mujina.workspaces.projects.operations import note_contribution

REACTIONS: Final[Reactions] = {
    "award.given": [finish_by_awarding],
    "email.added": [mail_further_confirmation],
    "group.deleted": [Later("groups.remove")],
    "issue.created": [remind_assignees, follow_issue, note_contribution],
    "issue.updated": [tell_changes, finish_by_editing, remind_assignees, follow_issue],
    "issue.closed": [tell_changes, finish_by_editing, remind_assignees, follow_issue, note_contribution],
    "issue.marked_as_duplicate": [tell_duplicate],
    "issue.moved": [tell_move, finish_by_editing],
    "issue.reopened": [tell_changes, finish_by_editing, remind_assignees, follow_issue, note_contribution],
    "issue_link.created": [tell_relation],
    "issue_link.deleted": [tell_relation],
    "member.added": [note_contribution],
    "member.removed": [unassign, relieve, note_contribution],
    "milestone.created": [note_contribution],
    "milestone.closed": [note_contribution],
    "milestone.activated": [note_contribution],
    "milestone.deleted": [note_contribution],
    "note.created": [count_notes, finish_by_commenting, follow_note, note_contribution],
    "note.updated": [follow_note],
    "note.deleted": [count_notes, forget_awards, forget_mentions],
    "project.created": [open_default, follow_default_branch],
    "project.import_wanted": [Later("projects.import")],
    "project.forked": [Later("projects.copy")],
    "project.transferred": [bring_along, change_lists, change_milestones, lower_forks],
    "project.updated": [lower_forks, follow_default_branch],
    "project.deleted": [Later("projects.remove")],
    "repository.housekeeping_wanted": [Later("repositories.keep_house")],
    "repository.pushed": [Later("repositories.measure"), read_later, note_contribution],
    "settings.updated": [lift_two_factor_requirement],
    "snippet.deleted": [forget_snippet_awards, forget_snippet_notes],
    "user.deleted": [enqueue_removal],
    "user.confirmation_requested": [mail_confirmation],
    "user.confirmed": [mail_email_changed],
    "user.password_changed": [end_all, mail_password_changed],
    "user.password_reset_requested": [mail_reset],
    "user.updated": [mail_email_changed],
    "wiki_page.created": [note_contribution],
    "wiki_page.updated": [note_contribution],
    "wiki_page.deleted": [note_contribution],
}
