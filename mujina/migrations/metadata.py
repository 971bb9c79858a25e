"""All tables: those of every `tables.py` in the package."""

from importlib import import_module
from pathlib import Path

from sqlalchemy import MetaData

from mujina.kernel.db.ddl import metadata

PACKAGE = Path(__file__).parents[1]


def tables() -> MetaData:
    """The present shape of all tables: whatever any `tables.py` describes."""
    for path in sorted(PACKAGE.rglob("tables.py")):
        import_module(".".join((PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts)))
    return metadata
