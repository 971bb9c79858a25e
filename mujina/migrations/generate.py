"""Write what follows from the tables: `python -m mujina.migrations.generate`; with `--check`, fail if a file is stale.

Both schema files, and, as long as it is the only one, the first revision.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import NullPool, create_engine, create_mock_engine
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.schema import CreateIndex, CreateTable, ExecutableDDLElement

from mujina.kernel.db.transaction import Engine
from mujina.migrations.drafts import draft
from mujina.migrations.metadata import tables
from mujina.migrations.revisions import VERSIONS, known, schema_file

FIRST = VERSIONS / "0001_first.py"

DIALECTS: dict[Engine, tuple[str, Dialect]] = {
    "sqlite": ("sqlite://", sqlite.dialect()),
    "postgres": ("postgresql+psycopg://", postgresql.dialect()),
}

HEADER = """-- Written by `python -m mujina.migrations.generate` from the tables.py of every domain.
-- head: {head}

CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

INSERT INTO alembic_version (version_num) VALUES ('{head}');
"""


def generated() -> Iterator[tuple[Path, str]]:
    """Every generated file with its content."""
    revisions = known() or ["0001"]
    if len(revisions) == 1:
        with create_engine("sqlite://", poolclass=NullPool).connect() as nothing:  # closed, not kept
            yield FIRST, draft(nothing, tables(), "The first schema", "0001", None) or ""
    for engine in DIALECTS:
        yield schema_file(engine), "\n".join([HEADER.format(head=revisions[-1]), *_statements(engine)])


def _statements(engine: Engine) -> Iterator[str]:
    """The statements that SQLAlchemy would run to make all tables, in an order that depends on them alone."""
    url, dialect = DIALECTS[engine]
    found: list[ExecutableDDLElement] = []

    def collect(element: Any, *_: Any, **__: Any) -> None:
        found.append(element)

    tables().create_all(create_mock_engine(url, collect), checkfirst=False)
    for element in found:
        if isinstance(element, CreateIndex):
            continue
        yield _text(element, dialect)
        if isinstance(element, CreateTable):
            indexes = sorted(element.element.indexes, key=lambda index: str(index.name))
            yield from (_text(CreateIndex(index), dialect) for index in indexes)


def _text(element: ExecutableDDLElement, dialect: Dialect) -> str:
    lines = str(element.compile(dialect=dialect)).strip().splitlines()
    return "\n".join(line.rstrip() for line in lines) + ";\n"


def main(*, check: bool) -> None:
    stale = [(path, text) for path, text in generated() if not path.exists() or path.read_text() != text]
    if check and stale:
        sys.exit("\n".join(f"{path} is stale: run python -m mujina.migrations.generate" for path, _ in stale))
    for path, text in stale:
        path.write_text(text)


if __name__ == "__main__":
    main(check="--check" in sys.argv)
