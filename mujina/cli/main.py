"""The command line. Each verb's module is imported when that verb is used: nothing is paid for the others."""

import sys
from collections.abc import Mapping
from typing import Any, cast

from cyclopts import App, CycloptsError

from mujina.cli.trouble import Trouble
from mujina.configuration import BadSetting
from mujina.kernel.db.errors import DatabaseUnavailable, MigrationFailed, NewerSchema
from mujina.kernel.errors import Refusal
from mujina.kernel.secrets import Unreadable
from mujina.processes.listener import CannotListen

SENTENCES = (Trouble, BadSetting, CannotListen, DatabaseUnavailable, NewerSchema, MigrationFailed, Unreadable)
"""Refusals whose message is written for the operator."""

app = App(
    name="mujina",
    help="A project host: repositories, issues, groups and users behind the REST API v4.",
    version_flags=[],
)
app.command("mujina.cli.serve:serve")
app.command("mujina.cli.serve:worker")
app.command("mujina.cli.database:migrate")
app.command("mujina.cli.users:users", name="user")
app.command("mujina.cli.tokens:tokens", name="token")
app.command("mujina.cli.config:config")
app.command("mujina.cli.doctor:doctor")
app.command("mujina.cli.version:version")


def main() -> int:
    """Run a verb; the exit code. What the operator can mend is one sentence and 2, never a traceback."""
    try:
        return app(exit_on_error=False, print_error=False, result_action="return_value") or 0
    except (CycloptsError, *SENTENCES) as trouble:
        return _say(str(trouble))
    except Refusal as refusal:
        return _say(_spell(refusal.body))
    except KeyboardInterrupt:
        return 130


def _say(sentence: str) -> int:
    print(f"mujina: {sentence}", file=sys.stderr)
    return 2


def _spell(told: Any) -> str:
    """The body of a refusal as a sentence: `username has already been taken`."""
    if isinstance(told, Mapping):
        complaints = cast("Mapping[str, Any]", told)
        for name in ("message", "error"):
            if name in complaints:
                return _spell(complaints[name])
        return "; ".join(f"{name} {_spell(complaint)}" for name, complaint in complaints.items())
    if isinstance(told, list):
        return ", ".join(map(_spell, cast("list[Any]", told)))
    return str(told)
