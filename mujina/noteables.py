"""Every kind of thing that people comment on, described by the slice that owns its rows."""

from typing import Final

from mujina.kernel.noteables import NoteableKind
from mujina.planning.epics.noteable import EPIC
from mujina.planning.issues.noteable import ISSUE
from mujina.planning.notes.snippets import SNIPPET
from mujina.review.merge_requests.noteable import MERGE_REQUEST

NOTEABLES: Final[tuple[NoteableKind, ...]] = (ISSUE, SNIPPET, MERGE_REQUEST, EPIC)
