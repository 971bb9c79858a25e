"""Records that are made of more than one answer, or of parts of one."""

from collections.abc import Iterable
from typing import Any

from mujina.moving.sources.pulls import shapes
from mujina.moving.sources.pulls.texts import line_of
from mujina.moving.sources.records import SourceDiscussion, SourceMember, SourceNote


def highest(members: Iterable[SourceMember | None]) -> list[SourceMember]:
    """Each person once, whom a forge names as a collaborator and in teams, with the highest of their levels."""
    ordered = sorted((each for each in members if each is not None), key=lambda each: each.access_level)
    return list({each.id: each for each in ordered}.values())


def alone(note: SourceNote) -> SourceDiscussion:
    """A comment that is no thread."""
    return SourceDiscussion(f"n{note.id}", individual_note=True, notes=[note])


def position_of(head: str, comment: shapes.ForgeLineComment) -> dict[str, Any]:
    """The line of a comment; the writer knows the base of the version that has this head."""
    given = line_of(comment.diff_hunk)
    if given is None:
        line = comment.original_line or comment.original_position or comment.position
        is_old = comment.side == "LEFT" if comment.side else not comment.position
        given = (line, None) if is_old else (None, line)
    return {
        "position_type": "text", "head_sha": head, "old_path": comment.path, "new_path": comment.path,
        "old_line": given[0], "new_line": given[1],
    }  # fmt: skip
