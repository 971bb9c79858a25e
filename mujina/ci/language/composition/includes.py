"""`include`: which files a CI file is made of, and how they become one.

Files are merged by their top-level keys: a later file counts more than an earlier one, a file more than those that it
includes, and the main file most of all.
"""

import json
import re
from collections.abc import Callable
from typing import Final, Literal, get_args

import msgspec

from mujina.ci.language.config import JobRule
from mujina.ci.language.context import PipelineContext
from mujina.ci.language.keys.job_rules import first_match, read_include_rules
from mujina.ci.language.problems import ConfigSection, Findings, Location
from mujina.ci.language.variables import expand_names
from mujina.ci.language.yaml.values import Map, Mark, ReferenceTag, Value

MAX_FILES: Final = 20
"""All files that a configuration includes, at every level."""
MAX_LEVELS: Final = 10
"""Files inside files."""
_SUFFIXES: Final = (".yml", ".yaml")
_WEB: Final = ("http://", "https://")
IncludeKind = Literal["local", "file", "remote", "template"]
_KINDS: Final[tuple[str, ...]] = get_args(IncludeKind)
_FURTHER_KEYS: Final = frozenset({"project", "ref", "rules", "inputs"})
_NOUNS: Final = {"local": "Local", "file": "Project", "remote": "Remote", "template": "Template"}
NO_COMPONENTS: Final = "include:component is not supported: include the file with project, ref and file"
_CREDENTIALS: Final = re.compile(r"//[^/]*@|\?.*")
"""What the address of a remote file may contain that is for the server alone."""


class IncludedFile(msgspec.Struct, frozen=True):
    """A file that a CI file includes."""

    kind: IncludeKind
    location: str
    project: str = ""
    """The project of a `file`, and of a `local` file that such a file includes; empty: that of the CI file."""
    ref: str = ""
    inputs: str = "{}"
    """What the file gets as `spec:inputs`, as JSON."""

    @property
    def given_inputs(self) -> dict[str, Value]:
        return json.loads(self.inputs)

    @property
    def shown_location(self) -> str:
        """The path or address, without credentials."""
        return _CREDENTIALS.sub(_without_credentials, self.location) if self.kind == "remote" else self.location

    @property
    def invalid(self) -> str:
        """The error if it cannot be read."""
        return f"{_NOUNS[self.kind]} file '{self.shown_location}' is not valid."


def _without_credentials(found: re.Match[str]) -> str:
    return "//" if found[0].startswith("//") else ""


class Inclusion(msgspec.Struct, frozen=True):
    """An entry of `include`."""

    file: IncludedFile
    """Not expanded: its texts may contain variables."""
    rules: list[JobRule] | None = None
    """The conditions of which one has to hold; None: there are none."""
    mark: Mark | None = None

    def applies(self, context: PipelineContext) -> bool:
        if self.rules is None:
            return True
        rule = first_match(self.rules, context)
        return rule is not None and rule.when != "never"


class ParsedFile(msgspec.Struct, frozen=True):
    """A CI file, or a file that one includes, that was read but not yet checked."""

    root: Map | None
    """None if it is no mapping, or cannot be read at all."""
    includes: list[Inclusion]
    findings: Findings


ReadFile = Callable[[IncludedFile], ParsedFile | None]
"""Reads an included file; None if it was not read."""


def unreadable(reason: str) -> ParsedFile:
    """A file that cannot be read, perhaps with a sentence that says why."""
    findings = Findings()
    if reason:
        findings.error(reason)
    return ParsedFile(None, [], findings)


def read_inclusions(root: Map, findings: Findings) -> list[Inclusion]:
    """The entries of `include`, in their order."""
    mark = root.marks.get("include")
    found: list[Inclusion] = []
    value = root.get("include")
    for entry in value if isinstance(value, list) else [value]:
        if entry is not None:
            found += _read_entry(entry, Location(findings, ("include",), mark))
    return found


def _read_entry(entry: Value, location: Location) -> list[Inclusion]:
    if isinstance(entry, str):
        return [Inclusion(IncludedFile("remote" if entry.startswith(_WEB) else "local", entry), None, location.mark)]
    if not isinstance(entry, Map):
        location.config_error("should be a string, a hash or an array of them")
        return []
    if "component" in entry:
        location.findings.error(NO_COMPONENTS, entry.marks.get("component") or location.mark)
        return []
    kinds = [kind for kind in get_args(IncludeKind) if kind in entry]
    unknown = [key for key in entry if key not in _KINDS and key not in _FURTHER_KEYS]
    if len(kinds) != 1 or unknown:
        location.config_error(f"should have one of {', '.join(_KINDS)}")
        return []
    return _read_named(kinds[0], ConfigSection(location, entry))


