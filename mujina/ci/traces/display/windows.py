"""Parts of a trace for pages: a page shows one, so that a long trace costs no more than a short one."""

import asyncio
from typing import Final

import msgspec

from mujina.ci.traces.display.terminal import Terminal, TerminalState, state_after
from mujina.ci.traces.reading import Trace, pieces
from mujina.kernel.services import Services
from mujina.rendering.html import Html

WINDOW: Final = 64 * 1024
"""Bytes of a part."""
MAX_LINE: Final = 8 * 1024
"""Bytes of a line beyond the part in which it begins."""
STYLE_SEARCH_BYTES: Final = 1024 * 1024
"""Bytes before a part that are searched for the sections and colors that it is in."""


class ShownTrace(msgspec.Struct, frozen=True):
    """A part of a trace."""

    text: Html
    part: int
    parts: int
    end: int
    """The position behind it in the trace, from which a page that follows asks for more."""
    lines: int
    """How many lines were shown so far."""
    codes: str
    """The look of the lines that follow, as the codes of a terminal."""


async def read_part(services: Services, trace: Trace, part: int | None, address: str, *, running: bool) -> ShownTrace:
    """The lines that begin in a part of the trace, by default in the last one. While the job runs, only whole lines."""
    parts = max(1, -(-trace.size // WINDOW))
    chosen = parts - 1 if part is None else min(max(part, 0), parts - 1)
    start = chosen * WINDOW
    read_from = max(0, start - 1)
    data = await _read(services, trace, read_from, min(trace.size, start + WINDOW + MAX_LINE))
    first = data.find(b"\n") + 1 if chosen else 0
    if chosen < parts - 1:
        # A line that begins in this part ends behind it.
        last = data.find(b"\n", start + WINDOW - 1 - read_from) + 1 or len(data)
    else:
        last = data.rfind(b"\n") + 1 if running else len(data)
    state = await _state_before(services, trace, read_from + first) if chosen else TerminalState()
    terminal = Terminal("" if parts == 1 else f"{address}?part={chosen}", state=state)
    end = trace.size if not running else await _end_of_lines(services, trace)
    text = terminal.show(data[first:last].decode("utf-8", "replace"))
    return ShownTrace(text, chosen, parts, end, lines=terminal.line, codes=terminal.codes)


async def _state_before(services: Services, trace: Trace, end: int) -> TerminalState:
    """The state of the terminal before the line that begins here."""
    before = await _read(services, trace, max(0, end - STYLE_SEARCH_BYTES), end)
    return await asyncio.to_thread(lambda: state_after(before.decode("utf-8", "replace")))


async def read_more(services: Services, trace: Trace, start: int, line: int, codes: str) -> ShownTrace | None:
    """The whole lines after a position; None if they are more than a window: then the page is better loaded anew."""
    if not 0 <= start <= trace.size <= start + WINDOW:
        return None
    data = await _read(services, trace, start, trace.size)
    data = data[: data.rfind(b"\n") + 1]
    terminal = Terminal("", line, TerminalState(codes))
    text = terminal.show(data.decode("utf-8", "replace"))
    return ShownTrace(text, 0, 1, start + len(data), lines=terminal.line, codes=terminal.codes)


async def _end_of_lines(services: Services, trace: Trace) -> int:
    start = max(0, trace.size - WINDOW)
    data = await _read(services, trace, start, trace.size)
    return start + data.rfind(b"\n") + 1


async def _read(services: Services, trace: Trace, start: int, end: int) -> bytes:
    if end <= start:
        return b""
    return b"".join([piece async for piece in pieces(services, trace, start, end)])
