"""The file that names the owners of paths: its sections, its patterns, and which of them a path matches."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Final

import msgspec

from mujina.code.protected_branches.rules import wildcard
from mujina.kernel.text.deferred_patterns import deferred_pattern

MAX_ENTRIES: Final = 1_000
"""Further lines with patterns are ignored, as are lines that are longer than the next."""
MAX_LINE_LENGTH: Final = 1_000
MAX_REQUIRED: Final = 100
MAX_COST: Final = 2_000_000
"""The cost of one search, about a second or two. If it costs more, every pattern counts as matched: no owner is passed over."""
_COMPARISON: Final = 20
"""The cost of comparing one part of a path, where passing over a pattern costs 1."""
UNNAMED: Final = "codeowners"
"""The section of entries above all headings."""
_HEADING: Final = deferred_pattern(r"(\^)?\[([^\]]+)\](?:\[(\d{1,4})\])?(?:\s+(.*))?")
_OWNER: Final = deferred_pattern(r"@?[^\s@]+(?:@[^\s@]+)?")
_SPLIT: Final = deferred_pattern(r"(?<!\\)\s+")


class OwnedPattern(msgspec.Struct, frozen=True):
    """A pattern of a section, with its owners: `@user`, `@group/subgroup` or an email address."""

    pattern: str
    owners: tuple[str, ...]
    excludes: bool = False
    """Paths that match it have no owner in this section."""


class OwnerSection(msgspec.Struct):
    name: str
    optional: bool
    required: int
    """How many owners of a pattern have to approve; an optional section demands none."""
    entries: list[OwnedPattern]


class Owned(msgspec.Struct, frozen=True):
    """A pattern that some of the searched paths match, and no later pattern of its section."""

    section: str
    pattern: str
    owners: tuple[str, ...]
    required: int


def parse(text: str) -> list[OwnerSection]:
    """The sections of a file, in their order. Headings with the same name continue one section."""
    sections = {UNNAMED: OwnerSection(UNNAMED, optional=False, required=1, entries=[])}
    section, entries = sections[UNNAMED], 0
    defaults: tuple[str, ...] = ()
    for line in map(str.strip, text.splitlines()):
        if not line or line.startswith("#") or len(line) > MAX_LINE_LENGTH:
            continue
        if heading := _HEADING.fullmatch(line):
            name = heading[2].strip()
            required = min(max(int(heading[3] or 1), 1), MAX_REQUIRED)
            new = OwnerSection(name, optional=heading[1] is not None, required=required, entries=[])
            section = sections.setdefault(name.lower(), new)
            section.required = max(section.required, required)
            section.optional = section.optional and heading[1] is not None
            defaults = _owners(heading[4] or "")
            continue
        entries += 1
        if entries > MAX_ENTRIES:
            break
        section.entries.append(_entry(line, defaults))
    return [each for each in sections.values() if each.entries]


def _entry(line: str, defaults: tuple[str, ...]) -> OwnedPattern:
    pattern, *rest = _SPLIT.split(line, maxsplit=1)
    excludes = pattern.startswith("!")
    owners = _owners(rest[0] if rest else "") or defaults
    return OwnedPattern(pattern.removeprefix("!").replace("\\ ", " ").replace("\\#", "#"), owners, excludes)


def _owners(text: str) -> tuple[str, ...]:
    words = text.partition(" #")[0].split()
    return tuple(dict.fromkeys(word for word in words if "@" in word and _OWNER.fullmatch(word)))


class _TooExpensive(Exception):
    """The search costs more than is allowed."""


Part = str | re.Pattern[str] | None
"""A part of a pattern between slashes: a name, a pattern of names, or `**`."""


class _Search:
    def __init__(self, sections: Sequence[OwnerSection]) -> None:
        self._cost = 0
        self._compiled = [
            (section, [(entry, pattern, *_ends(pattern)) for entry, pattern in _compiled(section)])
            for section in sections
        ]

    def owning(self, path: str) -> Iterable[tuple[OwnerSection, OwnedPattern]]:
        """The last pattern of each section that the path matches, unless the section excludes the path."""
        parts = path.split("/")
        for section, entries in self._compiled:
            self._spend(len(entries))
            last = None
            for entry, pattern, begin, end in entries:
                if (begin is not None and begin != parts[0]) or (end is not None and end != parts[-1]):
                    continue
                if (last is None or entry.excludes) and self._matches(pattern, parts):
                    last = entry
                    if entry.excludes:
                        break
            if last is not None and not last.excludes:
                yield section, last

    def _spend(self, cost: int) -> None:
        self._cost += cost
        if self._cost > MAX_COST:
            raise _TooExpensive

    def _matches(self, pattern: Sequence[Part], parts: Sequence[str]) -> bool:
        """Compare from left to right; after a mismatch, the last `**` takes one part more."""
        at = part = resume = 0
        star = -1
        while part < len(parts):
            self._spend(_COMPARISON)
            if at < len(pattern) and pattern[at] is None:
                star, resume, at = at, part, at + 1
            elif at < len(pattern) and _equals(pattern[at], parts[part]):
                at, part = at + 1, part + 1
            elif star >= 0:
                resume += 1
                at, part = star + 1, resume
            else:
                return False
        return at == len(pattern)


def _compiled(section: OwnerSection) -> Iterable[tuple[OwnedPattern, tuple[Part, ...]]]:
    return ((entry, _parts_of(entry.pattern)) for entry in reversed(section.entries))


def _ends(pattern: Sequence[Part]) -> tuple[str | None, str | None]:
    """The names with which every path that matches begins and ends; None for any."""
    first, last = pattern[0], pattern[-1]
    return first if isinstance(first, str) else None, last if isinstance(last, str) else None


def _equals(part: Part, name: str) -> bool:
    return part == name if isinstance(part, str) or part is None else part.fullmatch(name) is not None


@lru_cache(4_096)
def _parts_of(pattern: str) -> tuple[Part, ...]:
    """The parts of a pattern. One that does not start with a slash is found in any folder."""
    if pattern.endswith("/"):
        pattern += "**/*"
    if not pattern.startswith("/"):
        pattern = f"**/{pattern}"
    parts = re.sub(r"(?:\*\*/)+", "**/", pattern.lstrip("/")).split("/")
    if parts[-1] == "**":
        parts.append("*")
    return tuple(None if part == "**" else wildcard(part) if "*" in part else part for part in parts)


def find_owned(sections: Sequence[OwnerSection], paths: Iterable[str] | None) -> list[Owned]:
    """The patterns that own at least one of the paths, in the order of the file; None: all patterns."""
    found = {(section.name, entry) for section in sections for entry in section.entries if not entry.excludes}
    search = _Search(sections)
    with suppress(_TooExpensive):
        if paths is not None:
            found = {(section.name, entry) for path in paths for section, entry in search.owning(path)}
    return [
        Owned(section.name, entry.pattern, entry.owners, 0 if section.optional else section.required)
        for section in sections
        for entry in dict.fromkeys(section.entries)
        if (section.name, entry) in found and entry.owners
    ]
