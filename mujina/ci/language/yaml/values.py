"""The values of a CI file, each key with the line on which it is written, and the limits of their number."""

from typing import Final, NamedTuple, TypeAlias

MAX_BYTES: Final = 1024 * 1024
"""The size of one file."""
MAX_DEPTH: Final = 100
"""Levels of collections inside collections."""
MAX_VALUES: Final = 50_000
"""The values of one configuration, after aliases, `extends` and `!reference` are expanded."""
MAX_CHARACTERS: Final = 4 * 1024 * 1024
"""The length of all texts of one configuration, after these expansions."""

MAX_FLATTENED: Final = 10
"""Lists inside lists that are read as one list."""

TOO_MANY: Final = "The configuration is too large: aliases, extends and references expand to too many values"


class Mark(NamedTuple):
    """Where a key or a value is written; lines begin at 1."""

    file: str
    """The path of an included file; empty for the main file."""
    line: int


class Map(dict[str, "Value"]):
    """A mapping in the order of its file, with the place of each key."""

    __slots__ = ("marks",)

    def __init__(self) -> None:
        super().__init__()
        self.marks: dict[str, Mark] = {}

    def put(self, key: str, value: "Value", mark: Mark | None) -> None:
        """Set a key; the last one of its name counts."""
        self[key] = value
        if mark is not None:
            self.marks[key] = mark

    def put_all(self, other: "Map") -> None:
        """Set every key of another mapping."""
        self.update(other)
        self.marks.update(other.marks)

    def without(self, *keys: str) -> "Map":
        """A copy that lacks these keys."""
        rest = Map()
        for key, value in self.items():
            if key not in keys:
                rest.put(key, value, self.marks.get(key))
        return rest


class ReferenceTag(NamedTuple):
    """`!reference [job, key, …]`, not yet replaced by what it names."""

    keys: tuple[str, ...]
    mark: Mark


Value: TypeAlias = "bool | int | float | str | Map | ReferenceTag | list[Value] | None"


class TooManyValues(Exception):
    """The configuration exceeds a limit; the message is the sentence for its author."""

    def __init__(self) -> None:
        super().__init__(TOO_MANY)


class Budget:
    """The values and characters that a configuration may still have."""

    def __init__(self) -> None:
        self.values = MAX_VALUES
        self.characters = MAX_CHARACTERS

    def spend(self, values: int, characters: int) -> None:
        """Take this much; raises if it is not there."""
        self.values -= values
        self.characters -= characters
        if self.values < 0 or self.characters < 0:
            raise TooManyValues


def check_size(value: Value) -> None:
    """Raise if the value is too large or too deep once everything that it shares is written out.

    The walk ends at the limit, so a small value that stands for billions costs no more than a large one.
    """
    budget = Budget()
    budget.spend(1, 0)
    waiting: list[tuple[Value, int]] = [(value, 0)]
    while waiting:
        part, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise TooManyValues
        if isinstance(part, str):
            budget.spend(0, len(part))
        elif isinstance(part, Map):
            budget.spend(2 * len(part), sum(map(len, part)))
            waiting.extend((inner, depth + 1) for inner in part.values())
        elif isinstance(part, list):
            budget.spend(len(part), 0)
            waiting.extend((inner, depth + 1) for inner in part)


def is_blank(value: Value) -> bool:
    """Whether there is nothing in it: null, false, blank text, an empty list or mapping."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or value is False or value in ([], {})


def texts_in(value: Value, depth: int = 0) -> list[str] | None:
    """The texts of a list, with lists inside it (as references leave them) flattened; None if it is something else."""
    if not isinstance(value, list) or depth > MAX_FLATTENED:
        return None
    found: list[str] = []
    for entry in value:
        texts = [entry] if isinstance(entry, str) else texts_in(entry, depth + 1)
        if texts is None:
            return None
        found += texts
    return found
