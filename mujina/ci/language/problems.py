"""Errors and warnings about a CI file, each with its line, in the order in which clients show them."""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from mujina.ci.language.durations import read_duration
from mujina.ci.language.yaml.values import Map, Mark, Value, texts_in

A_LIST_OF_TEXTS: Final = "should be an array of strings"
MAX_PROBLEMS: Final = 100
"""Errors that are collected; the first ones help."""

MAX_SENTENCE: Final = 1_000
"""Characters of one: names and keys in it may be as long as the file."""


class ConfigProblem(msgspec.Struct, frozen=True):
    """A sentence about a CI file."""

    text: str
    line: int | None = None
    file: str = ""
    """The path of an included file; empty for the main file."""


class Findings(msgspec.Struct):
    """What was found wrong so far."""

    errors: list[ConfigProblem] = []
    warnings: list[ConfigProblem] = []

    def error(self, text: str, mark: Mark | None = None) -> None:
        if len(self.errors) < MAX_PROBLEMS:
            self.errors.append(_problem(text, mark))

    def add(self, problem: ConfigProblem) -> None:
        """Take over an error of an included file."""
        if len(self.errors) < MAX_PROBLEMS:
            self.errors.append(problem)

    def warn(self, text: str, mark: Mark | None) -> None:
        if len(self.warnings) < MAX_PROBLEMS:
            self.warnings.append(_problem(text, mark))


def _problem(text: str, mark: Mark | None) -> ConfigProblem:
    text = text[:MAX_SENTENCE]
    return ConfigProblem(text) if mark is None else ConfigProblem(text, mark.line, mark.file)


class Location(msgspec.Struct, frozen=True):
    """A place in the configuration, such as `jobs:rspec:artifacts`, to which shape errors are attached."""

    findings: Findings
    path: tuple[str, ...]
    mark: Mark | None = None

    def error(self, text: str, mark: Mark | None = None) -> None:
        """Add an error about this place."""
        # Compat: an error about the shape of a value is in lower case as a whole, with the name of the job.
        self.findings.error(f"{':'.join(self.path)} {text}".lower(), mark or self.mark)

    def config_error(self, text: str) -> None:
        """Add an error about the value as a whole."""
        self.error(f"config {text}")

    def below(self, owner: Map, key: str) -> "Location":
        return Location(self.findings, (*self.path, key), owner.marks.get(key) or self.mark)

    def texts(self, value: Value) -> list[str]:
        """A list of texts; an error about the value as a whole if it is something else."""
        found = texts_in(value)
        if found is None:
            self.config_error(A_LIST_OF_TEXTS)
            return []
        return found

    def section(self, value: Value, allowed: Iterable[str]) -> "ConfigSection | None":
        """The mapping here; an error if it is none, or has keys that are not allowed."""
        if not isinstance(value, Map):
            self.config_error("should be a hash")
            return None
        section = ConfigSection(self, value)
        section.check_keys(allowed)
        return section


class ConfigSection:
    """A mapping of the configuration, whose keys are read with a check of their types.

    A key whose value is null counts as absent.
    """

    def __init__(self, location: Location, config: Map) -> None:
        self.location = location
        self.config = config

    def check_keys(self, allowed: Iterable[str]) -> None:
        known = frozenset(allowed)
        unknown = [key for key in self.config if key not in known]
        if unknown:
            self.location.error(
                f"config contains unknown keys: {', '.join(unknown)}", self.config.marks.get(unknown[0])
            )

    def refuse(self, reasons: Mapping[str, str]) -> None:
        """Add an error for each of the keys that is given: we know it, and do not do what it asks for."""
        for key, reason in reasons.items():
            if self.has(key):
                self.error(key, f"is not supported: {reason}")

    def get(self, key: str) -> Value:
        return self.config.get(key)

    def has(self, key: str) -> bool:
        return self.config.get(key) is not None

    def at(self, key: str) -> Location:
        """The place of a key that has a shape of its own: `artifacts`, `cache:key`."""
        return self.location.below(self.config, key)

    def error(self, key: str, text: str) -> None:
        """Add an error about a plain attribute; its name is written with spaces."""
        self.location.error(f"{key.replace('_', ' ')} {text}", self.config.marks.get(key))

    def text(self, key: str) -> str | None:
        value = self.config.get(key)
        if value is None or isinstance(value, str):
            return value
        self.error(key, "should be a string")
        return None

    def boolean(self, key: str) -> bool | None:
        value = self.config.get(key)
        if value is None or isinstance(value, bool):
            return value
        self.error(key, "should be a boolean value")
        return None

    def texts(self, key: str) -> list[str] | None:
        value = self.config.get(key)
        if value is None:
            return None
        found = texts_in(value)
        if found is None:
            self.error(key, A_LIST_OF_TEXTS)
            return None
        return found

    def text_or_texts(self, key: str) -> list[str] | None:
        value = self.config.get(key)
        return [value] if isinstance(value, str) else self.texts(key)

    def choice(self, key: str, options: Iterable[str], listed: str) -> str | None:
        """One of these words; `listed` is how the error names them."""
        value = self.config.get(key)
        if value is None or (isinstance(value, str) and value in options):
            return value
        self.error(key, f"should be {listed}")
        return None

    def seconds(self, key: str) -> int | None:
        value = self.config.get(key)
        if value is None:
            return None
        seconds = read_duration(value)
        if seconds is None:
            self.error(key, "should be a duration")
        return seconds