def _read_named(kind: IncludeKind, entry: ConfigSection) -> list[Inclusion]:
    value, project, ref = entry.get(kind), entry.get("project") or "", entry.get("ref") or ""
    locations = value if isinstance(value, list) and kind == "file" else [value]
    texts = [location for location in locations if isinstance(location, str)]
    if len(texts) != len(locations) or not isinstance(project, str) or not isinstance(ref, str):
        entry.location.config_error(f"{kind} should be a string")
        return []
    if kind == "file" and not project:
        entry.location.config_error("file needs a project")
        return []
    rules, inputs = read_include_rules(entry), _read_inputs(entry)
    return [Inclusion(IncludedFile(kind, text, project, ref, inputs), rules, entry.location.mark) for text in texts]


def _read_inputs(entry: ConfigSection) -> str:
    value = entry.get("inputs")
    if value is None:
        return "{}"
    if not isinstance(value, Map):
        entry.at("inputs").config_error("should be a hash")
        return "{}"
    values = [part for each in value.values() for part in (each if isinstance(each, list) else [each])]
    if any(isinstance(each, Map | ReferenceTag | list) for each in values):
        entry.at("inputs").config_error("should have texts, numbers, booleans and arrays of them")
        return "{}"
    return json.dumps(value)


class IncludeTree:
    """Merges a CI file with the files that it includes, as far as they were read."""

    def __init__(self, read: ReadFile, context: PipelineContext, findings: Findings) -> None:
        self._read = read
        self._context = context
        self._findings = findings
        self.files: dict[IncludedFile, None] = {}
        """The files that are part of the configuration, in their order."""
        self.missing: list[IncludedFile] = []
        """Those of them that were not read."""
        self._count = 0

    def merge(self, parsed: ParsedFile, path: tuple[IncludedFile, ...] = ()) -> Map:
        """The file with those that it includes below it. `path` has the files by which it is included."""
        merged = Map()
        for inclusion in parsed.includes:
            if not inclusion.applies(self._context):
                continue
            self._count += 1
            if self._count > MAX_FILES:
                if self._count == MAX_FILES + 1:
                    self._findings.error(f"include config should have at most {MAX_FILES} files", inclusion.mark)
                break
            file = self._expanded(inclusion.file, path[-1] if path else None)
            merged.put_all(self._included(file, path, inclusion.mark))
        if parsed.root is not None:
            merged.put_all(parsed.root.without("include"))
        return merged

    def _expanded(self, file: IncludedFile, parent: IncludedFile | None) -> IncludedFile:
        """The file with its variables replaced; a local file belongs to the project of the file that includes it."""
        known = self._context.visible
        location, project, ref = (expand_names(text, known) for text in (file.location, file.project, file.ref))
        if file.kind == "local" and parent is not None:
            project, ref = parent.project, parent.ref
        return IncludedFile(file.kind, location, project, ref, file.inputs)

    def _included(self, file: IncludedFile, path: tuple[IncludedFile, ...], mark: Mark | None) -> Map:
        if file in path or len(path) >= MAX_LEVELS:
            problem = "includes itself" if file in path else f"is nested deeper than {MAX_LEVELS} levels"
            self._findings.error(f"{_NOUNS[file.kind]} file '{file.shown_location}' {problem}", mark)
            return Map()
        # A local file of a remote file or of a template is in no repository.
        unreachable = file.kind == "local" and bool(path) and path[-1].kind in ("remote", "template")
        parsed = None if unreachable else self._find(file)
        if parsed is None or parsed.root is None or parsed.findings.errors:
            self._findings.error(file.invalid, mark)
        if parsed is None:
            return Map()
        for problem in parsed.findings.errors:
            self._findings.add(problem)
        return self.merge(parsed, (*path, file))

    def _find(self, file: IncludedFile) -> ParsedFile | None:
        path = file.location.partition("?")[0] if file.kind == "remote" else file.location
        if not path.endswith(_SUFFIXES):
            return None
        self.files[file] = None
        parsed = self._read(file)
        if parsed is None and file not in self.missing:
            self.missing.append(file)
        return parsed
