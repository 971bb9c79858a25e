"""YAML 1.1 as CI files use it: aliases, merge keys and `!reference`, within limits that hold for any bytes.

The parser reports events; nothing is expanded before it is counted, so a small file that stands for a huge one ends at
once with a sentence. Other tags than those of the core schema are refused.
"""

from typing import TYPE_CHECKING, Any, Final

from mujina.ci.language.yaml.scalars import resolve
from mujina.ci.language.yaml.values import MAX_BYTES, MAX_DEPTH, Budget, Map, Mark, ReferenceTag, TooManyValues, Value
from mujina.kernel import deferred_imports

if TYPE_CHECKING:
    from yaml.events import AliasEvent, ScalarEvent

_CORE: Final = "tag:yaml.org,2002:"
_TEXT_TAGS: Final = frozenset({"!", f"{_CORE}str"})
_PLAIN_TAGS: Final = frozenset({f"{_CORE}{name}" for name in ("null", "bool", "int", "float")})
_COLLECTION_TAGS: Final = frozenset({None, "!", f"{_CORE}map", f"{_CORE}seq"})
_REFERENCE: Final = "!reference"
_MERGE: Final = "<<"
_HEADER: Final = "spec"
"""The only key of a first document that describes the second."""
_MAX_TAG_DIRECTIVES: Final = 16
"""The parser compares each with all before it."""


class InvalidYaml(Exception):
    """The text is not YAML that we read; the message is the sentence for its author."""

    def __init__(self, problem: str, line: int = 1, column: int = 1) -> None:
        super().__init__(f"(<unknown>): {problem} at line {line} column {column}")
        self.line = line


def read_yaml(content: bytes, file: str = "") -> tuple[Map | None, Value]:
    """The header of the file, if it has one, and the first document after it.

    Raises `InvalidYaml`, and nothing else, if they cannot be read.
    """
    if len(content) > MAX_BYTES:
        raise InvalidYaml(f"the file is larger than {MAX_BYTES} bytes")
    text = _decode(content)
    if text.count("\n%TAG") > _MAX_TAG_DIRECTIVES:
        raise InvalidYaml("too many %TAG directives")
    yaml = deferred_imports.yaml()
    try:
        composer = _Composer(text, file)
        first = composer.document()
        if isinstance(first, Map) and list(first) == [_HEADER]:
            second = composer.document()
            return (None, first) if second is None else (first, second)
        return None, first
    except TooManyValues as limit:
        raise InvalidYaml(str(limit)) from None
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(error) from None
    except (yaml.YAMLError, ValueError) as error:
        raise InvalidYaml(str(error).partition("\n")[0]) from None


