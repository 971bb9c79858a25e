"""What people write outlives them: whoever keeps an author says what becomes of it when the author is deleted."""

from mujina.domains.users.jobs import CONTRIBUTIONS
from mujina.migrations.metadata import tables
from tests.architecture.source import modules
from tests.architecture.sql_texts import written_tables


def test_whatever_has_an_author_is_given_to_the_ghost():
    authored = {table.name for table in tables().tables.values() if "author_id" in table.columns}
    given = {table for kept in CONTRIBUTIONS for table in written_tables(modules()[kept.__name__])}
    assert authored - given == set(), "give(…) and erase(…) in the slice's contributions.py, and in users/jobs.py"
