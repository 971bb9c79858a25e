"""`spec:inputs`: values that those who include a file choose, and `$[[ inputs.name ]]`, where they are used."""

import re
from collections.abc import Mapping
from typing import Final

from mujina.ci.language.problems import ConfigSection, Findings, Location
from mujina.ci.language.yaml.values import Budget, Map, Mark, Value
from mujina.kernel.text.patterns import BadPattern, compiled

_USE = re.compile(r"\$\[\[\s*inputs\.([\w-]{1,255})((?:\s*\|[^\]|]{0,255})*)\s*\]\]")
_TRUNCATE = re.compile(r"truncate\(\s*(\d{1,6})\s*,\s*(\d{1,6})\s*\)")
_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "string": str, "number": (int, float), "boolean": bool, "array": list,
}  # fmt: skip
_KEYS: Final = ("default", "description", "options", "regex", "type")


class _Unusable(Exception):
    """A value that cannot be used; the message is the sentence for its author."""


def read_inputs(header: Map, given: Mapping[str, Value], findings: Findings) -> dict[str, Value]:
    """The value of each input: the one that is given, else the default. Every error is added to the findings."""
    location = Location(findings, ("spec",), header.marks.get("spec"))
    spec = location.section(header.get("spec"), ("inputs", "description", "component"))
    declared = spec.get("inputs") if spec else None
    if spec is None or not isinstance(declared, Map):
        if declared is not None and spec is not None:
            spec.at("inputs").config_error("should be a hash")
        declared = Map()
    for name in given:
        if name not in declared:
            location.error(f"has no input {name}")
    return {name: _read_input(location, declared, name, given) for name in declared}


def _read_input(location: Location, declared: Map, name: str, given: Mapping[str, Value]) -> Value:
    rules = declared[name]
    at = Location(location.findings, ("spec", "inputs", name), declared.marks.get(name))
    section = at.section(Map() if rules is None else rules, _KEYS)
    if section is None:
        return None
    kind = section.choice("type", _TYPES, f"one of {', '.join(_TYPES)}") or "string"
    if name not in given and "default" not in section.config:
        at.error("is required and has no value")
        return None
    value = given.get(name, section.get("default"))
    try:
        _check(section, kind, value)
    except _Unusable as unusable:
        at.error(str(unusable))
    return value


def _check(section: ConfigSection, kind: str, value: Value) -> None:
    """Refuse a value of another type, or one that the options or the pattern do not allow."""
    if not isinstance(value, _TYPES[kind]) or (kind == "number" and isinstance(value, bool)):
        raise _Unusable(f"should be of the type {kind}")
    options, pattern = section.get("options"), section.text("regex")
    if options is not None and (not isinstance(options, list) or value not in options):
        raise _Unusable("is not one of its options")
    if pattern is None:
        return
    try:
        matches = isinstance(value, str) and compiled(pattern).search(value) is not None
    except BadPattern as bad:
        raise _Unusable(f"has a regex that is not valid: {bad}") from None
    if not matches:
        raise _Unusable("does not match its regex")


def insert_inputs(root: Map, inputs: Mapping[str, Value], findings: Findings) -> Map:
    """The file with the values of its inputs in place of their uses. May raise `TooManyValues`."""
    return _Insertion(inputs, findings).map(root)


class _Insertion:
    def __init__(self, inputs: Mapping[str, Value], findings: Findings) -> None:
        self._inputs = inputs
        self._findings = findings
        self._budget = Budget()

    def map(self, value: Map) -> Map:
        found = Map()
        for key, inner in value.items():
            mark = value.marks.get(key)
            found.put(self._text(key, mark), self._value(inner, mark), mark)
        return found

    def _value(self, value: Value, mark: Mark | None) -> Value:
        self._budget.spend(1, 0)
        if isinstance(value, Map):
            return self.map(value)
        if isinstance(value, list):
            return [self._value(inner, mark) for inner in value]
        if not isinstance(value, str):
            return value
        whole = _USE.fullmatch(value)
        # A use that is the whole text keeps the type of its input.
        return self._used(whole, mark) if whole else self._text(value, mark)

    def _text(self, text: str, mark: Mark | None) -> str:
        if "$[[" not in text:
            return text
        return _USE.sub(lambda use: _written(self._used(use, mark)), text)

    def _used(self, use: re.Match[str], mark: Mark | None) -> Value:
        name, functions = use[1], [part.strip() for part in use[2].split("|")[1:]]
        if name not in self._inputs:
            self._findings.error(f"unknown input: {name}", mark)
            return None
        value = self._inputs[name]
        for function in functions:
            value = self._apply(function, value, mark)
        self._budget.spend(1, len(_written(value)))
        return value

    def _apply(self, function: str, value: Value, mark: Mark | None) -> Value:
        cut = _TRUNCATE.fullmatch(function)
        if cut is not None:
            return _written(value)[int(cut[1]) :][: int(cut[2])]
        # Variables are expanded when the job runs, or where the server expands them anyway.
        if function != "expand_vars":
            self._findings.error(f"unknown function of an input: {function}", mark)
        return value


def _written(value: Value) -> str:
    """A value inside a longer text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return "" if value is None else str(value)
