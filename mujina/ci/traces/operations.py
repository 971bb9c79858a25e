"""Writing the trace of a job, as its runner sends it."""

from typing import Final, LiteralString

import msgspec

from mujina.ci.artifacts import operations as artifacts
from mujina.ci.artifacts.operations import TRACE, NewArtifact
from mujina.ci.jobs.operations import TOKEN_PURPOSE
from mujina.ci.jobs.rules import REPORT_GRACE
from mujina.ci.traces.masking import WithheldTail, mask, values_of
from mujina.ci.variables.operations import VALUE
from mujina.kernel import errors
from mujina.kernel.db.rows import Row, insert, insert_each
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.secrets import UnreadableSecret, Vault
from mujina.planning.storage.staging import StagedFile

PIECE: Final = 256 * 1024
"""Bytes of a chunk, at most: what one request holds in memory."""
FILENAME: Final = "job.log"
RUNNERS_TOKEN: Final = "runners_token"  # noqa: S105 - what the token is encrypted for
_PURPOSE: Final = "job_traces"
_OVER: Final = ("success", "failed", "canceled")
HAS_COVERAGE: LiteralString = """EXISTS (SELECT 1 FROM pipeline_jobs j JOIN projects p ON p.id = j.project_id
    WHERE j.id = :subject_id AND j.status IN ('success', 'failed', 'canceled')
    AND (p.build_coverage_regex IS NOT NULL OR j.options LIKE '%"coverage":%'))"""
"""Whether the job is over, and the CI file or the project says how its coverage is found."""


class StoredTrace(Row, alias="t"):
    """The trace of a job whose row is locked or only read."""

    size: int
    secrets: str
    held: str | None

    def withheld_tail(self, vault: Vault) -> WithheldTail:
        if self.held is None:
            return WithheldTail()
        return msgspec.json.decode(vault.decrypt(self.held, _PURPOSE), type=WithheldTail)


