"""`extends`: a job takes over the keys of other jobs. Mappings are merged at every depth, everything else is replaced."""

from collections.abc import Container
from typing import Final

from mujina.ci.language.problems import Findings
from mujina.ci.language.yaml.values import Budget, Map, Value

MAX_LEVELS: Final = 10


class _Failed(Exception):
    """A job that cannot be extended; the message is the sentence for its author."""


def expand_extends(root: Map, not_jobs: Container[str], findings: Findings) -> Map:
    """The configuration without `extends`. May raise `TooManyValues`."""
    expansion = _Expansion(root, not_jobs)
    expanded = Map()
    for name, value in root.items():
        mark = root.marks.get(name)
        try:
            expanded.put(name, expansion.of(name, ()), mark)
        except _Failed as failed:
            findings.error(f"{name}: {failed}", mark)
            expanded.put(name, value, mark)
    return expanded


class _Expansion:
    def __init__(self, root: Map, not_jobs: Container[str]) -> None:
        self._root = root
        self._not_jobs = not_jobs
        self._done: dict[str, Value] = {}
        self._budget = Budget()

    def of(self, name: str, path: tuple[str, ...]) -> Value:
        """The entry with what it extends merged into it."""
        if name in self._done:
            return self._done[name]
        value = self._root[name]
        if name in self._not_jobs or not isinstance(value, Map) or value.get("extends") is None:
            self._done[name] = value
            return value
        if name in path:
            raise _Failed("circular dependency detected in `extends`")
        if len(path) >= MAX_LEVELS:
            raise _Failed("nesting too deep in `extends`")
        merged = Map()
        for parent in _parents(value):
            merged = self._merge(merged, self._parent(parent, (*path, name)))
        self._done[name] = merged = self._merge(merged, value.without("extends"))
        return merged

    def _parent(self, name: str, path: tuple[str, ...]) -> Map:
        if name not in self._root or name in self._not_jobs:
            raise _Failed(f"unknown key in `extends` ({name})")
        parent = self.of(name, path)
        if not isinstance(parent, Map):
            raise _Failed(f"`extends` ({name}) has to name a hash")
        return parent

    def _merge(self, below: Map, above: Map) -> Map:
        """Both merged: the keys of `above` take precedence. Neither mapping is changed."""
        self._budget.spend(len(below) + len(above), 0)
        merged = Map()
        merged.put_all(below)
        for key, value in above.items():
            former = merged.get(key)
            if isinstance(former, Map) and isinstance(value, Map):
                value = self._merge(former, value)  # noqa: PLW2901 - the merged value takes its place
            merged.put(key, value, above.marks.get(key))
        return merged


def _parents(job: Map) -> list[str]:
    value = job["extends"]
    parents = value if isinstance(value, list) else [value]
    names = [parent for parent in parents if isinstance(parent, str)]
    if len(names) != len(parents):
        raise _Failed("`extends` should be a string or an array of strings")
    return names