def _decode(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        column = error.start - before.rfind(b"\n")
        raise InvalidYaml("the file is not UTF-8", before.count(b"\n") + 1, column) from None


def _syntax_error(error: Any) -> InvalidYaml:
    """What the parser says, in one line; the place is that of the part that it could not finish."""
    mark = error.context_mark or error.problem_mark
    words = " ".join(part for part in (error.problem, error.context) if part)
    return InvalidYaml(words, mark.line + 1, mark.column + 1) if mark else InvalidYaml(words)


class _Composer:
    """Builds values from the events of the parser."""

    def __init__(self, text: str, file: str) -> None:
        self._yaml = deferred_imports.yaml()
        self._parser: Any = deferred_imports.yaml_parser(text)
        self._file = file
        self._budget = Budget()
        self._anchors: dict[str, tuple[Value, int, int]] = {}
        """The values that aliases may name, with their number of values and characters."""
        self._open: set[str] = set()
        """The anchors of the collections that are not complete."""

    def document(self) -> Value:
        """The next document; null if there is none."""
        events = self._yaml.events
        while self._parser.check_event():
            event = self._parser.get_event()
            if isinstance(event, events.DocumentStartEvent):
                return self._node(self._parser.get_event(), 0)
        return None

    def _node(self, event: Any, depth: int) -> Value:
        events = self._yaml.events
        if isinstance(event, events.AliasEvent):
            return self._alias(event)
        before = self._budget.values, self._budget.characters
        anchor: str | None = event.anchor
        if anchor is not None:
            self._open.add(anchor)
        value = self._scalar(event) if isinstance(event, events.ScalarEvent) else self._collection(event, depth + 1)
        if anchor is not None:
            self._open.discard(anchor)
            spent = before[0] - self._budget.values, before[1] - self._budget.characters
            self._anchors[anchor] = (value, *spent)
        return value

    def _alias(self, event: "AliasEvent") -> Value:
        name = event.anchor or ""
        if name in self._open:
            raise _at(event, f"alias '{name}' is used inside the value that it names")
        if name not in self._anchors:
            raise _at(event, f"unknown alias '{name}'")
        value, values, characters = self._anchors[name]
        self._budget.spend(values, characters)
        return value

    def _scalar(self, event: "ScalarEvent") -> Value:
        text: str = event.value
        self._budget.spend(1, len(text))
        if "\0" in text:
            raise _at(event, "control characters are not allowed")
        if event.tag is None or event.tag in _PLAIN_TAGS:
            return resolve(text) if event.implicit[0] or event.tag in _PLAIN_TAGS else text
        if event.tag not in _TEXT_TAGS:
            raise _at(event, f"tag '{event.tag}' is not supported")
        return text

    def _collection(self, event: Any, depth: int) -> Value:
        if depth > MAX_DEPTH:
            raise _at(event, f"more than {MAX_DEPTH} levels of nesting")
        self._budget.spend(1, 0)
        events = self._yaml.events
        if isinstance(event, events.MappingStartEvent):
            if event.tag not in _COLLECTION_TAGS:
                raise _at(event, f"tag '{event.tag}' is not supported")
            return self._mapping(depth)
        entries = self._entries(depth)
        if event.tag == _REFERENCE:
            return self._link(event, entries)
        if event.tag not in _COLLECTION_TAGS:
            raise _at(event, f"tag '{event.tag}' is not supported")
        return entries

    def _entries(self, depth: int) -> list[Value]:
        entries: list[Value] = []
        end = self._yaml.events.SequenceEndEvent
        while not isinstance(event := self._parser.get_event(), end):
            entries.append(self._node(event, depth))
        return entries

    def _link(self, event: Any, entries: list[Value]) -> ReferenceTag:
        keys = tuple(key for key in entries if isinstance(key, str))
        if not keys or len(keys) != len(entries):
            raise _at(event, "!reference takes the name of a job and keys in it")
        return ReferenceTag(keys, self._mark(event))

    def _mapping(self, depth: int) -> Map:
        own, merged = Map(), Map()
        end = self._yaml.events.MappingEndEvent
        while not isinstance(event := self._parser.get_event(), end):
            key, merges = self._key(event, depth), self._is_merge(event)
            value = self._node(self._parser.get_event(), depth)
            if merges:
                self._merge(event, merged, value)
            else:
                own.put(key, value, self._mark(event))
        if not merged:
            return own
        merged.put_all(own)
        return merged

    def _key(self, event: Any, depth: int) -> str:
        """The key as text: numbers and booleans as they are written."""
        value = self._node(event, depth)
        if isinstance(value, str):
            return value
        if isinstance(event, self._yaml.events.ScalarEvent):
            return event.value
        if isinstance(value, (bool, int, float)):
            return str(value).lower()
        raise _at(event, "a key has to be text")

    def _is_merge(self, event: Any) -> bool:
        return isinstance(event, self._yaml.events.ScalarEvent) and event.value == _MERGE and event.implicit[0]

    def _merge(self, event: Any, target: Map, value: Value) -> None:
        """Add the keys of one mapping, or of several of which the first counts most."""
        for source in reversed(value) if isinstance(value, list) else [value]:
            if not isinstance(source, Map):
                raise _at(event, "a merge key takes a mapping or a list of mappings")
            self._budget.spend(len(source), 0)
            target.put_all(source)

    def _mark(self, event: Any) -> Mark:
        return Mark(self._file, event.start_mark.line + 1)


def _at(event: Any, problem: str) -> InvalidYaml:
    return InvalidYaml(problem, event.start_mark.line + 1, event.start_mark.column + 1)