class OutOfRange(Exception):
    """The bytes are not the next ones of the trace."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.size = size


async def begin(tx: Tx, vault: Vault, job_id: int, masked: list[str]) -> None:
    """The trace of a job that is handed out: it masks these values, also if the variables change while the job runs."""
    secrets = [
        value.decode("utf-8", "surrogatepass") for value in values_of([*await _secrets(tx, vault, job_id), *masked])
    ]
    encrypted = vault.encrypt(msgspec.json.encode(secrets).decode(), _PURPOSE)
    await insert_each(tx, "job_traces", [{"job_id": job_id, "secrets": encrypted}], "ON CONFLICT (job_id) DO NOTHING")


async def append(tx: Tx, vault: Vault, job_id: int, start: int, data: bytes) -> int:
    """Add bytes to the trace, and its size with them; masked as `masking` says. They are durable with the transaction.

    `OutOfRange` unless the trace has `start` bytes, 413 if it would become too large: then nothing is added.
    """
    trace = await _lock(tx, vault, job_id)
    if trace.size != start:
        raise OutOfRange(trace.size)
    size = start + len(data)
    if size > tx.settings.max_trace_megabytes * 1024 * 1024:
        raise errors.too_large()
    if not data:
        return size
    values = _read_values(vault, trace)
    withheld = trace.withheld_tail(vault)
    for offset in range(0, len(data), PIECE):
        first = start + offset - len(withheld.received)
        shown, withheld = mask(values, withheld, data[offset : offset + PIECE])
        if shown:
            await insert(tx, "job_trace_chunks", job_id=job_id, start=first, data=shown)
    await tx.run(
        "UPDATE job_traces SET size = :size, held = :held WHERE job_id = :job_id",
        job_id=job_id,
        size=size,
        held=vault.encrypt(msgspec.json.encode(withheld).decode(), _PURPOSE) if withheld.received else None,
    )
    return size


async def replace(tx: Tx, vault: Vault, job_id: int, data: bytes) -> None:
    """The trace is this text from now on, as a runner of 2018 sends it once more when its job is over."""
    await _lock(tx, vault, job_id)
    await tx.run("DELETE FROM job_trace_chunks WHERE job_id = :job_id", job_id=job_id)
    await tx.run("UPDATE job_traces SET size = 0, held = NULL WHERE job_id = :job_id", job_id=job_id)
    await append(tx, vault, job_id, 0, data)


async def erase(tx: Tx, job_id: int) -> bool:
    """Delete the trace, also the file that it became; whether there was one."""
    await tx.run("DELETE FROM job_trace_chunks WHERE job_id = :job_id", job_id=job_id)
    size = await tx.value("DELETE FROM job_traces WHERE job_id = :job_id RETURNING size", job_id=job_id)
    files = await artifacts.remove(tx, "a.job_id = :job_id AND a.file_type = :trace", job_id=job_id, trace=TRACE)
    return bool(size or files)


async def _lock(tx: Tx, vault: Vault, job_id: int) -> StoredTrace:
    """The row of the trace, made anew if it became a file already; it stays locked until the transaction ends."""
    trace = await _find(tx, job_id)
    if trace is None:
        await begin(tx, vault, job_id, [])
        trace = await _find(tx, job_id)
        assert trace is not None
    return trace


async def _find(tx: Tx, job_id: int) -> StoredTrace | None:
    return await tx.row(
        StoredTrace, f"SELECT {StoredTrace.columns} FROM job_traces t WHERE t.job_id = :id FOR UPDATE", id=job_id
    )


def _read_values(vault: Vault, trace: StoredTrace) -> list[bytes]:
    """The values that are masked; none of them can be masked if the key of the instance is lost."""
    return values_of(msgspec.json.decode(vault.decrypt(trace.secrets, _PURPOSE), type=list[str]))


async def _secrets(tx: Tx, vault: Vault, job_id: int) -> list[str]:
    """The token of the job, the registration token of its project, and every masked variable that the job may have."""
    encrypted = await tx.rows(
        tuple[str, str | None],
        """
        SELECT CAST(:token AS text), j.token FROM pipeline_jobs j WHERE j.id = :id
        UNION ALL
        SELECT CAST(:runners_token AS text), p.runners_token FROM pipeline_jobs j
        JOIN projects p ON p.id = j.project_id WHERE j.id = :id
        UNION ALL
        SELECT CAST(:variable AS text), v.value FROM ci_variables v
        JOIN pipeline_jobs j ON j.id = :id JOIN projects p ON p.id = j.project_id
        WHERE v.masked AND (v.project_id = p.id OR (v.project_id IS NULL AND v.group_id IS NULL)
            OR v.group_id IN (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = p.namespace_id))
        """,
        id=job_id, token=TOKEN_PURPOSE, runners_token=RUNNERS_TOKEN, variable=VALUE,
    )  # fmt: skip
    values = [_decrypted(vault, purpose, text) for purpose, text in encrypted if text]
    return [value for value in values if value]


def _decrypted(vault: Vault, purpose: str, text: str) -> str | None:
    try:
        return vault.decrypt(text, purpose)
    except UnreadableSecret:
        return None


async def archive(tx: Tx, job_id: int, size: int, stored: StagedFile) -> bool:
    """The trace is this file from now on, and no longer rows; False if it was changed or erased meanwhile."""
    trace = await _find(tx, job_id)
    if trace is None or trace.size != size:
        return False
    project_id = await tx.value("SELECT j.project_id FROM pipeline_jobs j WHERE j.id = :id", id=job_id)
    await artifacts.store(tx, project_id, job_id, NewArtifact(TRACE, "raw", FILENAME), stored)
    await tx.run("DELETE FROM job_trace_chunks WHERE job_id = :job_id", job_id=job_id)
    await tx.run("DELETE FROM job_traces WHERE job_id = :job_id", job_id=job_id)
    return True


async def forget_empty(tx: Tx, job_id: int) -> None:
    """A job that is over and sent no trace needs its masked values no longer."""
    await tx.run("DELETE FROM job_traces WHERE job_id = :job_id AND size = 0", job_id=job_id)


async def enqueue_archiving(tx: Tx, event: Event) -> None:
    """A task moves the trace of a job that is over into a file."""
    if event.changes["status"][1] in _OVER:
        await enqueue(tx, "traces.archive", event.subject_id, after=REPORT_GRACE)
