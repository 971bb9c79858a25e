"""Every task that jobs run, in one table."""

from typing import Final

from mujina.accounts.ldap import jobs as ldap_jobs
from mujina.accounts.mail_links import jobs as mail_link_jobs
from mujina.accounts.mails import jobs as mail_jobs
from mujina.accounts.oauth import jobs as oauth_jobs
from mujina.accounts.sessions import jobs as session_jobs
from mujina.accounts.users import jobs as user_jobs
from mujina.code.forks import jobs as fork_jobs
from mujina.code.imports import jobs as import_jobs
from mujina.code.lfs import jobs as lfs_jobs
from mujina.code.pushes import jobs as push_jobs
from mujina.code.repositories import jobs as repository_jobs
from mujina.integrations.deliveries import jobs as delivery_jobs
from mujina.integrations.notifications import jobs as notification_jobs
from mujina.integrations.sidekiq import jobs as sidekiq_jobs
from mujina.kernel.jobs.tasks import Task
from mujina.planning.references import jobs as reference_jobs
from mujina.replication.leftovers import jobs as leftover_jobs
from mujina.replication.log import jobs as replication_log_jobs
from mujina.review.automatic_merges import jobs as automatic_merge_jobs
from mujina.review.lost_access import jobs as lost_access_jobs
from mujina.review.merge_requests import jobs as merge_request_jobs
from mujina.review.merging import jobs as merging_jobs
from mujina.review.rebasing import jobs as rebasing_jobs
from mujina.review.version_changes import jobs as version_jobs
from mujina.workspaces.groups import jobs as group_jobs
from mujina.workspaces.invitations import jobs as invitation_jobs
from mujina.workspaces.ldap_groups import jobs as ldap_group_jobs
from mujina.workspaces.members import jobs as member_jobs
from mujina.workspaces.projects import jobs as project_jobs

TASKS: Final[list[Task]] = [
    delivery_jobs.sweep_deliveries,
    group_jobs.remove_group,
    mail_jobs.deliver_mails,
    mail_link_jobs.request_reset,
    mail_link_jobs.request_confirmation,
    mail_link_jobs.sweep_links,
    ldap_jobs.check_all_users,
    ldap_jobs.check_due_users,
    ldap_group_jobs.synchronize_groups,
    ldap_group_jobs.synchronize_group,
    ldap_group_jobs.synchronize_member,
    import_jobs.import_project,
    import_jobs.refresh_mirrors,
    invitation_jobs.deliver_invitation,
    invitation_jobs.sweep_invitations,
    lfs_jobs.sweep_large_files,
    lost_access_jobs.end_lost_access,
    member_jobs.delete_expired,
    merge_request_jobs.refresh_merge_request,
    version_jobs.follow_versions,
    merge_request_jobs.remove_refs,
    automatic_merge_jobs.merge_automatically,
    rebasing_jobs.rebase_merge_request,
    merging_jobs.check_merge_requests,
    merging_jobs.remove_source_branch,
    notification_jobs.fan_out,
    notification_jobs.deliver_batch,
    notification_jobs.sweep_notifications,
    oauth_jobs.sweep_oauth,
    fork_jobs.copy_project,
    project_jobs.remove_project,
    reference_jobs.read_push,
    replication_log_jobs.prune_log,
    leftover_jobs.sweep_files,
    repository_jobs.run_housekeeping,
    push_jobs.recover_push,
    repository_jobs.measure_repository,
    session_jobs.sweep_sessions,
    sidekiq_jobs.measure_queues,
    user_jobs.remove_user,
    user_jobs.erase_user,
]
