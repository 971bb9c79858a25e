"""`include`: which files a CI file is made of, and how they become one.

Files are merged by their top-level keys: a later file counts more than an earlier one, and the main file most of all. An
`include` inside an included file is not followed.
"""

from collections.abc import Callable
from typing import Final, Literal, get_args

import msgspec

from mujina.ci.language.problems import Findings
from mujina.ci.language.yaml.reader import InvalidYaml, read_yaml
from mujina.ci.language.yaml.values import Map, Mark, Value

MAX_FILES: Final = 20
_SUFFIXES: Final = (".yml", ".yaml")
IncludeKind = Literal["local", "file", "remote", "template", "component"]
_KINDS: Final[tuple[str, ...]] = get_args(IncludeKind)
_FURTHER_KEYS: Final = frozenset({"project", "ref", "rules", "inputs"})


class IncludedFile(msgspec.Struct, frozen=True):
    """A file that a CI file includes."""

    kind: IncludeKind
    location: str
    project: str = ""
    """The project of a `file`."""
    ref: str = ""

    @property
    def invalid(self) -> str:
        """The error if it cannot be read."""
        noun = {"file": "Project", "local": "Local"}.get(self.kind, self.kind.capitalize())
        return f"{noun} file '{self.location}' is not valid."


ReadFile = Callable[[IncludedFile], bytes | None]
"""Reads an included file; None if there is none, or the author of the pipeline may not read it."""


def included_files(root: Map, findings: Findings) -> list[IncludedFile]:
    """The files that the configuration includes, in their order."""
    mark = root.marks.get("include")
    files: list[IncludedFile] = []
    value = root.get("include")
    for entry in value if isinstance(value, list) else [value]:
        if entry is not None:
            files += _files_of(entry, findings, mark)
    if len(files) > MAX_FILES:
        findings.error(f"include config should have at most {MAX_FILES} files", mark)
    return files[:MAX_FILES]


def _files_of(entry: Value, findings: Findings, mark: Mark | None) -> list[IncludedFile]:
    if isinstance(entry, str):
        kind: IncludeKind = "remote" if entry.startswith(("http://", "https://")) else "local"
        return [IncludedFile(kind, entry)]
    if not isinstance(entry, Map):
        findings.error("include config should be a string, a hash or an array of them", mark)
        return []
    kinds = [key for key in _KINDS if key in entry]
    unknown = [key for key in entry if key not in _KINDS and key not in _FURTHER_KEYS]
    if len(kinds) != 1 or unknown:
        findings.error(f"include config should have one of {', '.join(_KINDS)}".lower(), mark)
        return []
    if entry.get("rules") is not None:
        findings.warn("include:rules is not supported: the file is always included", mark)
    return _named_files(kinds[0], entry, findings, mark)


def _named_files(key: str, entry: Map, findings: Findings, mark: Mark | None) -> list[IncludedFile]:
    value, project, ref = entry[key], entry.get("project") or "", entry.get("ref") or ""
    locations = value if isinstance(value, list) and key == "file" else [value]
    texts = [location for location in locations if isinstance(location, str)]
    if len(texts) != len(locations) or not isinstance(project, str) or not isinstance(ref, str):
        findings.error(f"include config {key} should be a string", mark)
        return []
    if key == "file" and not project:
        findings.error("include config file needs a project", mark)
        return []
    kind: IncludeKind = next(kind for kind in get_args(IncludeKind) if kind == key)
    return [IncludedFile(kind, text, project, ref) for text in texts]


def merge_included(root: Map, files: list[IncludedFile], read: ReadFile, findings: Findings) -> Map:
    """The main file with the included files below it."""
    merged = Map()
    mark = root.marks.get("include")
    for file in files:
        content = read(file) if file.location.endswith(_SUFFIXES) else None
        included = None if content is None else _read_included(content, file, findings, mark)
        if included is None:
            if content is None:
                findings.error(file.invalid, mark)
            continue
        if included.get("include") is not None:
            findings.warn(f"The include inside '{file.location}' is not followed", mark)
        merged.put_all(included.without("include"))
    merged.put_all(root.without("include"))
    return merged


def _read_included(content: bytes, file: IncludedFile, findings: Findings, mark: Mark | None) -> Map | None:
    try:
        value = read_yaml(content, file.location)
    except InvalidYaml as invalid:
        findings.error(file.invalid, mark)
        findings.error(str(invalid), Mark(file.location, invalid.line))
        return None
    if not isinstance(value, Map):
        findings.error(file.invalid, mark)
        return None
    return value
