"""Every consequence in the product, on one screen: when this happens, that follows.

A consequence the next request must see (a system note, a todo, a counter) is a function `async (tx, event)` of its
slice, and runs inside the transaction of the change. What needs the network or more than a few milliseconds is
`Later("noun.verb")`: a task of the slice's `jobs.py`, run for the event's subject soon after the commit.
They are carried out in the order in which they stand.
"""

from typing import Final

from mujina.domains.awards.operations import forget_note
from mujina.domains.issues.noted import count_notes
from mujina.domains.notes.system_notes import tell_changes
from mujina.kernel.events import Later, Reactions

REACTIONS: Final[Reactions] = {
    "group.deleted": [Later("groups.remove")],
    "issue.updated": [tell_changes],
    "issue.closed": [tell_changes],
    "issue.reopened": [tell_changes],
    "note.created": [count_notes],
    "note.deleted": [count_notes, forget_note],
    "project.deleted": [Later("projects.remove")],
    "repository.pushed": [Later("repositories.measure")],
    "wiki.pushed": [Later("repositories.measure")],
}
