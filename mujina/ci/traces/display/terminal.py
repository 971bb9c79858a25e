"""Traces as HTML: colors of terminals become spans, sections become parts that fold. Pure, linear, and safe for any bytes."""

import re
from html import escape
from typing import Final

import msgspec

from mujina.rendering.html import Html

_SEQUENCE: Final = re.compile(
    r"\x1b(?:\[([0-9;:]{0,64})m|\[[0-?]{0,64}[ -/]{0,8}[@-~]?|\][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)?|[ -~]?)"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
"""A sequence of a terminal, of which only colors mean something here, or a character that shows nothing."""
_SECTION: Final = re.compile(
    r"section_(start|end):([0-9]{1,12}):([A-Za-z0-9_.-]{1,255})(\[[^\]\n]{0,200}\])?\r(?:\x1b\[0K)?"
)
_STYLE_SEQUENCE: Final = re.compile(r"\x1b\[([0-9;:]{0,64})m")
_PLAIN: Final = ("\x1b[m", "\x1b[0m", "\x1b[0;")
"""Sequences after which what came before does not count."""
_RESET: Final = {22: "bold", 23: "italic", 24: "underline", 39: "color", 49: "background"}
_SET: Final = {1: "bold", 3: "italic", 4: "underline"}
MAX_DEPTH: Final = 16
"""Sections inside each other."""
MAX_STYLE_LENGTH: Final = 256 * 1024
"""Characters before a part in which the look of its beginning is searched for: sequences may be as dense as text."""


class _Style(msgspec.Struct):
    """How the next characters look; colors are the numbers of the eight colors of terminals."""

    bold: bool = False
    italic: bool = False
    underline: bool = False
    color: int | None = None
    background: int | None = None

    def apply(self, codes: list[int]) -> "_Style":
        """The look after a sequence with these codes."""
        style = self
        while codes:
            code = codes.pop(0)
            if code == 0:
                style = _Style()
            elif code in (38, 48):
                style = msgspec.structs.replace(style, **{"color" if code == 38 else "background": _wide(codes)})
            elif code in _SET:
                style = msgspec.structs.replace(style, **{_SET[code]: True})
            elif code in _RESET:
                style = msgspec.structs.replace(style, **{_RESET[code]: False if code < 30 else None})
            elif 30 <= code <= 37 or 90 <= code <= 97:
                style = msgspec.structs.replace(style, color=code % 10)
            elif 40 <= code <= 47 or 100 <= code <= 107:
                style = msgspec.structs.replace(style, background=code % 10)
        return style

    def after(self, sequence: str) -> "_Style":
        """The look after a sequence, of which this is the part between `[` and `m`."""
        return self.apply([int(code) if code else 0 for code in re.split("[;:]", sequence)])

    @property
    def codes(self) -> str:
        """The codes that give this look."""
        colors = [(30, self.color), (40, self.background)]
        codes = [code for code, word in _SET.items() if getattr(self, word)]
        return ";".join(str(code) for code in [*codes, *(base + color for base, color in colors if color is not None)])

    @property
    def classes(self) -> str:
        # On a background, the text has the color that is readable there.
        color = f"t{self.color}" if self.background is None and self.color is not None else ""
        background = "" if self.background is None else f"on{self.background}"
        words = (color, background, "tb" * self.bold, "ti" * self.italic, "tu" * self.underline)
        return " ".join(word for word in words if word)


def _wide(codes: list[int]) -> int | None:
    """The nearest of the eight colors to one of 256, or of red, green and blue."""
    kind = codes.pop(0) if codes else 0
    if kind == 5 and codes:
        number = codes.pop(0)
        if number < 16:
            return number % 8
        if number >= 232:
            return 0 if number < 244 else 7
        return _nearest([(number - 16) // 36, (number - 16) // 6 % 6, (number - 16) % 6])
    if kind == 2 and len(codes) >= 3:
        return _nearest([codes.pop(0) for _ in range(3)])
    return None


def _nearest(parts: list[int]) -> int:
    most = max(parts)
    return sum(bit for bit, part in zip((1, 2, 4), parts, strict=True) if most and part * 10 > most * 6)


class TerminalState(msgspec.Struct, frozen=True):
    """The state of a terminal between two parts of a trace."""

    codes: str = ""
    """The look of what follows, as the codes of a sequence."""
    sections: list[tuple[str, int]] = []
    """The names and start times of the sections that have not ended."""


def state_after(text: str) -> TerminalState:
    """The state behind this part of a trace, which begins with an unknown one: what it does not say is plain."""
    sections: list[tuple[str, int]] = []
    for found in _SECTION.finditer(text):
        if found[1] == "start":
            sections.append((found[3], int(found[2])))
            del sections[MAX_DEPTH:]
        elif any(name == found[3] for name, _ in sections):
            while sections.pop()[0] != found[3]:
                pass
    near = text[-MAX_STYLE_LENGTH:]
    style = _Style()
    for found in _STYLE_SEQUENCE.finditer(near, max(0, *(near.rfind(plain) for plain in _PLAIN))):
        style = style.after(found[1])
    return TerminalState(style.codes, sections)


class Terminal:
    """Lines of a trace, one after the other; `address` is that of the page on which their numbers stand."""

    def __init__(self, address: str, line: int = 0, state: TerminalState = TerminalState()) -> None:
        self.address = address
        self.line = line
        """How many lines were shown so far."""
        look = _STYLE_SEQUENCE.fullmatch(f"\x1b[{state.codes}m")
        self._style = _Style().after(look[1]) if look else _Style()
        self._parts: list[str] = []
        self._open: list[tuple[str, int, int]] = []
        """The names, start times and places of the sections that have not ended."""
        for name, start in state.sections:
            self._begin(name, start, folded=False)

    @property
    def codes(self) -> str:
        """The look of what follows, as the codes of a sequence."""
        return self._style.codes

    def show(self, text: str) -> Html:
        """The HTML of whole lines."""
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        for line in lines:
            self._show_line(line)
        while self._open:
            self._close()
        return Html("".join(self._parts))

    def _show_line(self, line: str) -> None:
        last, marked = 0, False
        for found in _SECTION.finditer(line):
            if before := line[last : found.start()].strip("\r"):
                self._write(before)
            last, marked = found.end(), True
            self._enter(found) if found[1] == "start" else self._leave(found)
        rest = line[last:].rstrip("\r")
        if rest or not marked:
            self._write(rest)

    def _enter(self, found: re.Match[str]) -> None:
        if len(self._open) < MAX_DEPTH:
            self._begin(found[3], int(found[2]), folded="collapsed=true" in (found[4] or ""))

    def _begin(self, name: str, start: int, *, folded: bool) -> None:
        self._open.append((name, start, len(self._parts)))
        self._parts.append(f"<details{'' if folded else ' open'}><summary>{escape(name.replace('_', ' '))}")
        self._parts.append("</summary>")

    def _leave(self, found: re.Match[str]) -> None:
        if not any(name == found[3] for name, _, _ in self._open):
            return
        while (section := self._close())[0] != found[3]:
            pass
        _, start, place = section
        self._parts[place] += f" <span>{max(0, int(found[2]) - start)} s</span>"

    def _close(self) -> tuple[str, int, int]:
        self._parts.append("</details>")
        return self._open.pop()

    def _write(self, line: str) -> None:
        """One line; what a carriage return goes back over is not shown."""
        self.line += 1
        number = self.line
        self._parts.append(f'<div id="L{number}"><a href="{self.address}#L{number}">{number}</a><span>')
        hidden, _, text = line.rpartition("\r")
        for found in _STYLE_SEQUENCE.finditer(hidden):
            self._style = self._style.after(found[1])
        last = 0
        for found in _SEQUENCE.finditer(text):
            self._span(text[last : found.start()])
            last = found.end()
            if found[1] is not None:
                self._style = self._style.after(found[1])
        self._span(text[last:])
        self._parts.append("</span></div>")

    def _span(self, text: str) -> None:
        if text:
            classes = self._style.classes
            shown = escape(text)
            self._parts.append(f'<span class="{classes}">{shown}</span>' if classes else shown)
