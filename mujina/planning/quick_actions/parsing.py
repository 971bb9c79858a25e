"""Commands in a text: lines that begin with `/`, outside of code and quotes."""

import re
from collections.abc import Container

import msgspec

from mujina.planning.references.parsing import lines

_LINE = re.compile(r"/([a-z_]+)(?:[ \t]+(.*))?")
_DRAWN = {"shrug": "¯\\_(ツ)_/¯", "tableflip": "(╯°□°)╯︵ ┻━┻"}
"""Commands that stand for a drawing."""


class Command(msgspec.Struct, frozen=True):
    name: str
    said: str
    """What follows the name on its line."""


class Told(msgspec.Struct, frozen=True):
    text: str
    """The text without its commands."""
    commands: list[Command]


def take(text: str, known: Container[str]) -> Told:
    """The commands of these names, and what is left; a text without commands is left as it is."""
    if not text.startswith("/") and "\n/" not in text:
        return Told(text, [])
    kept: list[str] = []
    commands: list[Command] = []
    for line, own in lines(text):
        found = _LINE.fullmatch(line.rstrip()) if own else None
        name, said = (found[1], (found[2] or "").strip()) if found else ("", "")
        if name in _DRAWN:
            kept.append(f"{said} {_DRAWN[name]}".strip())
        elif name in known:
            commands.append(Command(name, said))
        else:
            kept.append(line)
    return Told("\n".join(kept).strip() if commands else "\n".join(kept), commands)
