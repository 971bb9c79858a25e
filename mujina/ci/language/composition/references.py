"""`!reference [job, key]`: a value that is written elsewhere in the configuration."""

from typing import Final

from mujina.ci.language.problems import Findings
from mujina.ci.language.yaml.values import Map, ReferenceTag, Value

MAX_LEVELS: Final = 10
"""Levels of references inside what references name."""


class _Failed(Exception):
    """A reference that cannot be followed; the message is the sentence for its author."""


def expand_references(root: Map, findings: Findings) -> Map:
    """The configuration without references; one that cannot be followed is an error, and null."""
    if not _has_link(root):
        return root
    return _Followed(root, findings).map(root, ())


def _has_link(value: Value) -> bool:
    """Whether a reference is anywhere inside the value."""
    waiting: list[Value] = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ReferenceTag):
            return True
        if isinstance(part, Map):
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return False


class _Followed:
    """Values with their references replaced. What a reference names is worked out once and shared."""

    def __init__(self, root: Map, findings: Findings) -> None:
        self._root = root
        self._findings = findings
        self._done: dict[tuple[str, ...], Value] = {}

    def map(self, value: Map, path: tuple[ReferenceTag, ...]) -> Map:
        found = Map()
        for key, inner in value.items():
            found.put(key, self._value(inner, path), value.marks.get(key))
        return found

    def _value(self, value: Value, path: tuple[ReferenceTag, ...]) -> Value:
        if isinstance(value, ReferenceTag):
            return self._link(value, path)
        if isinstance(value, Map):
            return self.map(value, path)
        if isinstance(value, list):
            return [self._value(inner, path) for inner in value]
        return value

    def _link(self, link: ReferenceTag, path: tuple[ReferenceTag, ...]) -> Value:
        if link.keys not in self._done:
            try:
                value = self._value(self._named(link, path), (*path, link))
            except _Failed as failed:
                name = ", ".join(link.keys)
                self._findings.error(f"!reference [{name}] {failed}", link.mark)
                value = None
            self._done[link.keys] = value
        return self._done[link.keys]

    def _named(self, link: ReferenceTag, path: tuple[ReferenceTag, ...]) -> Value:
        if any(link.keys == outer.keys for outer in path):
            raise _Failed("is part of a circular chain")
        if len(path) >= MAX_LEVELS:
            raise _Failed("is nested too deeply")
        value: Value = self._root
        for key in link.keys:
            if not isinstance(value, Map) or key not in value:
                raise _Failed("could not be found")
            value = value[key]
        return value
