"""Reading the trace of a job: rows while it grows, a file afterward."""

from collections.abc import AsyncGenerator
from typing import Final

import msgspec

from mujina.ci.artifacts.operations import TRACE
from mujina.ci.artifacts.rules import open_artifact
from mujina.ci.traces.operations import StoredTrace
from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.secrets import Vault
from mujina.kernel.services import Services

CHANGED: Final = "The trace was changed while it was read."


class Trace(msgspec.Struct, frozen=True):
    """Where the bytes of a trace are."""

    job_id: int
    size: int = 0
    """The bytes that are shown. While the job runs, an end that may begin a masked value is not."""
    end: bytes = b""
    """The last of them, if they are in no chunk."""
    file: str | None = None
    """The file that has all of them; None: chunks."""


class Chunk(Row, alias="c"):
    start: int
    data: bytes


async def find_trace(tx: Tx, vault: Vault, job_id: int, *, running: bool) -> Trace:
    """The trace of the job, which is empty if there is none."""
    stored = await tx.row(
        StoredTrace, f"SELECT {StoredTrace.columns} FROM job_traces t WHERE t.job_id = :id", id=job_id
    )
    if stored is not None:
        withheld = stored.withheld_tail(vault)
        if running:
            return Trace(job_id, stored.size - len(withheld.received))
        return Trace(job_id, stored.size, withheld.final)
    archived = await tx.row(
        tuple[str, int],
        "SELECT a.file, a.size FROM job_artifacts a WHERE a.job_id = :id AND a.file_type = :trace",
        id=job_id,
        trace=TRACE,
    )
    return Trace(job_id) if archived is None else Trace(job_id, archived[1], file=archived[0])


async def pieces(services: Services, trace: Trace, start: int, end: int) -> AsyncGenerator[bytes]:
    """The bytes from `start` to before `end`, a chunk at a time; a trace that is archived meanwhile is read on.

    An error if the trace was replaced by a shorter one or erased: a part is never taken for the whole.
    """
    position, last = start, trace.size - len(trace.end)
    while trace.file is None and position < min(end, last):
        async with services.database.reading() as tx:
            piece = await _find_bytes(tx, trace.job_id, position)
            if piece is None:
                trace = await find_trace(tx, services.vault, trace.job_id, running=False)
                if trace.file is None:
                    raise errors.conflict(CHANGED)
                break
        yield piece[: end - position]
        position += len(piece)
    if position < end and trace.file is not None:
        async for piece in await open_artifact(services, trace.file, position, end):
            yield piece
    elif position < end:
        yield trace.end[position - last : end - last]


async def _find_bytes(tx: Tx, job_id: int, position: int) -> bytes | None:
    """The bytes of the trace from this position to the end of the chunk that it is in; None if there are none."""
    chunk = await tx.row(
        Chunk,
        f"""SELECT {Chunk.columns} FROM job_trace_chunks c WHERE c.job_id = :job_id AND c.start <= :position
            ORDER BY c.start DESC LIMIT 1""",
        job_id=job_id,
        position=position,
    )
    return None if chunk is None else chunk.data[position - chunk.start :] or None
