"""Every kind of thing that people comment on, described by the slice that owns its rows."""

from collections.abc import Mapping
from typing import Final

from mujina.kernel.noteables import NoteableKind
from mujina.planning.epics.noteable import EPIC
from mujina.planning.issues.noteable import ISSUE
from mujina.planning.notes.snippets import SNIPPET
from mujina.planning.quick_actions.issue_commands import ISSUE_COMMANDS
from mujina.planning.quick_actions.plan import CommandKind
from mujina.review.merge_requests.noteable import MERGE_REQUEST
from mujina.review.quick_actions.operations import MERGE_REQUEST_COMMANDS

NOTEABLES: Final[tuple[NoteableKind, ...]] = (ISSUE, SNIPPET, MERGE_REQUEST, EPIC)

COMMANDS: Final[Mapping[str, CommandKind]] = {"issue": ISSUE_COMMANDS, "merge_request": MERGE_REQUEST_COMMANDS}
"""Those whose notes may contain quick actions."""
