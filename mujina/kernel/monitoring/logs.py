"""Structured logs, one event a line, in which no secret is ever written.

`log.info("mail delivered", mail=7)`; what `bind(request_id=…)` is given goes with every further line of that task.
"""

import logging
import re
import sys
import traceback
from collections.abc import Collection, Mapping, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Final, Literal, TextIO, cast

import msgspec

LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40}
MASKED = "[masked]"

_request_id: ContextVar[str | None] = ContextVar("request_id", default=None)

# Matched without what stands before it, and bounded after it: time stays linear in whatever a client made us log.
_WORD = r"(?:token|passw|secret|authorization|cookie|api_?key|private_?key|signature|otp)[\w-]{0,40}"
_KEY = re.compile(_WORD, re.IGNORECASE)
_IN_TEXT = re.compile(
    rf"""
    (?P<query>   {_WORD} (?:\]|%5D)? = ) [^&;\s"']+                    # ?private_token=x  user[password]=x
  | (?P<address> ://) [^/@\s"']+ @                                     # https://user:password@host
  | (?P<field>   {_WORD} ["']? \s{{0,9}} : \s{{0,9}} )                 # Private-Token: x  "password": "x"
    (?: "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' | [^\r\n,}}]+ )
  | (?P<scheme>  \b(?:bearer|basic)\ {{1,9}} ) [\w.~+/=-]{{8,}}         # Bearer x
    """,
    re.IGNORECASE | re.VERBOSE,
)


def bind(*, request_id: str) -> None:
    """Put the id into every further line of this task."""
    _request_id.set(request_id)


def unbind() -> None:
    """Put no id into further lines."""
    _request_id.set(None)


class Log:
    """Writes lines. Until `configure` decides, all of them go to stderr, for people."""

    def __init__(self) -> None:
        self._output = _Output(sys.stderr)
        self._least = 0
        self._for_people = True
        self.is_configured = False

    def configure(self, form: Literal["auto", "json", "console"], level: str, stream: TextIO) -> None:
        self._output = _Output(stream)
        self._least = LEVELS[level]
        self._for_people = form == "console" or (form == "auto" and stream.isatty())
        self.is_configured = True

    def debug(self, event: str, **fields: object) -> None:
        self.write("debug", event, fields)

    def info(self, event: str, **fields: object) -> None:
        self.write("info", event, fields)

    def warning(self, event: str, **fields: object) -> None:
        self.write("warning", event, fields)

    def error(self, event: str, **fields: object) -> None:
        self.write("error", event, fields)

    def exception(self, event: str, **fields: object) -> None:
        """An error, with the exception that is being handled."""
        self.write("error", event, {**fields, "exc_info": sys.exception()})

    def write(self, level: str, event: str, fields: dict[str, object]) -> None:
        """One line; the exception in `exc_info` is shown as a text."""
        if LEVELS[level] < self._least:
            return
        error = fields.pop("exc_info", None)
        line = {**fields, "event": event}
        if (request_id := _request_id.get()) is not None:
            line.setdefault("request_id", request_id)
        if isinstance(error, BaseException):
            line["exception"] = "".join(traceback.format_exception(error)).removesuffix("\n")
        line = {**mask(line), "level": level, "timestamp": datetime.now(UTC).isoformat().replace("+00:00", "Z")}
        self._output.write(_for_people(**line) if self._for_people else msgspec.json.encode(line).decode())

    def write_records(self, records: Sequence[msgspec.Struct]) -> None:
        """Write one line of level `info` per record, without its unset fields: what the access log has to say.

        The caller masks what clients wrote. This costs a tenth of `info`, which matters once per request.
        """
        if LEVELS["info"] < self._least or not self.is_configured:
            return
        if not self._for_people:
            self._output.write(_encode_lines(records)[:-1].decode())
            return
        for record in records:
            self._output.write(_for_people(**msgspec.to_builtins(record)))


def _for_people(*, timestamp: str, level: str, event: str, exception: str = "", **fields: object) -> str:
    shown = "".join(f" {key}={_on_one_line(value)}" for key, value in fields.items())
    return f"{timestamp} [{level:<7}] {_on_one_line(event)}{shown}" + (f"\n{exception}" if exception else "")


def _on_one_line(value: object) -> str:
    """A text that a client sent cannot forge a line, or move the cursor of a terminal."""
    shown = str(value)
    return shown if shown.isprintable() else repr(shown)


def configure(form: Literal["auto", "json", "console"], level: str, *, to: TextIO | None = None) -> None:
    """Write lines of at least this level to stderr: for people on a terminal, as JSON elsewhere."""
    log.configure(form, level, to or sys.stderr)
    # The libraries log through logging: their lines take the same way.
    logging.basicConfig(handlers=[_Libraries()], level="ERROR" if level == "error" else "WARNING")


_encode_lines = msgspec.json.Encoder().encode_lines


def mask(value: Any) -> Any:
    """Returns the value with every secret made unreadable: under telling keys, in queries, addresses and headers."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        fields = cast("Mapping[Any, Any]", value)
        return {key: _hide(part) if _tells(str(key)) else mask(part) for key, part in fields.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [mask(part) for part in cast("Collection[Any]", value)]
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return mask_text(value if isinstance(value, str) else repr(value))


def mask_text(text: str) -> str:
    """Returns the text with every secret in it made unreadable."""
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()  # half a surrogate pair must not cost the line
    if not ("=" in text or ":" in text or " " in text):  # most values: nothing below could match
        return text
    return _IN_TEXT.sub(_hide_match, text)


def _tells(key: str) -> bool:
    return _KEY.search(key) is not None


def _hide(value: Any) -> Any:
    """Counts and flags under a telling key are no secrets; anything else there is."""
    return value if value is None or isinstance(value, bool | int | float) else MASKED


def _hide_match(found: re.Match[str]) -> str:
    kept = found[found.lastgroup or 0]
    return kept + MASKED + ("@" if found.lastgroup == "address" else "")


class _Libraries(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        level = "error" if record.levelno >= logging.ERROR else "warning"
        error = record.exc_info[1] if record.exc_info else None
        log.write(level, record.getMessage(), {"logger": record.name, "exc_info": error})


class _Output:
    """Writes lines to a stream; a line that cannot be written is counted and never fails its caller."""

    dropped = 0

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, line: str) -> None:
        try:
            self._stream.write(f"{line}\n")
            self._stream.flush()
        except (OSError, ValueError):  # a full disk, a closed pipe, a closed stream
            _Output.dropped += 1


def dropped_lines() -> int:
    """How many lines this process could not write."""
    return _Output.dropped


log: Final = Log()
