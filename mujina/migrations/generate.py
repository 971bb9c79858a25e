"""Write the first revision from the tables, until a second one exists: `python -m mujina.migrations.generate`.

With `--check` it writes nothing, and fails if a file is stale.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import MetaData, create_mock_engine
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.schema import CreateIndex, CreateTable, ExecutableDDLElement

from mujina.kernel.db.transaction import Engine
from mujina.migrations.metadata import tables
from mujina.migrations.revisions import VERSIONS, known

DIALECTS: dict[Engine, tuple[str, Dialect]] = {
    "sqlite": ("sqlite://", sqlite.dialect()),
    "postgres": ("postgresql+psycopg://", postgresql.dialect()),
}

HEADER = "-- Written by `make schema` from the tables.py of every slice.\n\n"


def generated() -> Iterator[tuple[Path, str]]:
    """Every generated file with its content."""
    if len(known()) > 1:
        return  # the first revision is released: `revise.py` writes the next one
    for engine in DIALECTS:
        yield VERSIONS / f"0001_first.{engine}.sql", creating(tables(), engine)


def creating(described: MetaData, engine: Engine) -> str:
    """The file that makes these tables in an empty database."""
    return HEADER + "\n".join(_statements(described, engine))


def _statements(described: MetaData, engine: Engine) -> Iterator[str]:
    """The statements that SQLAlchemy would run to make these tables, in an order that depends on them alone."""
    url, dialect = DIALECTS[engine]
    found: list[ExecutableDDLElement] = []

    def collect(element: Any, *_: Any, **__: Any) -> None:
        found.append(element)

    described.create_all(create_mock_engine(url, collect), checkfirst=False)
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
