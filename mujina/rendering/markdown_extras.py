"""What texts may contain beyond GitHub Flavored Markdown: alerts, a table of contents, colors, videos and sounds.

All of it is written into HTML that the sanitizer has passed, so the classes are ours.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from mujina.kernel.text.deferred_patterns import deferred_pattern
from mujina.rendering.html import escape

_ALERTS: Final = {"note": "Note", "tip": "Tip", "important": "Important", "caution": "Caution", "warning": "Warning"}
_ALERT: Final = deferred_pattern(
    rf"<blockquote>\n<p>\[!({'|'.join(_ALERTS)})\][ \t]*([^<\n]{{0,200}})(?:<br>)?(\n|</p>\n)", re.IGNORECASE
)
CONTENTS: Final = deferred_pattern(r"<p>\[\[(?:_TOC_|<em>TOC</em>)\]\]</p>|<p>\[TOC\]</p>")
"""Where a text wants its table of contents."""
_BYTE: Final = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_SHARE: Final = r"(?:100|\d?\d)%"
_COLOR: Final = deferred_pattern(
    rf"#(?:[0-9a-f]{{3,4}}|[0-9a-f]{{6}}|[0-9a-f]{{8}})|rgb\({_BYTE}, ?{_BYTE}, ?{_BYTE}\)"
    rf"|hsl\((?:360|3[0-5]\d|[12]?\d?\d), ?{_SHARE}, ?{_SHARE}\)",
    re.IGNORECASE,
)
MEDIA: Final = {
    **dict.fromkeys(("mp4", "m4v", "mov", "webm", "ogv"), "video"),
    **dict.fromkeys(("mp3", "oga", "ogg", "wav", "m4a", "opus"), "audio"),
}
"""Ends of the names of videos and sounds, and the elements that show them."""
DIAGRAMS: Final = frozenset({"mermaid", "plantuml"})
"""The languages of blocks that the script of pages draws as diagrams."""
MAX_DIAGRAMS: Final = 20
"""Diagrams of one text that are drawn: each is a frame with a program of its own."""


class Heading(NamedTuple):
    level: int
    id: str
    text: str
    """Escaped."""


def write_alerts(html: str) -> str:
    """The HTML with alerts."""
    return _ALERT.sub(_alert, html) if "[!" in html else html


def _alert(match: re.Match[str]) -> str:
    """The rest of the first paragraph stays one, unless nothing is left of it."""
    kind = match[1].lower()
    title = match[2].strip() or _ALERTS[kind]
    rest = "<p>" if match[3] == "\n" else ""
    return f'<blockquote class="md-alert md-{kind}">\n<p class="md-alert-title">{title}</p>\n{rest}'


def color_chip(text: str) -> str:
    """A sample of the color that an inline code names; empty if it names none."""
    if _COLOR.fullmatch(text) is None:
        return ""
    return (
        '<svg class="md-color" viewBox="0 0 12 12" aria-hidden="true">'
        f'<rect width="12" height="12" fill="{escape(text)}"/></svg>'
    )


def media_tag(target: str, alt: str) -> str:
    """A video or a sound with its controls, if the address ends like one; otherwise empty. `alt` is escaped."""
    suffix = re.split(r"[?#]", target, maxsplit=1)[0].rpartition(".")[2].lower()
    tag, address = MEDIA.get(suffix), escape(target)
    if tag is None:
        return ""
    return f'<{tag} src="{address}" controls preload="metadata" aria-label="{alt}"><a href="{address}">{alt or address}</a></{tag}>'


def table_of_contents(headings: Sequence[Heading]) -> str:
    """Nested lists of links to the headings; a level that is left out has no list of its own."""
    parts: list[str] = []
    open_levels: list[int] = []
    for heading in headings:
        while len(open_levels) > 1 and heading.level < open_levels[-1]:
            parts.append("</li></ul>")
            open_levels.pop()
        if open_levels and heading.level <= open_levels[-1]:
            parts.append("</li>")
        else:
            parts.append('<ul class="md-toc">' if not open_levels else "<ul>")
            open_levels.append(heading.level)
        parts.append(f'<li><a href="#{heading.id}">{heading.text}</a>')
    return "".join(parts) + "</li></ul>" * len(open_levels)


def task_box(attributes: Mapping[str, str]) -> str:
    """A check box of a task list; no other field may be in a text."""
    if attributes.get("type") != "checkbox":
        return ""
    done = "checked" in attributes
    state = ' checked aria-label="Completed task"' if done else ' aria-label="Incomplete task"'
    return f'<input type="checkbox" class="md-task" disabled{state}>'
