"""The fields of newer API versions of notes, alone and in discussions."""

from typing import Final

from mujina.kernel.http.requests.newer_fields import JsonObject
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services

DEFAULTS: Final[JsonObject] = {"type": None, "resolvable": False, "internal": False, "confidential": False}


async def add_note_fields(_: Services, __: Actor, shown: list[JsonObject]) -> None:
    """Those of a merge request have a type already; no note is internal."""
    for each in shown:
        for note in each.get("notes", [each]):
            for name, value in DEFAULTS.items():
                note.setdefault(name, value)
