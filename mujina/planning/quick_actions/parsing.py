"""Finds commands in a text: lines that start with `/`, outside of code, quotes and comments."""

import re
from collections.abc import Container

import msgspec

from mujina.planning.references.parsing import lines

_LINE = re.compile(r"/([a-zA-Z_]+)(?:[ \t]+(.*))?")
_EMOTICONS = {"shrug": "¯\\_(ツ)_/¯", "tableflip": "(╯°□°)╯︵ ┻━┻"}
"""Commands that insert text."""


class Command(msgspec.Struct, frozen=True):
    name: str
    argument: str
    """The rest of the line."""


class ParsedText(msgspec.Struct, frozen=True):
    text: str
    """The text without its commands."""
    commands: list[Command]


def parse(text: str, known: Container[str]) -> ParsedText:
    """Split off the commands of these names; a text without commands stays as it is."""
    if not text.startswith("/") and "\n/" not in text:
        return ParsedText(text, [])
    kept: list[str] = []
    commands: list[Command] = []
    for line, own in lines(text):
        found = _LINE.fullmatch(own.rstrip()) if own is not None and own.startswith("/") else None
        name, argument = (found[1].lower(), (found[2] or "").strip()) if found else ("", "")
        if name in _EMOTICONS:
            kept.append(f"{argument} {_EMOTICONS[name]}".strip())
        elif name in known:
            commands.append(Command(name, argument))
        else:
            kept.append(line)
    return ParsedText("\n".join(kept).strip() if commands else "\n".join(kept), commands)
