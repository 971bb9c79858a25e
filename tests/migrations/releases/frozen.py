"""The frozen instance of a release, unpacked so that a later version can be started on it."""

import json
import tarfile
from pathlib import Path
from typing import Any

import psycopg

from mujina.migrations.revisions import statements

HERE = Path(__file__).parent
RELEASES = {"0.1.0": ["0001"]}
"""The revisions that the database of each release has."""


def unpack(release: str, engine: str, folder: Path, url: str) -> dict[str, Any]:
    """The instance in `folder/data`, and on PostgreSQL its rows in the empty database; what was recorded about it."""
    with tarfile.open(HERE / release / f"{engine}.tar.xz") as tar:
        tar.extractall(folder)
    if engine == "postgres":
        _load(url, folder / "rows", RELEASES[release])
    return json.loads((folder / "known.json").read_text())


def _load(url: str, rows: Path, revisions: list[str]) -> None:
    with psycopg.connect(url) as connection:
        connection.execute(
            "CREATE TABLE schema_revision (revision TEXT NOT NULL, write_checks BIGINT NOT NULL DEFAULT 0)"
        )
        for revision in revisions:
            for statement in statements(revision, "postgres"):
                connection.execute(statement.encode())
        connection.execute("SET session_replication_role = replica")  # rows that triggers made are in the files
        for path in sorted(rows.glob("*.copy")):
            names, content = path.read_bytes().split(b"\n", 1)
            with connection.cursor().copy(b'COPY "%s" (%s) FROM STDIN' % (path.stem.encode(), names)) as copy:
                copy.write(content)
        connection.execute((rows / "counters.sql").read_bytes())
