"""The statements that make declared tables in an empty database: what a chain of revisions is compared with."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import MetaData, create_mock_engine
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.schema import CreateIndex, CreateTable, ExecutableDDLElement

from mujina.kernel.db.transaction import Engine

DIALECTS: dict[Engine, tuple[str, Dialect]] = {
    "sqlite": ("sqlite://", sqlite.dialect()),
    "postgres": ("postgresql+psycopg://", postgresql.dialect()),
}


def creating(described: MetaData, engine: Engine) -> str:
    """A revision that makes these tables in an empty database."""
    return "\n".join(_statements(described, engine))


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
