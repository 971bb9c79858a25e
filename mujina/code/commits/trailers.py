"""The trailers of commit messages: `Changelog: added` in the last paragraph."""

import re

_TRAILER = re.compile(r"([A-Za-z0-9][A-Za-z0-9-]*)[ \t]*:[ \t]*(.*)")
MAX_TRAILERS = 100


def trailers_of(message: str) -> dict[str, list[str]]:
    """The values of each key of the last paragraph; none if that is the title, or if a line of it is no trailer."""
    paragraphs = [part for part in re.split(r"\n[ \t]*\r?\n", message.strip()) if part.strip()]
    found: dict[str, list[str]] = {}
    last: list[str] = []
    if len(paragraphs) < 2:
        return found
    lines = paragraphs[-1].splitlines()
    for line in lines if len(lines) <= MAX_TRAILERS else []:
        if trailer := _TRAILER.fullmatch(line):
            last = found.setdefault(trailer[1], [])
            last.append(trailer[2].strip())
        elif last and line[:1].isspace():  # it continues the line before
            last[-1] = f"{last[-1]} {line.strip()}".strip()
        else:
            return {}
    return found
