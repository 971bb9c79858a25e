"""What users wrote is given to the ghost user before they are deleted."""

from mujina.accounts.users.removing.operations import CONTRIBUTIONS
from mujina.migrations.metadata import tables
from mujina.product import PRODUCT
from tests.architecture.source import modules
from tests.architecture.sql_texts import written_tables


def test_rows_that_would_be_deleted_with_their_author_are_given_to_the_ghost():
    authored = {table.name for table in tables().tables.values() if is_deleted_with_author(table)}
    given = {table for kept in PRODUCT.all(CONTRIBUTIONS) for table in written_tables(modules()[kept.__name__])}
    assert authored - given == set(), (
        "reassign_to_ghost(…) and erase(…) in contributions.py of the noun, and CONTRIBUTIONS.of(…) in the manifest"
    )


def is_deleted_with_author(table):
    return "author_id" in table.columns and any(
        key.ondelete == "CASCADE" for key in table.columns["author_id"].foreign_keys
    )
