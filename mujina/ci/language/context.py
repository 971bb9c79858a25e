"""What a pipeline is made for: everything that decides which jobs of a CI file it gets."""

from typing import Final

import msgspec

from mujina.ci.language.patterns.globs import PathMatcher

MERGE_REQUEST: Final = "merge_request_event"


class PipelineContext(msgspec.Struct, frozen=True, kw_only=True):
    ref: str
    tag: bool = False
    source: str = "push"
    project_path: str = ""
    variables: dict[str, str] = {}
    """Predefined ones, and those of the project, its groups, the trigger and the schedule; they beat those of the file."""
    masked: frozenset[str] = frozenset()
    """The names of variables that conditions may ask for, and that no name of an environment shows."""
    changes: PathMatcher | None = None
    """The files that the push or the merge request changes; None where that is not known: then all `changes` hold."""
    compared: dict[str, PathMatcher | None] = {}
    """The files that differ from each ref that a `compare_to` names; None where that is not known."""
    unknown_refs: frozenset[str] = frozenset()
    """The refs that a `compare_to` names and that do not exist."""
    files: PathMatcher | None = None
    """The files of the commit, for `exists`."""

    @property
    def visible(self) -> dict[str, str]:
        """The variables that names, locations and errors may show."""
        return {name: value for name, value in self.variables.items() if name not in self.masked}

    @property
    def branch(self) -> bool:
        return not self.tag and self.source != MERGE_REQUEST
