"""What keeps a verb from its work and is the operator's to mend: said in one sentence, never as a traceback."""

import sys
from collections.abc import Callable

from mujina.configuration import BadSetting
from mujina.kernel.db.errors import DatabaseUnavailable, MigrationFailed, NewerSchema, UnbindableValue
from mujina.kernel.errors import ApiError
from mujina.kernel.secrets import UnreadableSecret
from mujina.processes.listener import CannotListen


class Trouble(Exception):
    """The message is one sentence that says what is wrong and how to mend it."""


SENTENCES = (Trouble, BadSetting, CannotListen, DatabaseUnavailable, NewerSchema, MigrationFailed, UnreadableSecret)
"""Refusals whose message is written for the operator."""


def plainly(work: Callable[[], int | None]) -> int:
    """Do the work; its exit code, or 2 and a sentence."""
    try:
        return work() or 0
    except SENTENCES as trouble:
        return say(str(trouble))
    except UnbindableValue as odd:
        return say(f"{str(odd).removeprefix(':')}: see --help.")
    except UnicodeEncodeError:
        return say("What was typed is no text in UTF-8.")
    except ApiError as refusal:
        return say("; ".join(refusal.sentences))


def say(sentence: str) -> int:
    print(f"mujina: {sentence}", file=sys.stderr)
    return 2
