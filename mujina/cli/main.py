"""The command line. Each verb's module is imported when that verb is used: nothing is paid for the others."""

import sys

from cyclopts import App, CycloptsError

from mujina.cli.trouble import plainly, say
from mujina.kernel.build import VERSION

app = App(
    name="mujina",
    help="A project host: repositories, issues, groups and users behind the REST API v4.",
    version=f"mujina {VERSION}",
    version_flags=["--version"],
)
VERBS = {
    "serve": (
        "mujina.cli.serve:serve",
        "Serve until interrupted. The first start makes the data folder, the database and the administrator root.",
    ),
    "worker": (
        "mujina.cli.serve:worker",
        "Run jobs and schedules until interrupted, beside any number of servers on the same database.",
    ),
    "migrate": (
        "mujina.cli.database:migrate",
        "Make the database, or bring it to the schema of this version. Serving does this by itself.",
    ),
    "user": ("mujina.cli.users:users", "Create, list, change, block, unlock and delete users, and set their passwords."),
    "token": ("mujina.cli.tokens:tokens", "Create, list and revoke personal access tokens."),
    "job": ("mujina.cli.jobs:jobs", "Look at jobs that failed, and have them tried again."),
    "mail": ("mujina.cli.mail:mail", "Look at the mails that were kept because no SMTP server is configured."),
    "config": ("mujina.cli.config:config", "Look at the settings."),
    "doctor": (
        "mujina.cli.doctor:doctor",
        "Look for what would keep this instance from working, and say how to mend it.",
    ),
    "version": ("mujina.cli.version:version", "Print which Mujina this is, and what it stands on."),
}
"""Where each verb is, and what its help says: said here, so that listing them imports none."""
for verb, (place, sentence) in VERBS.items():
    app.command(place, name=verb, help=sentence)


def main() -> int:
    """Run a verb; the exit code."""
    try:
        return plainly(lambda: app(sys.argv[1:], exit_on_error=False, print_error=False, result_action="return_value"))
    except CycloptsError as misspoken:
        return say(str(misspoken))
    except KeyboardInterrupt:
        return 130
