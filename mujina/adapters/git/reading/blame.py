"""Which commit wrote each line of a file."""

import re
from typing import Final

import msgspec

from mujina.adapters.git import git
from mujina.adapters.git.reading.log import TIMEOUT_SECONDS, History, HistoryCache

_GROUP: Final = re.compile(rb"([0-9a-f]{40}) \d+ (\d+) (\d+)")


class BlameGroup(msgspec.Struct, frozen=True):
    """Lines that follow one another and come from one commit."""

    commit_id: str
    first: int
    count: int

    def within(self, first: int, last: int) -> "BlameGroup":
        """The lines of the group from `first` to `last`; an empty group if it has none of these."""
        start, end = max(first, self.first), min(last, self.first + self.count - 1)
        return BlameGroup(self.commit_id, start, max(0, end - start + 1))


@HistoryCache
async def blame(history: History) -> list[BlameGroup]:
    """The groups of the file at the path, from the first line to the last."""
    # This command does not know `--end-of-options`; the tip is an id that we found, and the path follows `--`.
    output = await git.run(
        history.repo_path, "blame", "--porcelain", history.tip, "--", history.path, seconds=TIMEOUT_SECONDS
    )
    heads = (line for line in output.split(b"\n") if not line.startswith(b"\t"))
    found = (match for line in heads if (match := _GROUP.fullmatch(line)))
    return [BlameGroup(match[1].decode(), int(match[2]), int(match[3])) for match in found]
