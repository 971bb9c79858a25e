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
    "serve": ("mujina.cli.serve:serve", "Serve until interrupted."),
    "worker": ("mujina.cli.serve:worker", "Run jobs and schedules until interrupted."),
    "migrate": ("mujina.cli.database:migrate", "Bring the database to the schema of this version."),
    "user": ("mujina.cli.users:users", "Create, list, block and unblock people, and set their passwords."),
    "token": ("mujina.cli.tokens:tokens", "Create, list and revoke personal access tokens."),
    "job": ("mujina.cli.jobs:jobs", "Look at jobs that failed, and have them tried again."),
    "mail": ("mujina.cli.mail:mail", "Look at mails that were kept because no SMTP server is configured."),
    "config": ("mujina.cli.config:config", "Look at the settings."),
    "doctor": ("mujina.cli.doctor:doctor", "Look for what keeps this instance from working."),
    "version": ("mujina.cli.version:version", "Print which Mujina this is."),
}
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
