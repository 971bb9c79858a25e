"""What people write outlives them: whatever would go with its author is given to the ghost before."""

from mujina.migrations.metadata import tables
from mujina.removals import CONTRIBUTIONS
from tests.architecture.source import modules
from tests.architecture.sql_texts import written_tables


def test_whatever_would_go_with_its_author_is_given_to_the_ghost():
    authored = {table.name for table in tables().tables.values() if goes_with_its_author(table)}
    given = {table for kept in CONTRIBUTIONS for table in written_tables(modules()[kept.__name__])}
    assert authored - given == set(), "give(…) and erase(…) in the slice's contributions.py, and in removals.py"


def goes_with_its_author(table):
    return "author_id" in table.columns and any(
        key.ondelete == "CASCADE" for key in table.columns["author_id"].foreign_keys
    )
