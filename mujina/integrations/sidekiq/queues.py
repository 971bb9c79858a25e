"""The names under which dashboards of this API family look for work in the background."""

from collections.abc import Iterable
from typing import Final

from mujina.integrations.deliveries.figures import HOOKS

DEFAULT: Final = "default"
CRONJOB: Final = "cronjob"
"""Periodic work."""

# Compat: queues have the names that dashboards know; those without work are listed, too.
QUEUES: Final[dict[str, str]] = {
    HOOKS: "project_web_hook",
    "mails.deliver": "mailers",
    "mail_links.request_reset": "mailers",
    "mail_links.request_confirmation": "mailers",
    "invitations.deliver": "mailers",
    "notifications.fan_out": "mailers",
    "notifications.deliver": "mailers",
    "pushes.recover": "post_receive",
    "references.read_push": "process_commit",
    "merge_requests.refresh": "update_merge_requests",
    "merge_requests.follow_versions": "update_merge_requests",
    "merge_requests.check": "update_merge_requests",
    "suggestions.read_note": "update_merge_requests",
    "merge_requests.merge_automatically": "pipeline_processing",
    **dict.fromkeys(
        [
            "pipelines.create_after_push", "pipelines.create_for_merge_request", "pipelines.process",
            "pipeline_jobs.start_delayed", "schedules.start", "deployments.record", "environments.stop_after_deletion",
            "releases.create", "traces.read_coverage", "traces.archive",
        ],
        "pipeline_processing",
    ),
    "artifacts.remove_file": "project_destroy",
    "packages.remove_file": "project_destroy",
    "archives.remove_file": "project_destroy",
    "projects.export": "project_export",
    "projects.import_archive": "repository_import",
    "moves.list": "repository_import",
    "moves.people": "repository_import",
    "moves.move": "repository_import",
    "sites.remove_file": "project_destroy",
    "sites.publish": "pages",
    "pages_domains.verify": "pages_domain_verification",
    "pages_domains.verify_due": "pages_domain_verification",
    "artifacts.remove_of_project": "project_destroy",
    "merge_requests.rebase": "rebase",
    "lost_access.end": "todos_destroyer",
    "projects.initialize": "post_receive",
    "projects.import": "repository_import",
    "mirrors.refresh": "repository_update_mirror",
    "remote_mirrors.push": "repository_update_remote_mirror",
    "remote_mirrors.retry": "repository_update_remote_mirror",
    "projects.copy": "repository_fork",
    "repositories.housekeeping": "git_garbage_collect",
    "repositories.measure": "project_cache",
    "repositories.pack_when_quiet": "git_garbage_collect",
    "projects.remove": "project_destroy",
    "groups.remove": "group_destroy",
    "users.remove": "delete_user",
    "users.erase": "delete_user",
    "ldap.sync_group": "ldap_group_sync",
    "ldap.sync_groups": "ldap_group_sync",
    **dict.fromkeys(
        [
            "access_tokens.announce_expiry", "archives.expire", "artifacts.expire", "environments.stop_due",
            "files.sweep", "hooks.sweep",
            "invitations.sweep",
            "ldap.check_due_users", "ldap.sync_users", "lfs.sweep", "mail_links.sweep", "members.forget_expired", "moves.expire",
            "notifications.sweep", "oauth.sweep", "pipeline_jobs.fail_stuck", "queues.measure",
            "replication.prune_log", "schedules.start_due", "sessions.sweep",
        ],
        CRONJOB,
    ),
}  # fmt: skip
"""The queue of each task; of the others, `default`."""

NAMES: Final = sorted({*QUEUES.values(), DEFAULT, "pages"})
"""Every queue, `pages` among them, which never has work here."""


def queues_of(tasks: Iterable[str]) -> list[str]:
    """The queues that these tasks are in."""
    return sorted({QUEUES.get(task, DEFAULT) for task in tasks})
