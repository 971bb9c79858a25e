"""How many statements something cost: `with statements(database) as used: …; assert used.count <= 6`."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from mujina.kernel.db.transaction import Database


@dataclass
class Used:
    count: int = 0


@contextmanager
def statements(database: Database) -> Generator[Used]:
    """Counts what the engines are asked, not the savepoints around it."""
    before = database.statements
    used = Used()
    try:
        yield used
    finally:
        used.count = database.statements - before
