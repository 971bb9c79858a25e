"""The commands. A command's module is imported only when the command runs, so that the others cost no start time."""

import sys
from importlib.util import find_spec

from cyclopts import App, CycloptsError

from mujina.cli.errors import print_error
from mujina.cli.usage_errors import describe
from mujina.kernel.build import VERSION

app = App(
    name="mujina",
    help="A project host: repositories, issues, groups and users behind the REST API v4.",
    version=f"mujina {VERSION}",
    version_flags=["--version"],
)
COMMANDS = {
    "serve": (
        "mujina.cli.commands.serve:serve",
        "Serve until interrupted. The first start creates the data folder, the database and the administrator root.",
    ),
    "worker": (
        "mujina.cli.commands.serve:worker",
        "Run jobs and schedules until interrupted, next to any number of servers on the same database.",
    ),
    "migrate": (
        "mujina.cli.commands.database:migrate",
        "Create the database, or upgrade its schema to this version. `mujina serve` does this automatically.",
    ),
    "backup": (
        "mujina.cli.commands.backups:backup",
        "Back up the instance while it is used; list backups and check them.",
    ),
    "restore": (
        "mujina.cli.commands.restore:restore",
        "Restore a backup into an empty data folder and an empty database.",
    ),
    "database": ("mujina.cli.commands.database:database_commands", "Copy the database between SQLite and PostgreSQL."),
    "user": (
        "mujina.cli.commands.users:users",
        "Create, list, change, block, unlock and delete users, and set their passwords.",
    ),
    "token": ("mujina.cli.commands.tokens:tokens", "Create, list and revoke personal access tokens."),
    "ldap": (
        "mujina.cli.commands.ldap:ldap",
        "Check LDAP directories, and synchronize users and groups with them.",
    ),
    "geo": ("mujina.replication.nodes.commands:geo", "Set up replication and show the status of its nodes."),
    "job": ("mujina.cli.commands.jobs:jobs", "List and retry failed jobs, and run those that are due."),
    "hook": (
        "mujina.integrations.hooks.commands:hooks",
        "List deliveries of hooks, deliver once more, and resume paused hooks.",
    ),
    "audit": (
        "mujina.activity.audit.commands:audit",
        "Show who changed members, tokens, hooks, settings and other access.",
    ),
    "mail": ("mujina.cli.commands.mail:mail", "Show the mails that were stored because no SMTP server is configured."),
    "seed": ("mujina.cli.commands.seed:seed", "Create the users, groups and projects that a file describes."),
    "move-in": (
        "mujina.moving.move_in.commands:move_in",
        "Move groups and projects from another forge or an archive to this instance.",
    ),
    "export": (
        "mujina.moving.archives.commands:export",
        "Write a project or group to an archive that `move-in` reads.",
    ),
    "imported": (
        "mujina.moving.move_in.commands:imported",
        "List the authors of what was moved here who have no user, and give their work to one.",
    ),
    "storage": ("mujina.cli.commands.storage:storage", "Show what uses the disk, by project, and what can be removed."),
    "service": ("mujina.cli.commands.systemd:service", "Write a systemd unit for this instance."),
    "config": ("mujina.cli.commands.config:config", "Show the settings."),
    "doctor": (
        "mujina.cli.commands.doctor:doctor",
        "Check for problems that keep this instance from working, and say how to fix them.",
    ),
    "version": (
        "mujina.cli.commands.version:version",
        "Print the versions of Mujina, Python and SQLite, and what an upgrade would do.",
    ),
}
"""The module and help text of each command, kept here so that `--help` imports none of the modules."""
for name, (module, help_text) in COMMANDS.items():
    if find_spec(".".join(module.split(".")[:2])):  # the chapter is part of this product
        app.command(module, name=name, help=help_text)


def run() -> int | None:
    """Run the command that the arguments name, and return its exit code."""
    try:
        return app(sys.argv[1:], exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        return print_error(describe(error))
