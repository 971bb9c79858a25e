"""The report of a run: what came, what did not and why."""

from collections import Counter
from typing import Any, Final

import msgspec

MAX_PROBLEMS: Final = 10_000
MAX_REASON_LENGTH: Final = 500


class MoveProblem(msgspec.Struct, frozen=True):
    """Something that did not come: its address at the source, and why."""

    address: str
    reason: str


class MoveEstimate(msgspec.Struct):
    """What a move needs, as far as a dry run can tell. The answers of the source and its rate limits decide the time."""

    requests: int = 0
    seconds: int = 0
    file_bytes: int = 0
    """Repositories, LFS objects and files."""
    database_bytes: int = 0
    unknown_sizes: int = 0
    """Projects whose size the source does not tell."""

    @property
    def bytes(self) -> int:
        return self.file_bytes + self.database_bytes


class MoveReport:
    """Counts and problems of one run."""

    def __init__(self, source: str, *, dry_run: bool) -> None:
        self.source, self.dry_run = source, dry_run
        self.found: Counter[str] = Counter()
        """Objects of each kind at the source; of those that a dry run counts."""
        self.estimate: MoveEstimate | None = None
        """None unless it reports a dry run."""
        self.created: Counter[str] = Counter()
        self.updated: Counter[str] = Counter()
        self.problems: list[MoveProblem] = []
        self.unlisted = 0
        """Problems beyond those that are listed."""
        self.complete = False
        self.unavailable = False
        """Whether it is not complete because the source stopped answering, or refused the token."""
        self.archive = ""
        """The program that wrote the archive, if it is one that was read."""

    def problem(self, address: str, reason: str) -> None:
        """List something that does not come."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(MoveProblem(address[:MAX_REASON_LENGTH], reason[:MAX_REASON_LENGTH]))
        else:
            self.unlisted += 1

    def as_json(self) -> dict[str, Any]:
        """The report as it is written to a file."""
        return {
            "source": self.source, "archive": self.archive, "dry_run": self.dry_run, "complete": self.complete,
            "found": dict(self.found), "created": dict(self.created), "updated": dict(self.updated),
            "problems": [msgspec.structs.asdict(problem) for problem in self.problems],
            "unlisted_problems": self.unlisted, "estimate": self.estimate and msgspec.structs.asdict(self.estimate),
        }  # fmt: skip
