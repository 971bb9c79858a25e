"""Every clean-up in the product, on one screen: when a user, a group or a project is removed, this goes with it.

| Step | Runs | Arguments |
|---|---|---|
| `user.leaves` | in the transaction of the removal | `tx, actor, user_id, hard` |
| `user.traces` | in the transaction of the removal | `tx, user_id` |
| `user.contributions_given` | before the removal is answered: the ghost becomes the author | `tx, user_id, ghost_id` |
| `user.contributions_erased` | before a hard removal is answered | `tx, user_id` |
| `user.hidden_given` | in a job: what no answer shows | `tx, user_id, ghost_id` |
| `user.rows` | in a job, before the row of the user goes | `tx, user_id` |
| `group.members` | in a job, before the members of the groups go: False while they are needed | `tx, group_ids` |
| `group.rows` | in a job, before the rows of the groups go | `tx, group_ids` |
| `project.hidden` | in the transaction of the removal, of a group or of its owner too | `tx, project_ids` |
| `project.files` | in a job, outside a transaction | `services, project_id` |
| `project.rows` | in a job, before the row of the project goes | `tx, project_id` |
"""

from typing import Final

from mujina.code.deploy_keys.operations import release as release_deploy_keys
from mujina.code.lfs.locks import delete_user_locks
from mujina.code.lfs.operations import sweep_after_project
from mujina.code.protected_branches.grants import delete_user_grants
from mujina.code.snippets import contributions as snippet_contributions
from mujina.integrations.hooks.operations import remove_of_projects as remove_hooks
from mujina.kernel.removals import Cleanups
from mujina.planning.awards import contributions as award_contributions
from mujina.planning.awards.operations import delete_project_awards
from mujina.planning.epics import contributions as epic_contributions
from mujina.planning.epics.removal import delete_group_epics
from mujina.planning.issues import contributions as issue_contributions
from mujina.planning.notes import contributions as note_contributions
from mujina.planning.references.operations import delete_project_mentions
from mujina.planning.subscriptions.operations import delete_project_subscriptions
from mujina.planning.todos import contributions as todo_contributions
from mujina.planning.uploads.removal import remove_project_files
from mujina.replication.log.operations import log_removed_files
from mujina.review.draft_notes import contributions as draft_note_contributions
from mujina.review.lost_access.operations import have_ended
from mujina.review.merge_requests import contributions as merge_request_contributions
from mujina.workspaces.groups.removal import remove_workspaces
from mujina.workspaces.invitations.operations import (
    delete_group_invitations,
    delete_project_invitations,
    delete_user_invitations,
)
from mujina.workspaces.projects import contributions as project_contributions
from mujina.workspaces.projects.removal import erase_personal_projects
from mujina.workspaces.projects.stars import delete_all as delete_stars

CONTRIBUTIONS: Final = (
    todo_contributions,
    note_contributions,
    award_contributions,
    draft_note_contributions,
    merge_request_contributions,
    issue_contributions,
    epic_contributions,
    snippet_contributions,
    project_contributions,
)
"""The modules of every slice that keeps what users write: each gives it to the ghost, or erases it."""

CLEANUPS: Final[Cleanups] = {
    "user.leaves": [remove_workspaces, delete_user_invitations],
    "user.traces": [delete_stars, delete_user_grants, delete_user_locks],
    "user.contributions_given": [contributions.give for contributions in CONTRIBUTIONS],
    "user.contributions_erased": [contributions.erase for contributions in CONTRIBUTIONS],
    "user.hidden_given": [issue_contributions.give_deleted],
    "user.rows": [erase_personal_projects, delete_stars, note_contributions.delete_hidden],
    "group.members": [have_ended],
    "group.rows": [delete_group_epics, delete_group_invitations],
    "project.hidden": [release_deploy_keys, remove_hooks],
    "project.files": [remove_project_files],
    "project.rows": [
        delete_project_awards,
        delete_project_invitations,
        delete_project_mentions,
        delete_project_subscriptions,
        sweep_after_project,
        log_removed_files,
    ],
}
