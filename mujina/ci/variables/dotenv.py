"""Variables that a job leaves to later jobs in a report of the kind `dotenv`: lines such as `VERSION=1.2`."""

import re
import zlib
from collections.abc import Sequence
from typing import Final

from mujina.ci.artifacts.rules import ALIVE, open_artifact
from mujina.ci.variables.values import JobVariable
from mujina.kernel import clock
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.services import Services

MAX_BYTES: Final = 64 * 1024
"""The size of the largest report that is read, packed and unpacked."""
MAX_VARIABLES: Final = 150
_LINE: Final = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]{0,254})\s*=\s*(.*)")
_QUOTED: Final = re.compile(r"""(["'])(.*)\1""")


class DotenvRow(Row, alias="a"):
    file: str
    file_format: str
    size: int


async def read_reported(tx: Tx, services: Services, job_id: int) -> list[JobVariable]:
    """The variables that the job has reported."""
    rows = await tx.rows(
        DotenvRow,
        f"""SELECT {DotenvRow.columns} FROM job_artifacts a
            WHERE a.job_id = :id AND a.file_type = 'dotenv' AND a.file IS NOT NULL AND {ALIVE}""",
        id=job_id,
        now=clock.now(),
    )
    return await read_reports(services, rows)


async def read_reports(services: Services, reports: Sequence[DotenvRow]) -> list[JobVariable]:
    """The variables of these reports, in their order."""
    found: list[JobVariable] = []
    for report in reports:
        pieces = await open_artifact(services, report.file, 0, min(report.size, MAX_BYTES))
        content = b"".join([piece async for piece in pieces])
        found += parse_dotenv(content, packed=report.file_format == "gzip")
    return found


def parse_dotenv(content: bytes, *, packed: bool) -> list[JobVariable]:
    """The variables of a report; lines that are none are left out, and so is a report that is not packed as it says."""
    try:
        plain = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(content, MAX_BYTES) if packed else content
    except zlib.error:
        return []
    found: list[JobVariable] = []
    for line in plain.decode("utf-8", "replace").splitlines():
        parts = _LINE.fullmatch(line.strip())
        if parts is not None and "\0" not in line and len(found) < MAX_VARIABLES:
            quoted = _QUOTED.fullmatch(parts[2])
            found.append(JobVariable(parts[1], quoted[2] if quoted else parts[2], raw=True))
    return found
