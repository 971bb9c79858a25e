"""What an instance lacks of a described project: whether a former run was interrupted, and where."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from mujina.seeds.description import SeededCommit, SeededNote

_COMMAND = re.compile(r"/[a-z_]+(?:[ \t].*)?")


class ForeignCommits(Exception):
    """The commits of a repository are not the first ones of the description, so it is not known which to add."""


def missing_commits(described: Sequence[SeededCommit], messages: Iterable[str]) -> int:
    """The position of the first described commit that a repository with these messages lacks, with all later ones."""
    present = Counter(" ".join(message.split()) for message in messages)
    is_empty = not present
    found = [_take(present, " ".join(commit.message.split())) for commit in described]
    first = found.index(False) if False in found else len(found)
    if not is_empty and described and (first == 0 or True in found[first:]):
        raise ForeignCommits(f"has other commits than the description, and lacks “{described[first].message.strip()}”")
    return first


def missing_notes(described: Sequence[SeededNote], bodies: Iterable[str]) -> Sequence[SeededNote]:
    """The notes after the last one that is among these bodies, unless they are only quick actions, which leave no text."""
    present = Counter(map(_without_commands, bodies))
    texts = [_without_commands(note.body) for note in described]
    done = max((number for number, text in enumerate(texts, 1) if text and _take(present, text)), default=0)
    return described[done:] if any(texts[done:]) else []


def _take(present: Counter[str], text: str) -> bool:
    """Whether the text is present, once more than it was asked for."""
    present[text] -= 1
    return present[text] >= 0


def _without_commands(body: str) -> str:
    return "\n".join(line for line in body.splitlines() if not _COMMAND.fullmatch(line)).strip()
