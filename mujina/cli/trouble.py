"""What keeps a verb from its work and is the operator's to mend: said in one sentence, never as a traceback."""

import sys
from collections.abc import Callable, Mapping
from typing import Any, cast

from mujina.configuration import BadSetting
from mujina.kernel.db.errors import DatabaseUnavailable, MigrationFailed, NewerSchema
from mujina.kernel.errors import Refusal
from mujina.kernel.secrets import Unreadable
from mujina.processes.listener import CannotListen


class Trouble(Exception):
    """The message is one sentence that says what is wrong and how to mend it."""


SENTENCES = (Trouble, BadSetting, CannotListen, DatabaseUnavailable, NewerSchema, MigrationFailed, Unreadable)
"""Refusals whose message is written for the operator."""


def plainly(work: Callable[[], int | None]) -> int:
    """Do the work; its exit code, or 2 and a sentence."""
    try:
        return work() or 0
    except SENTENCES as trouble:
        return say(str(trouble))
    except Refusal as refusal:
        return say(_spell(refusal.body))


def say(sentence: str) -> int:
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
