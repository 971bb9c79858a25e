"""Structured logs, one event a line, in which no secret is ever written.

`log.info("mail delivered", mail=7)`; what `bind(request_id=…)` is given goes with every further line of that task.
"""

import logging
import re
import sys
from collections.abc import Collection, Mapping, MutableMapping, Sequence
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, Literal, TextIO, cast

import msgspec

from mujina.kernel import deferred_imports

# They would only color tracebacks and follow greenlets, at 70 ms and 7 MB of every start.
with deferred_imports.without("rich", "better_exceptions", "colorama", "greenlet", "twisted"):
    import structlog

__all__ = ["bind", "configure", "dropped_lines", "is_configured", "log", "mask", "mask_text", "unbind", "write_records"]

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

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
    """Put the id into every further line of this task: structlog's own way costs every request twenty times as much."""
    _request_id.set(request_id)


def unbind() -> None:
    """Put no id into further lines."""
    _request_id.set(None)


def is_configured() -> bool:
    """Whether this process has decided where its lines go."""
    return structlog.is_configured()


def configure(form: Literal["auto", "json", "console"], level: str, *, to: TextIO | None = None) -> None:
    """Write lines of at least this level to stderr: for people on a terminal, as JSON elsewhere."""
    stream = to or sys.stderr
    output = _Output(stream)
    for_people = form == "console" or (form == "auto" and stream.isatty())
    structlog.configure(
        processors=[
            _add_request_id,
            structlog.processors.format_exc_info,
            _mask_event,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer(colors=stream.isatty()) if for_people else _as_json,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: output,
        cache_logger_on_first_use=False,
    )
    global _records  # noqa: PLW0603 - structlog's own configuration is global too
    _records = _Records(None if level in ("warning", "error") else output, for_people=for_people)
    # The libraries log through logging: their lines take the same way.
    logging.basicConfig(handlers=[_Libraries()], level="ERROR" if level == "error" else "WARNING")


def write_records(records: Sequence[msgspec.Struct]) -> None:
    """Write one line of level `info` per record, without its unset fields: what the access log has to say.

    The caller masks what clients wrote. This costs a tenth of `log.info`, which matters once per request.
    """
    _records.write(records)


class _Records:
    def __init__(self, output: "_Output | None", *, for_people: bool) -> None:
        self._output = output
        self._for_people = for_people

    def write(self, records: Sequence[msgspec.Struct]) -> None:
        if self._output is None:
            return
        if not self._for_people:
            self._output.msg(_encode_lines(records)[:-1].decode())
            return
        for record in records:
            fields = msgspec.to_builtins(record)
            del fields["level"], fields["timestamp"]
            log.info(**fields)


_records = _Records(None, for_people=False)
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


@lru_cache(1_000)
def _tells(key: str) -> bool:
    return _KEY.search(key) is not None


def _hide(value: Any) -> Any:
    """Counts and flags under a telling key are no secrets; anything else there is."""
    return value if value is None or isinstance(value, bool | int | float) else MASKED


def _hide_match(found: re.Match[str]) -> str:
    kept = found[found.lastgroup or 0]
    return kept + MASKED + ("@" if found.lastgroup == "address" else "")


def _add_request_id(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    if (request_id := _request_id.get()) is not None:
        event.setdefault("request_id", request_id)
    return event


def _mask_event(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return mask(event)


def _as_json(_logger: Any, _method: str, event: Mapping[str, Any]) -> str:
    return msgspec.json.encode(event).decode()


class _Libraries(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        log.log(record.levelno, record.getMessage(), logger=record.name, exc_info=record.exc_info)


class _Output:
    """Writes lines to a stream; a line that cannot be written is counted and never fails its caller."""

    dropped = 0

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def msg(self, line: str) -> None:
        try:
            self._stream.write(f"{line}\n")
            self._stream.flush()
        except (OSError, ValueError):  # a full disk, a closed pipe, a closed stream
            _Output.dropped += 1

    debug = info = warning = warn = error = critical = exception = fatal = failure = log = msg


def dropped_lines() -> int:
    """How many lines this process could not write."""
    return _Output.dropped
