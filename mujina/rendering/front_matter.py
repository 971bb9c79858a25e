"""Front matter: the fields between two lines `---` at the start of a Markdown file.

Of YAML only texts and lists of texts are read; the value of any other field is shown as it is written.
"""

import re
from typing import Final

from mujina.kernel.text.deferred_patterns import deferred_pattern
from mujina.rendering.html import Html, element, escape

MAX_LENGTH: Final = 10_000
"""Characters; with more it is shown as Markdown."""
_FENCED: Final = deferred_pattern(r"---[ \t]*\r?\n(.*?)(?<=\n)---[ \t]*(?:\r?\n|$)", re.DOTALL)
_FIELD: Final = deferred_pattern(r"(?P<name>\w[^:#\n]{0,200}?)[ \t]*:(?:[ \t]+(?P<value>.*))?")
_FURTHER: Final = deferred_pattern(r"[ \t#-]|$")
"""How the further lines of a field begin: they are indented, items of a list, comments or empty."""
_IGNORED: Final = deferred_pattern(r"[ \t]*(?:#.*)?")
_ITEM: Final = deferred_pattern(r"[ \t]*-[ \t]+(.*)")
_QUOTED: Final = deferred_pattern(r"""'([^']*)'|"([^"\\]*)\"""")
_NOT_PLAIN: Final = deferred_pattern(r"[\[\]{},&*!|>@%`\"'#]|[?-](?: |$)")
"""How a value begins that is no plain text."""


def split_off(text: str) -> tuple[Html, str]:
    """The front matter of a file as a table, and the text after it; nothing and all of the text if it has none."""
    fenced = _FENCED.match(text, 0, MAX_LENGTH) if text.startswith("---") else None
    fields = _fields(fenced[1].splitlines()) if fenced else []
    if fenced is None or not fields:
        return Html(), text
    rows = "".join(
        element("tr", element("th", escape(name), scope="row") + element("td", _shown(value, further)))
        for name, value, further in fields
    )
    table = element("table", element("tbody", rows))
    return element("div", table, class_="md-table", tabindex="0"), text[fenced.end() :]


def _fields(lines: list[str]) -> list[tuple[str, str, list[str]]]:
    """Name, value and further lines of each field; none if the lines do not consist of fields."""
    fields: list[tuple[str, str, list[str]]] = []
    for line in lines:
        if field := _FIELD.fullmatch(line):
            fields.append((field["name"], (field["value"] or "").strip(), []))
        elif fields and _FURTHER.match(line):
            fields[-1][2].append(line)
        elif not _IGNORED.fullmatch(line):
            return []
    return fields


def _shown(value: str, further: list[str]) -> Html:
    lines = [line for line in further if not _IGNORED.fullmatch(line)]
    items = [_ITEM.fullmatch(line) for line in lines]
    if not lines:
        texts = value[1:-1].split(",") if value[:1] == "[" and value[-1:] == "]" else [value]
    else:
        texts = [] if value else [item[1] for item in items if item]
    read = [text for each in texts if (text := _read(each.strip())) is not None]
    if len(read) == max(1, len(lines), len(texts)):
        return escape(", ".join(read))
    return element("pre", escape("\n".join([value, *further] if value else further)))


def _read(text: str) -> str | None:
    """A text without its quotes; None if it is no simple one."""
    if quoted := _QUOTED.fullmatch(text):
        return quoted[1] or quoted[2] or ""
    return None if _NOT_PLAIN.match(text) else text.partition(" #")[0].rstrip()
