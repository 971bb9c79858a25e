"""The revisions of the schema: one file of SQL for each engine, run in the order of their numbers."""

from pathlib import Path
from typing import LiteralString

from mujina.kernel.db.transaction import Engine

VERSIONS = Path(__file__).parent / "versions"
CREATE_REVISION: LiteralString = (
    "CREATE TABLE schema_revision (revision TEXT NOT NULL, write_checks BIGINT NOT NULL DEFAULT 0)"
)
"""The table of the revision that a database has."""


def known() -> list[str]:
    """Every revision, oldest first: `versions/0001_first.sqlite.sql` is a part of `0001`."""
    return sorted(path.name.partition("_")[0] for path in VERSIONS.glob("*.sqlite.sql"))


def statements(revision: str, engine: Engine) -> list[str]:
    """The statements that bring the schema from the revision before to this one; an empty line separates them."""
    (path,) = VERSIONS.glob(f"{revision}_*.{engine}.sql")
    return [statement for paragraph in path.read_text().split(";\n\n") if (statement := paragraph.strip(";\n"))]
