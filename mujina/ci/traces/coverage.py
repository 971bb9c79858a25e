"""The test coverage that a job prints."""

import re
from collections.abc import Sequence
from typing import Any, Final

from mujina.ci.traces.reading import Chunk
from mujina.kernel.db.transaction import Database

MAX_LINE: Final = 64 * 1024
"""Bytes of a line that are searched."""
MAX_NUMBER: Final = 20
"""Characters of a coverage; a longer number is none, and no response could show it."""
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")


async def find_coverage(database: Database, job_id: int, pattern: Any) -> str | None:
    """The last number in the last line of the trace in which the pattern matches one; None if there is no such line."""
    before, rest = 2**62, b""
    while True:
        async with database.reading() as tx:
            chunk = await tx.row(
                Chunk,
                f"""SELECT {Chunk.columns} FROM job_trace_chunks c WHERE c.job_id = :job_id AND c.start < :before
                    ORDER BY c.start DESC LIMIT 1""",
                job_id=job_id,
                before=before,
            )
        if chunk is None:
            return coverage_in([rest], pattern)
        first, *lines = (chunk.data + rest).split(b"\n")
        if (found := coverage_in(lines, pattern)) is not None:
            return found
        before, rest = chunk.start, first[:MAX_LINE]


def coverage_in(lines: Sequence[bytes], pattern: Any) -> str | None:
    """The number in the last of the lines that has one; of several groups of the pattern, the last one counts."""
    for line in reversed(lines):
        matches = list(pattern.finditer(line[:MAX_LINE].decode("utf-8", "replace")))
        numbers = _NUMBER.findall(matches[-1][matches[-1].re.groups] or "") if matches else []
        if numbers and len(numbers[-1]) <= MAX_NUMBER:
            return numbers[-1]
    return None
